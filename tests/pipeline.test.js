// The block of the sentences: edited, and with gradients of the sum of its output.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPipeline } from '../src/js/pipeline.js'
import { gf } from './lib/engine.js'

const SETTINGS = { texts: ['one two three', 'four five'], dModel: 8, heads: 2, maxLength: 6, causal: true }
const NUDGE = 2 ** -6

/** @param {any[]} edits @param {object} [more] */
function run(edits, more) {
  const { run: made } = runPipeline(gf, { ...SETTINGS, ...more, edits })
  const found = { loss: made.loss, read: Object.fromEntries(made.names.map(name => [name, made.read(name)])) }
  made.dispose()
  return found
}

const CELLS = {
  'embedding.weight': [1, 2], 'embedding.output': [0, 1, 2], 'positions.output': [1, 0, 3],
  'self_attn.in_proj_weight': [18, 4],
  'self_attn.in_proj_bias': [20], 'self_attn.q': [0, 2, 1], 'self_attn.k': [1, 1, 6], 'self_attn.v': [0, 0, 7],
  'self_attn.scores': [0, 1, 2, 0], 'self_attn.masked_scores': [1, 0, 1, 1], 'self_attn.weights': [0, 0, 1, 1],
  'self_attn.heads': [0, 1, 3], 'self_attn.out_proj.weight': [2, 3], 'self_attn.out_proj.bias': [4],
  'self_attn.output': [0, 0, 0]
}

test("gradients equal the change of the output's sum", () => {
  for (const more of [{}, { training: true, dropout: 0.4, positions: 'learned' }]) {
    const { run: plain } = runPipeline(gf, { ...SETTINGS, ...more })
    for (const [name, index] of Object.entries(CELLS)) {
      const { value } = plain.explain(name, index), gradient = plain.explainGradient(name, index)
      const [up, down] = [1, -1].map(sign => Math.fround(value + sign * NUDGE))
      const [high, low] = [up, down].map(v => run([{ name, index, value: v }], more).loss)
      const difference = (high - low) / (up - down)
      const apart = Math.abs(difference - gradient.value)
      assert.ok(apart < 2e-3 * (1 + Math.abs(difference)), `${name}: ${difference}, ${gradient.value}`)
      assert.ok(Math.abs(gradient.computed - gradient.value) < 1e-5 * (1 + Math.abs(gradient.value)), name)
      assert.equal(gradient.name, name)
    }
    assert.ok(plain.gradient('self_attn.output').every(v => v === 1), 'the sum changes as each of its numbers does')
    plain.dispose()
  }
})

test('the loss is the sum of the output in float64', () => {
  const { loss, read } = run([])
  assert.equal(loss, [...read['self_attn.output']].reduce((sum, v) => sum + v, 0))
})

test('by default there is no dropout and no mask', () => {
  const { causal: _, ...rest } = SETTINGS, { run: made } = runPipeline(gf, rest)
  const [own, all] = [made, runPipeline(gf, { ...rest, causal: false, training: false }).run]
    .map(one => one.names.map(name => [name, one.read(name)]))
  assert.deepEqual(own, all)
  assert.ok(made.read('self_attn.weights').slice(0, 9).every(share => share > 0))
  made.dispose()
})

test('an edited dropout mask takes effect', () => {
  const training = { training: true, dropout: 0.5 }
  const index = [0, 1, 2], { read } = run([{ name: 'dropout.mask', index, value: 3 }], training)
  const at = 1 * 8 + 2
  assert.equal(read['dropout.output'][at], Math.fround(read['positions.output'][at] * 3))
})

test('shorter sentences are padded with the padding token', () => {
  const { text, run: made } = runPipeline(gf, { ...SETTINGS, texts: ['one two three', 'four'] })
  assert.deepEqual(text.ids.map(row => row.map(id => text.vocabulary[id])), text.tokens)
  assert.deepEqual(text.tokens[1], ['four', '<pad>', '<pad>'])
  made.dispose()
})
