// Training of merges, compared with a reference that counts all pairs again for each merge.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ALPHABET, encodeByteLevel } from '../../src/js/text/byte_level.js'
import { packBytes, withBuffers } from '../../src/js/text/kernel_memory.js'
import { learn } from '../../src/reference/bpe.js'
import { gf, stream } from './text.js'

const { trainBPE, trainWordPiece } = gf.text
const next = stream(91)
const encode = text => new TextEncoder().encode(text)
const randomWord = (letters, maxLength) => Array.from({ length: 1 + next(maxLength) }, () => letters[next(letters.length)]).join('')
const pairsAndCounts = merges => merges.map(({ pair, count }) => ({ pair, count }))

/** Counts words, in order of first appearance. */
const countWords = words =>
  [...words.reduce((counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1), new Map())]

/** The merges of BPE by the reference. */
const learnBPE = (words, size, minCount) =>
  learn(countWords(words).map(([word, count]) => [[...encodeByteLevel(encode(word))], count]), ALPHABET, size, minCount)

/** The merges of WordPiece by the reference, where characters that continue a word have a prefix. */
function learnWordPiece(words, size, minCount) {
  const markContinuations = word => [...word].map((letter, i) => i ? `~${letter}` : letter)
  const letters = [...new Set(words.flatMap(markContinuations))].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  return learn(countWords(words).map(([word, count]) => [markContinuations(word), count]), letters, size, minCount,
    (count, left, right) => count / (left * right))
}
const markedToken = token => [...token.replace('##', '')]
  .map((letter, i) => i || token.startsWith('##') ? `~${letter}` : letter).join('')
const markedPairsAndCounts = merges => merges.map(({ pair, count }) => ({ pair: pair.map(markedToken), count }))

test('learns the merges of the reference on 100 small texts', () => {
  for (let i = 0; i < 100; i++) {
    const words = Array.from({ length: 1 + next(12) }, () => randomWord('abc'.slice(0, 1 + i % 3), 9)), minCount = 1 + i % 4
    const text = words.join('\n'), options = { vocabSize: 900, minFrequency: minCount }
    assert.deepEqual(pairsAndCounts(trainBPE(words, options).merges), learnBPE(words, 900, minCount), `${minCount}: ${text}`)
    assert.deepEqual(markedPairsAndCounts(trainWordPiece(text, options).merges), learnWordPiece(words, 899, minCount), `${minCount}: ${text}`)
  }
})

test('merges the oldest of thousands of pairs with equal counts', () => {
  const letters = Array.from({ length: 26 }, (_, i) => [97 + i, 65 + i, 0xe0 + i % 23, 0x430 + i])
    .flat().map(code => String.fromCharCode(code))
  const random = () => Array.from({ length: 3500 }, () => randomWord(letters, 7))
  const words = ['qz', ...random(), ...Array.from({ length: 400 }, (_, i) => `qz${randomWord(letters, 3)}${i % 2 ? 'qz' : ''}`),
    ...random()]
  const pairs = new Set(words.flatMap(word => [...encode(word)].map((byte, i, all) => i && all[i - 1] << 8 | byte)))
  assert.ok(pairs.size > 4097, `${pairs.size}`)
  const { merges } = trainBPE(words, { vocabSize: 276 })
  assert.ok(merges[0].token === 'qz')
  assert.deepEqual(pairsAndCounts(merges), learnBPE(words, 276, 1))
  assert.deepEqual(markedPairsAndCounts(trainWordPiece(words.join('\n'), { vocabSize: 240 }).merges), learnWordPiece(words, 239, 1))
})

/**
 * Runs the kernel on words of symbols. The symbols from `plain` on continue words. Returns the merges: left, right,
 * merged, count.
 */
function trainKernel(letters, words, counts, { plain = letters.length, size, minCount = 1, likelihood = 0 }) {
  const { c, memory } = gf.engine, alphabet = packBytes(letters.map(encode))
  const ends = Int32Array.from(words, (_, i) => words.slice(0, i + 1).flat().length)
  return withBuffers(memory, [new Int32Array(8 * size), Int32Array.from(words.flat()), ends, Int32Array.from(counts),
    alphabet.bytes, alphabet.ends], (merges, text, wordEnds, wordCounts, bytes, byteEnds) => {
    const n = c.gf_bpe_train(merges, text, wordEnds, wordCounts, words.length, bytes, byteEnds, letters.length, plain,
      size, minCount, likelihood, 7)
    return Array.from({ length: n }, (_, i) => [...memory.ints(merges + 16 * i, 4)])
  })
}

test('two symbols whose bytes are an existing symbol become that symbol', () => {
  assert.deepEqual(trainKernel(['ab', 'a', 'b'], [[1, 2]], [3], { size: 9 }), [[1, 2, 0, 3]])
  // The pair (ab, c) existed before the merge of a and b, which raises its count before the next pair is chosen.
  assert.deepEqual(trainKernel(['a', 'b', 'ab', 'c', 'x', 'y'], [[2, 3], [0, 1, 3], [4, 5]], [1, 5, 3], { size: 8 }),
    [[0, 1, 2, 5], [2, 3, 6, 6], [4, 5, 7, 3]])
  // A symbol that begins a word differs from one that continues it: ab and ##ab, which is symbol 2.
  assert.deepEqual(trainKernel(['a', 'b', 'ab', 'a', 'b'], [[0, 4], [1, 3, 4], [0, 3, 4]], [5, 2, 2], { plain: 2, size: 8 }),
    [[0, 4, 5, 5], [3, 4, 2, 4], [0, 2, 6, 2], [1, 2, 7, 2]])
})

test('never merges pairs that no longer occur, even with a minimum count of 0; symbols may be empty', () => {
  const words = [[0, 1, 2], [0, 1], [1, 2]], counts = [2, 2, 1]
  for (const likelihood of [0, 1]) {
    const merges = minCount => trainKernel(['a', 'b', 'c'], words, counts, { size: 20, minCount, likelihood })
    assert.deepEqual(merges(0), merges(1))
  }
  assert.deepEqual(trainKernel(['a', 'b', 'c'], words, counts, { size: 20, minCount: 0 }), [[0, 1, 3, 4], [3, 2, 4, 2], [1, 2, 5, 1]])
  assert.deepEqual(trainKernel(['', 'a'], [[0, 0]], [3], { size: 9 }), [[0, 0, 0, 3]])
})

test('writes at most two merges per symbol', () => {
  // The symbols are a, aa, aaa ... up to 12 letters. Every merge gives an existing symbol, so that none is added.
  const letters = Array.from({ length: 12 }, (_, i) => 'a'.repeat(i + 1))
  const words = letters.flatMap((_, i) => letters.slice(0, 11 - i).map((_, k) => [i, k]))
  const merges = trainKernel(letters, words, words.map((_, i) => 100 - i), { size: 13 })
  assert.deepEqual(merges, words.slice(0, 26).map(([left, right], i) => [left, right, left + right + 1, 100 - i]))
})
