// Normalization and pre-tokenization, compared with a reference on lists of characters with their offsets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf, stream } from './text.js'

/** The UTF-16 units of a text with their offsets. */
const unitsOf = (string, base = 0) => string.split('').map((c, i) => ({ c, from: base + i, to: base + i + 1 }))
const textOf = units => units.map(({ c }) => c).join('')

/**
 * Replaces units [start, end); the new text gets the offsets of the last unit of the old text, or of the one before it.
 */
function replaceRange(units, start, end, replacement) {
  const { from, to } = units[end - 1] ?? { from: 0, to: 0 }
  return [...units.slice(0, start), ...replacement.split('').map(c => ({ c, from, to })), ...units.slice(end)]
}

/** Inserts a prefix, which gets the offsets of the character after it. */
function prepend(units, prefix) {
  const length = textOf(units).codePointAt(0) > 0xffff ? 2 : 1, { from } = units[0], { to } = units[length - 1]
  return [...prefix.split(''), ...textOf(units).slice(0, length).split('')].map(c => ({ c, from, to })).concat(units.slice(length))
}

/** Replaces all matches, beginning with the last one. */
const replaceAll = (units, pattern, replacement) => [...textOf(units).matchAll(pattern)].reverse()
  .reduce((result, { index, 0: match }) => replaceRange(result, index, index + match.length, replacement), units)

const NORMALIZERS = [
  [{ type: 'Strip' }, units => replaceAll(replaceAll(units, /^ +/g, ''), / +$/g, '')],
  [{ type: 'Strip', strip_left: false }, units => replaceAll(units, / +$/g, '')],
  [{ type: 'Strip', strip_right: false }, units => replaceAll(units, /^ +/g, '')],
  [{ type: 'Prepend', prepend: 'xy' }, units => (units.length ? prepend(units, 'xy') : units)],
  [{ type: 'Replace', pattern: { String: 'ab' }, content: '' }, units => replaceAll(units, /ab/g, '')],
  [{ type: 'Replace', pattern: { Regex: '-+' }, content: '한-' }, units => replaceAll(units, /-+/g, '한-')],
  [{ type: 'Replace', pattern: { Regex: '^' }, content: 'x' }, units => replaceAll(units, /^/g, 'x')],
  [{ type: 'Lowercase' }, units => units.map(unit => ({ ...unit, c: unit.c.toLowerCase() }))]
]

/** Splits units into matches and the parts between. */
function parts(word, pattern, invert) {
  const list = [], string = textOf(word)
  let at = 0
  const add = (end, match) => {
    if (end > at) list.push({ units: word.slice(at, end), match: match !== invert })
    at = end
  }
  for (const { index, 0: found } of string.matchAll(pattern)) {
    add(index, false)
    add(index + found.length, true)
  }
  add(string.length, false)
  return list
}

/** Splits one word. */
function split(word, pattern, behavior, invert = false) {
  const words = []
  let before
  for (const { units, match } of parts(word, pattern, invert)) {
    const joins = before !== undefined && (behavior === 'MergedWithPrevious' ? !before
      : behavior === 'MergedWithNext' ? !match : behavior === 'Contiguous' && match === before)
    if (joins && (behavior === 'Contiguous' || match !== before)) words.push([...words.pop(), ...units])
    else if (!(match && behavior === 'Removed')) words.push(units)
    before = match
  }
  return words
}

/** Prepends ▁ to a word that does not begin with it. */
const prependMetaspace = word => (textOf(word).startsWith('▁') ? word : prepend(word, '▁'))
const replaceSpaces = word => word.map(unit => ({ ...unit, c: unit.c === ' ' ? '▁' : unit.c }))
/** A pre-tokenizer that splits words by a pattern, and its reference. */
const splitBy = (type, pattern, behavior, more = {}) =>
  [{ type, ...more }, words => words.flatMap(word => split(word, pattern, behavior))]
const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']
/** Prepends ▁ only at the start of the source. */
const FIRST = [{ type: 'Metaspace', prepend_scheme: 'first', split: false }, words => {
  const all = words.map(replaceSpaces)
  return all.map(word => (word[0].from === 0 ? prependMetaspace(word) : word))
}]

/** Pre-tokenizers and their reference. */
const PRETOKENIZERS = [
  ...BEHAVIORS.flatMap(behavior => [false, true].map(invert => [
    { type: 'Split', pattern: { Regex: '-|ab' }, behavior, invert },
    words => words.flatMap(word => split(word, /-|ab/g, behavior, invert))])),
  splitBy('WhitespaceSplit', / +/g, 'Removed'), splitBy('CharDelimiterSplit', /b/g, 'Removed', { delimiter: 'b' }),
  splitBy('Digits', /\d/g, 'Isolated', { individual_digits: true }), splitBy('Digits', /\d+|\D+/g, 'Isolated'),
  ...BEHAVIORS.map(behavior => splitBy('Punctuation', /[-.]/g, behavior, { behavior })),
  [{ type: 'Metaspace', prepend_scheme: 'always' }, words => {
    const all = words.map(replaceSpaces)
    return all.map(prependMetaspace).flatMap(word => split(word, /▁/g, 'MergedWithNext'))
  }],
  FIRST,
  [{ type: 'Metaspace', prepend_scheme: 'never' }, words => words.flatMap(word => split(replaceSpaces(word), /▁/g, 'MergedWithNext'))]
]

/** A model of single characters; those that continue a word begin with ##. */
function open(normalizer, pre_tokenizer, added_tokens) {
  const vocab = {}
  for (const letter of 'abcxyABC12-. ▁한가😀') for (const token of [letter, `##${letter}`]) vocab[token] ??= Object.keys(vocab).length
  return gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ normalizer, pre_tokenizer, added_tokens,
    model: { type: 'BPE', vocab, merges: [], continuing_subword_prefix: '##' } }) })
}
const tokensOf = words => words.flatMap(word => [...textOf(word)].map((letter, i) => (i ? '##' : '') + letter))
function offsetsOf(words) {
  return words.flatMap(word => {
    let at = 0
    return [...textOf(word)].map(letter => [word[at].from, word[(at += letter.length) - 1].to])
  })
}

const next = stream(91)
const pick = list => list[next(list.length)]
/** From `min` to `max` random items of a list. */
const sample = (list, min, max) => Array.from({ length: min + next(max - min + 1) }, () => pick(list))
const ALPHABET = ['a', 'b', 'ab', 'c', 'A', 'B', '1', '2', '-', '--', '.', ' ', '  ', '한', '가', '😀']
const pretokenize = (units, pretokenizers) =>
  pretokenizers.reduce((words, [, run]) => run(words).filter(word => word.length), units.length ? [units] : [])
const sequenceOf = pretokenizers => ({ type: 'Sequence', pretokenizers: pretokenizers.map(([json]) => json) })

test('random normalizers and pre-tokenizers give the words and offsets of the reference on 1500 texts', () => {
  for (let i = 0; i < 1500; i++) {
    const text = sample(ALPHABET, 0, 12).join(''), normalizers = sample(NORMALIZERS, 0, 2), pretokenizers = sample(PRETOKENIZERS, 0, 3)
    const normalized = normalizers.reduce((units, [, normalize]) => normalize(units), unitsOf(text))
    const words = pretokenize(normalized, pretokenizers)
    const parts = [{ type: 'Sequence', normalizers: normalizers.map(([json]) => json) }, sequenceOf(pretokenizers)]
    const { tokens, offsets } = open(...parts).encode(text), message = JSON.stringify([text, ...parts])
    assert.deepEqual(tokens, tokensOf(words), message)
    assert.deepEqual(offsets, offsetsOf(words), message)
  }
})

test('text between added tokens is encoded by itself, on 500 texts, also for normalized added tokens', () => {
  const added_tokens = ['<x>', '<y>'].map((content, i) => ({ id: 90 + i, content, normalized: i === 1 }))
  for (let i = 0; i < 500; i++) {
    const segments = Array.from({ length: 1 + next(6) }, (_, k) => (
      k % 2 ? pick(['<x>', '<y>', '<x><y>']) : sample(ALPHABET, 0, 5).join('')))
    const [normalizer, normalize] = pick([[null, c => c], [{ type: 'Lowercase' }, c => c.toLowerCase()]])
    const pretokenizers = [...sample(PRETOKENIZERS, 0, 2), ...sample([FIRST], 0, 1)]
    const tokens = [], offsets = []
    let base = 0
    for (const segment of segments.flatMap(part => part.split(/(?=<)/))) {
      const words = pretokenize(unitsOf(normalize(segment), base), pretokenizers)
      tokens.push(...segment[0] === '<' ? [segment] : tokensOf(words))
      offsets.push(...segment[0] === '<' ? [[base, base + 3]] : offsetsOf(words))
      base += segment.length
    }
    const parts = [normalizer, sequenceOf(pretokenizers), added_tokens], text = segments.join('')
    const encoding = open(...parts).encode(text), message = JSON.stringify([text, ...parts])
    assert.deepEqual(encoding.tokens, tokens, message)
    assert.deepEqual(encoding.offsets, offsets, message)
  }
})

test('byte-level add_prefix_space adds a space before each word without one', () => {
  const letters = Object.fromEntries([...'abcĠ-'].map((letter, id) => [letter, id]))
  const encodeWith = pretokenizers => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    model: { type: 'BPE', vocab: letters, merges: [] }, pre_tokenizer: { type: 'Sequence', pretokenizers } }) }).encode('a- b-c')
  const splitter = { type: 'Split', pattern: { String: '-' }, behavior: 'MergedWithPrevious' }
  const { tokens, offsets } = encodeWith([splitter, { type: 'ByteLevel', add_prefix_space: true, use_regex: false }])
  assert.equal(tokens.join(''), 'Ġa-Ġb-Ġc')
  assert.deepEqual(offsets, [[0, 1], [0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [5, 6]])
  assert.equal(encodeWith([splitter, { type: 'ByteLevel', use_regex: false }]).tokens.join(''), 'a-Ġb-c')
})
