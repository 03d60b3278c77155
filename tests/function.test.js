import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load(), F = gf.functional
const leaf = values => gf.tensor(values, { requiresGrad: true })
const refused = (call, code, ...words) => assert.throws(call, error =>
  error.code === code && words.every(word => error.message.includes(word)))

test('detach gives a view without its computation, clone a copy with it', () => {
  const x = leaf([1, 2]), y = x.mul(3), cut = y.detach(), copy = y.clone()
  assert.deepEqual([cut.requiresGrad, copy.requiresGrad], [false, true])
  y.data[0] = 7
  assert.deepEqual([cut.toArray(), copy.toArray()], [[7, 6], [3, 6]])
  copy.mul(cut).backward(gf.tensor([1, 1]))
  assert.deepEqual(x.grad.toArray(), [21, 18])
  assert.equal(gf.tensor([1, 0], { dtype: 'bool' }).clone().dtype, 'bool')
  refused(() => F.clone?.(3) ?? gf.tensor([1]).clone.call(3), 'type')
})

test('cells of detached and cloned tensors lead back to their sources', () => {
  const { trace } = gf.trace(() => {
    const x = leaf([1, 2]), y = x.mul(2)
    y.detach().add(y.clone()).backward(gf.tensor([1, 1]))
  })
  assert.equal(trace.explain('clone', [1]).computed, 4)
  assert.deepEqual(trace.explain('add', [0]).sources.map(source => source.name).sort(), ['clone', 'mul'])
  assert.equal(trace.explainGradient('input', [0]).value, 2)
  trace.dispose()
})

test('a retained computation can be used again, and gradients add up', () => {
  const x = leaf([1, 2, 3]), loss = x.mul(x).sum()
  loss.backward({ retainGraph: true })
  assert.deepEqual(x.grad.toArray(), [2, 4, 6])
  loss.backward(null, { retainGraph: true })
  loss.backward(gf.tensor(2))
  assert.deepEqual(x.grad.toArray(), [8, 16, 24])
  refused(() => loss.backward(), 'state', 'already used', 'retainGraph')
  const y = x.mul(2)
  y.backward(gf.tensor([1, 1, 1]), { retainGraph: true })
  y.backward(gf.tensor([1, 0, 0]))
  refused(() => x.mul(2).backward(gf.tensor([1, 1, 1]), { retain: true }), 'type', 'retainGraph')
  refused(() => x.sum().backward({ retainGraph: 1 }), 'type', 'retainGraph')
})

test('after two backward passes a trace explains the sum of their gradients', () => {
  const x = leaf([1, 2]), { trace } = gf.trace(() => {
    const loss = x.mul(x).sum()
    loss.backward({ retainGraph: true })
    loss.backward()
  })
  assert.equal(trace.gradient('mul').at(0), 2)
  const { value, computed } = trace.explainGradient('input', [1])
  assert.deepEqual([value, computed], [8, 8])
  trace.dispose()
})

test('grad returns gradients of leaves and computed tensors and changes no grad', () => {
  const x = leaf([1, 2]), w = leaf([3, 4]), h = x.mul(w), loss = h.mul(h).sum()
  const [dx, dh] = gf.grad(loss, [x, h], { retainGraph: true })
  assert.deepEqual([dx.toArray(), dh.toArray(), x.grad, w.grad], [[18, 64], [6, 16], null, null])
  assert.deepEqual(gf.grad(loss, w).toArray(), [6, 32])
  refused(() => gf.grad(loss, w), 'state', 'already used')
  const other = leaf([1])
  refused(() => gf.grad(x.sum(), other), 'state', 'inputs[0]', 'allowUnused')
  assert.deepEqual(gf.grad(x.sum(), [other, x], { allowUnused: true }).map(g => g && g.toArray()), [null, [1, 1]])
  assert.deepEqual(gf.grad([x.mul(2), x.sum()], x, { gradOutputs: [gf.tensor([1, 10]), gf.tensor(1)] }).toArray(),
    [3, 21])
  refused(() => gf.grad(x.mul(2), x), 'shape', 'not a single value')
  refused(() => gf.grad(3, x), 'type', 'tensors')
  refused(() => gf.grad(x.sum(), x, { createGraph: true }), 'type', 'no createGraph')
  refused(() => x.sum().backward({ createGraph: true }), 'type', 'no createGraph')
  const before = gf.memory().tensors
  gf.tidy(() => { gf.grad(x.mul(x).sum(), x) })
  assert.equal(gf.memory().tensors, before, 'what grad makes ends with the tidy around it')
})

class Cube extends gf.autograd.Function {
  static forward(ctx, x, factor) {
    ctx.saveForBackward(x)
    ctx.factor = factor
    return x.mul(x).mul(x).mul(factor)
  }

  static backward(ctx, gradient) {
    const [x] = ctx.savedTensors
    assert.deepEqual(ctx.needsInputGrad, [true, false])
    return [gradient.mul(x.mul(x)).mul(3 * ctx.factor), null]
  }
}

test('a custom function uses its own backward', () => {
  const x = leaf([1, 2]), y = Cube.apply(x.mul(1), 2)
  assert.deepEqual(y.toArray(), [2, 16])
  y.sum().backward()
  assert.deepEqual(x.grad.toArray(), [6, 24])
  assert.equal(gf.noGrad(() => Cube.apply(x, 2)).requiresGrad, false)
})

test('a custom function is one operation in a trace', () => {
  const x = leaf([1, 2]), { trace } = gf.trace(() => Cube.apply(x, 2).mul(10).backward(gf.tensor([1, 1])))
  assert.deepEqual(trace.names, ['input', 'Cube', 'mul'])
  const { formula, value, computed, steps } = trace.explain('Cube', [1])
  assert.deepEqual([formula, value, computed, steps[0].label], ['Cube(x0)', 16, 16, 'Cube.forward'])
  const { value: slope, terms } = trace.explainGradient('input', [1])
  assert.deepEqual([slope, terms[0].value, terms[0].label], [240, 240, 'Cube.backward'])
  trace.dispose()
})

test('custom functions reject invalid results', () => {
  const x = leaf([1, 2]), { Function } = gf.autograd
  const make = (forward, backward) => class Bad extends Function {
    static forward(ctx, ...inputs) { return forward(...inputs) }
    static backward(ctx, gradient) { return backward(gradient) }
  }
  refused(() => make(() => 3, () => null).apply(x), 'type', 'Bad.forward', 'tensor')
  refused(() => make(y => y, () => null).apply(3), 'type', 'Bad', 'tensor')
  refused(() => make(y => y.mul(2), () => [null, null]).apply(x).sum().backward(), 'shape', 'Bad.backward', '1')
  refused(() => make(y => y.mul(2), () => gf.tensor([1])).apply(x).sum().backward(), 'shape', 'Bad.backward', '[2]',
    '[1]')
  refused(() => make(y => y.mul(2), () => [1]).apply(x).sum().backward(), 'type', 'Bad.backward', '1')
  const same = make(y => y, gradient => gradient.mul(5)).apply(x)
  assert.notEqual(same, x)
  x.grad = null
  same.sum().backward()
  assert.deepEqual(x.grad.toArray(), [5, 5])
})

test('tensors created in a backward are freed', () => {
  const x = leaf([1, 2])
  gf.tidy(() => Cube.apply(x, 2).sum().backward())
  const before = gf.memory().tensors
  for (let i = 0; i < 5; i++) gf.tidy(() => { Cube.apply(x, 2).sum().backward() })
  assert.equal(gf.memory().tensors, before)
})

test('a checkpoint gives the same gradients with the same random numbers', () => {
  const layer = new gf.nn.Linear(8, 8), x = leaf(Array.from({ length: 8 }, (_, i) => i / 8))
  const block = y => F.dropout(F.relu(layer.forward(y.reshape(1, 8))), { p: 0.5 })
  const results = [y => block(y), y => gf.checkpoint(block, y)].map(run => {
    x.grad = null
    layer.parameters().forEach(p => { p.grad = null })
    gf.manualSeed(3)
    const out = run(x), after = gf.rand([2]).toArray()
    out.sum().backward()
    return [out.toArray(), after, gf.rand([1]).toArray(), x.grad.toArray(), layer.weight.grad.toArray()]
  })
  assert.deepEqual(results[1], results[0])
})

test('a checkpoint rejects an async function', () => {
  const x = leaf([2])
  assert.throws(() => gf.checkpoint(async y => y.mul(2), x), { code: 'type', message: /checkpoint: fn must return a tensor/ })
})

test('enableGrad records inside noGrad', () => {
  const x = leaf([2])
  const y = gf.noGrad(() => [x.mul(2).requiresGrad, gf.enableGrad(() => x.mul(2)).requiresGrad, x.mul(2).requiresGrad])
  assert.deepEqual(y, [false, true, false])
})

test('gradients of several batches add up before a step', () => {
  const w = leaf([1, 1]), batches = [[1, 2], [3, 4]]
  for (const batch of batches) F.mseLoss(w.mul(gf.tensor(batch)), gf.tensor([0, 0]), { reduction: 'sum' }).backward()
  assert.deepEqual(w.grad.toArray(), [2 * (1 + 9), 2 * (4 + 16)])
})

test('grad with an unused input frees all gradients', () => {
  const [x, y] = [[1, 2], [3, 4]].map(list => gf.tensor(list, { requiresGrad: true })), other = gf.ones([2])
  const leftBy = inputs => {
    const loss = x.mul(y).sum(), before = gf.memory().bytes
    assert.throws(() => gf.grad(loss, inputs), { code: 'state' })
    return gf.memory().bytes - before
  }
  for (const inputs of [[other, x, y], [x, other, y], [x, y, other]]) assert.equal(leftBy(inputs), 0)
})

test('grad through a checkpoint changes no grad; an error inside restores the random generator', () => {
  const layer = new gf.nn.Linear(2, 2), x = gf.ones([1, 2], { requiresGrad: true }), other = gf.tensor(3)
  const expected = gf.grad(layer.forward(x).sum(), x).toArray()
  const run = (h, y) => layer.forward(h).mul(y)
  assert.deepEqual(gf.grad(gf.checkpoint(run, x, gf.tensor(1)).sum(), [x])[0].toArray(), expected)
  assert.deepEqual([layer.weight.grad, x.grad], [null, null])
  gf.checkpoint(run, x, other).sum().backward()
  assert.deepEqual(layer.weight.grad.toArray(), [[3, 3], [3, 3]])
  let calls = 0
  gf.manualSeed(3)
  const numbers = [gf.rand([1]).item(), gf.rand([1]).item()]
  gf.manualSeed(3)
  const out = gf.checkpoint(h => {
    if (calls++) throw new Error('again')
    return h.mul(2)
  }, x)
  assert.equal(gf.rand([1]).item(), numbers[0])
  assert.throws(() => out.sum().backward(), /again/)
  assert.equal(gf.rand([1]).item(), numbers[1])
})
