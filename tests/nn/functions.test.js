// Functions as modules: each gives what its function gives with the same options, and refuses the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'

const { nn, functional: F } = gf
const x = () => toTensor(numbers([2, 3], 1)), y = () => toTensor(numbers([2, 3], 2))
const shares = seed => F.softmax(toTensor(numbers([2, 3], seed)))
const classes = [2, 0]

const modules = {
  CrossEntropyLoss: [F.crossEntropy, () => [x(), classes], { labelSmoothing: 0.1, ignoreIndex: 0, reduction: 'sum' }],
  NLLLoss: [F.nllLoss, () => [F.logSoftmax(x()), classes], { reduction: 'none' }],
  MSELoss: [F.mseLoss, () => [x(), y()], { reduction: 'sum' }],
  L1Loss: [F.l1Loss, () => [x(), y()], { reduction: 'none' }],
  BCELoss: [F.binaryCrossEntropy, () => [shares(1), shares(2)], { reduction: 'sum' }],
  BCEWithLogitsLoss: [F.binaryCrossEntropyWithLogits, () => [x(), shares(2)], { reduction: 'none' }],
  KLDivLoss: [F.klDiv, () => [F.logSoftmax(x()), F.logSoftmax(y())], { reduction: 'sum', logTarget: true }],
  CosineSimilarity: [F.cosineSimilarity, () => [x(), y()], { dim: 0, eps: 0.5 }],
  Softmax: [F.softmax, () => [x()], { dim: 0 }],
  LogSoftmax: [F.logSoftmax, () => [x()], { dim: 0 }],
  LeakyReLU: [F.leakyRelu, () => [x()], { negativeSlope: 0.5 }],
  Softplus: [F.softplus, () => [x()], { beta: 2, threshold: 1 }]
}

for (const [name, [fn, inputs, options]] of Object.entries(modules)) test(`${name} is its function`, () => {
  const given = inputs(), usual = plain(fn(...given)), other = plain(fn(...given, options))
  assert.equal(nn[name].name, name)
  assertSame(new nn[name]().forward(...given), usual)
  assertSame(new nn[name](options).forward(...given), other)
  assert.notDeepEqual(other, usual, 'the options change nothing')
  assertRejects(() => new nn[name]({ colour: 1 }), 'type', `${name}: there is no option "colour"`)
})

test('a loss module learns with its model', () => {
  gf.manualSeed(1)
  const layer = new nn.Linear(3, 4), loss = new nn.CrossEntropyLoss().forward(layer.forward(x()), classes)
  loss.backward()
  assert.ok(plain(layer.weight.grad).data.some(v => v !== 0))
})

test('Flatten leaves the first axis alone', () => {
  assert.deepEqual(new nn.Flatten().forward(gf.zeros([2, 3, 4])).shape, [2, 12])
  assert.deepEqual(new nn.Flatten(0, 1).forward(gf.zeros([2, 3, 4])).shape, [6, 4])
})

test("view, contiguous, numel and t are PyTorch's", () => {
  const m = x()
  assert.deepEqual([m.view(3, 2).shape, m.view([6]).shape, m.numel(), m.contiguous() === m], [[3, 2], [6], 6, true])
  assertSame(m.t(), plain(m.transpose(0, 1)))
  assertRejects(() => gf.zeros([2]).t(), 'shape', 't: expected a matrix')
})

test('oneHot has a 1 at the place of each id', () => {
  const ids = gf.tensor([[1, 0], [2, 1]], { dtype: 'int32' })
  const rows = [[[0, 1, 0], [1, 0, 0]], [[0, 0, 1], [0, 1, 0]]]
  assert.deepEqual(F.oneHot(ids).toArray(), rows)
  assert.deepEqual(F.oneHot(ids, { numClasses: 4 }).shape, [2, 2, 4])
  assertRejects(() => F.oneHot(ids, { numClasses: 2 }), 'index', 'oneHot: id 2 is none of 2 classes')
  assertRejects(() => F.oneHot(gf.tensor([-1], { dtype: 'int32' }), { numClasses: 2 }), 'index', 'id -1')
  assertRejects(() => F.oneHot(gf.tensor([0.5])), 'type', 'ids must be an int32 tensor')
})

test('oneHot finds the classes of a whole data set', () => {
  const ids = Int32Array.from({ length: 200000 }, (_, i) => i % 3)
  assert.deepEqual([...gf.functional.oneHot(gf.tensor(ids, { dtype: 'int32' })).shape], [200000, 3])
})
