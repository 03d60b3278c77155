// Steering vectors against means and sums computed by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { createDecoder } from './decoders.js'

const POSITIVE = [[[1, 2, 3]], [[4, 2, 9, 1]]], NEGATIVE = [[[5, 5, 0]]]

/** The output of layer 0 for an input, as rows. */
function rowsOf(model, ids) {
  const { trace } = gf.trace(() => gf.noGrad(() => model(ids))), rows = trace.get('layers.0.output').toArray()[0]
  trace.dispose()
  return rows
}

test('a vector is the difference of two means, and is added to every output', () => {
  const model = createDecoder().eval(), [module] = model.layers, options = { model, module }
  for (const position of ['last', 'mean']) {
    const meanOf = inputs => {
      const own = inputs.map(ids => rowsOf(model, ids)).map(rows => (position === 'last' ? rows.slice(-1) : rows))
        .map(rows => rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length))
      return own[0].map((_, c) => own.reduce((sum, row) => sum + row[c], 0) / own.length)
    }
    const before = gf.memory().tensors
    const vector = gf.interpret.steeringVector({ ...options, positive: POSITIVE, negative: NEGATIVE, position })
    assert.ok(gf.memory().tensors <= before + 1)
    const negative = meanOf(NEGATIVE)
    meanOf(POSITIVE).forEach((value, c) => assert.ok(Math.abs(vector.at(c) - value + negative[c]) < 1e-6))
    const ids = [[7, 8]], plain = rowsOf(model, ids), logits = model(ids).toArray()
    const handle = gf.interpret.steer(module, vector, { scale: 3 }), steered = rowsOf(model, ids)
    const isSteered = (value, t, c) => Math.abs(value - plain[t][c] - 3 * vector.at(c)) < 1e-5
    steered.forEach((row, t) => row.forEach((value, c) => assert.ok(isSteered(value, t, c))))
    assert.notDeepEqual(model([[7, 8]]).toArray(), logits)
    handle.remove()
    assert.deepEqual(model([[7, 8]]).toArray(), logits)
  }
})

test('a vector of a text and itself is zero', () => {
  const model = createDecoder(), module = model.layers[1].self_attn
  const vector = gf.interpret.steeringVector({ model, module, positive: NEGATIVE, negative: NEGATIVE })
  assert.ok(vector.values.every(value => value === 0))
})

test('rejects wrong arguments of steering', () => {
  const model = createDecoder(), options = { model, module: model.layers[0], positive: POSITIVE, negative: NEGATIVE }
  const { steer, steeringVector } = gf.interpret
  for (const [call, code, message] of [
    [() => steeringVector({ ...options, module: 'layers.0' }), 'type', /module must be a module, such as .* got "layers\.0"/],
    [() => steeringVector({ ...options, positive: [] }), 'type', /positive must be an array of inputs/],
    [() => steeringVector({ ...options, position: 'first' }), 'type', /position must be 'last' or 'mean'/],
    [() => steeringVector({ ...options, module: new gf.nn.Linear(2, 2) }), 'state', /module must be called by the model/],
    [() => steer(model.layers[0], [1, 2]), 'type', /vector must be/],
    [() => steer(model.layers[0], gf.ones([16]), { scale: NaN }), 'range', /scale must be a finite number/]
  ]) assert.throws(call, { code, message })
  const handle = steer(model.layers[0], gf.ones([4]))
  assert.throws(() => model([[1, 2]]), { code: 'shape', message: /vector must have shape \[16\].*got \[4\]/ })
  handle.remove()
})
