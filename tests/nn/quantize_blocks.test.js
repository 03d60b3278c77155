// Weights that gf.quantize stores in GGUF's blocks: the values of q8_0 and q4_0 by their definition, the error of q4_k,
// and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { loadBlockKernels } from '../../src/js/engine/load_blocks.js'
import { restoreBlocks } from '../../src/reference/blocks.js'
import { toFloat16 } from '../../src/reference/stored.js'
import { assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

await loadBlockKernels(gf.engine)
const unrecorded = fn => gf.tidy(() => gf.noGrad(fn))

/** A layer with values of very different sizes, and blocks of zeros and of equal values. */
function createLayer(K, N = 9) {
  const layer = new gf.nn.Linear(K, N, { bias: false })
  gf.nn.init.normal_(layer.weight)
  layer.weight.data.forEach((value, i, all) => { all[i] = value * [1, 0.02, 30, 1e-3][Math.floor(i / 32) % 4] })
  layer.weight.data.fill(0, 0, 32)
  layer.weight.data.fill(-0.75, 32, 64)
  layer.weight.data[100] = 2 ** 18 - 1
  layer.weight.data.fill(1e-9, 128, 160)
  return layer
}

/** The values by the definition of a group. */
const byGroups = (weight, round) => Array.from({ length: weight.length / 32 },
  (_, g) => round(Array.from(weight.subarray(32 * g, 32 * g + 32)))).flat()
/** Codes as the kernel rounds them: float32 quotients to the nearest, ties to even. */
const codeOf = (x, scale, low, high) => {
  const quotient = Math.fround(x / scale), floor = Math.floor(quotient), rest = quotient - floor
  const nearest = rest === 0.5 ? floor + Math.abs(floor % 2) : Math.round(quotient)
  return scale ? Math.max(low, Math.min(high, nearest)) : 0
}
const definitions = {
  q8_0(group) {
    const scale = toFloat16(Math.fround(Math.max(...group.map(Math.abs)) / 127))
    return group.map(x => scale * codeOf(x, scale, -127, 127))
  },
  q4_0(group) {
    const extreme = group.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0)
    const scale = toFloat16(Math.fround(extreme / -8))
    return group.map(x => scale * codeOf(x, scale, -8, 7))
  }
}

for (const [dtype, round] of Object.entries(definitions)) test(`${dtype}: the values are those of the definition`, () => {
  for (const K of [32, 64, 288]) unrecorded(() => {
    const layer = createLayer(K, 11), weight = layer.weight.data.slice()
    gf.quantize(layer, { dtype })
    assert.equal(layer.weight.dtype, dtype)
    assertSame(layer.weight.to('float32'), { shape: [11, K], data: byGroups(weight, round) })
    assert.deepEqual(layer.weight.toArray().flat(), restoreBlocks(dtype.toUpperCase(), layer.weight.bytes))
  })
})

/** The squared error of each block of 256 values. */
const errors = (weight, restored) => Array.from({ length: weight.length / 256 }, (_, b) =>
  weight.slice(256 * b, 256 * b + 256).reduce((sum, x, i) => sum + (x - restored[256 * b + i]) ** 2, 0))

/** Blocks of 256 by the plain rule, in double precision: 6-bit scales and minimums by the range of each group. */
function byRange(block) {
  const groups = Array.from({ length: 8 }, (_, g) => block.slice(32 * g, 32 * g + 32))
  const lows = groups.map(group => -Math.min(0, ...group))
  const steps = groups.map((group, g) => (Math.max(...group) + lows[g]) / 15)
  const d = toFloat16(Math.fround(Math.max(...steps) / 63)), dmin = toFloat16(Math.fround(Math.max(...lows) / 63))
  return groups.flatMap((group, g) => {
    const scale = d * codeOf(steps[g], d, 0, 63), min = dmin * codeOf(lows[g], dmin, 0, 63)
    return group.map(x => scale * codeOf(x + min, scale, 0, 15) - min)
  })
}

test('q4_k: the error is smaller than by the range of the values, and close to the best', () => unrecorded(() => {
  const layer = new gf.nn.Linear(512, 64, { bias: false })
  gf.nn.init.normal_(layer.weight)
  const weight = Array.from(layer.weight.data), plain = []
  for (let b = 0; b < weight.length; b += 256) plain.push(...byRange(weight.slice(b, b + 256)))
  gf.quantize(layer, { dtype: 'q4_k' })
  const restored = layer.weight.toArray().flat(), sum = list => list.reduce((a, b) => a + b, 0)
  assert.deepEqual(restored, Array.from(new Float32Array(restoreBlocks('Q4_K', layer.weight.bytes))))
  const [own, simple] = [restored, plain].map(values => sum(errors(weight, values)))
  assert.ok(own < 0.85 * simple, `${own} against ${simple}`)
  assert.ok(own < 0.0735 ** 2 * sum(weight.map(x => x * x)), `${own}: 0.0714 of the size of normal values was measured`)
}))

test('q4_k: equal values, zeros, outliers and values of one sign', () => unrecorded(() => {
  const layer = createLayer(512, 2), { data } = layer.weight
  data.forEach((value, i) => { if (i >= 512) data[i] = 0.25 + Math.abs(value) * 1e-3 })
  const weight = Array.from(data)
  gf.quantize(layer, { dtype: 'q4_k' })
  const restored = layer.weight.toArray().flat()
  for (let b = 0; b < 4; b++) {
    const block = weight.slice(256 * b, 256 * b + 256), range = Math.max(...block) - Math.min(0, ...block)
    block.forEach((x, i) => assert.ok(Math.abs(restored[256 * b + i] - x) <= range / 15, `${b}, ${i}: ${x}, ${restored[256 * b + i]}`))
  }
}))

test('a model in blocks computes nearly what it did, and can be saved', () => unrecorded(() => {
  for (const [dtype, bound] of [['q8_0', 0.01], ['q4_0', 0.2], ['q4_k', 0.15]]) {
    const model = new gf.nn.Sequential(new gf.nn.Linear(256, 512), new gf.nn.ReLU(), new gf.nn.Linear(512, 16))
    const x = gf.randn([5, 256]), before = model.forward(x).data.slice()
    assert.equal(gf.quantize(model, { dtype }), model)
    const after = model.forward(x).data, size = Math.sqrt(before.reduce((a, v) => a + v * v, 0))
    assert.ok(Math.sqrt(before.reduce((a, v, i) => a + (v - after[i]) ** 2, 0)) < bound * size, dtype)
    assert.ok(model.parameters().every(parameter => !parameter.requiresGrad))
    model.dispose()
  }
}))

test('what cannot be stored is refused', async () => {
  const other = await load()
  assertRejects(() => other.quantize(new other.nn.Linear(32, 2), { dtype: 'q8_0' }), 'state', 'quantize', 'q8_0', 'await gf.loadBlocks()')
  await other.loadBlocks()
  assert.equal(other.quantize(new other.nn.Linear(32, 2), { dtype: 'q8_0' }).weight.dtype, 'q8_0')
  assertRejects(() => gf.quantize(new gf.nn.Linear(33, 2), { dtype: 'q4_0' }), 'shape', 'quantize: weight', 'q4_0', 'whole blocks of 32', '[2, 33]')
  assertRejects(() => gf.quantize(new gf.nn.Linear(32, 2), { dtype: 'q4_k' }), 'shape', 'weight', 'whole blocks of 256')
  for (const value of [NaN, Infinity, 2 ** 18]) {
    const layer = new gf.nn.Linear(32, 3)
    layer.weight.data[40] = value
    assertRejects(() => gf.quantize(layer, { dtype: 'q8_0' }), 'range', 'weight', 'row 1', '262144')
    assert.equal(layer.weight.dtype, 'float32', 'and left as it is')
  }
  assertRejects(() => gf.quantize(new gf.nn.Linear(32, 2), { dtype: 'q6_k' }), 'range', 'dtype', 'q4_k')
})
