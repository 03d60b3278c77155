import { flagIn, kindIn, listIn, textIn } from './fields.js'
import { onDemand } from './on_demand.js'
import { patternFrom } from './pattern.js'
import { endOfSpaces, startOfSpaces } from './spaces.js'
import { precompiled, spmNormalizer } from './spm_normalizer.js'

/** @typedef {import('./aligned.js').Aligned} Aligned */
/**
 * Bytes that are not well-formed: which UTF-16 unit of the decoded text each belongs to, and how many there are.
 * @typedef {{ bytes: Uint8Array, units: Int32Array }} Raw
 */
/** @typedef {(text: Aligned, raw?: Raw) => Aligned} Normalize */

const WHERE = 'tokenizer: normalizer'

/** Stretches that one of Unicode's normal forms changes each by itself, nearly always: a character and its marks, a
 * syllable in conjoining jamo. */
const CLUSTERS = onDemand(
  String.raw`(?:[\u1100-\u1112][\u1161-\u1175]|[\uac00-\ud7a3])[\u11a8-\u11c2]?\p{M}*|[^\p{M}]\p{M}*|\p{M}+`, 'gu')
/** Coarser, and always right: nothing composes with a space before it. */
const LINES = /[^ ]+ */gu
/** No more than so many units are taken for one that changes as a whole. */
const LONGEST = 256
const ASCII = /^[\0-\x7f]*$/

/** @param {'NFC' | 'NFD' | 'NFKC' | 'NFKD'} form @returns {Normalize} */
const unicodeForm = form => text => {
  if (ASCII.test(text.string)) return text
  const whole = text.string.normalize(form)
  if (whole === text.string) return text
  const inClusters = text.replaceAll(CLUSTERS(), part => part.normalize(form))
  if (inClusters.string === whole) return inClusters
  const inGroups = text.replace(groupsOf(text.string, form))
  return inGroups.string === whole ? inGroups : text.replaceAll(LINES, part => part.normalize(form))
}

/**
 * Clusters that change together: compatibility jamo are taken apart and put together again as syllables.
 * @param {string} string @param {string} form
 */
function groupsOf(string, form) {
  /** @type {{ start: number, end: number, by: string }[]} */ const groups = []
  for (const { index, 0: cluster } of string.matchAll(CLUSTERS())) {
    const last = groups[groups.length - 1], by = cluster.normalize(form), end = index + cluster.length
    const both = last && end - last.start <= LONGEST ? string.slice(last.start, end).normalize(form) : undefined
    if (last && both !== undefined && both !== last.by + by) Object.assign(last, { end, by: both })
    else groups.push({ start: index, end, by })
  }
  return groups.filter(({ start, end, by }) => by !== string.slice(start, end))
}

/** BERT's accents, and all marks. */
const ACCENTS = onDemand(String.raw`\p{Mn}+`, 'gu'), MARKS = onDemand(String.raw`\p{M}+`, 'gu')

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
function bert(json) {
  const [clean_text, handle_chinese_chars, lower] = ['clean_text', 'handle_chinese_chars', 'lowercase']
    .map(name => flagIn(WHERE, json, name, true))
  const accents = flagIn(WHERE, json, 'strip_accents', lower)
  /** @type {Normalize[]} */ const steps = []
  if (clean_text) {
    steps.push(text => text.replaceAll(CONTROLS(), () => ''), text => text.replaceAll(SPACE(), () => ' '))
  }
  if (handle_chinese_chars) steps.push(text => text.replaceAll(CHINESE, character => ` ${character} `))
  if (accents) steps.push(unicodeForm('NFD'), drop(ACCENTS()))
  if (lower) steps.push(lowercase)
  return chain(steps)
}

/** @param {Normalize[]} steps @returns {Normalize} */
const chain = steps => text => steps.reduce((current, step) => step(current), text)

/** @param {boolean} left @param {boolean} right @returns {Normalize} */
const strip = (left, right) => text => {
  const { string } = text, last = string.length, end = left ? endOfSpaces(string, 0) : 0
  const start = right ? Math.max(end, startOfSpaces(string, last)) : last
  return text.replace([[0, end], [start, last]].flatMap(([from, to]) => (from < to ? [{ start: from, end: to, by: '' }] : [])))
}

/** @param {RegExp} pattern @returns {Normalize} */
const drop = pattern => text => text.replaceAll(pattern, () => '')

/** @type {Record<string, (json: any) => Normalize>} */
const KINDS = {
  NFC: () => unicodeForm('NFC'),
  NFD: () => unicodeForm('NFD'),
  NFKC: () => unicodeForm('NFKC'),
  NFKD: () => unicodeForm('NFKD'),
  Lowercase: () => lowercase,
  StripAccents: () => drop(MARKS()),
  Strip: json => strip(flagIn(WHERE, json, 'strip_left', true), flagIn(WHERE, json, 'strip_right', true)),
  Replace: json => {
    const pattern = patternFrom(WHERE, json.pattern), content = textIn(WHERE, json, 'content')
    return text => text.replaceAll(pattern, () => content)
  },
  Prepend: json => {
    const by = textIn(WHERE, json, 'prepend')
    return text => (text.string ? text.replace([{ start: 0, end: 0, by }]) : text)
  },
  BertNormalizer: bert,
  Precompiled: json => precompiled(json.precompiled_charsmap == null ? '' : textIn(WHERE, json, 'precompiled_charsmap')),
  SentencePiece: spmNormalizer,
  Sequence: json => chain(listIn(WHERE, json, 'normalizers').map(normalizer))
}

/**
 * How a text is rewritten before it is cut.
 * @param {any} json the `normalizer` of a tokenizer.json
 * @returns {Normalize}
 * @throws {GlassformerError} 'format' for a type that is not known
 */
export function normalizer(json) {
  if (json == null) return text => text
  return kindIn(WHERE, json, KINDS)(json)
}
