// Names of TransformerLens: the tensors they lead to relate to each other as the hooks do, recomputed in float64.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'
import { cases, filesOf } from '../models/golden_models.js'

const { hookNames } = gf.interpret
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0)
const isClose = (got, expected, name) => expected.forEach((value, i) => (
  assert.ok(Math.abs(got[i] - value) <= 2e-5 * Math.max(1, Math.abs(value)), `${name}[${i}]: ${got[i]}, not ${value}`)))

/** Rows of the last axis, of the first of a batch. */
function rowsOf(tensor) {
  const { shape, values } = tensor, width = shape.at(-1), T = shape.at(-2)
  return Array.from({ length: T }, (_, t) => Array.from(values.subarray(t * width, (t + 1) * width)))
}

/** A reader of hooks by their names, as TransformerLens' cache. */
async function openModel(type) {
  const [item] = cases(type), { model } = await gf.models.load(filesOf(item))
  const { trace } = gf.trace(() => model.forward(item.inputs.ids)), names = hookNames(trace)
  return { model, item, trace, names, cache: name => trace.get(names[name]) }
}

for (const type of ['gpt2', 'llama']) {
  test(`${type}: streams are sums, patterns are softmaxes of scores, heads are mixed values`, async () => {
    const { model, trace, names, cache, item: { config } } = await openModel(type)
    const layers = config.n_layer ?? config.num_hidden_layers, H = config.n_head ?? config.num_attention_heads
    for (let layer = 0; layer < layers; layer++) {
      const at = name => rowsOf(cache(`blocks.${layer}.${name}`))
      const [pre, mid, post] = ['pre', 'mid', 'post'].map(name => at(`hook_resid_${name}`))
      const [attended, written] = [at('hook_attn_out'), at('hook_mlp_out')]
      pre.forEach((row, t) => {
        isClose(mid[t], row.map((value, c) => value + attended[t][c]), 'hook_resid_mid')
        isClose(post[t], mid[t].map((value, c) => value + written[t][c]), 'hook_resid_post')
      })
      if (layer + 1 < layers) assert.equal(names[`blocks.${layer + 1}.hook_resid_pre`], names[`blocks.${layer}.hook_resid_post`])
      const scores = at('attn.hook_attn_scores'), pattern = at('attn.hook_pattern')
      scores.forEach((row, t) => {
        const exps = row.map(score => Math.exp(score - Math.max(...row))), sum = exps.reduce((a, b) => a + b)
        isClose(pattern[t], exps.map(value => value / sum), 'hook_pattern')
      })
      const z = at('attn.hook_z'), v = at('attn.hook_v'), width = z[0].length / H
      z.forEach((row, t) => isClose(row.slice(0, width),
        row.slice(0, width).map((_, c) => dot(pattern[t], v.map(own => own[c]))), 'hook_z of head 0'))
    }
    trace.dispose()
    model.dispose()
  })
}

test('queries before and after rotation, and the gate of a feed-forward network', async () => {
  const { model, trace, names, cache } = await openModel('llama'), norms = row => Math.hypot(...row)
  const [before, after] = ['hook_q', 'hook_rot_q'].map(name => rowsOf(cache(`blocks.1.attn.${name}`)))
  assert.notDeepEqual(before[1], after[1])
  isClose(after.map(norms), before.map(norms), 'lengths of rotated queries')
  isClose(after[0], before[0], 'position 0')
  const [gate, linear, post] = ['hook_pre', 'hook_pre_linear', 'hook_post'].map(name => rowsOf(cache(`blocks.0.mlp.${name}`)))
  post.forEach((row, t) => isClose(row, gate[t].map((x, i) => x / (1 + Math.exp(-x)) * linear[t][i]), 'hook_post'))
  assert.ok(!('blocks.2.hook_resid_pre' in names))
  trace.dispose()
  model.dispose()
})

test('a decoder that reads an encoder, with norms after the sums; a model of attention alone', () => {
  const run = pageRun({ model: 'dates' }), names = hookNames(run.workerRun.run), path = 'transformer.decoder.layers.1'
  assert.equal(names['blocks.1.cross_attn.hook_pattern'], `${path}.multihead_attn.weights`)
  assert.deepEqual(['resid_mid', 'resid_mid_cross', 'resid_post'].map(name => names[`blocks.1.hook_${name}`]),
    ['norm1', 'norm2', 'norm3'].map(norm => `${path}.${norm}.output`).with(2, `${path}.output`))
  assert.equal(names['blocks.1.mlp.hook_pre'], `${path}.linear1.output`)
  run.dispose()
  const other = pageRun({ model: 'induction' }), own = hookNames(other.workerRun.run)
  assert.equal(own['blocks.1.hook_resid_pre'], own['blocks.0.hook_resid_post'])
  assert.ok(Object.keys(own).every(name => !/mlp|mid|rot/.test(name)))
  other.dispose()
})

test('rejects what is no run, and runs without layers', () => {
  assert.throws(() => hookNames({}), /hookNames: run must be a run or a trace, got/)
  const { trace } = gf.trace(() => gf.ones([2, 3]).mul(2))
  assert.throws(() => hookNames(trace), /hookNames: the run has no layers that add to a residual stream/)
  trace.dispose()
  assert.throws(() => hookNames(trace), /hookNames: the run was disposed/)
})
