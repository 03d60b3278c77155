import test from 'node:test'
import assert from 'node:assert/strict'
import { basicTokens, pieces } from '../../src/reference/wordpiece.js'
import { manyCharacters, gf, nastyText, stream } from './text.js'

const SPECIALS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789.,'\"!?-()[]#@`:;«“가나는ᄒᄀ난中漢𠀀ßéſ²Ⅷ"]
const tokens = [...SPECIALS, ...letters, ...letters.map(letter => `##${letter}`), 'the', '##ing', 'hello', '##llo', '나는',
  '##ᅡᆫ',
  'is', '##n', '##nt', '##abc', '😀']
const open = (list, more = {}) => gf.text.tokenizer({ 'vocab.txt': list.join('\n') + '\n', ...more })
const uncased = open(tokens), vocab = new Set(tokens)
const next = stream(35)
const expected = (text, lower = true) => basicTokens(text, lower).flatMap(word => pieces(word, vocab))

test('encodes 3000 texts as the reference', () => {
  const cased = open(tokens, { 'tokenizer_config.json': '{"do_lower_case": false}' })
  for (let i = 0; i < 3000; i++) {
    const text = (i % 2 ? nastyText(next) :
        Array.from({ length: next(20) }, () => letters[next(letters.length)]).join(''))
      .replace(/\p{Surrogate}/gu, '\ufffd')
    const { tokens: actual, offsets } = uncased.encode(text)
    assert.deepEqual(actual, expected(text), JSON.stringify(text))
    assert.deepEqual(cased.encode(text).tokens, expected(text, false), JSON.stringify(text))
    offsets.forEach(([from, to], k) => assert.ok(
      from <= to && to <= text.length && (k === 0 || from >= offsets[k - 1][0])))
  }
})

test('normalizes and pre-tokenizes every character as the reference', () => {
  const text = manyCharacters().map(character => `a${character}b`).join(' ')
  assert.deepEqual(uncased.encode(text).tokens, expected(text))
})

test('decomposes Hangul into jamo and separates Chinese characters, also of Extension B', () => {
  assert.deepEqual(uncased.encode('한 나는').tokens, ['ᄒ', '##ᅡᆫ', '[UNK]'])
  const { tokens: found, offsets } = uncased.encode('a𠀀b中')
  assert.deepEqual(found, ['a', '𠀀', 'b', '中'])
  assert.deepEqual(offsets, [[0, 1], [1, 3], [3, 4], [4, 5]])
  assert.deepEqual(uncased.encode('한').offsets, [[0, 1], [0, 1]])
})

test('adds special tokens and matches them in a text', () => {
  const { tokens: found, offsets, ids } = uncased.encode('Hello [MASK].', { special: true })
  assert.deepEqual(found, ['[CLS]', 'hello', '[MASK]', '.', '[SEP]'])
  assert.deepEqual(offsets, [[0, 0], [0, 5], [6, 12], [12, 13], [13, 13]])
  assert.equal(uncased.decode(ids), 'hello.')
  assert.equal(uncased.decode(ids, { special: true }), '[CLS] hello [MASK]. [SEP]')
  assert.equal(new TextDecoder().decode(uncased.bytesOf(uncased.idOf('##ing'))), 'ing')
})

test('does not lowercase with a cased vocabulary', () => {
  const cased = open([...SPECIALS, 'The', 'the'])
  assert.deepEqual(cased.encode('The the').tokens, ['The', 'the'])
})

test('a capital letter without a lower case does not make a vocabulary cased', () => {
  const own = open([...SPECIALS, 'hello', 'world', 'ℝ', '##ℝ'])
  assert.deepEqual(own.encode('Hello WORLD ℝℝ').tokens, ['hello', 'world', 'ℝ', '##ℝ'])
  assert.deepEqual(open([...SPECIALS, 'hello', 'ℝ', 'Ł']).encode('Hello').tokens, ['[UNK]'])
})

test('words that are too long, unknown or known only in part are unknown', () => {
  assert.deepEqual(uncased.encode('a'.repeat(100)).ids.length, 100)
  assert.deepEqual(uncased.encode('a'.repeat(101)).tokens, ['[UNK]'])
  assert.deepEqual(uncased.encode('helloж').tokens, ['[UNK]'])
  assert.deepEqual(uncased.encode('helloabc').tokens, ['hello', '##abc'])
  assert.deepEqual(uncased.encode('').ids, [])
})

test('encodes long texts independently of batches', () => {
  const text = Array.from({ length: 12000 }, () => nastyText(next)).join(' ').replace(/\p{Surrogate}/gu, '')
  assert.deepEqual(uncased.encode(text).tokens, expected(text))
})

test('rejects a vocabulary without the unknown token', () => {
  assert.throws(() => open(['a', 'b']), { name: 'GlassformerError', code: 'format', message: /unk_token "\[UNK\]" is not in/ })
})

/** The candidates at a position of a word: all substrings that begin there, the longest first. */
const candidates = (word, from) => {
  const rest = [...word.slice(from)]
  return rest.map((_, i) => (from ? '##' : '') + rest.slice(0, rest.length - i).join(''))
}

test('explains 1000 texts with the words of the reference and the ids of the kernel', () => {
  let unknown = 0
  for (let i = 0; i < 1000; i++) {
    const text = nastyText(next).replace(/\p{Surrogate}/gu, '\ufffd')
    const words = uncased.explain(text), { ids, offsets } = uncased.encode(text)
    assert.deepEqual(words.map(word => word.text), basicTokens(text, true))
    assert.deepEqual(words.flatMap(word => word.ids), ids, JSON.stringify(text))
    let at = 0
    for (const { text: word, from, to, ids: wordIds, tries, unknown: reason } of words) {
      assert.deepEqual([offsets[at][0], offsets[at += wordIds.length, at - 1][1]], [from, to], word)
      let start = 0
      for (const [k, lookups] of tries.entries()) {
        const last = lookups.at(-1), all = candidates(word, start)
        assert.deepEqual(lookups.map(({ piece }) => piece), all.slice(0, lookups.length))
        assert.deepEqual(lookups.map(({ id }) => id !== undefined), lookups.map(({ piece }) => vocab.has(piece)))
        assert.ok(lookups.slice(0, -1).every(({ piece }) => !vocab.has(piece)))
        const isPart = lookup => word.slice(start, lookup.to) === lookup.piece.slice(start ? 2 : 0)
        assert.ok(lookups.every(lookup => lookup.from === start && isPart(lookup)))
        if (reason) assert.ok(k < tries.length - 1 || (lookups.length === all.length && last.id === undefined))
        else assert.equal(last.id, wordIds[k])
        start = last.to
      }
      unknown += reason ? 1 : 0
      assert.equal(reason !== undefined, wordIds[0] === uncased.idOf('[UNK]'))
    }
  }
  assert.ok(unknown > 100, `${unknown}`)
})

test('explains the lookups of a word and why it is unknown', () => {
  const [word] = uncased.explain('Helloabcx')
  const lookups = word.tries.map(list => list.map(({ piece, id }) => piece + (id === undefined ? '' : ' ✓')))
  assert.deepEqual(lookups, [['helloabcx', 'helloabc', 'helloab', 'helloa', 'hello ✓'], ['##abcx', '##abc ✓'], ['##x ✓']])
  assert.deepEqual([word.from, word.to, word.unknown], [0, 9, undefined])
  assert.equal(uncased.explain('a'.repeat(101))[0].unknown, 'long')
  assert.equal(uncased.explain('a'.repeat(100))[0].unknown, undefined)
  const words = uncased.explain('hello [MASK] hello hello')
  assert.deepEqual(words.map(({ from, to }) => [from, to]).slice(-2), [[13, 18], [19, 24]])
  const [first, mark] = uncased.explain('helloж [MASK]')
  assert.deepEqual([first.unknown, first.tries.map(list => list.length), mark], ['missing', [2, 1], undefined])
  assert.deepEqual(uncased.explain(''), [])
  assert.throws(() => uncased.explain(3), { code: 'type', message: /tokenizer\.explain: text must be a string/ })
})
