// The first-order estimate of activation patching against finite differences and against the patches themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { createDecoder, createFunction } from './decoders.js'

const CLEAN = [[3, 1, 4, 1, 5]], CORRUPTED = [[3, 7, 4, 1, 9]]
const metric = { token: 2, against: 6 }
const flat = values => values.flat(2)

test('the estimate is the slope of patching a little', async () => {
  const models = [createDecoder().eval(), createDecoder(false).eval(), createFunction()]
  for (const model of models) for (const targets of ['residual', 'heads']) {
    const options = { model, clean: CLEAN, corrupted: CORRUPTED, metric, targets }
    const { values, corrupted, rows } = await gf.interpret.attributionPatch(options)
    const [clean, base] = [CLEAN, CORRUPTED].map(ids => gf.trace(() => gf.noGrad(() => model(ids))).trace)
    const epsilon = 2 ** -10, { name } = rows[1], at = 4
    const [from, to] = [clean.get(name), base.get(name)], joined = to.shape.length === 3
    const width = targets === 'heads' ? 4 : 16
    const edits = sign => Array.from({ length: width }, (_, c) => {
      const index = joined ? [0, at, c] : [0, 0, at, c]
      const value = to.at(...index) + sign * epsilon * (from.at(...index) - to.at(...index))
      return { name, index, value }
    })
    const measured = [1, -1].map(sign => {
      const { output, trace } = gf.trace(() => gf.noGrad(() => model(CORRUPTED)), { edits: edits(sign) })
      const value = output.at(0, 4, 2) - output.at(0, 4, 6)
      trace.dispose()
      return value
    })
    const slope = (measured[0] - measured[1]) / (2 * epsilon)
    const own = targets === 'heads' ? values[1][at][0] : values[1][at]
    const difference = Math.abs(own - corrupted - slope)
    assert.ok(difference < 1e-3 * Math.max(1, Math.abs(slope)), `${targets}: ${own - corrupted}, not ${slope}`)
    clean.dispose()
    base.dispose()
  }
})

test('a linear model has no error, and the error of others is the largest difference', async () => {
  gf.manualSeed(6)
  const [table, w, out] = [gf.randn([11, 8]), gf.randn([8, 8]), gf.randn([8, 11])]
  const linear = ids => {
    const x = gf.functional.embedding(ids, table)
    return x.add(x.matmul(w)).matmul(out)
  }
  const options = { clean: CLEAN, corrupted: CORRUPTED, metric, compare: true }
  const same = await gf.interpret.attributionPatch({ ...options, model: linear })
  assert.ok(same.maxError < 1e-4 && same.correlation > 0.999999)
  const model = createDecoder(), map = await gf.interpret.attributionPatch({ ...options, model, targets: 'attention' })
  const exact = await gf.interpret.patch({ model, clean: CLEAN, corrupted: CORRUPTED, metric, targets: 'attention' })
  assert.deepEqual(map.exact, exact.values)
  const errors = flat(map.values).map((value, i) => Math.abs(value - flat(exact.values)[i]))
  assert.equal(map.maxError, Math.max(...errors))
  assert.ok(map.maxError > 0)
  for (const name of ['axes', 'rows', 'clean', 'corrupted']) assert.deepEqual(map[name], exact[name])
})

test('it needs no trained parameter, and changes no gradient', async () => {
  const model = createDecoder(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric, normalize: true }
  const trained = await gf.interpret.attributionPatch(options)
  assert.ok(model.parameters().every(({ grad }) => grad === null))
  model.requiresGrad_(false)
  const before = gf.memory().tensors, frozen = await gf.interpret.attributionPatch(options)
  assert.deepEqual(frozen.values, trained.values)
  assert.ok(gf.memory().tensors <= before)
  gf.manualSeed(5)
  const encoder = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 2).requiresGrad_(false)
  const [clean, corrupted] = [0, 1].map(() => gf.randn([1, 4, 8]))
  const map = await gf.interpret.attributionPatch({ model: encoder, clean, corrupted, metric: y => y.index(0, 3, 0) })
  assert.notEqual(map.values[0][3], map.corrupted)
  assert.equal(corrupted.requiresGrad, false)
})

test('rejects a metric that has no gradient', async () => {
  const options = { model: createDecoder(), clean: CLEAN, corrupted: CORRUPTED }
  await assert.rejects(gf.interpret.attributionPatch({ ...options, metric: logits => logits.at(0, 4, 2) }),
    { code: 'type', message: /attributionPatch: metric must return a tensor of one value.*logits\.index/s })
  await assert.rejects(gf.interpret.attributionPatch({ ...options, metric, compare: 1 }), { code: 'type', message: /compare/ })
})
