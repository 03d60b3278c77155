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

/**
 * Clusters that Unicode normalization nearly always changes independently: a character with its marks, or a syllable
 * of conjoining jamo.
 */
const CLUSTERS = lazyRegExp(
  String.raw`(?:[\u1100-\u1112][\u1161-\u1175]|[\uac00-\ud7a3])[\u11a8-\u11c2]?\p{M}*|[^\p{M}]\p{M}*|\p{M}+`, 'gu')
/** Coarser, and always correct: no character composes with a preceding space. */
const LINES = /[^ ]+ */gu
/** Maximum length in UTF-16 units of a group of clusters that is normalized together. */
const MAX_GROUP = 256
const ASCII = /^[\0-\x7f]*$/

/** @param {'NFC' | 'NFD' | 'NFKC' | 'NFKD'} form @returns {Normalize} */
const unicodeForm = form => text => {
  const { string } = text
  if (ASCII.test(string)) return text
  const normalized = string.normalize(form)
  if (normalized === string) return text
  for (const group of [() => matchGroups(string, CLUSTERS(), form), () => groupClusters(string, form)]) {
    const result = text.replace(group().flatMap(part => alignCharacters(text, form, part)))
    if (result.string === normalized) return result
  }
  return text.replace(matchGroups(string, LINES, form).flatMap(part => alignCharacters(text, form, part)))
}

/**
 * The matches of a pattern that normalization changes. @param {string} string @param {RegExp} pattern @param {string} form
 * @returns {import('./normalized_string.js').Replacement[]}
 */
const matchGroups = (string, pattern, form) => Array.from(string.matchAll(pattern),
  ({ index, 0: part }) => ({ start: index, end: index + part.length, content: part.normalize(form) }))
  .filter(({ start, end, content }) => content !== string.slice(start, end))

/**
 * Groups the clusters that are normalized together: compatibility jamo are decomposed and composed to syllables.
 * @param {string} string @param {string} form
 */
function groupClusters(string, form) {
  /** @type {import('./normalized_string.js').Replacement[]} */ const groups = []
  for (const { index, 0: cluster } of string.matchAll(CLUSTERS())) {
    const last = groups[groups.length - 1], content = cluster.normalize(form), end = index + cluster.length
    const joined = last && end - last.start <= MAX_GROUP ? string.slice(last.start, end).normalize(form) : undefined
    if (last && joined !== undefined && joined !== last.content + content) Object.assign(last, { end, content: joined })
    else groups.push({ start: index, end, content })
  }
  return groups.filter(({ start, end, content }) => content !== string.slice(start, end))
}

/**
 * Aligns each character of a normalized group with one of the original, as Hugging Face's library does: a character stands for
 * the first of those that it is composed of, and what a character is decomposed to stands for all of it. They are taken in order
 * even where normalization changes the order of marks.
 * @param {NormalizedString} text @param {string} form @param {import('./normalized_string.js').Replacement} group
 * @returns {import('./normalized_string.js').Replacement[]}
 */
function alignCharacters(text, form, { start, end, content }) {
  const decomposed = form.replace('C', 'D')
  /** The decomposed characters, and whether each is the first of its character. @type {[string, boolean][]} */
  const parts = [...text.string.slice(start, end)].flatMap(character =>
    [...character.normalize(decomposed)].map((part, i) => /** @type {[string, boolean]} */ ([part, i === 0])))
  let at = start
  const replacements = [...content].map(character => {
    const from = at
    let count = 0 // of original characters that it takes
    for (const part of decomposed === form ? character : character.normalize('NFD')) {
      const k = parts.findIndex(([other]) => other === part)
      if (k >= 0 && parts.splice(k, 1)[0][1]) count++
    }
    for (let i = 0; i < count && at < end; i++) at = text.after(at)[1]
    return { start: from, end: at, content: character, origin: at > from ? text.after(from) : text.before(from) }
  })
  return [...replacements, { start: at, end, content: '' }]
}

/** The accents that BERT's normalizer strips, and all marks. */
const ACCENTS = lazyRegExp(String.raw`\p{Mn}+`, 'gu'), MARKS = lazyRegExp(String.raw`\p{M}+`, 'gu')

/** @type {Normalize} character by character, so that each keeps its offsets */
const toLowerCase = text => {
  const lowered = text.string.toLowerCase()
  return lowered === text.string ? text : text.replaceAll(/[^]/gu, character => character.toLowerCase())
}

/** The characters that BERT's normalizer removes: control characters except white space. Unassigned code points stay. */
const CONTROLS = lazyRegExp(String.raw`[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]`, 'gu')
const SPACE = lazyRegExp(String.raw`\p{White_Space}`, 'gu')
/**
 * The characters that BERT's normalizer treats as Chinese; Hangul and kana are not among them. U+2B820 to U+2B91F are missing in
 * Hugging Face's library, too.
 */
const CHINESE = /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu

/** What NMT's normalizer removes and replaces by a space. */
const NMT_CONTROLS = /[\x01-\x08\v\x0e-\x1f\x7f\x8f\x9f]/g
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
    const pattern = readPattern(WHERE, json.pattern), content = readString(WHERE, json, 'content')
    return text => text.replaceAll(pattern, () => content)
  },
  Prepend: json => {
    const content = readString(WHERE, json, 'prepend')
    return text => text.prepend(content, [0])
  },
  BertNormalizer: bert,
  Nmt: () => text => text.replaceAll(NMT_CONTROLS, () => '').replaceAll(NMT_SPACES, () => ' '),
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
