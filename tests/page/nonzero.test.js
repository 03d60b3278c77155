import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNonzero } from '../../web/lib/nonzero.js'
import { formatFixed } from '../../web/lib/number.js'

const zeros = count => new Float32Array(count)
const withValues = (values, more) => Object.assign(values, more)

test('values other than 0.00 are listed, the largest magnitude first', () => {
  const values = withValues(zeros(64), { 3: 0.2, 9: -0.7, 20: 0.0049, 40: 0.2, 63: 0.0051 })
  assert.deepEqual(findNonzero(values), [9, 3, 40, 63])
  const isZero = value => /^−?0\.00$/.test(formatFixed(value))
  values.forEach((value, i) => assert.equal(findNonzero(values).includes(i), !isZero(value), String(value)))
})

test('nothing is listed in small matrices, or where exceptions are common or missing', () => {
  assert.equal(findNonzero(zeros(64)), null)
  assert.equal(findNonzero(withValues(zeros(39), { 1: 1 })), null)
  assert.equal(findNonzero(zeros(64).fill(1, 0, 17)), null)
  assert.equal(findNonzero(zeros(64).fill(1, 0, 16)).length, 16)
  assert.equal(findNonzero(zeros(64).fill(-Infinity, 0, 40)), null)
})
