// Arithmetic on shapes: how many cells there may be, with none of them made.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countCells, indexOf, indicesOf, nest, offsetOf, sameShape, sliceShape, sizeOf, replaceLastSize
} from '../src/js/tensor/shape.js'
import { broadcast } from '../src/js/ops/broadcast.js'
import { assertRejects } from './lib/engine.js'

test('the number of cells is limited by the memory', () => {
  assert.deepEqual([[], [2, 3], [2 ** 30], [2 ** 15, 2 ** 15]].map(countCells), [1, 6, 2 ** 30, 2 ** 30])
  for (const shape of [[2 ** 30 + 1], [2 ** 15, 2 ** 15 + 1]]) {
    assertRejects(() => countCells(shape), 'memory', 'out of memory: 429')
  }
})

test('empty shapes: sides and rows are limited', () => {
  for (const shape of [[0], [0, 2 ** 30], [2, 0, 2 ** 29], [2 ** 24, 0], [2 ** 24, 0, 2], [0, 2 ** 29, 0]]) {
    assert.equal(countCells(shape), 0, `${shape}`)
  }
  const large = [[0, 2 ** 30 + 1], [2, 0, 2 ** 29 + 1], [2 ** 24 + 1, 0], [2 ** 25, 0, 3], [2 ** 13, 2 ** 12, 0, 1]]
  for (const shape of large) {
    assertRejects(() => countCells(shape), 'memory', `[${shape.join(', ')}] has sides that are too large even without`)
  }
})

test('offsets and indices are inverse', () => {
  const shape = [2, 3, 4], all = indicesOf(shape)
  assert.deepEqual([all.length, all[0], all[1], all[4], all[23]], [24, [0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 2, 3]])
  all.forEach((index, i) => assert.deepEqual([offsetOf(shape, index), indexOf(shape, i)], [i, index]))
  assert.deepEqual(indicesOf([]), [[]])
})

test('sizes, sides and nested values', () => {
  assert.deepEqual([sizeOf([2, 3, 4], 0), sizeOf([2, 3, 4], 2), sizeOf([2, 3, 4])], [1, 6, 24])
  assert.deepEqual([sliceShape([2, 3, 4], 1), sliceShape([2, 3, 4], 0, -1)], [[3, 4], [2, 3]])
  assert.deepEqual(replaceLastSize([2, 3], 9), [2, 9])
  const pairs = [[[2, 3], [2, 3]], [[2, 3], [3, 2]], [[2], [2, 1]], [[4, 3], [2, 3]]]
  assert.deepEqual(pairs.map(([a, b]) => sameShape(a, b)), [true, false, false, false])
  assert.deepEqual([nest([2, 2], [1, 2, 3, 4]), nest([], [7, 8]), nest([2], [1, 2, 3], 1)],
    [[[1, 2], [3, 4]], 7, [2, 3]])
})

test('broadcast visits each cell of the result once', () => {
  for (const [a, b, expected] of [
    [[], [1], [1]], [[1], [1, 1], [1, 1]], [[], [3], [3]], [[2, 3], [3], [2, 3]], [[2, 1, 4], [3, 1], [2, 3, 4]],
    [[2, 3, 4, 5], [4, 5], [2, 3, 4, 5]], [[0, 3], [1], [0, 3]]
  ]) {
    for (const { shape, axes: [rank, ...rest] } of [broadcast('add', a, b), broadcast('add', b, a)]) {
      assert.deepEqual(shape, expected)
      assert.equal(rest.length, 3 * rank)
      assert.equal(sizeOf(rest.slice(0, rank)), sizeOf(expected), `[${a}] and [${b}]`)
    }
  }
})
