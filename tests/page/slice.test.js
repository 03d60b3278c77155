import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSquare, findSquares, pickColumns, cellIndexOf, peak, slice, strides, valueAt } from '../../web/lib/slice.js'

const data = Float32Array.from({ length: 24 }, (_, i) => i - 12)
const tensor = { name: 'x', shape: [2, 3, 4], axes: ['a', 'b', 'c'], data }

test('strides and values are row-major', () => {
  assert.deepEqual(strides([2, 3, 4]), [12, 4, 1])
  assert.equal(valueAt(tensor, [1, 2, 3]), 11)
})

test('a slice maps its cells to tensor indices and back', () => {
  const part = slice(tensor, { row: 2, col: 1, fixed: [1], rowStart: 1, rows: 2 })
  assert.deepEqual([part.rows, part.cols], [2, 3])
  assert.deepEqual(part.rowLabels, ['1', '2'])
  for (let row = 0; row < part.rows; row++) {
    for (let col = 0; col < part.cols; col++) {
      const index = cellIndexOf(part, row, col)
      assert.equal(part.values[row * part.cols + col], valueAt(tensor, index))
      assert.deepEqual(findSquare(part, { name: 'x', index }), { row, col })
    }
  }
})

test('cells of other tensors and other indices are not in the slice', () => {
  const part = slice(tensor, { row: 1, col: 2, fixed: [1], colStart: 2, cols: 2 })
  for (const cell of [
    { name: 'y', index: [1, 0, 2] }, { name: 'x', index: [0, 0, 2] }, { name: 'x', index: [1, 0, 1] },
    { name: 'x', index: [1, 0] }
  ]) assert.equal(findSquare(part, cell), null)
})

test('a tensor of one axis is one row', () => {
  const bias = { name: 'b', shape: [6], axes: ['row'], data: Float32Array.of(0, 1, 2, 3, 4, 5) }
  const part = slice(bias, { col: 0, colStart: 2, cols: 3 })
  assert.deepEqual([part.rows, ...part.values], [1, 2, 3, 4])
  assert.deepEqual(cellIndexOf(part, 0, 1), [3])
  assert.deepEqual(findSquare(part, { name: 'b', index: [4] }), { row: 0, col: 2 })
})

test('peak ignores non-finite values', () => {
  assert.equal(peak({ data: Float32Array.of(-Infinity, -3, 2, Number.NaN) }), 3)
})

test('permuted columns keep their values, labels and tensor indices', () => {
  const part = pickColumns(slice(tensor, { row: 1, col: 2, fixed: [1], colStart: 1, cols: 3 }), [2, 0, 1])
  assert.deepEqual([part.order, part.colLabels], [[3, 1, 2], ['3', '1', '2']])
  for (let row = 0; row < part.rows; row++) for (let col = 0; col < part.cols; col++) {
    const index = cellIndexOf(part, row, col)
    assert.equal(part.values[row * part.cols + col], valueAt(tensor, index))
    assert.deepEqual(findSquare(part, { name: 'x', index }), { row, col })
  }
  assert.equal(findSquare(part, { name: 'x', index: [1, 0, 0] }), null)
})

test('contiguous slices are views; transposed ones are copied block by block', () => {
  const [rows, cols] = [37, 41], data = Float32Array.from({ length: rows * cols }, (_, i) => i), shape = [rows, cols]
  const tensor = { name: 'x', shape, data }, full = slice(tensor, { row: 0, col: 1 })
  assert.equal(full.values.buffer, data.buffer)
  assert.deepEqual([...slice(tensor, { row: 0, col: 1, rowStart: 2, rows: 2 }).values],
    [...data.subarray(2 * cols, 4 * cols)])
  const transposed = slice(tensor, { row: 1, col: 0 })
  assert.notEqual(transposed.values.buffer, data.buffer)
  assert.deepEqual([...transposed.values], Array.from(data.keys(), i => (i % rows) * cols + Math.floor(i / rows)))
  const doubles = slice({ ...tensor, data: Float64Array.from(data) }, { row: 1, col: 0 })
  assert.ok(doubles.values instanceof Float64Array)
})

test('a range without an axis for the rows is wrapped into lines', () => {
  const row = { name: 'w', shape: [12], data: Float32Array.from({ length: 12 }, (_, i) => i) }
  const part = slice(row, { col: 0, colStart: 2, rows: 3, cols: 3 })
  assert.deepEqual([...part.values], [2, 3, 4, 5, 6, 7, 8, 9, 10])
  part.values.forEach((value, i) => {
    const square = { row: Math.floor(i / 3), col: i % 3 }
    assert.deepEqual(cellIndexOf(part, square.row, square.col), [value])
    assert.deepEqual(findSquare(part, { name: 'w', index: [value] }), square)
  })
  for (const outside of [0, 1, 11]) assert.equal(findSquare(part, { name: 'w', index: [outside] }), null)
  assert.equal(findSquares(part, [{ name: 'w', index: [0], axis: 0, count: 6 }]).length, 4)
})
