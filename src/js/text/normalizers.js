import { GlassformerError } from '../errors.js'
import { onDemand } from './on_demand.js'
import { patternFrom } from './pattern.js'
import { precompiled, spmNormalizer } from './spm_normalizer.js'

/** @typedef {import('./aligned.js').Aligned} Aligned */
/**
 * Bytes that are not well-formed: which UTF-16 unit of the decoded text each belongs to, and how many there are.
 * @typedef {{ bytes: Uint8Array, units: Int32Array }} Raw
 */
/** @typedef {(text: Aligned, raw?: Raw) => Aligned} Normalize */

/** Stretches that one of Unicode's normal forms changes each by itself, nearly always: a character and its marks, a
 * syllable in conjoining jamo. */
const CLUSTERS = onDemand(
  String.raw`[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uac00-\ud7a3]+\p{M}*|[^\p{M}]\p{M}*|\p{M}+`, 'gu')
/** Coarser, and always right: nothing composes with a space before it. */
const LINES = /[^ ]+ */gu
const ASCII = /^[\0-\x7f]*$/

/** @param {'NFC' | 'NFD' | 'NFKC' | 'NFKD'} form @returns {Normalize} */
const unicodeForm = form => text => {
  if (ASCII.test(text.string)) return text
  const whole = text.string.normalize(form)
  if (whole === text.string) return text
  const inClusters = text.replaceAll(CLUSTERS(), part => part.normalize(form))
  return inClusters.string === whole ? inClusters : text.replaceAll(LINES, part => part.normalize(form))
}

const ACCENTS = onDemand(String.raw`\p{Mn}+`, 'gu')
/** @type {Normalize} */
const stripAccents = text => text.replaceAll(ACCENTS(), () => '')

/** @type {Normalize} character by character, so that each keeps its place */
const lowercase = text => {
  const whole = text.string.toLowerCase()
  return whole === text.string ? text : text.replaceAll(/[^]/gu, character => character.toLowerCase())
}

/** BERT's: what is a control character, save those that are white space, and what is no character. */
const CONTROLS = onDemand(String.raw`[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cn}\p{Co}]`, 'gu')
const SPACE = onDemand(String.raw`\p{White_Space}`, 'gu')
/** What it takes for Chinese. Korean and Japanese kana are not among them. */
const CHINESE = /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu

/** @param {any} json @returns {Normalize} */
function bert({ clean_text = true, handle_chinese_chars = true, strip_accents = null, lowercase: lower = true }) {
  const accents = strip_accents ?? lower
  /** @type {Normalize[]} */ const steps = []
  if (clean_text) {
    steps.push(text => text.replaceAll(CONTROLS(), () => ''), text => text.replaceAll(SPACE(), () => ' '))
  }
  if (handle_chinese_chars) steps.push(text => text.replaceAll(CHINESE, character => ` ${character} `))
  if (accents) steps.push(unicodeForm('NFD'), stripAccents)
  if (lower) steps.push(lowercase)
  return chain(steps)
}

/** @param {Normalize[]} steps @returns {Normalize} */
const chain = steps => text => steps.reduce((current, step) => step(current), text)

const SPACES_BEFORE = onDemand(String.raw`^\p{White_Space}+`, 'gu')
const SPACES_AFTER = onDemand(String.raw`\p{White_Space}+$`, 'gu')
/** @param {RegExp} pattern @returns {Normalize} */
const drop = pattern => text => text.replaceAll(pattern, () => '')

/** @type {Record<string, (json: any) => Normalize>} */
const KINDS = {
  NFC: () => unicodeForm('NFC'),
  NFD: () => unicodeForm('NFD'),
  NFKC: () => unicodeForm('NFKC'),
  NFKD: () => unicodeForm('NFKD'),
  Lowercase: () => lowercase,
  StripAccents: () => stripAccents,
  Strip: json => chain([
    ...json.strip_left === false ? [] : [drop(SPACES_BEFORE())],
    ...json.strip_right === false ? [] : [drop(SPACES_AFTER())]
  ]),
  Replace: json => {
    const pattern = patternFrom('tokenizer: normalizer', json.pattern)
    return text => text.replaceAll(pattern, () => json.content)
  },
  Prepend: json => text => text.string ? text.replace([{ start: 0, end: 0, by: json.prepend }]) : text,
  BertNormalizer: bert,
  Precompiled: json => precompiled(json.precompiled_charsmap ?? ''),
  SentencePiece: spmNormalizer,
  Sequence: json => chain(json.normalizers.map(normalizer))
}

/**
 * How a text is rewritten before it is cut.
 * @param {any} json the `normalizer` of a tokenizer.json
 * @returns {Normalize}
 * @throws {GlassformerError} 'format' for a type that is not known
 */
export function normalizer(json) {
  if (json == null) return text => text
  if (!Object.hasOwn(KINDS, json.type)) {
    throw new GlassformerError('format',
      `tokenizer: normalizer ${JSON.stringify(json.type)} is not among ${Object.keys(KINDS).join(', ')}`)
  }
  return KINDS[json.type](json)
}
