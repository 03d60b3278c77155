import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBrief, formatDecimal, formatShape, formatExact, formatFixed, formatProbability, parseFormatted, scaleEnds } from '../../web/lib/number.js'

test('fixed: two decimals and a real minus sign', () => {
  assert.equal(formatFixed(1.8342), '1.83')
  assert.equal(formatFixed(-0.4), '−0.40')
  assert.equal(formatFixed(-0.001), '0.00')
  assert.equal(formatFixed(-0.4, 0), '0')
  assert.equal(formatFixed(-0.006), '−0.01')
  assert.equal(formatFixed(-0), '0.00')
  assert.equal(formatFixed(2, 0), '2')
})

test('fixed: non-finite and very large values', () => {
  assert.equal(formatFixed(-Infinity), '−∞')
  assert.equal(formatFixed(Infinity), '∞')
  assert.equal(formatFixed(Number.NaN), 'NaN')
  assert.equal(formatFixed(-12345678), '−1.23e7')
})

test('exact: the shortest decimal that round-trips as float32', () => {
  assert.equal(formatExact(Math.fround(0.1)), '0.1')
  assert.equal(formatExact(Math.fround(-1 / 3)), '−0.33333334')
  assert.equal(formatExact(-0), '−0')
  assert.equal(formatExact(13), '13')
})

test('exact and parse give back every bit', () => {
  const bits = new Uint32Array(1)
  const float = new Float32Array(bits.buffer)
  let state = 1
  for (let i = 0; i < 20000; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bits[0] = state
    if (!Number.isFinite(float[0])) continue
    assert.ok(Object.is(Math.fround(parseFormatted(formatExact(float[0]))), float[0]), `${float[0]} was written ${formatExact(float[0])}`)
  }
  assert.equal(parseFormatted('−∞'), -Infinity)
})

test('dimensions', () => assert.equal(formatShape([3, 6, 16]), '3 × 6 × 16'))

test('brief: two decimals, or two digits below 0.1, powers of ten below a thousandth', () => {
  const cases = [
    [1.234, '1.23'], [0.0999, '0.10'], [0.0994, '0.099'], [-0.0054, '−0.0054'], [0.00996, '0.010'], [0, '0'], [-0, '−0'], [0.0049, '0.0049'], [-0.001, '−0.0010'], [0.00049, '4.9e−4'], [-1.78e-5, '−1.8e−5'], [NaN, 'NaN']
  ]
  for (const [value, text] of cases) assert.equal(formatBrief(value), text)
})

test('the ends of a scale are never rounded to zero', () => {
  assert.deepEqual(scaleEnds({ kind: 'signed', min: -1.1920928955078125e-7, max: 1.1920928955078125e-7 }), ['−1.2e−7', '0', '1.2e−7'])
  assert.deepEqual(scaleEnds({ kind: 'signed', min: -2, max: 2 }), ['−2.00', '0', '2.00'])
  assert.deepEqual(scaleEnds({ kind: 'probability', min: 0, max: 1 }), ['0', '0.5', '1'])
})

test('a probability below 1 is never written as 1', () => {
  const probabilityCases = [[0.9994, '0.999'], [0.99996, '0.99996'], [Math.fround(0.99999995), '0.9999999'], [1, '1.00'], [0.994, '0.99'], [0.5, '0.50'], [0, '0.00']]
  for (const [p, text] of probabilityCases) assert.equal(formatProbability(p), text)
})

test('on paper small numbers are decimals', () => {
  assert.deepEqual([0, 0.25, 0.0013, -0.0029, 0.00001234, 1e-9, -Infinity].map(formatDecimal),
    ['0', '0.25', '0.0013', '−0.0029', '0.000012', '1.0e−9', '−∞'])
})
