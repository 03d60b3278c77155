import { NOT_PRINTABLE, spellBytes } from './byte_level.js'
import { expect } from '../errors.js'
import { lazyRegExp } from './lazy_regexp.js'
import { expectFormat, readArray, readBoolean, readChoice, readType } from './json_fields.js'
import { RUST_WORD, escapeRegExp, isInsideSurrogatePair, readPattern } from './pattern.js'
import { SPACES } from './spaces.js'

/**
 * A pre-tokenized text: `ends` are the ends of its words in UTF-16 units. Characters outside of words have been removed
 * from the text. `base` is the position in the source where the text begins.
 * @typedef {{ text: import('./normalized_string.js').NormalizedString, ends: number[], base: number }} PreTokenized
 *
 * @typedef {(words: PreTokenized) => PreTokenized} PreTokenizer
 * @typedef {'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous'} Behavior
 */

const WHERE = 'tokenizer: pre_tokenizer'
/** @type {readonly Behavior[]} */
const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']

/** GPT-2's pre-tokenization. */
export const GPT2_WORDS = lazyRegExp(
  String.raw`'(?:[stmd]|re|ve|ll)| ?\p{L}+| ?\p{N}+| ?[^\p{space}\p{L}\p{N}]+|\p{space}+(?!\P{space})|\p{space}+`,
  'gu')
const WORDS = lazyRegExp(`[${RUST_WORD}]+|[^${RUST_WORD}\\p{space}]+`, 'gu')
const PUNCTUATION = lazyRegExp(String.raw`[!-/:-@[-\x60{-~\p{P}]`, 'gu')
const DIGIT = lazyRegExp(String.raw`\p{N}`, 'gu')

/** The pattern of UnicodeScripts, once its table is loaded. @type {RegExp | undefined} */
let scriptRuns

/** Loads the table of scripts for the pre-tokenizer UnicodeScripts. */
export async function loadScripts() {
  scriptRuns = (await import('./unicode_scripts.js')).SCRIPT_RUNS
}

/**
 * Splits a text into words. @param {readonly PreTokenizer[]} preTokenizers
 * @param {import('./normalized_string.js').NormalizedString} text @param {number} base its start in the source
 * @returns {PreTokenized}
 */
export const preTokenize = (preTokenizers, text, base) => preTokenizers.reduce((words, split) => split(words),
  /** @type {PreTokenized} */ ({ text, ends: text.string ? [text.string.length] : [], base }))

/**
 * Splits every word at the matches of a pattern.
 * @param {RegExp} pattern @param {Behavior} behavior
 * @param {boolean} [invert] whether to split at the text between the matches instead
 * @returns {PreTokenizer}
 */
export const splitAt = (pattern, behavior, invert = false) => ({ text, ends, base }) => {
  /** @type {number[]} */ const cuts = []
  /** @type {{ start: number, end: number, content: string }[]} */ const removed = []
  let start = 0, lastEnd = 0
  for (const end of ends) {
    const parts = splitByMatches(text.string.slice(start, end), start, pattern, invert)
    for (const [i, part] of parts.entries()) {
      const next = parts[i + 1], isRemoved = part.match && behavior === 'Removed'
      if (part.end === lastEnd || (!isRemoved && next && !isBoundary(part.match, next.match, behavior))) continue
      if (isRemoved) removed.push({ start: part.start, end: part.end, content: '' })
      else cuts.push(part.end)
      lastEnd = part.end
    }
    start = end
  }
  return { ...removed.length ? removeParts(text, cuts, removed) : { text, ends: cuts }, base }
}

/**
 * Whether a word ends between two neighboring parts. With `invert`, adjacent matches of the pattern are two
 * neighboring parts with match = false; only 'Contiguous' joins them.
 * @param {boolean} left whether the left part is a match @param {boolean} right @param {Behavior} behavior
 */
function isBoundary(left, right, behavior) {
  if (behavior === 'MergedWithPrevious') return left || !right
  if (behavior === 'MergedWithNext') return right || !left
  return behavior !== 'Contiguous' || left !== right
}

/**
 * Splits a string into matches and the parts between them. A match may be empty unless it directly follows another.
 * @param {string} string @param {number} offset its position in the text, which is added to all positions
 * @param {RegExp} pattern @param {boolean} invert
 */
function splitByMatches(string, offset, pattern, invert) {
  const parts = []
  let at = 0, previousEnd = -1
  for (const { index, 0: matched } of string.matchAll(pattern)) {
    if (!matched && (index === previousEnd || isInsideSurrogatePair(string, index))) continue
    previousEnd = index + matched.length
    if (index > at) parts.push({ start: offset + at, end: offset + index, match: invert })
    parts.push({ start: offset + index, end: offset + index + matched.length, match: !invert })
    at = index + matched.length
  }
  if (at < string.length) parts.push({ start: offset + at, end: offset + string.length, match: invert })
  return parts
}

/**
 * @param {import('./normalized_string.js').NormalizedString} text @param {number[]} cuts
 * @param {{ start: number, end: number, content: string }[]} removed
 */
function removeParts(text, cuts, removed) {
  let removedUnits = 0, next = 0
  const ends = cuts.map(cut => {
    for (; next < removed.length && removed[next].start < cut; next++) {
      removedUnits += removed[next].end - removed[next].start
    }
    return cut - removedUnits
  })
  return { text: text.replace(removed), ends }
}

/**
 * Rewrites words.
 * @param {(text: import('./normalized_string.js').NormalizedString, start: number, end: number, base: number) =>
 *   import('./normalized_string.js').Replacement[]} findReplacements in a word
 * @returns {PreTokenizer}
 */
const rewriteWords = findReplacements => ({ text, ends, base }) => {
  /** @type {import('./normalized_string.js').Replacement[]} */ const replacements = []
  let from = 0, added = 0
  const newEnds = ends.map(to => {
    for (const replacement of findReplacements(text, from, to, base)) {
      replacements.push(replacement)
      added += replacement.content.length - replacement.end + replacement.start
    }
    from = to
    return to + added
  })
  return { text: text.replace(replacements), ends: newEnds, base }
}

/**
 * Prepends a prefix to words.
 * @param {string} prefix @param {(word: string, originalStart: number) => boolean} shouldPrepend
 *   originalStart is the position of the word in the source
 */
const prependToWords = (prefix, shouldPrepend) => rewriteWords((text, start, end, base) => {
  const isPrepended = shouldPrepend(text.string.slice(start, end), base + text.originalOffsets(start, end)[0])
  return isPrepended ? [text.prefixed(prefix, start)] : []
})

/** Replaces text in words. @param {RegExp} pattern @param {(match: string) => string} replace */
const replaceInWords = (pattern, replace) => rewriteWords((text, from, to) => Array.from(
  text.string.slice(from, to).matchAll(pattern), ({ index, 0: match }) => (
    { start: from + index, end: from + index + match.length, content: replace(match) })))

/** @param {any} json @returns {PreTokenizer[]} */
function metaspace(json) {
  const replacement = json.replacement ?? '▁'
  expectFormat(typeof replacement === 'string' && [...replacement].length === 1, () => `${WHERE}: replacement must be one character`, replacement)
  const fallback = json.add_prefix_space === false ? 'never' : 'always'
  const scheme = readChoice(WHERE, json, 'prepend_scheme', ['always', 'first', 'never'], fallback)
  const preTokenizers = [replaceInWords(/ /g, () => replacement)]
  if (scheme !== 'never') {
    preTokenizers.push(prependToWords(replacement, (word, originalStart) =>
      !word.startsWith(replacement) && (scheme === 'always' || originalStart === 0)))
  }
  if (readBoolean(WHERE, json, 'split', true)) {
    preTokenizers.push(splitAt(new RegExp(escapeRegExp(replacement), 'gu'), 'MergedWithNext'))
  }
  return preTokenizers
}

/** @type {Record<string, (json: any, isSpelled: boolean) => PreTokenizer[]>} */
const PRE_TOKENIZERS = {
  ByteLevel: (json, isSpelled) => [
    ...json.add_prefix_space ? [prependToWords(' ', word => !word.startsWith(' '))] : [],
    ...json.use_regex === false ? [] : [splitAt(GPT2_WORDS(), 'Isolated')],
    ...isSpelled ? [replaceInWords(NOT_PRINTABLE, spellBytes)] : []
  ],
  Split: json => [splitAt(readPattern(WHERE, json.pattern), readChoice(WHERE, json, 'behavior', BEHAVIORS),
    readBoolean(WHERE, json, 'invert', false))],
  Whitespace: () => [splitAt(WORDS(), 'Removed', true)],
  WhitespaceSplit: () => [splitAt(SPACES(), 'Removed')],
  BertPreTokenizer: () => [splitAt(SPACES(), 'Removed'), splitAt(PUNCTUATION(), 'Isolated')],
  Punctuation: json => [splitAt(PUNCTUATION(), readChoice(WHERE, json, 'behavior', BEHAVIORS, 'Isolated'))],
  Digits: json => [splitAt(DIGIT(), json.individual_digits ? 'Isolated' : 'Contiguous')],
  CharDelimiterSplit: json => [splitAt(readPattern(WHERE, json.delimiter), 'Removed')],
  Metaspace: metaspace,
  UnicodeScripts: () => {
    expect(scriptRuns !== undefined, 'state', () => `${WHERE} UnicodeScripts needs await gf.text.loadScripts()`)
    return [splitAt(scriptRuns, 'Removed', true)]
  },
  Sequence: (json, isSpelled) => readArray(WHERE, json, 'pretokenizers').flatMap(part => createPreTokenizer(part, isSpelled))
}

/**
 * Creates the pre-tokenizers that split a text into words, in order.
 * @param {any} json the `pre_tokenizer` of a tokenizer.json
 * @param {boolean} [isSpelled] whether ByteLevel spells bytes as characters for what follows it; else the model reads
 *   bytes
 * @returns {PreTokenizer[]}
 * @throws {GlassformerError} 'format' if it is malformed or of an unknown type
 */
export function createPreTokenizer(json, isSpelled = false) {
  if (json == null) return []
  return readType(WHERE, json, PRE_TOKENIZERS)(json, isSpelled)
}

/** Whether the pre-tokenizer is exactly GPT-2's, which a kernel implements. @param {any} json */
export const isGpt2 = json => json?.type === 'ByteLevel' && !json.add_prefix_space && json.use_regex !== false

/** The types of the parts of a pre-tokenizer or normalizer in order. @param {any} json @returns {unknown[]} */
const typesOf = json => (json?.type === 'Sequence'
  ? [json.normalizers ?? json.pretokenizers].flat().flatMap(typesOf) : [json?.type])

/**
 * How a tokenizer treats bytes: 'read' by the model; 'spelled' as characters before other parts see the text, as in
 * Falcon's files; undefined if it is not byte-level.
 * @param {any} json a tokenizer.json @returns {'read' | 'spelled' | undefined}
 */
export function byteMode({ normalizer, pre_tokenizer: preTokenizer }) {
  const types = typesOf(preTokenizer), at = types.indexOf('ByteLevel')
  if (typesOf(normalizer).includes('ByteLevel') || (at >= 0 && at < types.length - 1)) return 'spelled'
  return at < 0 ? undefined : 'read'
}
