// Tests of the comparisons that other tests use: they must fail for wrong values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as relu from '../../src/reference/relu.js'
import { assertClose, nested } from './compare.js'
import { assertIsDerivative } from './finite_difference.js'
import { numbers } from './numbers.js'
import { assertPrinted, format } from './printed.js'
import { assertSummary } from './summary.js'

const fails = (compare, message) => assert.throws(compare, { name: 'AssertionError', message })

test('assertClose accepts differences up to tol + rtol * |expected|', () => {
  assertClose([1.5, -2.25], [1, -2], { tol: 0.25, rtol: 0.25 })
  fails(() => assertClose([1.51], [1], { tol: 0.25, rtol: 0.25 }), /1 of 1 values differ/)
  assertClose([1, 2.5], [1, 2], { tol: [0, 0.5] })
  fails(() => assertClose([1.1, 2], [1, 2], { tol: [0, 0.5] }), /\[0\] 1.1 instead of 1/)
})

test('assertClose accepts NaN and infinities only if both values are the same', () => {
  assertClose([NaN, Infinity, -Infinity], [NaN, Infinity, -Infinity])
  for (const [actual, expected] of [
    [NaN, 1],
    [1, NaN],
    [Infinity, 1e308],
    [Infinity, -Infinity],
    [1, Infinity]
  ]) {
    fails(() => assertClose([actual], [expected], { tol: 1e300, rtol: 1 }), /values differ/)
  }
})

test('assertClose fails with a tolerance that is NaN or missing', () => {
  fails(() => assertClose([1], [1], { tol: NaN }), /values differ/)
  fails(() => assertClose([1, 2], [1, 2], { tol: [0] }), /\[1\] 2 instead of 2/)
})

test('assertClose compares shapes and reports multi-dimensional indices', () => {
  fails(() => assertClose({ shape: [2, 1], data: [1, 2] }, { shape: [2], data: [1, 2] }), /shape/)
  const shape = [2, 3]
  fails(
    () => assertClose({ shape, data: [0, 0, 0, 0, 0, 9] }, { shape, data: [0, 0, 0, 0, 0, 0] }),
    /\[1,2\] 9 instead of 0/
  )
})

test('assertIsDerivative finds a slope that is off by a thousandth', () => {
  const example = { inputs: { x: numbers([5], 1) }, params: {}, cot: { y: numbers([5], 2) } }
  assertIsDerivative(relu, example, 'relu')
  const wrong = {
    ...relu,
    backward: (...all) => {
      const { x } = relu.backward(...all)
      return { x: { ...x, data: x.data.map(value => value * 1.001) } }
    }
  }
  fails(() => assertIsDerivative(wrong, example, 'relu'), /d x/)
})

test('assertSummary finds a wrong value that is not listed', () => {
  const data = Array.from({ length: 40 }, (_, i) => i)
  const listed = part => ({ shape: [8], data: part })
  const golden = { first8: listed(data.slice(0, 8)), last8: listed(data.slice(-8)), sum64: 780 }
  assertSummary(data, golden, 'values')
  fails(
    () =>
      assertSummary(
        data.map(v => (v === 20 ? 21 : v)),
        golden,
        'values'
      ),
    /sum/
  )
})

test('format writes numbers as Python does', () => {
  const style = (style, decimals) => ({ style, decimals })
  assert.equal(format(-0.001, style('fixed', 2)), '-0.00')
  assert.equal(format(0.0099998, style('sci', 4)), '9.9998e-03')
  assert.equal(format(1e10, style('sci', 1)), '1.0e+10')
  assert.equal(format(0.5, style('trim', 8)), '0.5')
  assert.equal(format(0, style('trim', 8)), '0.')
  fails(() => assertPrinted([0.126], { id: 'x', shape: [1], printed: ['0.12'], ...style('fixed', 2) }), /printed 0.12/)
})

test('nested builds arrays of every shape, including empty ones', () => {
  assert.deepEqual(nested({ shape: [2, 2], data: [1, 0, 0, 1] }, Boolean), [
    [true, false],
    [false, true]
  ])
  assert.deepEqual(nested({ shape: [2, 0], data: [] }), [[], []])
  assert.deepEqual(nested({ shape: [], data: [7] }), 7)
})
