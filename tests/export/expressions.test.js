// The PyTorch expression of each operation, and the helper functions.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { HELPERS } from '../../src/js/export/pytorch_helpers.js'
import { gf } from '../lib/engine.js'
import { FunctionModule } from './modules.js'

const { functional: F } = gf, padding = [[false, false, true], [false, false, false]]
const attend = F.scaledDotProductAttention

/** Functions, the shapes of their inputs, and the lines of the exported forward without the return statement. */
const CASES = {
  'rotary': [a => [F.rotary(a), F.rotary(a, { layout: 'interleaved', heads: 2, base: 100 }),
    F.rotary(a, { positions: [3, 4, 9] }), F.rotary(a, { positions: [[0, 1, 2], [5, 6, 7]] }),
    F.rotary(a, { heads: 2, dims: 2, scale: 1.5 })], [[2, 3, 8]], `
    output = rotary(input)
    rotary_2 = rotary(input, heads=2, base=100, interleaved=True)
    rotary_3 = rotary(input, positions=torch.tensor([3, 4, 9]))
    rotary_4 = rotary(input, positions=torch.tensor([[0, 1, 2], [5, 6, 7]]))
    rotary_5 = rotary(input, heads=2, dims=2, scale=1.5)`],
  'attention': [(q, k, mask) => [attend(q, k, k, { enableGqa: true, isCausal: true }),
    attend(q, k, k, { enableGqa: true, attnMask: mask, scale: 0.3 }),
    attend(q, q, q, { window: 2, keyPaddingMask: padding }),
    attend(q, q, q, { attnMask: mask.narrow(0, 0, 1).reshape(3, 3) })],
  [[2, 4, 3, 6], [2, 2, 3, 6], [2, 1, 3, 3]], `
    output, weights = attention(input, x1, x1, 4, kv_heads=2, causal=True)
    attention_2, weights_2 = attention(input, x1, x1, 4, kv_heads=2, scale=0.3, mask=x2)
    attention_3, weights_3 = attention(input, input, input, 4, window=2, padding=torch.tensor([[False, False, True], [False, False, False]]))
    narrow = x2[0:1]
    reshape = narrow.reshape(-1, 3)
    attention_4, weights_4 = attention(input, input, input, 4, mask=reshape)`],
  'reductions': [a => [a.sum(), a.sum({ dim: 1 }), a.mean({ dim: [0, 2], keepdim: true }),
    a.sum({ dim: [0, 1, 2], keepdim: true }), a.logsumexp({ dim: 0 }), a.max({ dim: 1 }).values,
    a.prod({ dim: [0, 1] }), a.gt(0).all({ dim: 0, keepdim: true }), a.argmax(),
    a.argmin({ dim: 1 }), a.argmax({ dim: 1, keepdim: true }),
    a.var({ dim: 1 }), a.std({ correction: 0 }), a.norm({ p: 3, dim: 1 }), a.cumsum(1)], [[2, 3, 4]], `
    output = torch.sum(input)
    sum = torch.sum(input, dim=1)
    mean = torch.mean(input, dim=(0, 2), keepdim=True)
    sum_2 = torch.sum(input, dim=(0, 1, 2), keepdim=True)
    logsumexp = torch.logsumexp(input, dim=(0,), keepdim=False)
    max = torch.amax(input, dim=(1,), keepdim=False)
    prod = input.prod(dim=1, keepdim=False).prod(dim=0, keepdim=False)
    gt = input > 0
    all = gt.all(dim=0, keepdim=True)
    argmax = torch.argmax(input).reshape(())
    argmin = torch.argmin(input, dim=1)
    argmax_2 = torch.argmax(input, dim=1, keepdim=True)
    var = torch.var(input, dim=(1,), keepdim=False, correction=1)
    std = torch.std(input, dim=(0, 1, 2), keepdim=False, correction=0)
    norm = torch.linalg.vector_norm(input, dim=(1,), keepdim=False, ord=3)
    cumsum = torch.cumsum(input, 1)`],
  'numbers': [a => [a.add(2), F.sub(1, a), a.pow(2), a.maximum(0.5), F.leakyRelu(a, { negativeSlope: 0.1 }),
    a.clamp({ min: 0 }), F.softplus(a, { beta: 2 }), F.gelu(a), F.gelu(a, { approximate: 'tanh' }),
    F.mseLoss(a, a.mul(2), { reduction: 'none' })], [[2, 3]], `
    output = input + 2
    sub = 1 - input
    pow = torch.pow(input, 2)
    maximum = torch.maximum(input, torch.tensor(0.5))
    leaky_relu = F.leaky_relu(input, 0.1)
    clamp = torch.clamp(input, 0, float('inf'))
    softplus = F.softplus(input, 2, 20)
    gelu = F.gelu(input)
    gelu_2 = F.gelu(input, approximate='tanh')
    mul = input * 2
    squared_error = F.mse_loss(input, mul, reduction="none")`],
  'views and parts': [a => [a.narrow(0, 1, 1), a.slice(1, 0, 3, 2), a.slice(1, 1, 3), a.reshape(6), a.reshape(3, 2),
    a.transpose(0, 1), a.permute(1, 0), a.flip([0, 1]), gf.cat([a, a], { dim: 1 }), gf.where(a.gt(0), a, 0),
    gf.einsum('ii->i', a.narrow(1, 0, 2))], [[2, 3]], `
    output = input[1:2]
    slice = input[:, 0:4:2]
    slice_2 = input[:, 1:3]
    reshape = input.reshape(-1)
    reshape_2 = input.reshape(-1, 2)
    transpose = input.transpose(0, 1)
    permute = input.permute(1, 0)
    flip = torch.flip(input, (0, 1))
    cat = torch.cat([input, input], dim=1)
    gt = input > 0
    where = torch.where(gt, input, 0)
    slice_3 = input[:, 0:2]
    diagonal = slice_3.contiguous().as_strided((2,), (3,), 0)`],
  'indices and copies': [a => [a.indexSelect(1, [2, 0]), a.gather(0, [[0, 1, 1]]), a.sort({ descending: true }).indices,
    a.topk(2, { dim: 0 }).indices, a.to('int32'), a.clone(), a.detach(), F.dropout(a, { p: 0.5, training: true })], [[2, 3]], `
    output = torch.index_select(input, 1, self.constant)
    gather = torch.gather(input, 0, self.constant_2)
    order = torch.sort(input, dim=1, descending=True, stable=True).indices
    order_2 = torch.sort(input, dim=0, descending=True, stable=True).indices
    to = input.to(torch.int64)
    clone = input.clone()
    detach = input.detach()
    dropout = F.dropout(input, 0.5, self.training)`],
  'rows': [(a, w, b) => [F.linear(a, w, b), F.layerNorm(a, b, null, { eps: 0.1 }), F.layerNorm(a),
    F.rmsNorm(a, null, { eps: 0.5 }), F.softmax(a, { dim: 0 }), F.logSoftmax(a), a.matmul(w), a.topk(2).indices],
  [[2, 3], [3, 3], [3]], `
    output = F.linear(input, x1, x2)
    layer_norm = F.layer_norm(input, (3,), x2, None, 0.1)
    layer_norm_2 = F.layer_norm(input, (3,), None, None, 0.00001)
    rms_norm_2 = rms_norm(input, None, 0.5)
    softmax = F.softmax(input, dim=0)
    log_softmax = F.log_softmax(input, dim=1)
    matmul = input @ x1
    order = torch.sort(input, dim=1, descending=True, stable=True).indices.narrow(1, 0, 2)`]
}

for (const [name, [fn, shapes, lines]] of Object.entries(CASES)) test(`${name}: PyTorch expressions`, () => {
  const inputs = shapes.map(shape => gf.ones(shape))
  const script = gf.toPyTorch(new FunctionModule(fn), inputs.length === 1 ? inputs[0] : inputs)
  const [body] = script.slice(script.indexOf('def forward(')).split('\n\n')
  assert.deepEqual(body.split('\n').slice(1, -1).map(line => line.trim()), lines.trim().split('\n').map(line => line.trim()))
})

// Changed helpers must be tested with PyTorch by hand (see README) before WRITE=1 updates the file.
test('the text of the helper functions', () => {
  const golden = new URL('./helpers.py', import.meta.url), text = Object.values(HELPERS).join('\n\n')
  if (process.env.WRITE) writeFileSync(golden, text)
  assert.equal(text, readFileSync(golden, 'utf8'))
})
