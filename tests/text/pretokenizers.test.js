// Normalization and pre-tokenization, compared with a reference on lists of characters with their offsets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf, stream } from './text.js'

/** The UTF-16 units of a text with their offsets. */
const unitsOf = (string, base = 0) => string.split('').map((c, i) => ({ c, from: base + i, to: base + i + 1 }))
const textOf = units => units.map(({ c }) => c).join('')

/** Replaces units [start, end); an insertion gets the offset of the end of the text before it. */
function replaced(units, start, end, by) {
  const at = start > 0 ? units[start - 1].to : units[0]?.from ?? 0
  const origin = end > start ? { from: units[start].from, to: units[end - 1].to } : { from: at, to: at }
  return [...units.slice(0, start), ...by.split('').map(c => ({ c, ...origin })), ...units.slice(end)]
}

/** Replaces every match, from the last one back. */
const allReplaced = (units, pattern, by) => [...textOf(units).matchAll(pattern)].reverse()
  .reduce((now, { index, 0: found }) => replaced(now, index, index + found.length, by), units)

const NORMALIZERS = [
  [{ type: 'Strip' }, units => allReplaced(allReplaced(units, /^ +/g, ''), / +$/g, '')],
  [{ type: 'Strip', strip_left: false }, units => allReplaced(units, / +$/g, '')],
  [{ type: 'Strip', strip_right: false }, units => allReplaced(units, /^ +/g, '')],
  [{ type: 'Prepend', prepend: 'xy' }, units => (units.length ? replaced(units, 0, 0, 'xy') : units)],
  [{ type: 'Replace', pattern: { String: 'ab' }, content: '' }, units => allReplaced(units, /ab/g, '')],
  [{ type: 'Replace', pattern: { Regex: '-+' }, content: '한-' }, units => allReplaced(units, /-+/g, '한-')],
  [{ type: 'Replace', pattern: { Regex: '^' }, content: 'x' }, units => allReplaced(units, /^/g, 'x')],
  [{ type: 'Lowercase' }, units => units.map(one => ({ ...one, c: one.c.toLowerCase() }))]
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

const marked = (word, before) => {
  const at = before?.to ?? word[0].from
  return textOf(word).startsWith('▁') ? word : [{ c: '▁', from: at, to: at }, ...word]
}
const spaced = word => word.map(one => ({ ...one, c: one.c === ' ' ? '▁' : one.c }))
const cut = (type, pattern, behavior, more = {}) =>
  [{ type, ...more }, words => words.flatMap(word => split(word, pattern, behavior))]
const BEHAVIORS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous']
/** Only at the start of the source. */
const FIRST = [{ type: 'Metaspace', prepend_scheme: 'first', split: false }, words => {
  const all = words.map(spaced)
  return all.map((word, i) => (word[0].from === 0 ? marked(word, all[i - 1]?.at(-1)) : word))
}]

/** Pre-tokenizers and their reference. */
const PRETOKENIZERS = [
  ...BEHAVIORS.flatMap(behavior => [false, true].map(invert => [
    { type: 'Split', pattern: { Regex: '-|ab' }, behavior, invert },
    words => words.flatMap(word => split(word, /-|ab/g, behavior, invert))])),
  cut('WhitespaceSplit', / +/g, 'Removed'), cut('CharDelimiterSplit', /b/g, 'Removed', { delimiter: 'b' }),
  cut('Digits', /\d/g, 'Isolated', { individual_digits: true }), cut('Digits', /\d+|\D+/g, 'Isolated'),
  ...BEHAVIORS.map(behavior => cut('Punctuation', /[-.]/g, behavior, { behavior })),
  [{ type: 'Metaspace', prepend_scheme: 'always' }, words => {
    const all = words.map(spaced)
    return all.map((word, i) => marked(word, all[i - 1]?.at(-1))).flatMap(word => split(word, /▁/g, 'MergedWithNext'))
  }],
  FIRST,
  [{ type: 'Metaspace', prepend_scheme: 'never' }, words => words.flatMap(word => split(spaced(word), /▁/g, 'MergedWithNext'))]
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
const some = (list, least, most) => Array.from({ length: least + next(most - least + 1) }, () => pick(list))
const ALPHABET = ['a', 'b', 'ab', 'c', 'A', 'B', '1', '2', '-', '--', '.', ' ', '  ', '한', '가', '😀']
const createWordSplitter = (units, cutting) =>
  cutting.reduce((now, [, make]) => make(now).filter(word => word.length), units.length ? [units] : [])
const pretokenizersOf = cutting => ({ type: 'Sequence', pretokenizers: cutting.map(([json]) => json) })

test('random normalizers and pre-tokenizers give the words and offsets of the reference on 1500 texts', () => {
  for (let i = 0; i < 1500; i++) {
    const text = some(ALPHABET, 0, 12).join(''), rewriting = some(NORMALIZERS, 0, 2), cutting = some(PRETOKENIZERS, 0, 3)
    const words = createWordSplitter(rewriting.reduce((now, [, rewrite]) => rewrite(now), unitsOf(text)), cutting)
    const said = [{ type: 'Sequence', normalizers: rewriting.map(([json]) => json) }, pretokenizersOf(cutting)]
    const { tokens, offsets } = open(...said).encode(text), what = JSON.stringify([text, ...said])
    assert.deepEqual(tokens, tokensOf(words), what)
    assert.deepEqual(offsets, offsetsOf(words), what)
  }
})

test('text between added tokens is encoded by itself, on 500 texts, also for normalized added tokens', () => {
  const added_tokens = ['<x>', '<y>'].map((content, i) => ({ id: 90 + i, content, normalized: i === 1 }))
  for (let i = 0; i < 500; i++) {
    const stretches = Array.from({ length: 1 + next(6) }, (_, k) => (
      k % 2 ? pick(['<x>', '<y>', '<x><y>']) : some(ALPHABET, 0, 5).join('')))
    const [normalizer, rewrite] = pick([[null, c => c], [{ type: 'Lowercase' }, c => c.toLowerCase()]])
    const cutting = [...some(PRETOKENIZERS, 0, 2), ...some([FIRST], 0, 1)]
    const tokens = [], offsets = []
    let base = 0
    for (const one of stretches.flatMap(stretch => stretch.split(/(?=<)/))) {
      const words = createWordSplitter(unitsOf(rewrite(one), base), cutting)
      tokens.push(...one[0] === '<' ? [one] : tokensOf(words))
      offsets.push(...one[0] === '<' ? [[base, base + 3]] : offsetsOf(words))
      base += one.length
    }
    const said = [normalizer, pretokenizersOf(cutting), added_tokens], text = stretches.join('')
    const found = open(...said).encode(text), what = JSON.stringify([text, ...said])
    assert.deepEqual(found.tokens, tokens, what)
    assert.deepEqual(found.offsets, offsets, what)
  }
})

test('byte-level add_prefix_space adds a space before each word without one', () => {
  const letters = Object.fromEntries([...'abcĠ-'].map((letter, id) => [letter, id]))
  const found = pretokenizers => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    model: { type: 'BPE', vocab: letters, merges: [] }, pre_tokenizer: { type: 'Sequence', pretokenizers } }) }).encode('a- b-c')
  const cut = { type: 'Split', pattern: { String: '-' }, behavior: 'MergedWithPrevious' }
  const { tokens, offsets } = found([cut, { type: 'ByteLevel', add_prefix_space: true, use_regex: false }])
  assert.equal(tokens.join(''), 'Ġa-Ġb-Ġc')
  assert.deepEqual(offsets, [[0, 0], [0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 5], [5, 6]])
  assert.equal(found([cut, { type: 'ByteLevel', use_regex: false }]).tokens.join(''), 'a-Ġb-c')
})
