// Methods that overwrite their tensor: the values of the functions, and PyTorch's complaints where gradients need more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'

const mask = () => gf.tensor([[true, false, false], [false, true, true]])
const index = [[0, 2], [1, 1]]

/** Calls on a matrix [2, 3], by the name of the function without the underscore. */
const CALLS = {
  abs: [], ceil: [], exp: [], floor: [], neg: [], reciprocal: [], relu: [], round: [], sigmoid: [], sign: [],
  square: [], tanh: [], trunc: [], log: [], sqrt: [], rsqrt: [], tril: [], triu: [1], add: [2],
  sub: [gf.tensor([1, 2, 3])], mul: [gf.tensor([[2], [3]])],
  div: [4], pow: [2], clamp: [{ min: 0 }], lerp: [gf.ones([2, 3]), 0.25],
  maskedFill: [mask(), -Infinity], scatter: [1, index, 7],
  scatterAdd: [1, index, gf.ones([2, 2])], indexFill: [0, [1], 5], indexCopy: [1, [2], gf.ones([2, 1])],
  indexAdd: [0, [1, 1], gf.ones([2, 3])]
}

for (const [name, args] of Object.entries(CALLS)) test(`${name}_ overwrites with the values of ${name}`, () => {
  const x = gf.randn([2, 3]).detach(), address = x.dataPtr(), expected = x[name](...args).toArray(), view = x.view(6)
  assert.equal(x[`${name}_`](...args), x)
  assert.deepEqual(x.toArray(), expected)
  assert.deepEqual(view.toArray(), expected.flat())
  assert.equal(x.dataPtr(), address)
})

test('copy_, fill_, zero_, normal_, uniform_ and alpha', () => {
  const x = gf.zeros([2, 2])
  assert.deepEqual(x.copy_(gf.tensor(Int32Array.of(1, 2))).toArray(), [[1, 2], [1, 2]])
  assert.deepEqual(x.fill_(7).toArray(), [[7, 7], [7, 7]])
  assert.deepEqual(x.add_(gf.ones([2]), { alpha: -2 }).sub_(1, { alpha: 3 }).toArray(), [[2, 2], [2, 2]])
  assert.deepEqual(x.zero_().toArray(), [[0, 0], [0, 0]])
  assert.deepEqual(gf.tensor([true, false]).fill_(true).toArray(), [true, true])
  assert.deepEqual(gf.tensor(Int32Array.of(1, 2)).mul_(3).add_(gf.tensor([true, false])).toArray(), [4, 6])
  assert.deepEqual(gf.tensor(Int32Array.of(1, 2)).copy_(gf.tensor([1.9, -1.9])).toArray(), [1, -1])
  for (const [call, same] of [
    [t => t.normal_(1, 2), () => gf.normal([2, 2], { mean: 1, std: 2 })], [t => t.uniform_(), () => gf.rand([2, 2])],
    [t => t.normal_({ std: 0.5 }), () => gf.normal([2, 2], { std: 0.5 })]
  ]) {
    gf.manualSeed(4)
    const got = call(x).toArray()
    gf.manualSeed(4)
    assert.deepEqual(got, same().toArray())
  }
})

test('a running average of parameters, as it is written in PyTorch', () => {
  const p = new gf.nn.Parameter([1, 2]), average = gf.zeros([2])
  gf.noGrad(() => average.mul_(0.9).add_(p, { alpha: 0.1 }))
  assert.deepEqual(average.toArray().map(v => Math.round(v * 1e6) / 1e6), [0.1, 0.2])
  p.square().sum().backward()
  gf.noGrad(() => p.sub_(p.grad, { alpha: 0.5 }))
  assert.deepEqual(p.toArray(), [0, 0])
  assert.equal(p.node, null)
})

test('views are written through, and copies of what PyTorch views are refused', () => {
  const x = gf.zeros([2, 3])
  x.select(0, 1).fill_(5)
  x.narrow(0, 0, 1).add_(1)
  assert.deepEqual(x.toArray(), [[1, 1, 1], [5, 5, 5]])
  for (const copy of [
    x.select(1, 0), x.t(), x.T, x.transpose(0, 1), x.permute(1, 0), x.slice(1, 0, 2), x.diagonal(), x.gt(0).t(),
    x.select(1, 0).reshape(2, 1), x.unsqueeze(0).expand(2, 2, 3), x.unfold(1, 2, 1)
  ]) {
    assertRejects(() => copy.zero_(), 'state', 'zero_', 'copy', 'x.clone()')
  }
  const copies = [x.t().clone(), x.repeat(2, 1), x.repeatInterleave(2), x.flip(0), x.t().add(0), gf.cat([x.t()])]
  for (const own of copies) own.zero_()
})

test('a leaf that requires a gradient, computed tensors and arguments that do are refused', () => {
  const w = gf.tensor([1, 2], { requiresGrad: true }), x = gf.ones([2])
  assertRejects(() => w.add_(1), 'state', 'add_', 'a leaf that requires grad is used in an in-place operation', 'gf.noGrad', 'x = x.add(…)')
  assertRejects(() => w.mul(2).zero_(), 'state', 'zero_', 'x = gf.zerosLike(x)')
  assertRejects(() => x.add_(w), 'state', 'add_', 'an argument requires a gradient')
  assertRejects(() => x.copy_(w), 'state', 'copy_')
  gf.noGrad(() => w.add_(1))
  x.copy_(w.detach())
  assert.deepEqual(x.toArray(), [2, 3])
})

test('backward through overwritten values is an error, and fine where they are not needed', () => {
  const w = gf.tensor([1, 2], { requiresGrad: true }), x = gf.tensor([3, 4]), OVERWRITTEN = ['state', 'backward', 'overwritten', 'in-place']
  const product = w.mul(x).sum()
  x.zero_()
  assertRejects(() => product.backward(), ...OVERWRITTEN, 'mul')
  const sum = w.add(x).sum()
  x.fill_(9)
  sum.backward()
  assert.deepEqual(w.grad.toArray(), [1, 1])
  for (const curve of ['exp', 'tanh', 'sigmoid', 'sqrt', 'reciprocal', 'softmax', 'logSoftmax']) {
    const y = w[curve]()
    gf.noGrad(() => y.detach().mul_(2))
    assertRejects(() => y.sum().backward(), ...OVERWRITTEN)
  }
  const flag = gf.tensor([true, false]), chosen = gf.where(flag, w, 0).sum()
  flag.fill_(true)
  assertRejects(() => chosen.backward(), ...OVERWRITTEN, 'mask')
})

test('what cannot be stored is refused, and nothing is written', () => {
  const x = gf.ones([2]), ids = gf.tensor(Int32Array.of(1, 2))
  assertRejects(() => x.add_(gf.ones([2, 2])), 'shape', 'add_', '[2, 2]', '[2]')
  assertRejects(() => x.copy_(gf.ones([3])), 'shape', '[2]')
  assertRejects(() => ids.add_(0.5), 'type', 'add_', 'float32', 'int32')
  assertRejects(() => ids.fill_(0.5), 'range', 'fill_', 'integer')
  assertRejects(() => gf.tensor([true]).add_(ids.narrow(0, 0, 1)), 'type', 'add_', 'int32')
  assertRejects(() => x.normal_(0, -1), 'range', 'normal_', 'std')
  assertRejects(() => x.uniform_(2, 1), 'range', 'uniform_')
  assertRejects(() => x.add_(1, { beta: 2 }), 'type', 'add_', 'beta', 'alpha')
  assertRejects(() => x.add_(1, 2, 3), 'type', 'add_')
  assertRejects(() => x.masked_fill_, 'type', 'maskedFill_')
  assert.deepEqual([x.toArray(), ids.toArray()], [[1, 1], [1, 2]])
})

test('a trace refuses in-place operations', () => {
  const x = gf.ones([2])
  assertRejects(() => gf.trace(() => x.mul(2).add_(1)), 'state', 'add_', 'trace', 'x = x.add(…)')
})

test('maskedFill takes a tensor without axes, which gets a gradient', () => {
  const x = gf.tensor([1, -2, 3]), value = gf.tensor(7, { requiresGrad: true }), out = x.maskedFill(x.gt(0), value)
  assert.deepEqual(out.toArray(), [7, -2, 7])
  out.sum().backward()
  assert.equal(value.grad.item(), 2)
  assert.deepEqual(gf.arange(3).maskedFill(gf.arange(3).gt(1), gf.tensor(5)).toArray(), [0, 1, 5])
  assertRejects(() => gf.arange(3).maskedFill(gf.arange(3).gt(1), gf.tensor(0.5)), 'range', 'integer')
  assert.deepEqual(x.maskedFill_(x.gt(0), gf.tensor(0)).toArray(), [0, -2, 0])
})
