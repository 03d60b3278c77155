import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasTick, numberFormat, outline, tickBox } from '../../web/lib/heatmap_paint.js'

const at = (width, values, height = 22) => numberFormat({ cell: { width, height }, values })

test('numbers have two decimals where they fit every cell, else one, else none are written', () => {
  assert.equal(at(40, [-3.91, 0.5]).decimals, 2)
  assert.equal(at(32, [-3.91, 0.5]).decimals, 2)
  assert.equal(at(32, [-14.51, 0.5]).decimals, 1, 'one long number decides for its whole matrix')
  assert.equal(at(32, [-145.1, 0.5]), null)
  assert.equal(at(23, [0.5]), null)
  assert.equal(at(40, [0.5], 14), null)
})

test('numbers are as large as the cells allow, and no larger than the surrounding text', () => {
  const sizes = [30, 36, 42, 90].map(width => at(width, [-3.91], 30).size)
  assert.deepEqual([...sizes].sort((a, b) => a - b), sizes)
  assert.equal(sizes.at(-1), 13)
})

test('a plain picture has no numbers; non-finite numbers are measured too', () => {
  assert.equal(numberFormat({ cell: { width: 60, height: 30 }, values: [1], plain: true }), null)
  assert.equal(at(60, [NaN, -Infinity, 1]).decimals, 2)
})

test('negative cells have a dash down to the smallest cell size', () => {
  for (const [wide, high] of [[4, 14], [8, 8], [9, 9], [22, 14]]) {
    const cell = { width: wide, height: high }
    assert.deepEqual([-1, -1e-6, 0, -0, 1, -Infinity, NaN].map(value => hasTick(value, cell)),
      [true, true, false, false, false, false, false])
    for (const [row, col] of [[0, 0], [3, 5]]) {
      const { x, y, width, height } = tickBox(cell, row, col)
      assert.ok(width >= 3 && height === 1, 'wide enough to be seen')
      assert.ok(x > col * cell.width && x + width < (col + 1) * cell.width, 'inside its column')
      assert.ok(y > row * cell.height && y + height < (row + 1) * cell.height, 'inside its row')
      assert.ok(Number.isInteger(y), 'on one line of pixels')
    }
  }
})

test('the outline of a cell leaves most of its color visible, however narrow it is', () => {
  for (const width of [6, 9, 12, 40]) {
    let left = 0, right = width
    const ctx = { strokeRect(x, _, size) {
      // What the left and the right line cover from outside.
      left = Math.max(left, x + this.lineWidth / 2)
      right = Math.min(right, x + size - this.lineWidth / 2)
    } }
    outline(ctx, { cell: { width, height: 20 }, palette: {} }, { row: 0, col: 0 }, '', 1.5)
    assert.ok(right - left >= width / 2, `${width}: ${right - left}`)
  }
})
