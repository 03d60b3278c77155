// The logit lens: the last point of the stream has the run's logits, and each earlier one what a model without the
// later sub-layers computes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { loadGolden } from '../golden/index.js'
import { CASES, filesOf as familyFiles } from '../models/family_cases.js'
import { filesOf } from '../models/golden_models.js'
import { assertClose } from '../lib/compare.js'
import { ownModels } from './models.js'

/** The rows of a run's logits. */
const logitsOf = (run, row) => run.tensor(run.end).select(0, row)

/** Checks the last point against the run; returns the lens without its tensor. */
function checkLast(run, row, name) {
  const { logits, names, layers } = gf.interpret.logitLens(run, { row }), own = logitsOf(run, row)
  assert.deepEqual([...logits.shape], [names.length, ...own.shape], name)
  const last = logits.select(0, -1), tol = 1e-6 * Math.max(...own.values.map(Math.abs))
  assertClose({ shape: last.shape, data: last.values }, { shape: own.shape, data: own.values }, { tol, name })
  for (const tensor of [logits, own, last]) tensor.dispose()
  return { names, layers }
}

for (const item of CASES) test(`${item.name}: two points for a layer, and the last has the logits`, async () => {
  const { model, config } = await gf.models.load(familyFiles(item)), { ids, mask } = item
  const run = gf.observe(() => model.forward(ids, { attentionMask: mask }).logits, { modules: { model } })
  const { names, layers } = checkLast(run, ids.length - 1, item.name)
  const count = config.num_hidden_layers ?? config.n_layer ?? config.num_layers, each = names.length / count
  assert.ok(each === 2 || (each === 1 && /gptj|phi|falcon|cohere|neox/.test(item.name)), `${item.name}: ${names}`)
  assert.deepEqual(layers, Array.from({ length: names.length }, (_, i) => Math.floor(i / each)), item.name)
  run.dispose()
  model.dispose()
})

for (const item of loadGolden('models').cases) test(`${item.name}: the last point has the output`, async () => {
  const { model } = await gf.models.load(filesOf(item)), { ids, ...options } = item.inputs
  const run = gf.observe(() => {
    const { logits, hidden } = model.forward(ids, options)
    return logits ?? hidden
  }, { modules: { model } })
  checkLast(run, 1, item.name)
  run.dispose()
  model.dispose()
})

for (const { name, model, forward } of ownModels()) test(`${name}: a point has the logits without the rest`, () => {
  const run = gf.observe(() => forward(), { modules: { model } })
  const { names, layers } = checkLast(run, 1, name)
  const { logits } = gf.interpret.logitLens(run, { row: 1, positions: [-1, 0] })
  assert.deepEqual([...logits.shape], [names.length, 2, 11])
  const end = run.end, last = names.at(-1)
  names.forEach((point, n) => {
    // The last point is replaced by this one; everything after it follows.
    const index = run.tensor(last).shape.map(() => null)
    const replaced = gf.observe(() => forward(), { modules: { model }, edits: [{ name: last, index, from: point }] })
    const expected = [-1, 0].flatMap(t => Array.from({ length: 11 }, (_, v) => replaced.tensor(end).at(1, t, v)))
    const found = Array.from(logits.values.subarray(n * 22, (n + 1) * 22))
    assertClose({ shape: [22], data: found }, { shape: [22], data: expected }, { tol: 1e-5, name: `${name}: ${point}` })
    replaced.dispose()
  })
  assert.deepEqual(layers, names.map((_, i) => Math.floor(i / names.length * 2)))
  logits.dispose()
  run.dispose()
})

test('with the norm after the sum, the points are the norms', () => {
  const { model, forward } = ownModels().find(({ name }) => name === 'post-norm')
  const run = gf.observe(() => forward(), { modules: { model } }), { logits, names } = gf.interpret.logitLens(run)
  assert.deepEqual(names, [0, 1].flatMap(layer => ['norm1.output', 'output'].map(name => `model.layers.${layer}.${name}`)))
  logits.dispose()
  run.dispose()
  const renamed = ownModels().find(({ name }) => name === 'post-norm, gelu')
  const other = gf.observe(() => renamed.forward(), { modules: { model: renamed.model } })
  const lens = gf.interpret.logitLens(other)
  assert.deepEqual([lens.names.at(-1), lens.layers], ['model.hidden', [0, 0, 1, 1]])
  lens.logits.dispose()
  other.dispose()
})

test('says what is wrong', () => {
  const { model, forward } = ownModels()[0], run = gf.observe(() => forward(), { modules: { model } })
  const throws = (options, code, message, at = run) => (
    assert.throws(() => gf.interpret.logitLens(at, options), { code, message }))
  throws({ row: 2 }, 'range', /row must be an integer from 0 to 1/)
  throws({ positions: [4] }, 'range', /positions\[0\] must be an integer from -4 to 3/)
  throws({ positions: 3 }, 'type', /positions must be a list of integers, got 3/)
  throws({ logits: 'model.position.output' }, 'state', /no residual stream leads to model.position.output/)
  throws({ points: 1 }, 'type', /there is no option "points"/)
  throws({}, 'type', /run must be a Run/, {})
  const pooled = gf.observe(() => forward().mean(1, { keepdim: true }), { modules: { model } })
  throws({}, 'state', /mean on the way from the stream to mean cannot be computed for other vectors/, pooled)
  pooled.dispose()
  run.dispose()
})
