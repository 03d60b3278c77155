import { NOT_PRINTABLE, spellBytes } from './byte_level.js'
import { readArray, readBoolean, readString, readType } from './json_fields.js'
import { lazyRegExp } from './lazy_regexp.js'
import { readPattern } from './pattern.js'
import { endOfSpaces, startOfSpaces } from './spaces.js'
import { precompiled, spmNormalizer } from './spm_normalizer.js'

/** @typedef {import('./normalized_string.js').NormalizedString} NormalizedString */
/**
 * Invalid UTF-8: the bytes, and for each byte and the end its UTF-16 unit in the decoded text.
 * @typedef {{ bytes: Uint8Array, units: Int32Array }} Raw
 */
/** @typedef {(text: NormalizedString, raw?: Raw) => NormalizedString} Normalize */

const WHERE = 'tokenizer: normalizer'

const ASCII = /^[\0-\x7f]*$/

/**
 * A Unicode normalization form. It aligns characters as Hugging Face's library does: a character stands for the first
 * of those that it is composed of, and what a character is decomposed to stands for all of it. Original characters are
 * taken in order even where normalization changes the order of marks.
 * @param {'NFC' | 'NFD' | 'NFKC' | 'NFKD'} form @returns {Normalize}
 */
const unicodeForm = form => text => {
  const { string } = text, normalized = ASCII.test(string) ? string : string.normalize(form)
  if (normalized === string) return text
  const decomposed = form.replace('C', 'D')
  /** The decomposed characters, and whether each is the first of its character. @type {[string, boolean][]} */
  const parts = Array.from(string).flatMap(character => (character < '\x7f' ? [[character, true]]
    : Array.from(character.normalize(decomposed), (part, i) => /** @type {[string, boolean]} */ ([part, i === 0]))))
  /** @type {Uint8Array} */ const isTaken = new Uint8Array(parts.length)
  /** @type {import('./normalized_string.js').Replacement[]} */ const replacements = []
  let at = 0, first = 0
  for (const content of normalized) {
    const start = at
    for (const part of form === decomposed ? content : content.normalize('NFD')) {
      let k = first
      while (k < parts.length && (isTaken[k] || parts[k][0] !== part)) k++
      isTaken[k] = 1
      while (isTaken[first]) first++
      if (parts[k]?.[1]) at = text.after(at)[1]
    }
    if (string.slice(start, at) !== content) {
      replacements.push({ start, end: at, content, origin: at > start ? text.after(start) : text.before(start) })
    }
  }
  return text.replace(replacements)
}

/** The accents that BERT's normalizer strips, and all marks. */
const ACCENTS = lazyRegExp(String.raw`\p{Mn}+`, 'gu'), MARKS = lazyRegExp(String.raw`\p{M}+`, 'gu')

/** @type {Normalize} character by character, so that each keeps its offsets */
const toLowerCase = text => {
  const lowered = text.string.toLowerCase()
  return lowered === text.string ? text : text.replaceAll(/[^]/gu, character => character.toLowerCase())
}

/**
 * The characters that BERT's normalizer removes: control characters except white space. Unassigned code points stay.
 */
const CONTROLS = lazyRegExp(String.raw`[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]`, 'gu')
const SPACE = lazyRegExp(String.raw`\p{space}`, 'gu')
/**
 * The characters that BERT's normalizer treats as Chinese; Hangul and kana are not among them. U+2B820 to U+2B91F are
 * missing in Hugging Face's library, too.
 */
const CHINESE = /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu

/** What NMT's normalizer removes and replaces by a space. */
const NMT_CONTROLS = lazyRegExp('[\\x01-\\x08\\v\\x0e-\\x1f\\x7f\\x8f\\x9f]', 'g')
const NMT_SPACES = /[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g

/** @param {any} json @returns {Normalize} */
function bert(json) {
  const [clean_text, handle_chinese_chars, lowercases] = ['clean_text', 'handle_chinese_chars', 'lowercase']
    .map(name => readBoolean(WHERE, json, name, true))
  const accents = readBoolean(WHERE, json, 'strip_accents', lowercases)
  /** @type {Normalize[]} */ const steps = []
  if (clean_text) {
    steps.push(text => text.replaceAll(CONTROLS(), () => ''), text => text.replaceAll(SPACE(), () => ' '))
  }
  if (handle_chinese_chars) steps.push(text => text.replaceAll(CHINESE, character => ` ${character} `))
  if (accents) steps.push(unicodeForm('NFD'), remove(ACCENTS()))
  if (lowercases) steps.push(toLowerCase)
  return sequence(steps)
}

/** @param {Normalize[]} steps @returns {Normalize} */
const sequence = steps => text => steps.reduce((current, step) => step(current), text)

/** @param {boolean} left @param {boolean} right @returns {Normalize} */
const strip = (left, right) => text => {
  const { string } = text, { length } = string, end = left ? endOfSpaces(string, 0) : 0
  const start = right ? Math.max(end, startOfSpaces(string, length)) : length
  return text.replace([[0, end], [start, length]].flatMap(([from, to]) => (from < to ? [{ start: from, end: to, content: '' }] : [])))
}

/** @param {RegExp} pattern @returns {Normalize} */
const remove = pattern => text => text.replaceAll(pattern, () => '')

/** @type {Record<string, (json: any) => Normalize>} */
const NORMALIZERS = {
  NFC: () => unicodeForm('NFC'),
  NFD: () => unicodeForm('NFD'),
  NFKC: () => unicodeForm('NFKC'),
  NFKD: () => unicodeForm('NFKD'),
  Lowercase: () => toLowerCase,
  StripAccents: () => remove(MARKS()),
  Strip: json => strip(readBoolean(WHERE, json, 'strip_left', true), readBoolean(WHERE, json, 'strip_right', true)),
  Replace: json => {
    const pattern = readPattern(WHERE, json.pattern, true), content = readString(WHERE, json, 'content')
    return text => text.replaceAll(pattern, () => content)
  },
  Prepend: json => {
    const content = readString(WHERE, json, 'prepend')
    return text => (text.string ? text.replace([text.prefixed(content, 0)]) : text)
  },
  BertNormalizer: bert,
  Nmt: () => text => text.replaceAll(NMT_CONTROLS(), () => '').replaceAll(NMT_SPACES, () => ' '),
  ByteLevel: () => text => text.replaceAll(NOT_PRINTABLE, spellBytes),
  Precompiled: json => precompiled(json.precompiled_charsmap == null ? '' : readString(WHERE, json, 'precompiled_charsmap')),
  SentencePiece: spmNormalizer,
  Sequence: json => sequence(readArray(WHERE, json, 'normalizers').map(createNormalizer))
}

/**
 * Creates the normalizer that rewrites a text before pre-tokenization.
 * @param {any} json the `normalizer` of a tokenizer.json
 * @returns {Normalize}
 * @throws {GlassformerError} 'format' if it is malformed or of an unknown type
 */
export function createNormalizer(json) {
  if (json == null) return text => text
  return readType(WHERE, json, NORMALIZERS)(json)
}
