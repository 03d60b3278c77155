import assert from 'node:assert/strict'
import { test } from 'node:test'
import { U } from '../lib/bounds.js'
import { assertClose, plain } from '../lib/compare.js'
import { gf, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import { forward } from '../../src/reference/reduce.js'

const SHAPES = [[1, 1], [2, 5], [17, 3], [3, 4], [5, 4099], [9, 7], [2, 8195], [4, 4096]]
/** A value is rounded once, a root or a variance a few times; sums before that are those of float64. */
const ROUNDINGS = { sum: 1, mean: 1, var: 3, std: 3, amax: 0, amin: 0 }

for (const [op, roundings] of Object.entries(ROUNDINGS)) {
  test(`${op} along an axis before the last: of one strip of columns, of several, and of edges`, () => {
    for (const shape of SHAPES) for (const [whole, dim] of [[shape, 0], [[3, ...shape], 1], [[...shape, 2], 0]]) {
      const x = numbers(whole, shape[1], { shift: 2 }), expected = forward({ x }, { op, dim }).y
      const tol = Array.from(expected.data, v => roundings * U * Math.abs(v) + 2 ** -48)
      assertClose(toTensor(x)[op]({ dim }), expected, { tol, name: `${whole} along ${dim}` })
    }
  })
}

test('columns with NaN, infinity and signed zeros give the same as rows', () => {
  const odd = [NaN, Infinity, -Infinity, 0, -0, 1]
  const columns = odd.flatMap(a => odd.flatMap(b => odd.map(c => [a, b, c])))
  columns.reverse().pop() // 215 of them, so that some with NaN stand in an edge
  columns.unshift([1, 2, NaN])
  const rows = gf.tensor(columns), x = gf.tensor(rows.transpose(0, 1).toArray())
  for (const op of Object.keys(ROUNDINGS)) {
    const [found, expected] = [x[op]({ dim: 0 }), rows[op]({ dim: 1 })].map(y => plain(y).data)
    for (const [i, value] of expected.entries()) {
      assert.ok(Object.is(found[i], value), `${op} of ${columns[i]}: ${found[i]}, not ${value}`)
    }
  }
})
