// Masks of attention: their shapes, queries that may attend to nothing, and tensors without heads or axes for batches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attention } from '../../src/reference/index.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, evaluate, gf, toTensor } from '../lib/engine.js'
import { filled, numbers } from '../lib/numbers.js'
import { checkExplanations } from '../lib/op_tests.js'

const F = gf.functional
const inputsOf = (B, H, Tq, Tk, D) => ({
  q: numbers([B, H, Tq, D], 1), k: numbers([B, H, Tk, D], 2), v: numbers([B, H, Tk, D], 3)
})
const run = ({ q, k, v, attn_mask: attnMask, key_padding_mask: keyPaddingMask }, { causal: isCausal, window } = {}) =>
  ({ y: F.scaledDotProductAttention(q, k, v, { attnMask, keyPaddingMask, isCausal, window }) })

/** Masks that hide every key from some queries, each in another way. */
function hidingMasks(B, Tq, Tk) {
  const flags = Array.from({ length: B * Tk }, (_, i) => i)
  const isHidden = isTrue => ({ dtype: 'bool', shape: [B, Tk], data: flags.map(i => Number(isTrue(i))) })
  const rows = filled([Tq, Tk], 0), atLeft = Math.min(Tk, 3)
  rows.data.fill(-Infinity, 0, Tk)
  return {
    'numbers': { attn_mask: rows },
    'padding of a whole sequence': { key_padding_mask: isHidden(i => i >= (B - 1) * Tk) },
    'padding at the left under a causal mask': { key_padding_mask: isHidden(i => i % Tk < atLeft), causal: true }
  }
}

test('a query that may attend to nothing gives 0 and passes gradients of 0', () => {
  const sizes = [[2, 3], [9, 37], [17, 17]].flatMap(([Tq, Tk]) =>
    Object.entries(hidingMasks(2, Tq, Tk)).map(all => [Tq, Tk, ...all]))
  for (const [Tq, Tk, name, { causal, ...masks }] of sizes) {
    const inputs = inputsOf(2, 2, Tq, Tk, 5), y = numbers([2, 2, Tq, 5], 4), params = { causal }
    const exact = attention.forward({ ...inputs, ...masks }, params)
    const grads = attention.backward({ ...inputs, ...masks }, params, { y })
    assert.ok(exact.weights.data.every(Number.isFinite) && exact.y.data.some(value => value === 0), name)
    const example = { inputs: { ...inputs, ...masks }, params, cot: { y } }
    const differentiable = ['q', 'k', 'v']
    const result = evaluate(run, example, differentiable)
    assertClose(result.outputs.y, exact.y, { tol: 1e-5, name })
    for (const key of differentiable) assertClose(result.grads[key], grads[key], { tol: 5e-5, name: `${name}: d${key}` })
    exact.y.data.forEach((value, i) => assert.ok(value !== 0 || result.outputs.y.data[i] === 0, name))
    if (Tq < 9) checkExplanations(run, example, differentiable)
  }
})

test('a window and a NaN score: only the query without visible keys gives 0', () => {
  const [q, k, v] = Object.values(inputsOf(1, 1, 6, 2, 4)).map(t => toTensor(t))
  const y = F.scaledDotProductAttention(q, k, v, { window: 2, isCausal: true }).toArray()[0][0]
  assert.deepEqual(y.map(row => row.every(value => value === 0)), [false, false, false, true, true, true])
  q.data[0] = NaN
  const [[rows]] = F.scaledDotProductAttention(q, k, v, { attnMask: gf.zeros([6, 2]) }).toArray()
  assert.deepEqual(rows.map(row => row.some(Number.isNaN)), [true, false, false, false, false, false])
})

test('modules: a padded sentence leaves the gradients of all others finite', () => {
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, 16, 0), x = gf.randn([2, 3, 8])
  const padding = [[false, false, true], [true, true, true]]
  layer(x, { srcKeyPaddingMask: padding }).sum().backward()
  for (const [name, { grad }] of layer.namedParameters()) assert.ok(plain(grad).data.every(Number.isFinite), name)
})

test('masks broadcast to [B, H, Tq, Tk], and their gradients are sums', () => {
  const B = 2, H = 3, Tq = 4, Tk = 5, [q, k, v] = Object.values(inputsOf(B, H, Tq, Tk, 2)).map(t => toTensor(t))
  const four = [[B, 1, 1, Tk], [1, 1, 1, Tk], [B, H, 1, Tk], [B, H, Tq, 1], [1, 1, Tq, 1]]
  for (const shape of [...four, [H, Tq, Tk], [H, 1, Tk], [1, Tk], [Tk], [1, 1]]) {
    const mask = toTensor(numbers(shape, 7), { requiresGrad: true })
    const full = mask.detach().expand(B, H, Tq, Tk).clone().requiresGrad_()
    const out = F.scaledDotProductAttention(q, k, v, { attnMask: mask })
    const expected = F.scaledDotProductAttention(q, k, v, { attnMask: full })
    assertSame(out, plain(expected), `[${shape}]`)
    for (const y of [out, expected]) y.mul(y).sum().backward()
    const summed = full.grad.reshape(B, H, Tq, Tk)
    const axes = [B, H, Tq, Tk].flatMap((_, i) => ((shape[i - 4 + shape.length] ?? 1) === 1 ? [i] : []))
    const total = axes.length ? summed.sum(axes, true) : summed
    assertClose(mask.grad, plain(total.reshape(shape)), { tol: 1e-5, name: `d[${shape}]` })
    const seen = mask.detach().gt(0)
    assertSame(F.scaledDotProductAttention(q, k, v, { attnMask: seen }),
      plain(F.scaledDotProductAttention(q, k, v, { attnMask: seen.expand(B, H, Tq, Tk).clone() })), `bool [${shape}]`)
  }
  assertRejects(() => F.scaledDotProductAttention(q, k, v, { attnMask: gf.zeros([B, Tk]) }), 'shape',
    '[B, H, Tq, Tk] = [2, 3, 4, 5], where each side may be 1')
  const attend = new gf.nn.MultiheadAttention(4, 2), x = gf.randn([2, 3, 4])
  const rows = [[false, false, true], [false, true, true]]
  const masks = [{ attnMask: gf.tensor(rows).reshape(2, 1, 1, 3) }, { keyPaddingMask: rows }]
  const [one, same] = masks.map(options => attend(x, x, x, options)[0])
  assertSame(one, plain(same))
  assertRejects(() => attend(x, x, x, { attnMask: [[0]] }), 'shape', 'attnMask')
})

test('q, k and v of three axes are heads without a batch', () => {
  const [q, k, v] = Object.values(inputsOf(1, 3, 4, 5, 2)).map(t => toTensor(t))
  const three = [q, k, v].map(t => t.squeeze(0))
  for (const attnMask of [undefined, gf.randn([4, 5]), gf.randn([3, 4, 5]), gf.randn([3, 1, 5])]) {
    const out = F.scaledDotProductAttention(...three, { attnMask })
    assert.deepEqual(out.shape, [3, 4, 2])
    assertSame(out.unsqueeze(0), plain(F.scaledDotProductAttention(q, k, v, { attnMask })))
  }
  assertRejects(() => F.scaledDotProductAttention(three[0], k, v), 'shape', 'k must have shape [H, T, D]')
  assertRejects(() => F.scaledDotProductAttention(...three, { keyPaddingMask: [[false]] }), 'shape', 'q.unsqueeze(1)')
})

test('no heads, no keys and no queries: gradients of zeros, with a mask of numbers, too', () => {
  const heads = [[0, 2, 2], [1, 0, 0], [1, 0, 1], [2, 0, 1], [1, 2, 1]]
  const sizes = heads.flatMap(all => [[0, 2], [2, 0], [2, 3]].map(T => [...all, ...T]))
  for (const [B, H, KV, Tq, Tk] of sizes) {
    const of = (...shape) => gf.randn(shape, { requiresGrad: true })
    const all = [of(B, H, Tq, 2), of(B, KV, Tk, 2), of(B, KV, Tk, 2), of(Tq, Tk)]
    F.scaledDotProductAttention(all[0], all[1], all[2], { attnMask: all[3], enableGqa: true }).sum().backward()
    for (const { grad } of all) assert.ok(plain(grad).data.every(Number.isFinite), `${[B, H, KV, Tq, Tk]}`)
  }
})

test('a mask of zeros and ones as numbers is refused, with what to write', () => {
  const x = gf.randn([1, 3, 4]), four = x.unsqueeze(1), { nn } = gf
  const flags = gf.ones([3, 3]).triu(1), nested = flags.toArray()
  const modules = 'which would be added to the scores and hide nothing; where 1 hides, ' +
    "write mask.to('bool'), and where 1 is visible mask.eq(0)"
  assertRejects(() => F.scaledDotProductAttention(four, four, four, { attnMask: flags }), 'type',
    'scaledDotProductAttention: attnMask holds only 0 and 1', "where 1 hides, write mask.eq(0), and where 1 is visible mask.to('bool')")
  assertRejects(() => F.scaledDotProductAttention(four, four, four, { attnMask: nested }), 'type', "gf.tensor(mask).to('bool')")
  const mha = new nn.MultiheadAttention(4, 2), layer = new nn.TransformerEncoderLayer(4, 2, { dropout: 0 })
  assertRejects(() => mha(x, x, x, { attnMask: flags }), 'type', 'MultiheadAttention: attnMask', modules)
  assertRejects(() => layer(x, flags), 'type', 'TransformerEncoderLayer: srcMask', modules)
  assertRejects(() => new nn.TransformerEncoder(layer, 1)(x, nested), 'type', 'TransformerEncoder: mask', 'gf.tensor(mask).eq(0)')
  const both = new nn.Transformer({ dModel: 4, nhead: 2, numEncoderLayers: 1, numDecoderLayers: 1, dimFeedforward: 8 })
  assertRejects(() => both(x, x, { memoryMask: flags }), 'type', 'TransformerDecoder: memoryMask', modules)
  for (const attnMask of [gf.zeros([3, 3]), gf.ones([3, 3]), gf.tensor(nested, { requiresGrad: true }), flags.to('bool')]) {
    mha(x, x, x, { attnMask })
    F.scaledDotProductAttention(four, four, four, { attnMask })
  }
})
