import { test } from 'node:test'
import { U } from '../lib/bounds.js'
import { assertClose, assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { log_softmax, softmax } from '../../src/reference/index.js'
import { rowsOf } from '../../src/reference/tensor.js'

const F = gf.functional

/** For each place of x: p and log p there, and for its row: the sums below. `f` makes the tolerance. */
function perPlace({ x }, f) {
  const { width } = rowsOf(x)
  const p = softmax.forward({ x }).y.data
  const logP = log_softmax.forward({ x }).y.data
  return Float64Array.from(x.data, (value, i) => {
    const start = i - (i % width)
    const row = Array.from({ length: width }, (_, j) => start + j)
    const max = Math.max(...row.map(j => x.data[j]))
    const sum = term => row.reduce((total, j) => total + term(j), 0)
    // Roundings of one exp(x - max): the difference brings |x - max|, exp itself about 2 units in the last place.
    const exponential = j => Math.abs(x.data[j] - max) + 4
    const divisor = sum(j => p[j] * exponential(j)) + width
    return f({
      i,
      p: p[i],
      logP: logP[i],
      width,
      sum,
      probability: j => p[j],
      own: exponential(i) + divisor + 2,
      divisor
    })
  })
}

/** y carries the roundings of its exponential and of the sum; so does every y in the gradient, and the sum there. */
const bounds = ({ inputs, cot: { y: dy } }) => ({
  y: perPlace(inputs, ({ p, own }) => U * p * own),
  x: perPlace(
    inputs,
    ({ i, p, width, own, sum, probability }) =>
      U * p * (2 * own + width + 4) * (Math.abs(dy.data[i]) + sum(j => probability(j) * Math.abs(dy.data[j])))
  )
})

/** The sum's relative error becomes an absolute one in its logarithm; the gradient takes exp of that. */
const logBounds = ({ inputs, cot: { y: dy } }) => {
  const error = ({ own, logP }) => own + 4 * Math.abs(logP) + 4
  return {
    y: perPlace(inputs, place => U * error(place)),
    x: perPlace(
      inputs,
      place =>
        U *
        (Math.abs(dy.data[place.i]) +
          place.p * (error(place) + place.width + 6) * place.sum(j => Math.abs(dy.data[j])))
    )
  }
}

testOp('softmax', {
  run: ({ x }) => ({ y: F.softmax(x) }),
  bounds,
  golden: { ops: ['softmax'], special_values: ['softmax'] }
})

testOp('log_softmax', {
  run: ({ x }) => ({ y: F.logSoftmax(x) }),
  bounds: logBounds,
  golden: { ops: ['log_softmax'], special_values: ['log_softmax'] }
})

test('softmax: every row sums to 1', () => {
  const x = gf.tensor(
    Float32Array.from({ length: 1000 }, (_, i) => Math.sin(i) * 20),
    { shape: [1, 1000] }
  )
  assertClose(
    F.softmax(x).data.reduce((a, b) => a + b, 0),
    1,
    { tol: 1000 * U }
  )
})

test('softmax: a row is not affected by huge numbers or the previous row', () => {
  const y = F.softmax(
    gf.tensor([
      [3e38, -3e38],
      [0, 0],
      [-3e38, -3e38]
    ])
  )
  assertClose(y, { shape: [3, 2], data: [1, 0, 0.5, 0.5, 0.5, 0.5] })
})

test('softmax, logSoftmax and logsumexp: rows of every length are not affected by their neighbors', () => {
  const error = 64 * U, ones = n => Array(n).fill(1)
  for (let n = 1; n < 40; n++) {
    const rows = [3e38, 0, -3e38, 0, 3e38, 0].map(value => ones(n).map(one => one * value)), x = gf.tensor(rows)
    assertClose(F.softmax(x), { shape: [6, n], data: rows.flatMap(() => ones(n).map(one => one / n)) }, { rtol: error })
    assertClose(F.logSoftmax(x), { shape: [6, n], data: rows.flatMap(() => ones(n).map(one => -one * Math.log(n))) },
      { tol: error * Math.log(n + 1) })
    const sums = [3e38, Math.log(n), -3e38, Math.log(n), 3e38, Math.log(n)]
    assertClose(F.logsumexp(x, { dim: 1 }), { shape: [6], data: sums }, { rtol: error, tol: error })
  }
})

test('softmax: the maximum of a row is found at every index', () => {
  for (let n = 1; n < 24; n++) for (let at = 0; at < n; at++) {
    const row = Array.from({ length: n }, (_, i) => i === at ? 200 : -200)
    assertSame(F.softmax(gf.tensor(row)), { shape: [n], data: row.map(value => value > 0 ? 1 : 0) })
  }
})

for (const name of ['softmax', 'logSoftmax']) {
  test(`${name}: rejects invalid arguments`, () => {
    assertRejects(() => F[name]([1, 2]), 'type', name, 'x', 'tensor')
    assertRejects(() => F[name](gf.tensor(Int32Array.of(1, 2))), 'type', name, 'x', 'int32')
  })
}
