// Weights in GGUF's blocks: products and rows against double precision, their gradients, and what they are not for.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { BLOCKS } from '../../src/js/tensor/blocks.js'
import { loadBlockKernels } from '../../src/js/engine/load_blocks.js'
import { Parameter } from '../../src/js/nn/parameter.js'
import { blockFormats, restoreBlocks } from '../../src/reference/blocks.js'
import { linear } from '../../src/reference/index.js'
import { rounded } from '../../src/reference/stored.js'
import { U } from '../lib/bounds.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { randomBlocks } from '../models/gguf_file.js'

await loadBlockKernels(gf.engine)
const F = gf.functional, TYPES = Object.keys(blockFormats), ROWS = [0, 1, 2, 3, 4, 5, 17]
const unrecorded = fn => gf.tidy(() => gf.noGrad(fn))
const dtypeOf = type => type.toLowerCase()

/** A weight in blocks. */
function weightOf({ type, shape, bytes }) {
  const weight = new Parameter(gf.engine, shape, undefined, dtypeOf(type), true)
  weight.bytes.set(bytes)
  return weight
}

/** Shapes with 1 to 17 rows of 1 to 5 blocks. */
const shapesOf = type => [[1, 1], [3, 2], [8, 1], [9, 3], [17, 5], [0, 1], [2, 0]].map(
  ([rows, blocks]) => [rows, blocks * blockFormats[type].values])
const random = (type, shape, options) =>
  (shape.includes(0) ? { type, shape, bytes: new Uint8Array(0) } : randomBlocks(type, shape, options))

/** The sizes of the parts of a weight: |scale × code| + |min|. */
function sizesOf({ type, shape, bytes }) {
  const { bytes: step, values, center, decode } = BLOCKS[type], data = new Float64Array(shape[0] * shape[1])
  for (let b = 0; b * step < bytes.length; b++) {
    const { scales, mins, codes } = decode(bytes, b * step), group = values / scales.length
    codes.forEach((code, i) => {
      const g = Math.floor(i / group)
      data[b * values + i] = Math.abs(scales[g] * (code - center)) + Math.abs(mins[g])
    })
  }
  return { shape, data }
}

/** Steps of x: integers up to this. */
const stepsOf = type => (type === 'Q6_K' ? 16383 : 32767)

/**
 * The exact result with rounded x, and the bound of the rounding errors: the sums of 32 products are exact, so there is
 * one addition a group and ten more roundings at most.
 */
function expected(x, stored, bias) {
  const { type, shape, bytes } = stored, absolute = t => t && { ...t, data: Float64Array.from(t.data, Math.abs) }
  const inputs = { x: rounded(x, stepsOf(type)), bias }
  const sizes = linear.forward({ x: absolute(inputs.x), weight: sizesOf(stored), bias: absolute(bias) }).y
  const tol = Array.from(sizes.data, size => (shape[1] / 32 + 10) * U * size)
  return { exact: linear.forward({ ...inputs, weight: { shape, data: restoreBlocks(type, bytes) } }).y, tol }
}

for (const type of TYPES) {
  const dtype = dtypeOf(type), isPackable = ['q8_0', 'q4_0', 'q4_k'].includes(dtype)

  test(`${dtype}: rows are those of the file, to the bit as JavaScript reads them`, () => gf.tidy(() => {
    for (const shape of shapesOf(type)) {
      const stored = random(type, shape), weight = weightOf(stored), { values, bytes, read } = BLOCKS[type]
      const all = new Float32Array(shape[0] * shape[1])
      for (let b = 0; b < stored.bytes.length / bytes; b++) read(stored.bytes, b * bytes, all, b * values)
      assertSame(weight.to('float32'), { shape, data: all }, `${dtype} ${shape}`)
      assert.deepEqual(Array.from(weight.bytes), Array.from(stored.bytes), 'as they lie')
      assert.deepEqual(weight.toArray(), weight.to('float32').toArray())
      assertSame(weight, { shape, data: all })
      if (all.length) assert.equal(weight.at(shape[0] - 1, shape[1] - 2), all.at(-2))
      if (shape[0]) assertSame(F.embedding([[shape[0] - 1, 0]], weight), plain(weight.to('float32').indexSelect(0, [shape[0] - 1, 0]).reshape(1, 2, shape[1])))
      weight.dispose()
    }
  }))

  test(`${dtype}: linear against double precision; a row has the same bits alone and among others`, () => {
    for (const shape of shapesOf(type)) for (const M of ROWS) unrecorded(() => {
      const stored = random(type, shape, { seed: M + 7 }), weight = weightOf(stored), [N, K] = shape
      const x = gf.randn([M, K])
      for (const bias of [gf.randn([N]), undefined]) {
        const y = F.linear(x, weight, bias), result = expected(plain(x), stored, bias && plain(bias))
        assertClose(y, result.exact, { tol: result.tol, name: `${dtype} ${shape}, ${M} rows` })
        for (let m = 0; m < M; m++) assertSame(F.linear(x.narrow(0, m, 1), weight, bias), plain(y.narrow(0, m, 1)))
      }
      weight.dispose()
    })
  })

  test(`${dtype}: the largest codes and activations give the largest sums`, () => unrecorded(() => {
    const { values, bytes, halves } = blockFormats[type], shape = [9, values]
    for (const fill of [0, 255, 127, 128]) for (const sign of [1, -1]) {
      const stored = { type, shape, bytes: new Uint8Array(9 * bytes).fill(fill) }
      for (let b = 0; b < 9; b++) {
        for (const at of halves) stored.bytes.set([0, 0x3c], b * bytes + at)
        if (type === 'Q6_K') stored.bytes.fill(128, b * bytes + 192, b * bytes + 208)
      }
      const weight = weightOf(stored), x = gf.full([5, values], sign), y = F.linear(x, weight)
      const result = expected(plain(x), stored)
      assertClose(y, result.exact, { tol: result.tol, name: `${dtype}, ${fill}` })
      assertSame(F.linear(x.narrow(0, 4, 1), weight), plain(y.narrow(0, 4, 1)))
      weight.dispose()
    }
  }))

  test(`${dtype}: infinity and NaN among activations or scales stay in their rows and columns`, () => unrecorded(() => {
    const { values, bytes, halves } = blockFormats[type]
    const stored = randomBlocks(type, [9, 2 * values], { isForModel: true })
    const x = gf.ones([6, 2 * values]), weight = weightOf(stored)
    x.data[2 * values + 5] = NaN
    x.data[3 * 2 * values - 1] = Infinity
    const y = F.linear(x, weight).toArray()
    assert.ok(y[1].every(Number.isNaN) && y[2].every(value => !Number.isFinite(value)))
    for (const row of [0, 3, 4, 5]) assert.ok(y[row].every(Number.isFinite))
    assertSame(F.linear(x.narrow(0, 2, 1), weight), { shape: [1, 9], data: y[2] })
    for (const [high, low] of [[0x7c, 0], [0xfc, 0], [0x7e, 1], [0x7c, 1]]) {
      const bad = { ...stored, bytes: stored.bytes.slice() }, at = 3 * 2 * bytes + halves[0]
      bad.bytes.set([low, high], at)
      const other = weightOf(bad), row = new Float32Array(values)
      BLOCKS[type].read(bad.bytes, 3 * 2 * bytes, row, 0)
      assertSame(other.to('float32').narrow(0, 3, 1).narrow(1, 0, values), { shape: [1, values], data: row })
      const columns = F.linear(gf.ones([5, 2 * values]), other).toArray()
      for (const column of [0, 3, 8]) assert.ok(columns.every(r => Number.isFinite(r[column]) === (column !== 3)), `${high}`)
      other.dispose()
    }
    weight.dispose()
  }))

  test(`${dtype}: gradients go through a weight to its input and its bias`, () => gf.tidy(() => {
    const shape = [19, 2 * blockFormats[type].values], stored = randomBlocks(type, shape, { isForModel: true })
    const weight = weightOf(stored), wide = weight.to('float32'), x = gf.randn([5, shape[1]], { requiresGrad: true })
    const bias = gf.randn([19], { requiresGrad: true }), cot = gf.randn([5, 19])
    F.linear(x, weight, bias).mul(cot).sum().backward()
    assertSame(x.grad, plain(gf.noGrad(() => gf.matmul(cot, wide))))
    assertClose(bias.grad, plain(gf.noGrad(() => cot.sum(0))), { tol: 1e-5 })
    assertRejects(() => { weight.requiresGrad = true }, 'type', 'requiresGrad', dtype)
    weight.dispose()
  }))

  test(`${dtype}: a trace has the same bits and correct explanations`, () => {
    const { values } = blockFormats[type], [table, own] = [[7, values], [6, values]].map(shape => (
      weightOf(randomBlocks(type, shape, { isForModel: true }))))
    const model = new gf.nn.Sequential(new gf.nn.Embedding(7, values), new gf.nn.Linear(values, 6)).requiresGrad_(false)
    Object.assign(model[0], { weight: table })
    Object.assign(model[1], { weight: own })
    const run = () => model.forward([[1, 6, 3]]), { output, trace } = gf.trace(run, { modules: { model } })
    const result = output.toArray()
    assert.deepEqual(result, unrecorded(() => run().toArray()))
    const described = trace.explain('model.1.output', [0, 1, 5])
    assert.equal(described.value, output.at(0, 1, 5))
    assert.ok(Math.abs(described.rounding) <= 1e-5 * Math.max(1, Math.abs(described.value)))
    assert.equal(described.terms.length, values + 1)
    assert.equal(described.terms[9].factors[1].value, own.at(5, 8))
    assert.equal(trace.explain('model.0.output', [0, 1, 3]).value, table.at(6, 3))
    trace.dispose()
    assert.deepEqual([...gf.observe(run, { modules: { model } }).read('model.1.weight')], own.toArray().flat())
    assertRejects(() => gf.trace(run, { modules: { model }, edits: [{ name: 'model.1.weight', index: [0, 0], value: 1 }] }),
      'type', 'model.1.weight', dtype, 'edited')
    const copy = model.clone(), fast = gf.compile(copy)
    assert.deepEqual(unrecorded(() => copy.forward([[1, 6, 3]]).toArray()), result, 'cloned')
    for (let n = 0; n < 4; n++) {
      const ids = gf.tensor([[n, 6, 3]], { dtype: 'int32' })
      assert.deepEqual(unrecorded(() => fast(ids).toArray()), unrecorded(() => copy.forward(ids).toArray()), 'compiled')
    }
    assert.equal(fast.reason, '')
    assert.deepEqual(gf.loadSafetensors(gf.saveSafetensors(model.stateDict())).tensors['1.weight'].toArray(), own.toArray())
    const wide = new gf.nn.Sequential(new gf.nn.Embedding(7, values), new gf.nn.Linear(values, 6))
    if (isPackable) {
      copy.loadStateDict(wide.stateDict())
      assertSame(copy[1].weight.to('float32'), plain(gf.quantize(wide, { dtype })[1].weight.to('float32')), 'converted')
    } else assertRejects(() => copy.loadStateDict(wide.stateDict()), 'type', dtype, 'GGUF', "dtype: 'float32'")
    assert.equal(gf.quantize(copy)[1].weight.dtype, 'int8')
    assertRejects(() => gf.toOnnx(model, { input: [[1, 2]] }), 'type', 'toOnnx', '0.weight', dtype, "dtype: 'float32'")
    for (const each of [model, copy]) each.dispose()
  })

  test(`${dtype}: refused where it cannot be used`, () => {
    const { values } = blockFormats[type], weight = weightOf(randomBlocks(type, [3, values]))
    assertRejects(() => new Parameter(gf.engine, [2, values + 8], undefined, dtype, true), 'shape', dtype, `blocks of ${values} values`, `${values + 8}`)
    assertRejects(() => new Parameter(gf.engine, [values], undefined, dtype, true), 'shape', dtype, 'matrix')
    assertRejects(() => gf.randn([2, values]).to(dtype), 'type', dtype, 'GGUF')
    assertRejects(() => gf.tensor([1], { dtype }), 'type', dtype)
    assertRejects(() => F.relu(weight), 'type', 'relu', dtype, "to('float32')")
    assertRejects(() => weight.reshape(3 * values), 'shape', dtype)
    assertRejects(() => weight.dataPtr(), 'type', dtype, "to('float32')")
    assertRejects(() => F.linear(gf.ones([1, values - 1]), weight), 'shape', 'linear', `${values}`)
    if (!isPackable) assertRejects(() => gf.quantize(new gf.nn.Linear(values, 2), { dtype }), 'range', 'dtype', 'int8')
    assert.match(String(weight), new RegExp(`dtype=torch.${dtype}`))
    weight.dispose()
  })
}

test('the kernels for blocks import a memory, and have neither data nor a stack', async () => {
  for (const name of ['blocks', 'blocks.threads']) {
    const module = new WebAssembly.Module(await readFile(new URL(`../../dist/glassformer.${name}.wasm`, import.meta.url)))
    assert.deepEqual(WebAssembly.Module.imports(module), [{ module: 'env', name: 'memory', kind: 'memory' }])
    assert.ok(WebAssembly.Module.exports(module).every(({ kind }) => kind === 'function'), 'no global')
    const bytes = await readFile(new URL(`../../dist/glassformer.${name}.wasm`, import.meta.url)), sections = sectionsOf(bytes)
    assert.deepEqual(sections.filter(id => [GLOBAL, DATA, DATA_COUNT, START].includes(id)), [])
  }
})

const GLOBAL = 6, START = 8, DATA = 11, DATA_COUNT = 12
/** The numbers of the sections of a module. */
function sectionsOf(bytes) {
  const ids = []
  for (let at = 8; at < bytes.length;) {
    ids.push(bytes[at++])
    let size = 0
    for (let shift = 0, more = true; more; shift += 7) {
      size += (bytes[at] & 127) * 2 ** shift
      more = bytes[at++] > 127
    }
    at += size
  }
  return ids
}
