import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signed } from '../../web/lib/color.js'
import { DEFAULTS } from '../../web/state.js'
import { difference, pairs, readTwin, shared } from '../../web/twin.js'

const part = (name, values, more) => ({ name, axis: [0, 1], rows: 1, cols: values.length, values: Float32Array.from(values), ...more })

test('a twin is a setting of the model and another value it can have', () => {
  assert.deepEqual(readTwin('scale:false', DEFAULTS), { name: 'scale', value: false, word: 'off' })
  assert.equal(readTwin('scale:true', DEFAULTS), null, 'the value it has')
  assert.equal(readTwin('causal:true', DEFAULTS), null, 'a setting of another model')
  assert.equal(readTwin('causal:true', { ...DEFAULTS, model: 'sentences' }).value, true)
  assert.deepEqual(readTwin('seed:43', DEFAULTS), { name: 'seed', value: 43 })
  for (const text of ['', 'seed', 'seed:many', 'constructor:1']) assert.equal(readTwin(text, DEFAULTS), null, text)
})

test('differences: cell by cell, and the same infinity differs by nothing', () => {
  const [one, two] = [part('a', [1, -Infinity, NaN, 2]), part('a', [1.5, -Infinity, NaN, -Infinity])]
  assert.deepEqual([...difference(one, two).values], [0.5, 0, 0, -Infinity])
  assert.equal(difference(one, two).name, 'a')
})

test('only what is there twice in the same shape is subtracted', () => {
  const one = { left: part('x', [1]), product: part('a', [1, 2]), after: part('b', [1]), text: 'no' }
  const two = { left: part('x', [2]), product: part('a', [3, 2]), after: part('b', [1, 2]), text: 'no' }
  assert.deepEqual(pairs(one, two, ['a', 'b']).map(({ name, part: { values } }) => [name, ...values]), [['a', 2, 0]])
})

test('both are drawn on scales wide enough for the other', () => {
  const one = { domain: signed(1), domains: { scores: signed(5) }, part: 'q' }
  const two = { domain: signed(3), domains: { scores: signed(2) }, part: 'q' }
  const wide = { domain: signed(3), domains: { scores: signed(5) }, part: 'q' }
  assert.deepEqual([shared(one, two), shared(two, one)], [wide, wide])
})
