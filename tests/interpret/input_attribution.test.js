// Attribution to the tokens: gradient times input, integrated gradients and occlusion against gradients and runs of
// their own, and how far they are from being complete.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { loadGolden } from '../golden/index.js'
import { CASES, filesOf as familyFiles } from '../models/family_cases.js'
import { filesOf } from '../models/golden_models.js'
import { ownModels } from './models.js'

const { inputAttribution } = gf.interpret
const sum = values => values.reduce((total, value) => total + value, 0)
const IDS = [[3, 1, 4, 1], [5, 9, 2, 6]]
const modelOf = name => ownModels().find(candidate => candidate.name === name)
const observe = ({ model, forward }, ids) => gf.observe(() => forward(ids), { modules: { model } })

/** A logit, or the difference of two, of a model for ids. */
const logitOf = ({ forward }, ids, { row, position, token, against = null }) => gf.tidy(() => gf.noGrad(() => {
  const logits = forward(ids)
  return logits.at(row, position, token) - (against === null ? 0 : logits.at(row, position, against))
}))

/** Checks that integrated gradients are complete to a thousandth of the difference, or of 1. */
function checkComplete(run, options, name) {
  const { values, total, baseline, gap } = inputAttribution(run, options)
  assert.ok(Math.abs(total - baseline - sum(values) - gap) < 1e-12 * (1 + Math.abs(total)), `${name}: the gap`)
  assert.ok(Math.abs(gap) <= 1e-3 * Math.max(1, Math.abs(total - baseline)), `${name}: ${gap} of ${total - baseline}`)
}

for (const own of ownModels()) test(`${own.name}: integrated gradients are complete`, () => {
  const run = observe(own), target = { row: 1, position: 2, token: 4, against: 6 }
  checkComplete(run, { target, steps: 2000, baseline: own.name.includes('first') ? 'mean' : 'zero' }, own.name)
  run.dispose()
})

const isRouted = ({ name }) => /moe|mixtral/.test(name)

const SOME = CASES.filter((item, i) => i % 8 === 0 && !isRouted(item))

for (const item of SOME) test(`${item.name}: integrated gradients are complete`, async () => {
  const { model } = await gf.models.load(familyFiles(item)), { ids, mask } = item
  const run = gf.observe(() => model.forward(ids, { attentionMask: mask }).logits, { modules: { model } })
  checkComplete(run, { steps: 2000 }, item.name)
  run.dispose()
  model.dispose()
})

for (const item of loadGolden('models').cases) test(`${item.name}: integrated gradients are complete`, async () => {
  const { model } = await gf.models.load(filesOf(item)), { ids, ...options } = item.inputs
  const run = gf.observe(() => {
    const { logits, hidden } = model.forward(ids, options)
    return logits ?? hidden
  }, { modules: { model } })
  checkComplete(run, { steps: 2000, target: { row: 1 } }, item.name)
  run.dispose()
  model.dispose()
})

test('gradient times input is the gradient of a run with the logit as its loss, times the embedding', () => {
  const own = modelOf('post-norm'), run = observe(own), target = { row: 1, position: 2, token: 4, against: 6 }
  const { values, input, gap, total, baseline } = inputAttribution(run, { method: 'gradientTimesInput', target })
  const withLoss = gf.observe(() => {
    const output = own.forward()
    return { output, loss: output.index(1, 2, 4).sub(output.index(1, 2, 6)) }
  }, { modules: { model: own.model } })
  const gradient = withLoss.gradient(input), embeddings = run.read(input), C = 12
  for (let t = 0; t < 4; t++) {
    const cells = Array.from({ length: C }, (_, c) => (4 + t) * C + c)
    assert.ok(Math.abs(values[t] - sum(cells.map(i => gradient[i] * embeddings[i]))) < 1e-6, `token ${t}`)
  }
  assert.equal(values[3], 0, 'a later token has no effect')
  assert.ok(Math.abs(total - logitOf(own, IDS, target)) < 1e-6)
  assert.ok(Math.abs(gap - (total - baseline - sum(values))) < 1e-12)
  withLoss.dispose()
  run.dispose()
})

test('integrated gradients are the mean gradient of models whose embeddings are scaled', () => {
  const own = modelOf('post-norm, gelu'), run = observe(own), target = { row: 0, position: 3, token: 2 }, steps = 256
  const { values, input } = inputAttribution(run, { target }), embeddings = run.read(input), expected = [0, 0, 0, 0]
  const { weight } = own.model.embedding, original = weight.clone().detach()
  for (let step = 0; step < steps; step++) {
    gf.noGrad(() => weight.copy_(original.mul((step + 0.5) / steps)))
    const scaled = gf.observe(() => {
      const output = own.forward()
      return { output, loss: output.index(0, 3, 2) }
    }, { modules: { model: own.model } })
    scaled.gradient(input).slice(0, 48).forEach((g, i) => { expected[Math.floor(i / 12)] += g * embeddings[i] / steps })
    scaled.dispose()
  }
  gf.noGrad(() => weight.copy_(original))
  expected.forEach((value, t) => assert.ok(Math.abs(values[t] - value) < 1e-4, `token ${t}: ${values[t]} and ${value}`))
  run.dispose()
})

test('occlusion is the difference to runs with another token, or with zeros', () => {
  for (const name of ['pre-norm', 'heads written out', 'translator']) {
    const own = modelOf(name), run = observe(own), target = { row: 1, position: 3, token: 4, against: 6 }
    const input = name === 'translator' ? 'model.target.output' : undefined
    const found = inputAttribution(run, { method: 'occlusion', target, baseline: 7, input })
    const zeros = inputAttribution(run, { method: 'occlusion', target, input })
    IDS[1].forEach((_, t) => {
      const other = IDS.map((row, b) => row.map((id, at) => (b === 1 && at === t ? 7 : id)))
      assert.ok(Math.abs(found.values[t] - (found.total - logitOf(own, other, target))) < 1e-5, `${name}: token ${t}`)
      const edited = gf.observe(() => own.forward(), {
        modules: { model: own.model }, edits: [{ name: found.input, index: [1, t, null], value: 0 }]
      })
      const { total } = gf.interpret.logitAttribution(edited, target)
      assert.ok(Math.abs(zeros.values[t] - (zeros.total - total)) < 1e-5, `${name}: token ${t} zero`)
      edited.dispose()
    })
    const all = logitOf(own, [IDS[0], [7, 7, 7, 7]], target)
    assert.ok(Math.abs(found.baseline - all) < 1e-5, `${name}: baseline`)
    run.dispose()
  }
})

test('baselines: a list of numbers, a tensor for each token, the mean of the table', () => {
  const own = modelOf('pre-norm'), run = observe(own), method = 'occlusion', { weight } = own.model.embedding
  const row = Array.from({ length: 12 }, (_, c) => sum(weight.toArray().map(values => values[c])) / 11)
  const results = ['mean', row, gf.tensor(row), gf.tensor([row, row, row, row])].map(
    baseline => [...inputAttribution(run, { method, baseline }).values])
  for (const values of results) values.forEach((value, t) => assert.ok(Math.abs(value - results[0][t]) < 1e-6))
  run.dispose()
})

test('integrated gradients are complete in a run with edits', () => {
  const own = modelOf('post-norm, gelu'), modules = { model: own.model }
  for (const edit of [
    { name: 'model.layers.0.self_attn.heads', index: [null, null, [0, 4]], value: 0 },
    { name: 'model.layers.1.residual1', index: [null, 3, null], from: 'model.layers.0.output' },
    { name: 'model.layers.1.linear2.output', index: [0, 2, [3, 5]], value: 1 }
  ]) {
    const run = gf.observe(() => own.forward(), { modules, edits: [edit] })
    for (const position of [2, 3]) checkComplete(run, { target: { position } }, edit.name)
    run.dispose()
  }
  const edits = [{ name: 'model.layers.0.self_attn.weights', index: [0, 0, 1, 1], value: 0 }]
  const run = gf.observe(() => own.forward(), { modules, edits })
  assert.throws(() => inputAttribution(run), { code: 'state', message: /do not know of the edit of .*weights, .* inside attention/ })
  inputAttribution(run, { method: 'occlusion' })
  run.dispose()
})

test('weights in int8, noGrad around it, and everything as before afterwards', async () => {
  const item = CASES.find(({ name }) => name === 'llama: biases')
  const { model } = await gf.models.load(familyFiles(item), { dtype: 'int8' })
  const run = gf.observe(() => model.forward(item.ids).logits, { modules: { model } })
  gf.noGrad(() => checkComplete(run, { steps: 2000 }, 'int8'))
  run.dispose()
  const own = modelOf('post-norm, gelu'), again = observe(own)
  again.gradient('model.embedding.output')
  own.model.zeroGrad?.()
  const { tensors } = gf.memory()
  for (const method of ['gradientTimesInput', 'integratedGradients', 'occlusion']) inputAttribution(again, { method })
  assert.ok(gf.memory().tensors <= tensors, 'no tensor is left')
  assert.ok([...own.model.parameters()].every(p => p.requiresGrad && !p.grad?.values.some(value => value !== 0)))
  again.dispose()
})

test('says what is wrong', () => {
  const own = modelOf('pre-norm'), run = observe(own)
  const throws = (options, code, message, at = run) => (
    assert.throws(() => inputAttribution(at, options), { code, message }))
  throws({ method: 'gradients' }, 'range', /method must be one of 'gradientTimesInput', 'integratedGradients', 'occlusion'/)
  throws({ target: { token: 11 } }, 'range', /token must be an integer from 0 to 10/)
  throws({ target: 3 }, 'type', /target: options must be an object/)
  throws({ steps: 0 }, 'range', /steps must be an integer from 4/)
  throws({ steps: 8, method: 'occlusion' }, 'range', /steps is an option of integratedGradients/)
  throws({ baseline: 11 }, 'range', /baseline must be an integer from 0 to 10/)
  throws({ baseline: 'mask' }, 'type', /baseline must be 'zero', 'mean', the id of a token, or an embedding \[12\] or \[4, 12\]/)
  throws({ baseline: [1, 2] }, 'shape', /baseline must have 12 numbers/)
  throws({ input: 'model.head.weight' }, 'state', /model.head.weight must be computed in the run, and the logits from it/)
  throws({ input: 3 }, 'type', /input must be the name of a tensor, got 3/)
  throws({}, 'type', /run must be a Run/, {})
  const without = gf.observe(() => own.model.head(gf.ones([1, 2, 12])), { modules: { model: own.model } })
  throws({}, 'state', /no embedding of tokens leads to the logits/, without)
  without.dispose()
  const frozen = gf.observe(() => gf.noGrad(() => own.forward()), { modules: { model: own.model } })
  throws({}, 'state', /must not use noGrad/, frozen)
  inputAttribution(frozen, { method: 'occlusion' })
  frozen.dispose()
  let calls = 0
  const drifting = gf.observe(() => own.forward().mul(++calls), { modules: { model: own.model } })
  throws({}, 'state', /gives .* when it runs again, not .*; call model.eval\(\)/, drifting)
  assert.ok([...own.model.parameters()].every(p => p.requiresGrad), 'parameters are as before')
  drifting.dispose()
  run.dispose()
})
