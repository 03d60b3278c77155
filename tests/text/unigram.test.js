// The kernels of the unigram model: flags, and results where nothing matches.
import assert from 'node:assert/strict'
import test from 'node:test'
import { packBytes, withBuffers } from '../../src/js/text/kernel_memory.js'
import { UNIGRAM_FUSE, UNIGRAM_SINGLE, UNIGRAM_SPLIT } from '../../src/js/engine/constants.js'
import { gf } from './text.js'

const { c, memory } = gf.engine
const encode = text => (typeof text === 'string' ? new TextEncoder().encode(text) : text)

/** Calls `use` with a trie of pieces, whose ids are their indices, and their scores. */
function withPieces(scores, use) {
  const set = c.gf_pieces_new(7), { bytes, ends } = packBytes([...scores.keys()].map(encode))
  withBuffers(memory, [ends, Int32Array.from(ends.keys()), bytes],
    (pieceEnds, ids, text) => c.gf_pieces_add(set, text, pieceEnds, ids, scores.size, 0))
  try {
    return withBuffers(memory, [Float64Array.from(scores.values())], table => use(set, table))
  } finally {
    c.gf_pieces_free(set)
  }
}

/** Segments words: ids of pieces and their ends in bytes; unknown characters have the id 99. */
function segment(scores, words, flags, unknownScore = -20) {
  const { bytes, ends } = packBytes(words.map(encode)), room = bytes.length
  // The kernel must not read the bytes after the words.
  return withPieces(scores, (set, table) => withBuffers(memory, [new Int32Array(room), new Int32Array(room), ends,
    Uint8Array.of(...bytes, 0xb8, 0x80, 0x61)], (ids, pieceEnds, wordEnds, text) => {
    const n = c.gf_unigram(ids, pieceEnds, set, table, text, wordEnds, words.length, unknownScore, 99, flags)
    return [[...memory.ints(ids, n)], [...memory.ints(pieceEnds, n)]]
  }))
}

const pieces = new Map([['ab', -1], ['a', -2], ['b', -2], ['가', -3], ['abc', -4], ['가a', -1]])

test('GF_UNIGRAM_SPLIT excludes pieces that are a whole word of several characters', () => {
  const words = ['ab', 'a', '가', 'abc', '가a', 'abab', '']
  assert.deepEqual(segment(pieces, words, 0), [[0, 1, 3, 4, 5, 0, 0], [2, 3, 6, 9, 13, 15, 17]])
  assert.deepEqual(segment(pieces, words, UNIGRAM_SPLIT),
    [[1, 2, 1, 3, 0, 99, 3, 1, 0, 0], [1, 2, 3, 6, 8, 9, 12, 13, 15, 17]])
})

test('unknown characters and truncated bytes are one piece each, or one for a run with GF_UNIGRAM_FUSE', () => {
  const words = ['x각b', 'xx', Uint8Array.of(0x61, 0xea, 0xb0), Uint8Array.of(0xea)]
  assert.deepEqual(segment(pieces, words, 0), [[99, 99, 2, 99, 99, 1, 99, 99], [1, 4, 5, 6, 7, 8, 10, 11]])
  assert.deepEqual(segment(pieces, words, UNIGRAM_FUSE), [[99, 2, 99, 1, 99, 99], [4, 5, 7, 8, 10, 11]])
})

test('an unknown character may be part of the best segmentation', () => {
  const improbable = new Map([['a', -50], ['ab', -60], ['b', -1]])
  assert.deepEqual(segment(improbable, ['ab'], 0, -20)[0], [0, 2])
  assert.deepEqual(segment(new Map([['xy', -50], ['y', -1]]), ['xy'], 0, -20)[0], [99, 1])
  assert.deepEqual(segment(new Map([['xy', -50], ['y', -31]]), ['xy'], 0, -20)[0], [0])
})

test('in float32 the piece that begins first wins among equal sums; in double the higher sum wins', () => {
  const scores = new Map([['a', -16777216], ['bc', -1.5], ['ab', -16777216], ['c', -1]])
  // -16777217.5 is -16777218 in float32, -16777217 is -16777216.
  assert.deepEqual(segment(scores, ['abc'], 0), [[2, 3], [2, 3]])
  assert.deepEqual(segment(scores, ['abc'], UNIGRAM_SINGLE), [[2, 3], [2, 3]])
  const near = new Map([['a', -16777216], ['bc', -0.75], ['ab', -16777216], ['c', -0.5]])
  assert.deepEqual(segment(near, ['abc'], 0), [[2, 3], [2, 3]])
  assert.deepEqual(segment(near, ['abc'], UNIGRAM_SINGLE), [[0, 1], [1, 3]])
})

/** The lattice of a word: its arcs, and the last arc and score of the best segmentation up to each byte. */
function lattice(scores, word, flags = 0) {
  const bytes = encode(word), n = bytes.length, room = 20
  const filled = length => new Int32Array(length).fill(77)
  return withPieces(scores, (set, table) => withBuffers(memory, [filled(3 * room), new Float64Array(room).fill(77),
    filled(n + 1), new Float64Array(n + 1).fill(77), bytes], (arcs, arcScores, last, totals, text) => {
    const count = c.gf_unigram_lattice(arcs, arcScores, room, last, totals, set, table, text, n, -20, 99, flags)
    const list = Array.from(memory.doubles(arcScores, count), (score, k) => [...memory.ints(arcs + 12 * k, 3), score])
    return { arcs: list, last: [...memory.ints(last, n + 1)], totals: [...memory.doubles(totals, n + 1)] }
  }))
}

test('a lattice has arcs in search order, and no last arc and total 0 where no piece ends', () => {
  assert.deepEqual(lattice(pieces, 'ab가'), {
    arcs: [[0, 1, 1, -2], [0, 2, 0, -1], [1, 2, 2, -2], [2, 5, 3, -3]],
    last: [-1, 0, 1, -1, -1, 3], totals: [0, -2, -1, 0, 0, -4]
  })
  assert.deepEqual(lattice(pieces, 'x'), { arcs: [[0, 1, 99, -20]], last: [-1, 0], totals: [0, -20] })
  assert.deepEqual(lattice(pieces, ''), { arcs: [], last: [-1], totals: [0] })
})
