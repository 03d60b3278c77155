// Tensors and functions: what is written often and wrongly, and what the library says to it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { F, gf, layer, lin, mask, nn, NO_NUMBER, expectMessages, twice, x } from './expect_messages.js'

expectMessages([
  [() => gf.tensor('abc'), 'tensor: values must be numbers, got "abc"'],
  [() => gf.tensor([[1], [1, 2]]),
    'tensor: values must be regular nested arrays; expected an array of 1 at depth 1, got an array of 2'],
  [() => gf.tensor([1, '2']), 'tensor: values must be numbers, got "2"'],
  [() => gf.tensor([1.5], { dtype: 'int32' }),
    'tensor: values must be integers for an int32 tensor, got 1.5 at index 0; leave dtype out, or round them first'],
  [() => gf.tensor([1, 2], { shape: [3] }), 'tensor: shape [3] holds 3 values, got 2'],
  [() => gf.tensor([1], { dtype: 'float' }),
    'tensor: dtype must be one of float32, int32, float64, bool, float16, bfloat16, got "float"; write ' + "'float32'"],
  [() => gf.ones([2], { requires_grad: true }), 'ones: there is no option "requires_grad", only dtype, requiresGrad; ' +
  'requires_grad is spelled requiresGrad here'],
  [() => gf.arange(), 'arange: expected (end), (start, end) or (start, end, step), got 0 numbers'],
  [() => x.item(), 'item: expected one value, got a float32 tensor [2, 3]; write x.at(…) for one, x.toArray() for all'],
  [() => x.at(0),
    'at: expected 2 indices for shape [2, 3], got 1; for a row write x.select(0, i)'],
  [() => x.to('cuda'),
    "to: there are no devices here; leave .to('cuda') out"],
  [() => x.to('int64'),
    'to: dtype must be one of float32, int32, float64, bool, float16, bfloat16, int8, got "int64"; write ' + "'int32'"],
  [() => x.add('1'),
    'add: b must be a tensor or a number, got "1"'],
  [() => x.add(gf.ones([4])), 'add: shapes [2, 3] and [4] do not broadcast: 3 and 4 on axis 1'],
  [() => F.sub(1, x.gt(0)),
    "sub: bool tensors cannot be subtracted; logicalNot() inverts a mask, to('int32') makes numbers"],
  [() => x.add(x, { alpha: 2 }),
    'add: there is no alpha here, got 2; write x.add(y.mul(alpha))'],
  [() => F.mul(x, 2, 3),
    'mul: takes input, other in this order, but also got a third: 3'],
  [() => x.reshape(-1, -1), 'reshape: only one side may be -1, got [-1, -1]'],
  [() => x.reshape(4, 2), 'reshape: a float32 tensor [2, 3] cannot take shape [4, 2]: it has 6 values'],
  [() => x.permute(0), 'permute: dims must name each of 2 axes once, got [0]'],
  [() => x.matmul(x), 'matmul: the columns of a must be as many as the rows of b; a is [2, 3], b is [2, 3]'],
  [() => x.maskedFill([[true]], 0), 'maskedFill: mask must be a tensor (gf.tensor), got an array of 1'],
  [() => gf.where(x, x, x),
    `where: mask must be a bool tensor, as x.gt(0) or x.to('bool') give, got a float32 tensor [2, 3]`],
  [() => gf.cat(x, x), 'cat: dim must be a number, got a float32 tensor [2, 3]; write gf.cat([a, b])'],
  [() => gf.max(x, x),
    'max: dim must be a number, got a float32 tensor [2, 3]; write gf.maximum(a, b)'],
  [() => x.max(new BigInt64Array(2)),
    'max: dim must be an integer from -2 to 1, got a value of type BigInt64Array'],
  [() => new Proxy(x, {}).add(1),
    'add: a must be a tensor or a number, got an object that cannot be read'],
  [() => F.softmax(Object.create(Object.getPrototypeOf(x))),
    'softmax: x must be a tensor (gf.tensor), got an object that cannot be read'],
  [() => {
    const { proxy, revoke } = Proxy.revocable(x, {})
    revoke()
    return F.add(proxy, 1)
  }, 'add: a must be a tensor or a number, got an object that cannot be read'],
  [() => gf.full([2], { shape: [2, 3], dtype: 5 }), 'full: there is no option "shape", only size, fillValue, dtype, requiresGrad'],
  [() => new nn.TransformerEncoder(layer, 2 ** 31 - 1),
    'TransformerEncoder: numLayers must be an integer from 0 to 10000, got 2147483647'],
  [() => x.argmax(globalThis), 'argmax: dim must be an integer from -2 to 1, got a value of type Object'],
  [() => gf.stack(x), 'stack: tensors must be a list of tensors, got a float32 tensor [2, 3]'],
  [() => gf.einsum('ij,jk', x, x),
    "einsum: 'j' is 3 long in tensors[0] [2, 3], but 2 in tensors[1] [2, 3]"],
  [() => x.gather([[0]], { dim: 1 }),
    'gather: dim is given twice, as an array of 1 by position and as 1 by name'],
  [() => F.relu(x, true), 'relu: there is no inplace here, got true; leave it out'],
  [() => F.embedding(x, x),
    'embedding: ids must be an int32 tensor or nested arrays of integers, got a float32 tensor [2, ' +
    "3]; to('int32') makes one"],
  [() => F.embedding([[7]], x), 'embedding: ids must be from 0 to 1 (weight has 2 rows), got 7 at index 0'],
  [() => F.scaledDotProductAttention(x, x, x),
    'scaledDotProductAttention: q must have shape [B, H, T, D], got [2, 3]; x.view(B, T, H, D).transpose(1, 2) makes that ' +
    'of [B, T, C]'],
  [() => x.sum().backward(), 'backward: a float32 tensor [] was not computed from any tensor with requiresGrad; make one with ' +
  '{ requiresGrad: true }, and compute with it outside noGrad and without detach()'],
  [() => twice.backward(),
    'backward: the computation behind this tensor was already used by an earlier backward (in sum); compute ' +
    'it again, or call that backward with { retainGraph: true }'],
  [() => x.matmul(gf.ones([4])),
    'matmul: the last side of a [2, 3] is 3, the only side of b [4] is 4; they must be equal'],
  [() => x[0],
    'a float32 tensor [2, 3] cannot be indexed with [ ]; write x.select(0, 0) for x[0], x.narrow(0, from, ' +
    'length) for x[from:to], and x.at(...) for one number'],
  [() => x[-1][0],
    'a float32 tensor [2, 3] cannot be indexed with [ ]; write x.select(0, -1) for x[-1], x.narrow(0, ' +
    'from, length) for x[from:to], and x.at(...) for one number'],
  [() => x.masked_fill(mask, 0), 'masked_fill is spelled maskedFill here'],
  [() => { x.requires_grad = true }, 'requires_grad is spelled requiresGrad here'],
  [() => F.cross_entropy(x, [0, 1]), 'cross_entropy is spelled crossEntropy here'],
  [() => F.l1_loss(x, x), 'l1_loss is spelled l1Loss here'],
  [() => x.cuda(), 'a tensor has no cuda here; leave it out: everything is in the memory of WebAssembly'],
  [() => x.tolist(), 'a tensor has no tolist here; write x.toArray()'],
  [() => x.clone({ memoryFormat: 'dense' }), 'clone: takes no arguments, but got an object with memoryFormat; clone has no options'],
  [() => x.view(4, 2), 'view: a float32 tensor [2, 3] cannot take shape [4, 2]: it has 6 values'],
  [() => x.ndim, 'a tensor has no ndim here; write x.shape.length'],
  [() => gf.ones([2], { requiresGrad: true }).add_(1), 'add_: a leaf that requires grad is used in an in-place operation; write ' +
  'gf.noGrad(() => x.add_(…)) to change it without a gradient, or x = x.add(…)'],
  [() => { x[0] = 3 },
    'a float32 tensor [2, 3] cannot be assigned with [ ]; write gf.where, x.scatter or x.maskedFill for a ' +
    'tensor with other values, or change single ones in x.data'],
  [() => x.sum({ dim: 1 }, true), 'sum: options go into one object at the end, after dim, keepdim in this order; got ' +
  'an object with dim in place of dim'],
  [() => F.softmax(x, { dim: 1 }, 2), 'softmax: takes input, dim in this order, but also got a third: 2; options go into one ' +
  'object at the end'],
  [() => F.linear(x, lin.weight, lin.bias, 7), 'linear: takes input, weight, bias in this order, but also got a fourth: 7'],
  [() => x.length, 'a tensor has no length here; write x.numel() for the number of values, x.shape[0] for the rows'],
  [() => { const [values] = x.amax({ dim: 1 }); return values },
    'a float32 tensor [2] is not iterable; write x.amax({ dim }) for the values of x.max({ dim }) alone, x.select(0, i) for a ' +
    'row, x.toArray() for all as an array'],
  [() => x.max(1).sum(), 'x.max({ dim }) gives { values, indices }, which have no sum; write x.max({ dim }).values.sum'],
  [() => x.to(x), 'to: dtype must be one of float32, int32, float64, bool, float16, bfloat16, int8, got a float32 tensor [2, 3]; ' +
  'write x.typeAs(other)'],
  [() => x.typeAs('int32'), 'typeAs: other must be a tensor, x.to(dtype) takes a name, got "int32"'],
  [() => x.maskedFill(x.gt(0), gf.ones([1])), 'maskedFill: value must be a number or a tensor without axes, got a float32 tensor [1]; write value.item()'],
  [() => x.t().zero_(), 'zero_: a float32 tensor [3, 2] is a copy here, while PyTorch would write through it to the tensor that it was taken ' +
  'from; write to that one, to a part of it with indexPut_, or to x.clone() if a copy is meant'],
  [() => x.remainder(2), 'a tensor has no remainder here; write x.sub(x.div(n).floor().mul(n))'],
  [() => x.floor_divide(2), 'a tensor has no floor_divide here; write x.div(n).floor()'],
  [() => F.logsigmoid(x), 'gf.functional has no logsigmoid; write F.softplus(x.neg()).neg()'],
  [() => new nn.LogSigmoid(), 'gf.nn has no LogSigmoid; write F.softplus(x.neg()).neg()'],
  [() => x.map(v => 2 * v),
    'a tensor has no map here; write operations, which take all values at once, such as x.mul(2) or x.exp()'],
  [() => { x.shape = [4, 3] }, 'shape of a tensor cannot be assigned; write x.reshape(…)'],
  [() => { x.dtype = 'int32' }, 'dtype of a tensor cannot be assigned; write x.to(dtype)'],
  [() => { x.size = 7 },
    'size is a method: write x.numel() for the number of values, x.size() or x.shape for the shape'],
  [() => x.size * 4, 'size is a method: write x.numel() for the number of values, x.size() or x.shape for the shape'],
  [() => { x.requiresGrad = 'false' }, 'tensor: requiresGrad must be true or false, got "false"'],
  [() => { gf.arange(3).requiresGrad = true },
    'requiresGrad: only float32 tensors have gradients, got an int32 tensor [3]'],
  [() => { const { values, indices } = x.max(); return [values, indices] },
    'a tensor has no indices here; x.max({ dim }), x.min({ dim }), x.sort() and x.topk(k) give values and indices; write ' +
    'x.argmax() or x.argmin() for one of all'],
  [() => new F.ReLU(), 'ReLU is gf.nn.ReLU here'],
  [() => x.isLeaf, 'a tensor has no isLeaf here; write x.node === null'],
  [() => x.clip(0, 1), 'a tensor has no clip here; write x.clamp({ min, max })'],
  [() => x.retainGrad(), 'retainGrad: a float32 tensor [2, 3] was not computed from any tensor with requiresGrad'],
  [() => gf.tensor(x),
    'tensor: values must be numbers, got a float32 tensor [2, 3], which is a tensor already; x.clone() copies ' +
    'it, x.to(dtype) converts it'],
  [() => F.crossEntropy(gf.ones([2, 3, 5]), [[0, 1, 2], [0, 1, 2]]),
    'crossEntropy: target must have shape [2, 5] (one class for each row of logits; classes are read ' +
    'from axis 1, so if they are on the last, write logits.reshape(-1, 5) and target.reshape(-1), or target.flat() ' +
    'of an array), got [2, 3]'],
  [() => F.crossEntropy(gf.ones([4, 3]), [[0, 1], [2, 0]]),
    'crossEntropy: target must have shape [4] (one class for each row of logits; write target.reshape(-1), or ' +
    'target.flat() of an array), got [2, 2]'],
  [() => x.sum({ axis: 1 }), 'sum: there is no option "axis", only dim, keepdim; write { dim }'],
  [() => gf.tensor([1], 'int32'),
    'tensor: options must be an object with shape, dtype, requiresGrad, got "int32"; write { dtype: "int32" }'],
  [() => gf.ones([2], [3]), 'ones: takes size and { dtype, requiresGrad }, but also got a second: an array of 1; a shape is ' +
  'one array, such as [2, 3]'],
  [() => F.scaledDotProductAttention(gf.ones([1, 1, 2, 3]), gf.ones([1, 1, 2, 3]), gf.ones([1, 1, 2, 3]), true),
    'scaledDotProductAttention: attnMask must be nested arrays, a bool or a float32 tensor, got true'],
  [() => x + 1, NO_NUMBER], [() => 2 * x, NO_NUMBER], [() => x > 0, NO_NUMBER], [() => Math.exp(x), NO_NUMBER]
])

test('conversions to strings and PyTorch-style assignments are no mistakes', () => {
  assert.equal(`${x}`, 'tensor([[1., 1., 1.],\n        [1., 1., 1.]])')
  const own = new nn.Linear(3, 2)
  own.weight = new nn.Parameter(gf.ones([2, 3]))
  own.bias = null
  assert.deepEqual(own.parameters(), [own.weight])
  assert.deepEqual(own.forward(x).toArray(), [[3, 3], [3, 3]])
})
