// int32 and bool, and what is composed of other operations, run in onnxruntime as here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { FunctionModule } from './modules.js'
import { assertRuns } from './onnx.js'

const F = gf.functional

/** Functions of a matrix [3, 4]. */
const CASES = {
  'curves': a => [a.ceil(), a.trunc(), a.erf(), a.abs().log1p(), a.expm1()],
  'elu': a => F.elu(a, { alpha: 0.5 }),
  'glu': a => F.glu(a),
  'huberLoss': a => F.huberLoss(a, a.mul(3)),
  'moved': a => [a.diagonal(1), a.unfold(1, 2, 1), F.pad(a, [1, 2, 0, 1], { value: 3 }), a.cumprod(1)],
  'unfold': a => F.unfold(a.reshape(1, 1, 3, 4), 2),
  'fold': a => F.fold(F.unfold(a.reshape(1, 1, 3, 4), 2), [3, 4], 2),
  'conv2d': a => F.conv2d(a.reshape(1, 1, 3, 4), gf.ones([2, 1, 2, 2]), gf.ones([2]), { padding: 1 }),
  'bool': a => [gf.where(a.gt(0), a.gt(1), true), a.gt(0).maskedFill(a.gt(1), false), a.gt(0).transpose(0, 1),
    a.gt(0).tril(), a.gt(0).bitwiseAnd(a.lt(1)).bitwiseNot(), a.gt(0).cumsum(1)],
  'int32': a => [a.to('int32').neg(), a.to('int32').abs(), gf.where(a.gt(0), a.to('int32'), 7),
    a.to('int32').maskedFill(a.gt(0), -1), a.to('int32').clamp({ min: 0 }), a.to('int32').transpose(0, 1),
    a.to('int32').argmax(), a.to('int32').bitwiseNot()],
  'argsort of int32': a => a.to('int32').argsort(),
  'einsum': a => gf.einsum('...i,...i->...', a, a),
  'index': a => [a.indexAdd(1, [0, 1, 2, 2], a), a.indexFill(0, [1], 5)]
}

for (const [name, fn] of Object.entries(CASES)) {
  test(`${name}: onnxruntime has the same`, async () => {
    const x = gf.randn([3, 4]).mul(2)
    await assertRuns(new FunctionModule(fn), gf.ones([3, 4]), { input: x }, () => fn(x), name)
  })
}

test('PyTorch expressions', () => {
  const script = gf.toPyTorch(new FunctionModule(a => [a.ceil(), a.erf(), a.unfold(1, 2, 1), a.to('int32').bitwiseAnd(3),
    gf.where(a.gt(0), a.gt(1), false)]), gf.ones([2, 3]))
  for (const line of ['output = torch.ceil(input)', 'erf = torch.erf(input)', 'bitwise_and = to & 3',
    'unfold = input.contiguous().as_strided((2, 2, 2), (3, 1, 1), 0)', 'where = torch.where(gt, gt_2, False)']) {
    assert.ok(script.includes(line), `${line} is not in\n${script}`)
  }
})
