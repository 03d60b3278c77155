// A run that keeps the matrices of some attentions: what is left out takes no memory, and no other number changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { cases, filesOf } from './models/golden_models.js'

const gf = await load()
const STEPS = ['dots', 'scores', 'masked_scores', 'weights']
const NUMBER = 4

/** One attention that stays of each kind of model, and how many there are. */
const KEPT = {
  gpt2: ['h.0', 1], bert: ['layer.1', 1], llama: ['layers.1.self_attn', 1], marian: ['decoder.layers.0', 2],
  t5: ['decoder.block.0.EncDecAttention', 1]
}

const isMatrix = name => STEPS.includes(name.replace(/:\d+$/, '').split('.').at(-1))
const bits = ({ values }) => new Int32Array(values.buffer, values.byteOffset, values.length).slice()
const copies = gradient => new Int32Array(gradient.buffer, gradient.byteOffset, gradient.length)

const stackOf = layers => new gf.nn.TransformerEncoder(
  new gf.nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0 }), layers)

/** A run of a model on the inputs of its case. */
function runOf(model, { inputs: { ids, ...options } }, more) {
  for (const parameter of model.parameters()) parameter.grad = null
  return gf.observe(() => {
    const { logits, pooled, hidden } = model.forward(ids, options)
    return logits ?? pooled ?? hidden
  }, more)
}

/** Every gradient that a run has, by name. */
function gradientsOf(run) {
  return new Map(run.names.flatMap(name => {
    try {
      return [[name, copies(run.gradient(name))]]
    } catch (error) {
      assert.equal(error.code, 'state')
      return []
    }
  }))
}

for (const [type, [path, count]] of Object.entries(KEPT)) test(
  `${type}: with one place kept, all other numbers and gradients have the same bits, and the rest is not there`, async () => {
    const [item] = cases(type)
    const { model } = await gf.models.load(filesOf(item))
    const before = gf.memory().bytes
    const whole = runOf(model, item), all = gf.memory().bytes - before
    const values = new Map(whole.names.map(name => [name, bits(whole.tensor(name))]))
    const made = gradientsOf(whole), shapes = new Map(whole.names.map(name => [name, whole.describe(name)]))
    whole.dispose()
    for (const parameter of model.parameters()) parameter.grad?.dispose()

    const start = gf.memory().bytes
    const run = runOf(model, item, { keepAttention: [path] }), part = gf.memory().bytes - start
    assert.deepEqual(run.names, [...values.keys()])
    const left = run.names.filter(name => !run.describe(name).isKept)
    assert.deepEqual(left, run.names.filter(name => isMatrix(name) && !name.startsWith(`${path}.`)))
    assert.equal(run.names.filter(isMatrix).length - left.length, STEPS.length * count)
    const bytes = left.reduce((sum, name) => sum + NUMBER * run.tensor(name).numel(), 0)
    assert.ok(bytes > 0)
    assert.equal(all - part, bytes, 'what is left out takes nothing')
    const gradients = gradientsOf(run)
    for (const name of run.names) {
      const { isKept, ...about } = run.describe(name), { isKept: _, ...other } = shapes.get(name)
      assert.deepEqual(about, other, name)
      if (!isKept) continue
      assert.deepEqual(bits(run.tensor(name)), values.get(name), name)
      assert.deepEqual(gradients.get(name), made.get(name), `the gradient of ${name}`)
    }
    assert.deepEqual([...gradients.keys()], [...made.keys()].filter(name => !left.includes(name)))
    run.dispose()
    model.dispose()
  })

test('matrices that are left out are never allocated, not even during the run', async () => {
  const most = async options => {
    const { nn, ones, observe, memory } = await load()
    const stack = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 8, dropout: 0 }), 6)
    const run = observe(() => stack.forward(ones([1, 256, 8])), options), { peak, bytes } = memory()
    const costs = Object.fromEntries(run.costs.flatMap(({ outputs }) => outputs).map(one => [one.name, one.bytes]))
    run.dispose()
    return { peak, bytes, costs }
  }
  const matrices = STEPS.length * 2 * 256 * 256 * NUMBER
  const whole = await most(), part = await most({ keepAttention: ['layers.0', 'layers.5'] })
  assert.equal(whole.bytes - part.bytes, 4 * matrices)
  assert.equal(whole.peak - part.peak, 4 * matrices)
  assert.equal(part.costs['layers.0.self_attn.weights'], matrices / STEPS.length)
  assert.equal(part.costs['layers.1.self_attn.weights'], 0)
})

test('values, cells and gradients of tensors that were left out are errors', () => {
  const layer = stackOf(2)
  const run = gf.observe(() => layer.forward(gf.ones([1, 3, 4])), { keepAttention: ['layers.1'] })
  const name = 'layers.0.self_attn.weights', said = /tensor \[1, 2, 3, 3\] was left out.*keepAttention/
  assert.throws(() => run.read(name), { code: 'state', message: said })
  assert.throws(() => run.explain(name, [0, 0, 0, 0]), { code: 'state', message: said })
  assert.throws(() => run.explain('layers.0.self_attn.heads', [0, 0, 0]), { code: 'state', message: said })
  assert.throws(() => run.gradient(name),
    { code: 'state', message: /layers\.0\.self_attn\.weights was left out.*keepAttention/ })
  assert.throws(() => run.explainGradient(name, [0, 0, 0, 0]), { code: 'state' })
  assert.equal(String(run.tensor(name)), 'float32 tensor [1, 2, 3, 3]')
  assert.equal(run.tensor(name).disposed, false)
  assert.equal(run.explain('layers.1.self_attn.heads', [0, 0, 0]).terms.length, 3)
  const other = gf.observe(() => layer.forward(gf.ones([1, 3, 4])))
  assert.notEqual(run.signature, other.signature, 'a run that keeps less is of another structure')
  for (const one of [run, other, layer]) one.dispose()
})

test('an attention with an edited matrix stores its matrices, and the edit takes effect', () => {
  const layer = stackOf(3)
  const x = gf.ones([1, 3, 4]), edits = [{ name: 'layers.1.self_attn.scores', index: [0, 0, 1, null], value: 2 }]
  const [whole, part] = [undefined, ['layers.0']].map(keepAttention => (
    gf.observe(() => layer.forward(x), { edits, keepAttention })))
  assert.equal(part.describe('layers.1.self_attn.weights').isKept, true)
  assert.equal(part.describe('layers.2.self_attn.weights').isKept, false)
  assert.deepEqual(part.read('layers.2.linear2.output'), whole.read('layers.2.linear2.output'))
  const from = [{ name: 'layers.1.self_attn.weights', index: [0, 0, 1, null], from: 'layers.0.self_attn.weights' }]
  const taken = gf.observe(() => layer.forward(x), { keepAttention: ['layers.2'], edits: from })
  assert.equal(taken.describe('layers.0.self_attn.weights').isKept, true, 'an edit takes from it')
  assert.deepEqual(taken.read('layers.1.self_attn.weights').slice(3, 6), taken.read('layers.0.self_attn.weights').slice(3, 6))
  for (const one of [whole, part, taken, layer]) one.dispose()
})

test('requested weights are stored; dropout and trained masks get the same gradients', () => {
  const q = gf.randn([2, 5, 8], { requiresGrad: true }), mask = gf.randn([5, 5], { requiresGrad: true })
  const attend = (options, more) => {
    const mha = new gf.nn.MultiheadAttention(8, 2, { dropout: 0.25 })
    for (const one of [q, mask]) one.grad = null
    gf.manualSeed(5)
    const forward = () => mha.forward(q, q, q, { attnMask: mask, ...options })
    const { output, trace } = gf.trace(forward, { modules: { mha }, ...more })
    output[0].sum().backward()
    const [out, weights = null] = output.map(one => one?.toArray())
    const keys = Object.fromEntries(Object.entries(mha.stateDict()).map(([key, t]) => [key, t.grad.toArray()]))
    const found = { out, weights, dq: q.grad.toArray(), dmask: mask.grad.toArray(), keys }
    const isLeftOut = STEPS.map(name => trace.get(`mha.${name}`).isLeftOut)
    trace.dispose()
    return { ...found, isLeftOut }
  }
  gf.manualSeed(1)
  const whole = attend({ needWeights: false })
  gf.manualSeed(1)
  const part = attend({ needWeights: false }, { keepAttention: [] })
  assert.deepEqual(part.isLeftOut, [true, true, true, true])
  assert.deepEqual({ ...part, isLeftOut: null }, { ...whole, isLeftOut: null })
  gf.manualSeed(1)
  const asked = attend({}, { keepAttention: [] })
  assert.deepEqual(asked.isLeftOut, [true, true, true, false])
  assert.deepEqual(asked.dq, whole.dq)
  assert.equal(asked.weights.length, 2)
})

test('an attention outside modules has the empty path; an unknown path names the most similar ones', () => {
  const q = gf.ones([1, 1, 2, 2]), attend = () => gf.functional.scaledDotProductAttention(q, q, q)
  const { trace } = gf.trace(attend, { keepAttention: [''] })
  assert.equal(trace.get('weights').isLeftOut, false)
  trace.dispose()
  const layer = stackOf(2)
  const x = gf.ones([1, 3, 4]), held = gf.memory()
  assert.throws(() => gf.observe(() => layer.forward(x), { keepAttention: ['layers.2'] }), {
    code: 'index', message: 'observe: keepAttention names "layers.2", but no attention was computed there; ' +
      'there are layers.0.self_attn, layers.1.self_attn' })
  assert.throws(() => gf.trace(() => q.numel(), { keepAttention: ['h'] }), { code: 'index', message: /there was none at all/ })
  for (const wrong of ['h.0', [1], null, { h: 0 }]) {
    assert.throws(() => gf.trace(attend, { keepAttention: wrong }),
      { code: 'type', message: /keepAttention must be an array of paths of modules, got/ })
  }
  assert.deepEqual({ ...gf.memory(), peak: 0 }, { ...held, peak: 0 })
  for (const one of [layer, x, q]) one.dispose()
})
