// Learning merges, compared with a reference that recounts all pairs for each merge.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ALPHABET, encodeByteLevel } from '../../src/js/text/byte_level.js'
import { packBytes, withBuffers } from '../../src/js/text/kernel_memory.js'
import { learn } from '../../src/reference/bpe.js'
import { gf, stream } from './text.js'

const { trainBPE, trainWordPiece } = gf.text
const next = stream(91)
const encode = text => new TextEncoder().encode(text)
const wordOf = (letters, longest) => Array.from({ length: 1 + next(longest) }, () => letters[next(letters.length)]).join('')
const told = merges => merges.map(({ pair, count }) => ({ pair, count }))

/** Counts words, in order of first appearance. */
const counted = words => [...words.reduce((counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1), new Map())]

/** The merges of BPE by the reference. */
const byBytes = (words, size, least) =>
  learn(counted(words).map(([word, count]) => [[...encodeByteLevel(encode(word))], count]), ALPHABET, size, least)

/** The merges of WordPiece by the reference, where characters that continue a word have a prefix. */
function byLikelihood(words, size, least) {
  const marked = word => [...word].map((letter, i) => i ? `~${letter}` : letter)
  const letters = [...new Set(words.flatMap(marked))].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  return learn(counted(words).map(([word, count]) => [marked(word), count]), letters, size, least,
    (count, left, right) => count / (left * right))
}
const markedToken = token => [...token.replace('##', '')]
  .map((letter, i) => i || token.startsWith('##') ? `~${letter}` : letter).join('')
const toldMarked = merges => merges.map(({ pair, count }) => ({ pair: pair.map(markedToken), count }))

test('learns the merges of the reference on 100 small texts', () => {
  for (let i = 0; i < 100; i++) {
    const words = Array.from({ length: 1 + next(12) }, () => wordOf('abc'.slice(0, 1 + i % 3), 9)), least = 1 + i % 4
    const text = words.join('\n'), options = { vocabSize: 900, minFrequency: least }
    assert.deepEqual(told(trainBPE(words, options).merges), byBytes(words, 900, least), `${least}: ${text}`)
    assert.deepEqual(toldMarked(trainWordPiece(text, options).merges), byLikelihood(words, 899, least), `${least}: ${text}`)
  }
})

test('of thousands of pairs with equal counts, merges the oldest first', () => {
  const letters = Array.from({ length: 26 }, (_, i) => [97 + i, 65 + i, 0xe0 + i % 23, 0x430 + i])
    .flat().map(code => String.fromCharCode(code))
  const random = () => Array.from({ length: 3500 }, () => wordOf(letters, 7))
  const words = ['qz', ...random(), ...Array.from({ length: 400 }, (_, i) => `qz${wordOf(letters, 3)}${i % 2 ? 'qz' : ''}`),
    ...random()]
  const pairs = new Set(words.flatMap(word => [...encode(word)].map((byte, i, all) => i && all[i - 1] << 8 | byte)))
  assert.ok(pairs.size > 4097, `${pairs.size}`)
  const { merges } = trainBPE(words, { vocabSize: 276 })
  assert.ok(merges[0].token === 'qz')
  assert.deepEqual(told(merges), byBytes(words, 276, 1))
  assert.deepEqual(toldMarked(trainWordPiece(words.join('\n'), { vocabSize: 240 }).merges), byLikelihood(words, 239, 1))
})

/** Runs the kernel on words of symbols. Returns the merges: left, right, merged, count. */
function trained(letters, words, counts, { plain = letters.length, size, least = 1, likelihood = 0 }) {
  const { c, memory } = gf.engine, alphabet = packBytes(letters.map(encode))
  const ends = Int32Array.from(words, (_, i) => words.slice(0, i + 1).flat().length)
  return withBuffers(memory, [new Int32Array(8 * size), Int32Array.from(words.flat()), ends, Int32Array.from(counts),
    alphabet.bytes, alphabet.ends], (merges, text, places, numbers, bytes, byteEnds) => {
    const n = c.gf_bpe_train(merges, text, places, numbers, words.length, bytes, byteEnds, letters.length, plain, size,
      least, likelihood, 7)
    return Array.from({ length: n }, (_, i) => [...memory.ints(merges + 16 * i, 4)])
  })
}

test('two symbols whose bytes are an existing symbol become that symbol', () => {
  assert.deepEqual(trained(['ab', 'a', 'b'], [[1, 2]], [3], { size: 9 }), [[1, 2, 0, 3]])
  // The pair of the third and c was there before, and has its new count when the next is chosen.
  assert.deepEqual(trained(['a', 'b', 'ab', 'c', 'x', 'y'], [[2, 3], [0, 1, 3], [4, 5]], [1, 5, 3], { size: 8 }),
    [[0, 1, 2, 5], [2, 3, 6, 6], [4, 5, 7, 3]])
  // What begins a word is another symbol than what continues one: ab and ##ab, which is the first of those.
  assert.deepEqual(trained(['a', 'b', 'ab', 'a', 'b'], [[0, 4], [1, 3, 4], [0, 3, 4]], [5, 2, 2], { plain: 2, size: 8 }),
    [[0, 4, 5, 5], [3, 4, 2, 4], [0, 2, 6, 2], [1, 2, 7, 2]])
})

test('never merges pairs that no longer occur, even with a minimum count of 0; symbols may be empty', () => {
  const words = [[0, 1, 2], [0, 1], [1, 2]], counts = [2, 2, 1]
  for (const likelihood of [0, 1]) {
    const merges = least => trained(['a', 'b', 'c'], words, counts, { size: 20, least, likelihood })
    assert.deepEqual(merges(0), merges(1))
  }
  assert.deepEqual(trained(['a', 'b', 'c'], words, counts, { size: 20, least: 0 }), [[0, 1, 3, 4], [3, 2, 4, 2], [1, 2, 5, 1]])
  assert.deepEqual(trained(['', 'a'], [[0, 0]], [3], { size: 9 }), [[0, 0, 0, 3]])
})

test('writes at most two merges per symbol', () => {
  // a, aa, aaa ... to 12: any two make one that is there, so that there is never one more.
  const letters = Array.from({ length: 12 }, (_, i) => 'a'.repeat(i + 1))
  const words = letters.flatMap((_, i) => letters.slice(0, 11 - i).map((_, k) => [i, k]))
  const merges = trained(letters, words, words.map((_, i) => 100 - i), { size: 13 })
  assert.deepEqual(merges, words.slice(0, 26).map(([left, right], i) => [left, right, left + right + 1, 100 - i]))
})
