import { describe, expect } from '../errors.js'
import { onDemand } from './on_demand.js'
import { choiceIn, flagIn, kindIn, listIn } from './fields.js'
import { RUST_WORD, isBetweenHalves, literal, patternFrom } from './pattern.js'

/**
 * A text on its way to a model: where its words end, in UTF-16 units. Characters that are no part of any word have been
 * taken out of the text. `base` is where the text begins in what was given.
 * @typedef {{ text: import('./aligned.js').Aligned, ends: number[], base: number }} Words
 *
 * @typedef {(words: Words) => Words} Cut
 * @typedef {'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous'} Behavior
 */

const WHERE = 'tokenizer: pre_tokenizer'
/** @type {readonly Behavior[]} */
const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']

/** GPT-2's rule. */
export const GPT2 = onDemand(
  String.raw`'(?:[stmd]|re|ve|ll)| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+`,
  'gu')
const SPACES = onDemand(String.raw`\p{White_Space}+`, 'gu')
const WORDS = onDemand(`[${RUST_WORD}]+|[^${RUST_WORD}\\p{White_Space}]+`, 'gu')
const PUNCTUATION = onDemand(String.raw`[!-/:-@[-\x60{-~\p{P}]`, 'gu')
const DIGIT = onDemand(String.raw`\p{N}`, 'gu')

/**
 * Cuts every word at what matches a pattern.
 * @param {RegExp} pattern @param {Behavior} behavior @param {boolean} [invert] at what does not match
 * @returns {Cut}
 */
export const cutAt = (pattern, behavior, invert = false) => ({ text, ends, base }) => {
  /** @type {number[]} */ const cuts = []
  /** @type {{ start: number, end: number, by: string }[]} */ const removed = []
  let start = 0, last = 0
  for (const end of ends) {
    const parts = partsOf(text.string.slice(start, end), start, pattern, invert)
    for (const [i, part] of parts.entries()) {
      const next = parts[i + 1], isRemoved = part.match && behavior === 'Removed'
      if (part.end === last || (!isRemoved && next && !isCut(part.match, next.match, behavior))) continue
      if (isRemoved) removed.push({ start: part.start, end: part.end, by: '' })
      else cuts.push(part.end)
      last = part.end
    }
    start = end
  }
  return { ...removed.length ? without(text, cuts, removed) : { text, ends: cuts }, base }
}

/**
 * Whether a cut is made between two parts: with `invert` two that do not match can be neighbours, which are not merged.
 * @param {boolean} left whether it matches @param {boolean} right @param {Behavior} behavior
 */
function isCut(left, right, behavior) {
  if (behavior === 'MergedWithPrevious') return left || !right
  if (behavior === 'MergedWithNext') return right || !left
  return behavior !== 'Contiguous' || left !== right
}

/**
 * What matches and what does not, in turn. What matches may be empty, but not right behind another match.
 * @param {string} string @param {number} base @param {RegExp} pattern @param {boolean} invert
 */
function partsOf(string, base, pattern, invert) {
  const parts = []
  let at = 0, before = -1
  for (const { index, 0: found } of string.matchAll(pattern)) {
    if (!found && (index === before || isBetweenHalves(string, index))) continue
    before = index + found.length
    if (index > at) parts.push({ start: base + at, end: base + index, match: invert })
    parts.push({ start: base + index, end: base + index + found.length, match: !invert })
    at = index + found.length
  }
  if (at < string.length) parts.push({ start: base + at, end: base + string.length, match: invert })
  return parts
}

/**
 * @param {import('./aligned.js').Aligned} text @param {number[]} cuts
 * @param {{ start: number, end: number, by: string }[]} removed
 */
function without(text, cuts, removed) {
  let gone = 0, next = 0
  const ends = cuts.map(cut => {
    for (; next < removed.length && removed[next].start < cut; next++) gone += removed[next].end - removed[next].start
    return cut - gone
  })
  return { text: text.replace(removed), ends }
}

/**
 * Puts a text before words.
 * @param {string} prefix @param {(word: string, origin: number) => boolean} wanted
 * @returns {Cut}
 */
const putBefore = (prefix, wanted) => ({ text, ends, base }) => {
  let start = 0, added = 0
  /** @type {{ start: number, end: number, by: string }[]} */ const changes = []
  const moved = ends.map(end => {
    if (wanted(text.string.slice(start, end), base + text.origin(start, end)[0])) {
      changes.push({ start, end: start, by: prefix })
      added += prefix.length
    }
    start = end
    return end + added
  })
  return { text: text.replace(changes), ends: moved, base }
}

/** @param {any} json @returns {Cut[]} */
function metaspace(json) {
  const mark = json.replacement ?? '▁'
  expect(typeof mark === 'string' && [...mark].length === 1, 'format',
    () => `${WHERE}: replacement must be one character, got ${describe(mark)}`)
  const usual = json.add_prefix_space === false ? 'never' : 'always'
  const scheme = choiceIn(WHERE, json, 'prepend_scheme', ['always', 'first', 'never'], usual)
  const cuts = [replaceSpaces(mark)]
  if (scheme !== 'never') {
    cuts.push(putBefore(mark, (word, origin) =>
      !word.startsWith(mark) && (scheme === 'always' || origin === 0)))
  }
  if (flagIn(WHERE, json, 'split', true)) cuts.push(cutAt(new RegExp(literal(mark), 'gu'), 'MergedWithNext'))
  return cuts
}

/** @param {string} mark @returns {Cut} */
const replaceSpaces = mark => ({ text, ends, base }) => {
  const { string } = text, more = mark.length - 1
  let spaces = 0, at = 0
  const moved = more ? ends.map(end => {
    for (; at < end; at++) spaces += Number(string[at] === ' ')
    return end + more * spaces
  }) : ends
  return { text: text.replaceAll(/ /g, () => mark), ends: moved, base }
}

/** @type {Record<string, (json: any) => Cut[]>} */
const KINDS = {
  ByteLevel: json => [
    ...json.add_prefix_space ? [putBefore(' ', word => !word.startsWith(' '))] : [],
    ...json.use_regex === false ? [] : [cutAt(GPT2(), 'Isolated')]
  ],
  Split: json => [cutAt(patternFrom(WHERE, json.pattern), choiceIn(WHERE, json, 'behavior', BEHAVIORS),
    flagIn(WHERE, json, 'invert', false))],
  Whitespace: () => [cutAt(WORDS(), 'Removed', true)],
  WhitespaceSplit: () => [cutAt(SPACES(), 'Removed')],
  BertPreTokenizer: () => [cutAt(SPACES(), 'Removed'), cutAt(PUNCTUATION(), 'Isolated')],
  Punctuation: json => [cutAt(PUNCTUATION(), choiceIn(WHERE, json, 'behavior', BEHAVIORS, 'Isolated'))],
  Digits: json => [cutAt(DIGIT(), json.individual_digits ? 'Isolated' : 'Contiguous')],
  CharDelimiterSplit: json => [cutAt(patternFrom(WHERE, json.delimiter), 'Removed')],
  Metaspace: metaspace,
  Sequence: json => listIn(WHERE, json, 'pretokenizers').flatMap(pretokenizer)
}

/**
 * How a text is cut into words.
 * @param {any} json the `pre_tokenizer` of a tokenizer.json
 * @returns {Cut[]}
 * @throws {GlassformerError} 'format' for a type that is not known
 */
export function pretokenizer(json) {
  if (json == null) return []
  return kindIn(WHERE, json, KINDS)(json)
}

/** Whether words are cut by GPT-2's rule and nothing else, which the kernels do themselves. @param {any} json */
export const isGpt2 = json => json?.type === 'ByteLevel' && !json.add_prefix_space && json.use_regex !== false

/** Whether tokens are bytes written as letters. @param {any} json @returns {boolean} */
export const isByteLevel = json =>
  json?.type === 'ByteLevel' || (json?.type === 'Sequence' && listIn(WHERE, json, 'pretokenizers').some(isByteLevel))
