import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'

const gf = await load(), F = gf.functional
const leaf = values => gf.tensor(values, { requiresGrad: true })

test('gradients add up over uses and over calls of backward', () => {
  const x = leaf([1, 2, 3])
  F.add(F.mul(x, x), x).backward(gf.tensor([1, 1, 1]))
  assert.deepEqual(x.grad.toArray(), [3, 5, 7])
  F.mul(x, x).backward(gf.tensor([1, 0, 1]))
  assert.deepEqual(x.grad.toArray(), [5, 5, 13])
})

test('a tensor used in many places is walked once, in the right order', () => {
  const x = leaf([2])
  let y = x
  for (let i = 0; i < 30; i++) y = F.add(y, y)
  y.backward()
  assert.equal(x.grad.item(), 2 ** 30)
})

test('a very deep computation does not overflow the stack', () => {
  const x = leaf([1])
  gf.tidy(() => {
    let y = x
    for (let i = 0; i < 20000; i++) y = F.relu(y)
    y.backward()
  })
  assert.equal(x.grad.item(), 1)
})

test('noGrad records nothing', () => {
  const x = leaf([1, 2]), y = gf.noGrad(() => F.mul(x, x))
  assert.equal(y.requiresGrad, false)
  assert.throws(() => y.backward(gf.tensor([1, 1])), { code: 'state', message: /requiresGrad/ })
  assert.throws(() => gf.noGrad(() => { throw new Error('inside') }), /inside/)
  assert.equal(F.mul(x, x).requiresGrad, true)
})

test('backward reports misuse', () => {
  const x = leaf([1, 2])
  const y = F.mul(x, x)
  assert.throws(() => y.backward(), { code: 'shape', message: /not a single value/ })
  assert.throws(() => y.backward(gf.tensor([1])), { code: 'shape', message: /\[2\]/ })
  y.backward(gf.tensor([1, 1]))
  assert.throws(() => y.backward(gf.tensor([1, 1])), { code: 'state', message: /already used/ })
  assert.throws(() => gf.tensor([1]).backward(), { code: 'state' })
  const late = gf.tidy(() => F.softmax(F.mul(x, x)))
  assert.throws(() => late.backward(gf.tensor([1, 1])), { code: 'state', message: /gf\.tidy/ })
  const gone = gf.tidy(() => F.mul(x, x))
  gone.dispose()
  assert.throws(() => gone.backward(gf.tensor([1, 1])), { code: 'state' })
  assert.throws(() => gone.toArray(), { code: 'state', message: /disposed/ })
})

test('a tensor whose requiresGrad is switched off after the computation gets no gradient', () => {
  const frozen = leaf([1, 2, 3]), other = leaf([1, 1, 1])
  const out = F.mul(F.relu(frozen), other), memory = gf.engine.memory.bytes(0, 64).slice()
  frozen.requiresGrad = false
  out.backward(gf.tensor([1, 1, 1]))
  assert.equal(frozen.grad, null)
  assert.deepEqual(other.grad.toArray(), [1, 2, 3])
  assert.deepEqual(gf.engine.memory.bytes(0, 64), memory, 'the kernel wrote to address 0')
})

test('requiresGrad is for float32 tensors', () => {
  assert.throws(() => gf.tensor([1, 2], { dtype: 'int32', requiresGrad: true }), { code: 'type' })
})

test('reshape, transpose and narrow pass gradients to the right cells', () => {
  const x = leaf([[1, 2, 3], [4, 5, 6]])
  x.transpose(0, 1).reshape(6).backward(gf.tensor([1, 2, 3, 4, 5, 6]))
  assert.deepEqual(x.grad.toArray(), [[1, 3, 5], [2, 4, 6]])
  const y = leaf([[1, 2], [3, 4], [5, 6]])
  F.narrow(y, 0, 1, 2).backward(gf.tensor([[1, 2], [3, 4]]))
  assert.deepEqual(y.grad.toArray(), [[0, 0], [1, 2], [3, 4]])
  assert.throws(() => x.reshape(4), { code: 'shape', message: /\[4\]/ })
  assert.throws(() => x.transpose(0, 2), { code: 'range', message: /second axis .* from -2 to 1, got 2/ })
  assert.throws(() => x.transpose(-3, 0), { code: 'range', message: /first axis .* from -2 to 1, got -3/ })
  assert.throws(() => F.narrow(y, 0, 2, 2), { code: 'range' })
})

test('ids and targets that are changed after the computation do not change its gradient', () => {
  const weight = leaf([[1, 2], [3, 4], [5, 6]]), ids = gf.tensor(new Int32Array([0, 2]))
  const out = F.embedding(ids, weight), logits = leaf([[1, 2, 3], [4, 5, 6]])
  const loss = F.crossEntropy(logits, ids), again = F.crossEntropy(logits, [0, 2])
  ids.data.fill(2 ** 28)
  out.backward(gf.tensor([[1, 1], [1, 1]]))
  assert.deepEqual(weight.grad.toArray(), [[1, 1], [0, 0], [1, 1]])
  loss.backward()
  const first = logits.grad.toArray()
  logits.grad = null
  again.backward()
  assert.deepEqual(logits.grad.toArray(), first)
})

test("an assigned gradient must have the tensor's shape and dtype", () => {
  const x = leaf([1, 2]), { data } = gf.tensor([9, 9, 9, 9])
  for (const [grad, says] of [
    [gf.tensor([1]), { code: 'shape', message: 'grad must have shape [2], got [1]' }],
    [[1, 1], { code: 'type', message: /grad must be null or a float32 tensor of the same engine, got an array of 2/ }],
    [gf.tensor([1, 1], { dtype: 'int32' }), { code: 'type', message: /got an int32 tensor \[2\]/ }]
  ]) {
    assert.throws(() => { x.grad = grad }, says)
    assert.equal(x.grad, null)
  }
  x.grad = gf.tensor([1, 2])
  F.add(x, x).backward(gf.tensor([1, 1]))
  assert.deepEqual(x.grad.toArray(), [3, 4])
  assert.deepEqual(Array.from(data), [9, 9, 9, 9])
  x.grad = undefined
  assert.equal(x.grad, null)
})

test('backward changes nothing if it cannot be completed', () => {
  const x = leaf([[1, 2, 4]]), w = leaf([[1, 1, 1]]), { tidy } = gf
  const z = F.mul(tidy(() => F.layerNorm(x)), w)
  assert.throws(() => z.backward(gf.tensor([[1, 1, 1]])),
    { code: 'state', message: /mean of layer_norm was disposed before; call backward inside the same gf.tidy/ })
  assert.deepEqual([x.grad, w.grad], [null, null])
})

/** A computation that is about to be gone back, and what overwrites a value that its gradients need. */
function stale(overwrite) {
  const layer = new gf.nn.Linear(2, 3), x = gf.tensor([[1, 2]], { requiresGrad: true })
  const loss = layer.forward(x).sum()
  overwrite(layer)
  return () => loss.backward()
}

test('backward refuses values that have been overwritten since they were used', () => {
  const OVERWRITTEN = { code: 'state', message: /backward: weight of linear was overwritten after it was used/ }
  const step = optimizer => layer => {
    for (const p of layer.parameters()) p.grad = gf.onesLike(p)
    optimizer(layer.parameters()).step()
  }
  for (const overwrite of [
    step(params => new gf.optim.SGD(params, { lr: 1 })), step(params => new gf.optim.AdamW(params, { lr: 1 })),
    layer => gf.nn.init.normal_(layer.weight), layer => gf.nn.init.zeros_(layer.weight),
    layer => layer.loadStateDict({ weight: gf.ones([3, 2]), bias: gf.ones([3]) })
  ]) assert.throws(stale(overwrite), OVERWRITTEN)
})

test('values that no gradient needs may be overwritten', () => {
  assert.doesNotThrow(stale(layer => gf.nn.init.zeros_(layer.bias)))
  const layer = new gf.nn.Linear(2, 3), loss = layer.forward(gf.ones([1, 2])).sum()
  gf.nn.init.zeros_(layer.weight)
  loss.backward()
  assert.deepEqual(layer.weight.grad.toArray(), [[1, 1], [1, 1], [1, 1]])
  const [a, b] = [1, 2].map(n => gf.tensor([n], { requiresGrad: true })), sum = a.add(b)
  gf.nn.init.zeros_(a)
  sum.backward()
  const product = b.mul(a)
  gf.nn.init.ones_(a)
  assert.throws(() => product.backward(), { message: /a of mul was overwritten|b of mul was overwritten/ })
})

test('an explanation lists tensors that have been overwritten since', () => {
  const explained = act => {
    const layer = new gf.nn.Linear(2, 2), x = gf.ones([1, 2])
    const { output, trace } = gf.trace(() => layer.forward(x))
    const loss = output.sum()
    loss.backward(undefined, { retainGraph: true })
    act(layer, loss)
    return { forward: trace.explain('output', [0, 0]).changed, back: trace.explainGradient('weight', [0, 0]).changed }
  }
  assert.deepEqual(explained(() => {}), { forward: undefined, back: undefined })
  for (const act of [
    layer => gf.optim.clipGradNorm(layer.parameters(), 0.1), layer => gf.optim.clipGradValue(layer.parameters(), 0.1),
    layer => layer.zeroGrad({ setToNone: false }), layer => layer.forward(gf.ones([1, 2])).sum().backward()
  ]) assert.deepEqual(explained(act), { forward: undefined, back: ['weight'] })
  assert.throws(() => explained(layer => layer.zeroGrad()), { code: 'state', message: /weight has no gradient/ })
  const unclipped = explained(layer => gf.optim.clipGradNorm(layer.parameters(), 100))
  assert.deepEqual(unclipped, { forward: undefined, back: undefined })
  assert.deepEqual(explained((layer, loss) => loss.backward()), { forward: undefined, back: undefined })
  const stepped = explained(layer => new gf.optim.SGD(layer.parameters(), { lr: 1 }).step())
  assert.deepEqual([stepped.forward.sort(), stepped.back], [['bias', 'weight'], undefined])
})

test('every operation refuses backward after a value that its gradient needs was overwritten', () => {
  const { functional: F } = gf, w = () => gf.tensor([[0.5, 1.5]], { requiresGrad: true })
  const curved = {
    square: x => x.square(), log: x => x.log(), sin: x => x.sin(), pow: x => x.pow(3), clamp: x => x.clamp({ min: 0 }),
    gelu: x => F.gelu(x), silu: x => F.silu(x), div: x => F.div(1, x), maximum: x => F.maximum(x, 1), std: x => x.std(),
    norm: x => x.norm(), logsumexp: x => x.logsumexp({ dim: 1 }), prod: x => x.prod({ dim: 1 }),
    max: x => x.amax({ dim: 1 }),
    rmsNorm: x => F.rmsNorm(x)
  }
  for (const [name, make] of Object.entries(curved)) {
    const x = w(), out = make(x).sum()
    gf.nn.init.ones_(x)
    assert.throws(() => out.backward(), { code: 'state', message: /was overwritten after it was used/ }, name)
  }
  for (const make of [x => x.neg(), x => x.sum(), x => x.mean(), x => x.sub(1), x => x.mul(2)]) {
    const x = w(), out = make(x).sum()
    gf.nn.init.ones_(x)
    assert.doesNotThrow(() => out.backward())
  }
})

test('an explanation reports that a gradient was not zero before', () => {
  const layer = new gf.nn.Linear(2, 2), x = gf.ones([1, 2])
  layer.forward(x).sum().backward()
  const { output, trace } = gf.trace(() => layer.forward(x))
  output.sum().backward()
  assert.deepEqual(trace.explainGradient('weight', [0, 0]).changed, ['weight'])
})
