import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exceptions } from '../../web/lib/nonzero.js'
import { fixed } from '../../web/lib/number.js'

const zeros = count => new Float32Array(count)
const having = (values, more) => Object.assign(values, more)

test('values other than 0.00 are listed, the largest magnitude first', () => {
  const values = having(zeros(64), { 3: 0.2, 9: -0.7, 20: 0.0049, 40: 0.2, 63: 0.0051 })
  assert.deepEqual(exceptions(values), [9, 3, 40, 63])
  const isZero = value => /^−?0\.00$/.test(fixed(value))
  values.forEach((value, i) => assert.equal(exceptions(values).includes(i), !isZero(value), String(value)))
})

test('nothing is listed in small matrices, or where exceptions are common or missing', () => {
  assert.equal(exceptions(zeros(64)), null)
  assert.equal(exceptions(having(zeros(39), { 1: 1 })), null)
  assert.equal(exceptions(zeros(64).fill(1, 0, 17)), null)
  assert.equal(exceptions(zeros(64).fill(1, 0, 16)).length, 16)
  assert.equal(exceptions(zeros(64).fill(-Infinity, 0, 40)), null)
})
