// Convolutions, parameter containers, LayerNorm over several axes and the modules that call one function; orthogonal_.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

const { nn, functional: F } = gf

/** torch.manual_seed(3); c = nn.Conv2d(3, 4, 2, stride=2); c.weight[0, 0], c.bias of PyTorch 1.13.1. */
test('a convolution starts with the numbers of PyTorch', () => {
  gf.manualSeed(3)
  const layer = new nn.Conv2d(3, 4, 2, { stride: 2 })
  assert.deepEqual(layer.weight.toArray()[0][0],
    [[-0.28621357679367065, -0.22772462666034698], [-0.1236438974738121, -0.2731127440929413]])
  assert.deepEqual(layer.bias.toArray(),
    [-0.04032951593399048, 0.2669106721878052, 0.1504453867673874, -0.11656343936920166])
  assert.deepEqual(Object.keys(layer.stateDict()), ['weight', 'bias'])
})

test('convolutions are their functions with the weights of the module', () => {
  const options = { stride: [2, 1], padding: 1, dilation: [1, 2], groups: 2 }
  const x = gf.randn([2, 4, 6, 5]), layer = new nn.Conv2d(4, 6, [3, 2], options)
  assert.deepEqual(layer(x).toArray(), F.conv2d(x, layer.weight, layer.bias, options).toArray())
  assert.equal(new nn.Conv1d(4, 2, 3, { bias: false }).bias, null)
  assert.deepEqual(new nn.Conv1d(4, 2, 3, { padding: 'same' })(gf.ones([1, 4, 7])).shape, [1, 2, 7])
  const around = new nn.Conv1d(2, 2, 3, { padding: 2, paddingMode: 'circular' }), y = gf.randn([1, 2, 5])
  assert.deepEqual(around(y).toArray(), F.conv1d(F.pad(y, [2, 2], { mode: 'circular' }), around.weight, around.bias).toArray())
})

test('a convolution over patches is the linear layer of a vision transformer', () => {
  const layer = new nn.Conv2d(3, 5, 4, { stride: 4 }), x = gf.randn([2, 3, 8, 8])
  const rows = F.unfold(x, 4, { stride: 4 }).transpose(1, 2)
  const expected = F.linear(rows, layer.weight.reshape(5, 48), layer.bias)
  assertClose(layer(x).flatten(2).transpose(1, 2), expected, { tol: 2e-6 })
})

test('wrong convolutions are errors', () => {
  assertRejects(() => new nn.Conv2d(3, 4), 'type', 'Conv2d', 'kernelSize')
  assertRejects(() => new nn.Conv2d(3, 4, [2]), 'shape', 'Conv2d', 'kernelSize', 'list of 2')
  assertRejects(() => new nn.Conv2d(3, 4, 2, { groups: 2 }), 'range', 'groups', 'divide')
  assertRejects(() => new nn.Conv2d(3, 4, 2, { paddingMode: 'mirror' }), 'range', 'paddingMode', 'reflect')
  assertRejects(() => new nn.Conv2d(3, 4, 2)(gf.ones([1, 2, 4, 4])), 'shape', 'conv2d', '[1, 2, 4, 4]')
  assertRejects(() => new nn.Conv2d(3, 4, 5)(gf.ones([1, 3, 4, 4])), 'shape', 'conv2d', '5', '4')
  assertRejects(() => new nn.Conv1d(3, 4, 2)(gf.ones([1, 3])), 'shape', 'conv1d')
  assertRejects(() => F.conv1d(gf.ones([1, 1, 4]), gf.ones([1, 1, 2]), gf.ones([2])), 'shape', 'conv1d', 'bias', '[1]')
  assertRejects(() => F.conv1d(gf.ones([1, 1, 4]), gf.ones([1, 1, 2]), null, { stride: 2, padding: 'same' }), 'range', "'same'", 'stride')
  assertRejects(() => F.fold(gf.ones([1, 4, 3]), [3, 3], 2), 'shape', 'fold', '4]')
  assertRejects(() => F.pad(gf.ones([2]), [1]), 'shape', 'pad', 'pairs')
  assertRejects(() => F.pad(gf.ones([2]), [-3, 0]), 'shape', 'pad')
  assertRejects(() => F.pad(gf.ones([2]), [2, 0], { mode: 'reflect' }), 'shape', 'reflect', 'at most 1')
})

test('lists and objects of parameters are found, saved and cloned', () => {
  class Experts extends nn.Module {
    weights = new nn.ParameterList([1, 2].map(n => new nn.Parameter(gf.full([2], n))))
    named = new nn.ParameterDict({ scale: new nn.Parameter([3]) })
    forward(x) { return x.mul(this.weights[0]).add(this.weights.at(-1)).mul(this.named.scale) }
  }
  const model = new Experts()
  assert.deepEqual(Object.keys(model.stateDict()), ['weights.0', 'weights.1', 'named.scale'])
  assert.deepEqual(model(gf.ones([2])).toArray(), [9, 9])
  model(gf.ones([2])).sum().backward()
  assert.deepEqual(model.weights[1].grad.toArray(), [3, 3])
  assert.deepEqual(model.clone()(gf.ones([2])).toArray(), [9, 9])
  model.weights.push(new nn.Parameter([0]))
  assert.equal(model.weights.length, 3)
  assert.deepEqual([...model.weights].map(p => p.numel()), [2, 2, 1])
  model.named.set('shift', new nn.Parameter([1]))
  assert.deepEqual(model.named.keys(), ['scale', 'shift'])
  assert.equal(model.named.items().length, 2)
  assertRejects(() => new nn.ParameterList([gf.ones([1])]), 'type', 'parameters[0]', 'new gf.nn.Parameter')
  assertRejects(() => model.named.get('bias'), 'index', 'bias', 'scale')
  assertRejects(() => model.named.set('forward', new nn.Parameter([1])), 'range', 'forward')
  assertRejects(() => new nn.ParameterDict([]), 'type', 'ParameterDict')
})

test('LayerNorm over several axes', () => {
  const layer = new nn.LayerNorm([2, 3]), x = gf.randn([4, 2, 3])
  assert.deepEqual(layer.weight.shape, [2, 3])
  assertClose(layer(x).flatten(1), F.layerNorm(x.flatten(1)), { tol: 1e-6 })
  assert.deepEqual(new nn.LayerNorm([2, 3], { elementwiseAffine: false })(x).toArray(), layer(x).toArray())
  layer(x).square().sum().backward()
  assert.deepEqual(layer.weight.grad.shape, [2, 3])
  assertRejects(() => layer(gf.ones([4, 3, 2])), 'shape', 'layerNorm', '[2, 3]', '[4, 3, 2]')
  assertRejects(() => new nn.LayerNorm([]), 'type', 'LayerNorm', '[]')
  assertRejects(() => new nn.LayerNorm([4, -8]), 'range', 'normalizedShape[1]')
})

test('modules of one function', () => {
  const x = gf.randn([2, 6]), y = gf.randn([2, 6])
  assert.deepEqual(new nn.GLU()(x).toArray(), F.glu(x).toArray())
  assert.deepEqual(new nn.ELU({ alpha: 2 })(x).toArray(), F.elu(x, { alpha: 2 }).toArray())
  assert.deepEqual(new nn.SmoothL1Loss({ beta: 2 })(x, y).item(), F.smoothL1Loss(x, y, { beta: 2 }).item())
  assert.deepEqual(new nn.HuberLoss()(x, y).item(), F.huberLoss(x, y).item())
  assert.deepEqual(new nn.Unflatten(1, [2, -1])(x).shape, [2, 2, 3])
  const columns = new nn.Unfold(2, { stride: 2 })(gf.ones([1, 2, 4, 4]))
  assert.deepEqual(columns.shape, [1, 8, 4])
  assert.deepEqual(new nn.Fold([4, 4], 2, { stride: 2 })(columns).toArray(), gf.ones([1, 2, 4, 4]).toArray())
})

/** torch.manual_seed(1), then orthogonal_(torch.empty(3, 5)) or (torch.empty(4, 2, 1), gain=2) of PyTorch 1.13.1. */
test('orthogonal_ has the numbers of PyTorch', () => {
  gf.manualSeed(1)
  assertClose(nn.init.orthogonal_(gf.empty([3, 5])), gf.tensor([
    [0.6298039, 0.2541911, 0.0587351, 0.5916788, -0.4303488],
    [0.2021226, -0.7363055, 0.2420005, -0.2997776, -0.5182372],
    [-0.0660679, 0.5379763, -0.2412835, -0.5584969, -0.5797242]]), { tol: 1e-6 })
  gf.manualSeed(1)
  assertClose(nn.init.orthogonal_(gf.empty([4, 2, 1]), { gain: 2 }).flatten(1), gf.tensor(
    [[0.7682571, 0.8556148], [0.0716471, 1.6172693], [-0.5249547, -0.5427297], [-1.7689179, 0.5981698]]), { tol: 2e-6 })
  const w = nn.init.orthogonal_(gf.empty([20, 7]))
  assertClose(w.t().matmul(w), gf.eye(7), { tol: 1e-6 })
  assert.deepEqual(nn.init.orthogonal_(gf.empty([0, 3])).shape, [0, 3])
  assertRejects(() => nn.init.orthogonal_(gf.empty([3])), 'shape', 'orthogonal_', 'two axes')
})

test("the names of PyTorch's modes and activations", () => {
  for (const [theirs, here] of [['fan_in', 'fanIn'], ['fan_out', 'fanOut']]) {
    const [a, b] = [theirs, here].map(mode => {
      gf.manualSeed(1)
      return nn.init.kaimingUniform_(gf.empty([3, 5]), { mode, nonlinearity: 'relu' }).toArray()
    })
    assert.deepEqual(a, b)
  }
  assert.equal(nn.init.calculateGain('leaky_relu', 0.2), nn.init.calculateGain('leakyRelu', 0.2))
})

test('creation: empty, and tensors like others', () => {
  const x = gf.tensor(Int32Array.of(1, 2))
  assert.deepEqual(gf.fullLike(x, 7).toArray(), [7, 7])
  assert.equal(gf.fullLike(x, 0.5, { dtype: 'float32' }).at(0), 0.5)
  assert.equal(gf.emptyLike(x).dtype, 'int32')
  assert.deepEqual(gf.empty([2, 3], { dtype: 'bool' }).shape, [2, 3])
  const y = gf.zeros([5])
  const pairs = [[() => gf.randLike(y), () => gf.rand([5])], [() => gf.randnLike(y), () => gf.randn([5])]]
  for (const [like, same] of pairs) {
    const [a, b] = [like, same].map(make => {
      gf.manualSeed(2)
      return make().toArray()
    })
    assert.deepEqual(a, b)
  }
  assertRejects(() => gf.fullLike(x), 'type', 'fullLike', 'value')
  assertRejects(() => gf.randLike(x), 'range', 'dtype')
  assertRejects(() => gf.meshgrid(gf.ones([2]), gf.ones([2])), 'type', 'meshgrid', 'gf.meshgrid([a, b])')
  assertRejects(() => gf.tensor([1, 1]).bincount(), 'type', 'bincount', "to('int32')")
  assertRejects(() => gf.tensor(Int32Array.of(-1)).bincount(), 'range', 'bincount', '-1')
  // As NumPy and PyTorch 2 sort them.
  assert.deepEqual(gf.tensor([NaN, 2, NaN]).unique().toArray(), [2, NaN, NaN])
})
