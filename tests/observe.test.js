// A run as `observe` gives it: names, roles, axes, the graph, edits, gradients, of models nobody has seen before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load()
const F = gf.functional
const word = of => [{ name: 'word', of }, { name: 'channel' }]
const written = axes => axes.map(({ name, of }) => (of ? `${name} of ${of}` : name)).join(', ')

/** One tower with names of its own, heads split by hand. */
class Reader extends gf.nn.Module {
  constructor(V, C) {
    super()
    this.lookup = new gf.nn.Embedding(V, C)
    this.blocks = new gf.nn.ModuleList([new gf.nn.TransformerEncoderLayer(C, 2, { dimFeedforward: 8, dropout: 0 })])
    this.head = new gf.nn.Linear(C, V)
  }

  forward(ids) {
    let x = this.lookup.forward(ids)
    for (const block of this.blocks) x = block.forward(x, { isCausal: true })
    return this.head.forward(x)
  }
}

gf.manualSeed(3)
const reader = new Reader(7, 4).eval()

function read(ids, options) {
  return gf.observe(() => {
    const output = reader.forward(ids)
    return { output, loss: F.crossEntropy(output.reshape(-1, 7), [1, 2, 3]) }
  }, { axes: { 'lookup.weight': word('text'), 'head.weight': word('text') }, ...options })
}

test('every tensor has a description with axes, role and inputs', () => {
  const run = read([[4, 5, 6]])
  const about = name => run.describe(name)
  assert.deepEqual(about('blocks.0.self_attn.scores').role, 'scores')
  assert.equal(written(about('blocks.0.self_attn.weights').axes), 'batch, head, query of text, key of text')
  assert.equal(written(about('lookup.output').axes), 'batch, token of text, channel')
  assert.equal(written(about('head.output').axes), 'batch, token of text, word of text')
  assert.equal(written(about('head.bias').axes), 'word of text')
  assert.equal(written(about('log_probs').axes), 'token of text, word of text')
  assert.equal(written(about('blocks.0.linear1.weight').axes), 'row, channel')
  assert.deepEqual(about('blocks.0.residual1').inputs, { a: 'lookup.output', b: 'blocks.0.self_attn.output' })
  assert.deepEqual(about('blocks.0.self_attn.heads').inputs,
    { weights: 'blocks.0.self_attn.weights', v: 'blocks.0.self_attn.v' })
  assert.deepEqual([about('head.weight').role, about('head.output').op], ['parameter', 'linear'])
  const ofTheLoss = run.names.filter(name => about(name).op === 'cross_entropy').map(name => about(name).role)
  assert.deepEqual(ofTheLoss.sort(), ['log_probs', 'loss'])
  assert.ok(run.names.every(name => about(name).affectsLoss), 'all of it leads to the loss')
  run.dispose()
})

test('calls list the classes on their path', () => {
  const run = read([[4, 5, 6]])
  const attention = run.calls.find(({ types }) => types.includes('MultiheadAttention'))
  assert.equal(attention.path, 'blocks.0.self_attn')
  const layer = run.calls[attention.parent]
  assert.deepEqual(layer.way.map(({ name, types }) => [name, types[0]]),
    [['blocks', 'ModuleList'], ['0', 'TransformerEncoderLayer']])
  assert.equal(run.calls[0].types[0], 'Reader')
  const { call } = run.steps.find(({ op }) => op === 'attention')
  assert.equal(run.calls[call].path, 'blocks.0.self_attn')
  run.dispose()
})

test("values are copied only when read, and equal the engine's memory", () => {
  const before = gf.engine.memory.floats(0, 1).buffer.byteLength
  const run = read([[4, 5, 6]])
  assert.equal(gf.engine.memory.floats(0, 1).buffer.byteLength, before)
  const name = 'blocks.0.self_attn.weights'
  const copy = run.read(name)
  assert.deepEqual([...copy], [...run.tensor(name).values])
  copy[0] = 9
  assert.notEqual(run.tensor(name).values[0], 9)
  run.dispose()
})

test('gradients are of the loss, or else of the sum of the output', () => {
  const run = read([[4, 5, 6]])
  const step = 1 / 64, cell = { name: 'lookup.output', index: [0, 1, 2] }
  const at = run.tensor(cell.name).at(...cell.index)
  const [high, low] = [1, -1].map(sign => read([[4, 5, 6]], { edits: [{ ...cell, value: at + sign * step }] }).loss)
  const { value, formulas } = run.explainGradient(cell.name, cell.index)
  assert.ok(Math.abs((high - low) / (2 * step) - value) < 0.02 * Math.abs(value) + 1e-4, `${value}`)
  assert.equal(formulas.length > 1, true, 'queries, keys, values and the residual use it')
  const plain = gf.observe(() => reader.forward([[4, 5, 6]]))
  assert.equal(plain.hasLoss, false)
  assert.deepEqual([...plain.gradient('head.output')], Array(21).fill(1))
  plain.dispose()
  run.dispose()
})

test('gradients are those of the run alone: no `grad` is read or changed', () => {
  const layer = new gf.nn.Linear(2, 1, false), other = new gf.nn.Linear(2, 1, false), x = gf.ones([1, 2])
  const observe = () => gf.observe(() => {
    other.forward(x)
    return layer.forward(x).sum()
  }, { modules: { layer, other } })
  observe().gradient('layer.weight')
  assert.equal(layer.weight.grad, null)
  for (const module of [layer, other]) module.forward(x).sum().backward()
  const run = observe(), { value, computed, changed } = run.explainGradient('layer.weight', [0, 1])
  assert.deepEqual([value, computed, changed], [1, 1, undefined])
  assert.deepEqual([...run.gradient('layer.weight'), ...layer.weight.grad.toArray()[0]], [1, 1, 1, 1])
  assert.throws(() => run.gradient('other.weight'), { code: 'state', message: /other\.weight has no gradient/ })
  run.dispose()
})

test('operations on rows are recomputed: with the run\'s inputs, and with some rows', () => {
  const run = read([[4, 5, 6]]), steps = run.steps.filter(({ isRowwise }) => isRowwise)
  assert.deepEqual([...new Set(steps.map(({ op, kind }) => `${op} ${kind}`))].sort(),
    ['add elementwise', 'layer_norm norm', 'linear undefined', 'relu activation'])
  gf.noGrad(() => {
    for (const { outputs: { out } } of steps) {
      assert.deepEqual([...run.recompute(out, {}).values], [...run.tensor(out).values], out)
    }
    const x = F.narrow(run.tensor(run.describe('head.output').inputs.x), 1, 1, 2)
    assert.deepEqual([...run.recompute('head.output', { x }).values], [...run.tensor('head.output').values.slice(7)])
  })
  assert.throws(() => run.recompute('blocks.0.self_attn.weights', {}), { code: 'type', message:
    "run.recompute: 'blocks.0.self_attn.weights' must be the output of an operation on rows, such as a norm or a linear " +
    'layer, got that of attention' })
  assert.throws(() => run.recompute('head.weight', {}), { code: 'type', message: /got that of none$/ })
  assert.throws(() => run.recompute('tail', {}), { code: 'index' })
  const refused = [[{ x: gf.ones([2, 3]) }, 'shape', /last dimension of x must be 4 .*got \[2, 3\]/],
    [{ x: gf.ones([2, 4], { dtype: 'int32' }) }, 'type', /inputs.x must be float32 as in the run/],
    [{ x: gf.ones([2, 4]).to('float16') }, 'type', /inputs.x must be float32/],
    [{ weight: gf.ones([7, 5]) }, 'shape', /inputs.weight must have shape \[7, 4\] \(as in the run\), got \[7, 5\]/],
    [{ X: gf.ones([2, 4]) }, 'index', /inputs.X is none of its inputs, which are x, weight(, bias)?$/],
    [{ x: null }, 'type', /inputs.x must be a tensor/], [{ x: 3 }, 'type', /inputs.x/], [3, 'type', /inputs must be an object/]]
  for (const [inputs, code, message] of refused) assert.throws(() => run.recompute('head.output', inputs), { code, message })
  run.dispose()
})

test('edits that match no cell are unused', () => {
  const edits = [
    { name: 'lookup.output', index: [0, 1, 2], value: 5 }, { name: 'lookup.output', index: [0, 9, 2], value: 5 },
    { name: 'lookup.output', index: [0], value: 5 }, { name: 'nowhere', index: [0], value: 5 }
  ]
  const run = read([[4, 5, 6]], { edits })
  assert.equal(run.tensor('lookup.output').at(0, 1, 2), 5)
  assert.deepEqual(run.unusedEdits, edits.slice(1))
  run.dispose()
  assert.throws(() => gf.trace(() => reader.forward([[1]]), { edits: edits.slice(3) }), /nowhere/)
})

test('an edited log probability changes the loss', () => {
  const plain = read([[4, 5, 6]])
  const rest = [1, 2].map(n => plain.tensor('log_probs').at(n, n + 1))
  const run = read([[4, 5, 6]], { edits: [{ name: 'log_probs', index: [0, 1], value: -2 }] })
  assert.ok(Math.abs(run.loss - (2 - rest[0] - rest[1]) / 3) < 1e-6)
  run.dispose()
  plain.dispose()
})

test('reshapes keep axes when heads are split and merged', () => {
  const x = gf.randn([2, 3, 4])
  const run = gf.observe(() => {
    const heads = x.reshape(2, 3, 2, 2).transpose(1, 2)
    gf.engine.trace.tag('heads', heads)
    return F.relu(heads.transpose(1, 2).reshape(2, 3, 4))
  })
  assert.equal(written(run.describe('heads').axes), 'batch, head, token, channel')
  assert.equal(written(run.describe('relu').axes), 'batch, token, channel')
  run.dispose()
})

test('products and paddings keep axes where an input has none, or fewer', () => {
  const x = gf.randn([2, 3, 4]), weight = gf.randn([5, 4, 3])
  const run = gf.observe(() => {
    const text = F.relu(x)
    gf.engine.trace.tag('matrix', gf.matmul(gf.randn([5, 3]), text))
    gf.engine.trace.tag('padded', gf.cat([gf.zeros([2, 3, 1]), text, gf.zeros([2, 3, 1])], { dim: 2 }))
    return F.conv1d(text.transpose(1, 2), weight, null, { padding: 1 }).transpose(1, 2)
  })
  assert.equal(written(run.describe('matrix').axes), 'batch, row, channel')
  assert.equal(written(run.describe('padded').axes), 'batch, token, channel')
  for (const name of run.names) assert.equal(run.describe(name).axes.length, run.describe(name).shape.length, name)
  run.dispose()
})

test('observe rejects invalid results', () => {
  assert.throws(() => gf.observe(() => 3), { code: 'type', message: /observe: fn must return a tensor/ })
  assert.throws(() => gf.observe(() => ({ output: gf.tensor([1]), loss: gf.tensor([1, 2]) })), { code: 'shape' })
  assert.throws(() => gf.observe(() => gf.tensor([1]), { axis: {} }), { code: 'type', message: /no option "axis"/ })
})

test('disposing a run frees everything, with and without gradients', () => {
  const { Linear, Module, RMSNorm } = gf.nn
  class Turning extends Module {
    constructor() {
      super()
      this.lookup = new gf.nn.Embedding(5, 4)
      this.norm = new RMSNorm(4)
      this.head = new Linear(4, 5)
    }

    forward(ids) {
      const x = F.layerNorm(F.rotary(this.norm.forward(this.lookup.forward(ids)), { positions: [2, 5, 7] }))
      return F.crossEntropy(this.head.forward(x.indexSelect(1, [0, 2])).reshape(2, 5), [1, 4])
    }
  }
  const model = new Turning()
  const counts = [false, true, true].map(isBackward => {
    const run = gf.observe(() => model.forward([[1, 2, 3]]), { modules: { model } })
    if (isBackward) run.gradient('model.lookup.weight')
    run.dispose()
    const { tensors, bytes } = gf.memory()
    return { tensors, bytes }
  })
  assert.deepEqual(counts[1], counts[0])
  assert.deepEqual(counts[2], counts[1])
  const { tensors } = gf.memory()
  const run = gf.observe(() => gf.noGrad(() => model.forward([[1, 2, 3]])), { modules: { model } })
  run.dispose()
  assert.equal(gf.memory().tensors, tensors)
})

const named = letters => letters.split('').map(name => ({ name }))

/** A mask of which nothing is known but how it is used. */
function maskOf(use) {
  const mask = gf.tensor(Array(2).fill(Array(3).fill(Array(4).fill(true))))
  use(mask)
  return mask
}

/** What is made of x, axes a b c of sides 2, 3, 4, and y, axes d e of 4 and 5; the axes that come out. */
const AXES = {
  'a product': [({ x, y }) => x.matmul(y), 'a, b, e'],
  'a product of matrices': [({ x, y }) => x.select(0, 1).matmul(y), 'b, e'],
  'a narrow part': [({ x }) => x.narrow(0, 1, 1).narrow(1, 2, 1), 'a from 1, b from 2, c'],
  'a part of a part': [({ x }) => x.narrow(0, 1, 1).narrow(1, 0, 3).narrow(1, 1, 2).narrow(1, 1, 1), 'a from 1, b from 2, c'],
  'a part from the beginning': [({ x }) => x.narrow(0, 0, 1), 'a, b, c'],
  'an exchange': [({ x }) => x.transpose(0, 2), 'c, b, a'],
  'an order': [({ x }) => x.permute(1, 2, 0), 'b, c, a'],
  'a sum': [({ x }) => x.sum({ dim: 1 }), 'a, c'],
  'a sum that keeps its axis': [({ y }) => y.sum({ dim: 0, keepdim: true }), 'd, e'],
  'a choice': [({ x }) => gf.where(x.gt(0), x, 0), 'a, b, c'],
  'a choice of the other': [({ x }) => gf.where(x.gt(0), 0, x), 'a, b, c'],
  'a choice of numbers': [({ x }) => gf.where(x.gt(0), 1, 0), 'a, b, c'],
  'tensors one after the other': [({ x }) => gf.cat([x, x], { dim: 1 }), 'a, b, c'],
  'a mask that was given': [({ x }) => maskOf(mask => gf.where(mask, x, 0)), 'a, b, c'],
  'a mask that was given for the other': [({ x }) => maskOf(mask => gf.where(mask, 0, x)), 'a, b, c'],
  'a reshape that adds sides of 1': [({ x }) => x.reshape(2, 3, 4, 1, 1), 'a, b, c, row, row'],
  'a reshape that joins two sides': [({ x }) => x.reshape(6, 4), 'row, c'],
  'a sum of two': [({ y }) => y.add(gf.ones([5])), 'd, e']
}

for (const [name, [make, expected]] of Object.entries(AXES)) test(`axes of ${name}`, () => {
  class Maker extends gf.nn.Module {
    x = new gf.nn.Parameter(gf.randn([2, 3, 4]))
    y = new gf.nn.Parameter(gf.randn([4, 5]))
    forward() { return make(this) }
  }
  const maker = new Maker(), run = gf.observe(() => maker.forward().to('float32').square(),
    { modules: { maker }, axes: { 'maker.x': named('abc'), 'maker.y': named('de') } })
  const { axes } = run.describe('square')
  assert.equal(axes.map(({ name: own, first }) => (first === undefined ? own : `${own} from ${first}`)).join(', '), expected)
  run.dispose()
})

test('operations outside modules have no call', () => {
  const run = gf.observe(() => new gf.nn.Linear(2, 2).forward(gf.ones([1, 2])).mul(2))
  assert.deepEqual(run.calls.map(({ parent }) => parent), [-1])
  assert.deepEqual(run.steps.map(({ op, call }) => [op, call]), [['linear', 0], ['mul', -1]])
  run.dispose()
})

test('what a model of gf.models.load returns can be observed: its logits are the output', () => {
  const layer = new gf.nn.Linear(2, 3)
  const run = gf.observe(() => ({ logits: layer.forward(gf.ones([1, 2])), hidden: null }), { modules: { layer } })
  assert.equal(run.end, 'layer.output')
  run.dispose()
  assert.throws(() => gf.observe(() => ({ hidden: gf.ones([1]) })), /output or logits, got undefined/)
})
