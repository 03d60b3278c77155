// Every cell and every gradient of a whole encoder-decoder explains itself, and what is explained is what is stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load(), F = gf.functional

/** A small generator for picking cells, apart from the engine's. */
function picker(seed) {
  let state = seed
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Embeddings, positions, transformer, output layer and loss, all in one trace, with backward done. */
function tracedRun({ normFirst, activation, dropout }) {
  gf.manualSeed(7)
  const model = new (class Model extends gf.nn.Module {
    constructor() {
      super()
      this.source = new gf.nn.Embedding(9, 8)
      this.target = new gf.nn.Embedding(7, 8)
      this.sinusoid = new gf.nn.PositionalEncoding(8, dropout, 12)
      this.learned = new gf.nn.LearnedPositionalEncoding(12, 8)
      this.transformer = new gf.nn.Transformer(8, 2, 2, 1, { dimFeedforward: 10, dropout, normFirst, activation })
      this.output = new gf.nn.Linear(8, 7)
    }

    forward(source, input, padding) {
      const src = this.sinusoid.forward(this.source.forward(source))
      const tgt = this.learned.forward(this.target.forward(input))
      const masks = { tgtIsCausal: true, srcKeyPaddingMask: padding, memoryKeyPaddingMask: padding }
      return this.output.forward(this.transformer.forward(src, tgt, masks))
    }
  })()
  model.train(dropout > 0)
  const source = [[1, 2, 3, 8, 1], [4, 4, 5, 0, 0]], input = [[1, 2, 3], [4, 5, 6]], target = [2, 3, 0, 5, 6, 1]
  return gf.trace(() => {
    const logits = model.forward(source, input, source.map(row => row.map(id => id === 0)))
    const loss = F.crossEntropy(logits.reshape(6, 7), target, { ignoreIndex: 0, labelSmoothing: 0.1 })
    loss.backward()
    return loss
  }).trace
}

const indexIn = (shape, pick) => shape.map(side => pick(side))
const variants = [
  { normFirst: false, activation: 'relu', dropout: 0 },
  { normFirst: true, activation: 'gelu', dropout: 0.2 }
]

for (const variant of variants) {
  test(`500 cells of an encoder-decoder explained, ${JSON.stringify(variant)}`, () => {
    const trace = tracedRun(variant), pick = picker(1), names = trace.names, seen = new Set()
    for (let n = 0; n < 500; n++) {
      const name = names[pick(names.length)], tensor = trace.get(name), index = indexIn(tensor.shape, pick)
      const where = `${name}[${index}]`
      const { value, terms, sources, computed, rounding, formula, op } = trace.explain(name, index)
      assert.ok(Object.is(value, tensor.at(...index)), `${where}: ${value} is not the cell`)
      const isClose = value === computed || Math.abs(rounding) <= 4e-6 * (1 + Math.abs(value))
      assert.ok(isClose, `${where}: ${value}, computed ${computed}`)
      assert.ok(value === computed || rounding === value - computed, `${where}: rounding`)
      assert.ok(formula.length > 0)
      for (const source of sources) assert.ok(trace.get(source.name).at(...source.index) !== undefined)
      for (const f of terms.flatMap(t => t.factors)) assert.equal(typeof f.value, 'number', `${where}: ${f.symbol}`)
      seen.add(op)
    }
    const ops = ['linear', 'attention', 'layer_norm', 'add', 'embedding', 'given', variant.activation]
    for (const op of ops) assert.ok(seen.has(op), `no cell of ${op} was met`)
    trace.dispose()
  })

  test(`500 gradients of an encoder-decoder explained, ${JSON.stringify(variant)}`, () => {
    const trace = tracedRun(variant), pick = picker(2)
    const names = trace.names.filter(name => {
      try {
        return Boolean(trace.gradient(name))
      } catch {
        return false
      }
    })
    assert.ok(names.length > 60, `only ${names.length} tensors have a gradient`)
    for (let n = 0; n < 500; n++) {
      const name = names[pick(names.length)], gradient = trace.gradient(name), index = indexIn(gradient.shape, pick)
      const { value, computed, terms } = trace.explainGradient(name, index), where = `d ${name}[${index}]`
      assert.ok(Object.is(value, gradient.at(...index)), `${where}: ${value} is not the gradient`)
      const size = terms.reduce((sum, t) => sum + Math.abs(t.value), 0)
      const isClose = value === computed || Math.abs(value - computed) <= 2e-6 * (size + 1e-3)
      assert.ok(isClose, `${where}: ${value}, computed ${computed}`)
    }
    trace.dispose()
  })
}

test('products that a kernel rounds step by step are explained to the bit', () => {
  const trace = tracedRun(variants[0]), pick = picker(3)
  const names = trace.names.filter(name => ['linear', 'add', 'embedding'].includes(trace.operation(name)))
  for (let n = 0; n < 300; n++) {
    const name = names[pick(names.length)], { rounding } = trace.explain(name, indexIn(trace.get(name).shape, pick))
    assert.equal(rounding, 0, name)
  }
  trace.dispose()
})

test('sources lead back to the ids and parameters, and feeds lead on', () => {
  const trace = tracedRun(variants[0])
  let name = 'output', index = [0, 2, 3]
  const path = []
  for (let step = 0; step < 60 && trace.operation(name); step++) {
    path.push(name)
    const { sources } = trace.explain(name, index)
    assert.ok(sources.length > 0, `${name} has no sources`)
    ;({ name, index } = sources.find(s => trace.operation(s.name)) ?? sources[0])
  }
  assert.equal(trace.operation(name), undefined, path.join(' < '))
  const attention = 'transformer.encoder.layers.0.self_attn'
  assert.ok(trace.feeds(`${attention}.q`).includes(`${attention}.heads`))
  assert.ok(trace.feeds('source.weight').length === 1)
  trace.dispose()
})

test('a table from before the trace is explained by its origin, unless other values were loaded', () => {
  const module = new gf.nn.PositionalEncoding(4, 0, 6).eval()
  const asked = positions => {
    const { trace } = gf.trace(() => positions.forward(gf.tensor([[[1, 2, 3, 4]]])), { modules: { positions } })
    const { op, rounding } = trace.explain('positions.pe', [2, 3])
    assert.equal(trace.operation('positions.pe'), 'positional_encoding')
    trace.dispose()
    assert.ok(!positions.pe.disposed, 'it is the module\'s')
    return [op, Math.abs(rounding) < 1e-7]
  }
  assert.deepEqual(asked(module), ['positional_encoding', true])
  assert.deepEqual(asked(module.clone()), ['positional_encoding', true])
  module.loadStateDict({ pe: gf.rand([6, 4]) })
  assert.deepEqual(asked(module), ['given', true])
  assert.deepEqual(Object.keys(module.stateDict()), ['pe'])
})

test('products before the scale have explanations and gradients', () => {
  const trace = tracedRun(variants[0]), at = [1, 1, 2, 1], attention = 'transformer.decoder.layers.0.self_attn'
  const { terms, rounding } = trace.explain(`${attention}.dots`, at)
  assert.equal(terms.length, 4)
  assert.equal(rounding, 0)
  const { steps, sources } = trace.explain(`${attention}.scores`, at)
  assert.equal(steps[0].value, trace.get(`${attention}.dots`).at(...at))
  assert.ok(sources.some(({ name }) => name === `${attention}.dots`))
  const slope = trace.gradient(`${attention}.scores`).at(...at), found = trace.explainGradient(`${attention}.dots`, at)
  assert.equal(found.value, Math.fround(slope * 0.5))
  assert.equal(found.computed, slope * 0.5)
  assert.ok(trace.feeds(`${attention}.dots`).includes(`${attention}.heads`))
  trace.dispose()
})

test('explain reports invalid names and indices', () => {
  const trace = tracedRun(variants[0])
  assert.throws(() => trace.explain('no.such', [0]), { code: 'index', message: /no\.such/ })
  assert.throws(() => trace.explain('output', [0, 0]), { code: 'index', message: /\[2, 3, 7\]/ })
  assert.throws(() => trace.explain('output', [0, 0, 7]), { code: 'index' })
  assert.throws(() => gf.trace(3), { code: 'type' })
  assert.throws(() => gf.trace(() => gf.trace(() => 1)), { code: 'state' })
  const { trace: plain } = gf.trace(() => F.relu(gf.tensor([1, -1])))
  assert.throws(() => plain.explainGradient('relu', [0]), { code: 'state', message: /backward/ })
})

test('a gradient with one use has steps, one with several uses has none', () => {
  const way = uses => {
    const { output, trace } = gf.trace(() => {
      const logits = gf.tensor([[1, 2], [3, 5]], { requiresGrad: true })
      return uses.map(target => F.crossEntropy(logits, target)).reduce((sum, loss) => sum.add(loss))
    })
    output.backward()
    const { steps } = trace.explainGradient('input', [1, 0])
    trace.dispose()
    return steps.map(({ label, value }) => [label, value.toFixed(3)])
  }
  assert.deepEqual(way([[0, 1]]), [['p', '0.119']])
  assert.deepEqual(way([[0, 1], [1, 0]]), [])
})

test('costs are counted from the run', () => {
  const { trace } = gf.trace(() => new gf.nn.Linear(3, 5).forward(gf.rand([2, 4, 3])))
  const multiplyAdds = 2 * 4 * 5 * 3, parameters = 3 * 5 + 5
  assert.deepEqual(trace.stages(),
    [{ name: 'output', op: 'linear', shape: [2, 4, 5], bytes: 160, multiplyAdds, parameters,
      outputs: [{ name: 'output', bytes: 160, multiplyAdds }] }])
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 })
  const stages = gf.trace(() => layer.forward(gf.rand([1, 3, 8]))).trace.stages()
  const all = layer.parameters().reduce((n, p) => n + p.numel(), 0)
  assert.equal(stages.reduce((n, stage) => n + stage.parameters, 0), all)
})

test("the mask's term refers to the cell of the mask tensor", () => {
  const q = gf.randn([2, 2, 2, 4]), padding = gf.tensor([[false, false], [false, true]])
  const masks = [
    [[2, 2], [1, 0]], [[2, 2, 2, 2], [1, 1, 1, 0]], [[1, 2, 2, 2], [0, 1, 1, 0]], [[4, 2, 2], [3, 1, 0]]
  ]
  for (const [shape, at] of masks) {
    const mask = gf.randn(shape), options = { attnMask: mask, keyPaddingMask: padding }
    const { trace } = gf.trace(() => F.scaledDotProductAttention(q, q, q, options))
    const [, { factors: [factor] }] = trace.explain('masked_scores', [1, 1, 1, 0]).terms
    assert.equal(factor.value, mask.at(...at))
    assert.deepEqual(factor.source, { name: trace.nameOf(mask), index: at })
    const hidden = trace.explain('masked_scores', [1, 1, 1, 1])
    assert.equal(hidden.value, -Infinity)
    assert.equal(hidden.difference ?? 0, 0)
    trace.dispose()
  }
})

test('costs: attention multiplies each query with each key, and each weight with each value', () => {
  const t = (...shape) => gf.ones(shape), [B, H, Tq, Tk, D, Dv] = [2, 3, 4, 5, 6, 7]
  const { trace } = gf.trace(() => (
    gf.functional.scaledDotProductAttention(t(B, H, Tq, D), t(B, H, Tk, D), t(B, H, Tk, Dv))))
  const [{ multiplyAdds, outputs }] = trace.stages()
  const counted = outputs.map(one => one.multiplyAdds).filter(Boolean)
  assert.equal(multiplyAdds, B * H * Tq * Tk * (D + Dv))
  assert.deepEqual(counted.sort((a, b) => a - b), [B * H * Tq * Tk * D, B * H * Tq * Tk * Dv])
})

test('costs: a product multiplies each row with each column, in each matrix of the batch', () => {
  const { trace } = gf.trace(() => gf.ones([2, 3, 4, 5]).matmul(gf.ones([3, 5, 6])))
  assert.equal(trace.stages()[0].multiplyAdds, 2 * 3 * 4 * 5 * 6)
  trace.dispose()
})

test('a cell computed from 200,000 cells is explained', () => {
  const values = Int32Array.from({ length: 200000 }, (_, i) => i % 7), x = gf.tensor(values, { dtype: 'int32' })
  const y = x.to('float32').add(1)
  y.requiresGrad = true
  for (const [name, input, expected] of [
    ['max', x, 6], ['min', x, 0], ['argmax', y, 6], ['argmin', y, 0], ['prod', y, Infinity]
  ]) {
    const { output, trace } = gf.trace(() => input[name]())
    assert.equal(trace.explain(name, []).computed, expected, name)
    if (name === 'prod') {
      output.backward()
      assert.equal(trace.explainGradient('input', [0]).computed, Infinity)
    }
    trace.dispose()
  }
})

test('tagged outputs and returned inputs of modules are found by name', () => {
  class Head extends gf.nn.Module {
    constructor() {
      super()
      this.proj = new gf.nn.Linear(2, 2)
      this.hook = new gf.nn.Identity()
    }

    forward(x) {
      return this.hook.forward(this.tag('pattern', this.proj.forward(this.hook.forward(x))))
    }
  }
  const head = new Head(), x = gf.ones([1, 2])
  const run = edits => gf.trace(() => head.forward(x).mul(2), { modules: { head }, edits })
  const { trace } = run([])
  for (const name of ['head.pattern', 'head.hook.output:2', 'head.output', 'head.proj.output']) {
    assert.equal(trace.get(name), trace.get('head.output'), name)
    assert.equal(trace.explain(name, [0, 1]).op, 'linear')
  }
  assert.equal(trace.get('head.hook.output'), x)
  assert.ok(!trace.names.includes('head.hook.output'))
  for (const name of ['head.pattern', 'head.hook.output:2']) {
    const { output, trace: edited } = run([{ name, index: [0, 0], value: 5 }])
    assert.equal(output.at(0, 0), 10)
    assert.ok(edited.isEdited('head.output', [0, 0]) && edited.isEdited(name, [0, 0]))
    assert.equal(edited.explain('mul', [0, 0]).sources[0].name, edited.nameOf(edited.get(name)))
  }
  assert.throws(() => run([{ name: 'head.nothing', index: [0, 0], value: 5 }]), { code: 'index' })
})
