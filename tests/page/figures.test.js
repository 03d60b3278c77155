// The small figures of the lessons: their arithmetic against the engine, finite differences and counting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { angle, countPairs, dot, encodePosition, fit, mergePair, mix, softmax } from '../../web/figures/math.js'
import { runChain } from '../../web/figures/chain.js'
import { formatProducts } from '../../web/figures/products.js'
import { gf } from '../lib/engine.js'

const isClose = (x, y, tolerance = 1e-6) => assert.ok(Math.abs(x - y) <= tolerance * Math.max(1, Math.abs(y)), `${x}, not ${y}`)
const lists = [[[2, -1], [0.5, 3]], [[0, 0], [1, 1]], [[-3.3, 0.1], [-3.3, 0.1]]]

test('dot products and angles are those of the engine', () => {
  for (const [a, b] of lists) isClose(dot(a, b), gf.tensor(a).mul(gf.tensor(b)).sum().item())
  assert.equal(angle([1, 0], [0, 2]), 90)
  isClose(angle([1, 1], [-2, -2]), 180, 1e-5)
  assert.ok(Number.isNaN(angle([0, 0], [1, 1])))
})

test('a negative number after a sign is in brackets', () => {
  assert.equal(formatProducts([2, -3], [-1, 0.5]), '2.0 × (−1.0) + (−3.0) × 0.5')
  assert.equal(formatProducts([-2, 3], [1, -0.04]), '−2.0 × 1.0 + 3.0 × 0.0')
})

test('softmax is that of the engine, at large scores too', () => {
  for (const scores of [[2, 1, -1], [0, 0, 0], [1000, 999, -1000], [5]]) {
    const expected = [...gf.functional.softmax(gf.tensor(scores), -1).data]
    softmax(scores).forEach((weight, i) => isClose(weight, expected[i]))
  }
})

test('values are mixed as a product with the weights', () => {
  const vectors = [[1, 2], [-3, 0.5], [0, 4]], weights = [0.2, 0.3, 0.5]
  const expected = gf.tensor([weights]).matmul(gf.tensor(vectors)).data
  mix(vectors, weights).forEach((value, i) => isClose(value, expected[i]))
})

test('the gradient of the line is that of finite differences', () => {
  const points = [[1, 5.3], [2, 6.2], [6, 11.4]], [w, b, h] = [0.4, 1.5, 1e-6]
  const { gradient, loss } = fit(points, w, b)
  isClose(gradient.w, (fit(points, w + h, b).loss - fit(points, w - h, b).loss) / (2 * h), 1e-6)
  isClose(gradient.b, (fit(points, w, b + h).loss - fit(points, w, b - h).loss) / (2 * h), 1e-6)
  const [predicted, expected] = [points.map(([x]) => w * x + b), points.map(([, y]) => y)].map(list => gf.tensor(list))
  isClose(loss, gf.functional.mseLoss(predicted, expected).item())
  assert.equal(fit([[0, 1], [1, 3]], 2, 1).loss, 0)
})

test('the gradients of the chain are those of the engine', () => {
  const factors = { x: 4, v: 0.5, goal: 1 }
  for (const w of [2, 0.5, -1, 0]) {
    const leaf = gf.tensor(w, { requiresGrad: true }), hidden = leaf.mul(factors.x), y = hidden.mul(factors.v)
    const loss = y.sub(factors.goal).square()
    for (const tensor of [hidden, y]) tensor.retainGrad()
    loss.backward()
    const { values, gradients } = runChain(w, factors)
    values.forEach((value, i) => isClose(value, [leaf, hidden, y, loss][i].item()))
    gradients.forEach((gradient, i) => isClose(gradient, [leaf.grad, hidden.grad, y.grad, gf.tensor(1)][i].item()))
  }
})

test('a position has a sine and a cosine of each frequency', () => {
  assert.deepEqual(encodePosition(0, [1, 0.1]), [0, 1, 0, 1])
  assert.deepEqual(encodePosition(3, [0.5]), [Math.sin(1.5), Math.cos(1.5)])
})

test('pairs are counted within words, and merged from left to right', () => {
  const words = ['aaab', 'aab', '가나가나'].map(word => [...word])
  assert.deepEqual(countPairs(words).map(({ pair, count }) => [pair.join(''), count]), [['aa', 3], ['ab', 2], ['가나', 2], ['나가', 1]])
  assert.deepEqual(words.map(tokens => mergePair(tokens, ['a', 'a'])), [['aa', 'a', 'b'], ['aa', 'b'], [...'가나가나']])
  assert.deepEqual(countPairs([]), [])
  assert.deepEqual(mergePair([], ['a', 'b']), [])
})
