// Weights of 16 and 8 bits: the values they store, what is computed with them, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { U } from '../lib/bounds.js'
import { linear } from '../../src/reference/index.js'
import { rounded, stored, toFloat16 } from '../../src/reference/stored.js'

const F = gf.functional, TYPES = ['float16', 'bfloat16', 'int8'], HALVES = ['float16', 'bfloat16']
const SHAPES = [[1, 1], [3, 5], [4, 32], [5, 33], [8, 3], [17, 31], [24, 64], [33, 100], [9, 1600]]
const ROWS = [0, 1, 2, 3, 4, 5, 17]
const unrecorded = fn => gf.tidy(() => gf.noGrad(fn))

/** Weights of every size: from 1e-9 to 1e4, zeros, whole blocks of zeros. */
function mixed([N, K]) {
  const t = gf.randn([N, K]), { values } = t
  for (let i = 0; i < values.length; i++) values[i] *= [1, 0.02, 1e4, 1e-6, 0, 1e-9, 3][(i * 7 + i % 5) % 7]
  if (K > 64) values.fill(0, 32, 64)
  return t
}

/** As many products as a sum has, each rounded, and the sum after each. */
function expected(x, weight, bias, seen = x) {
  const inputs = { x: seen, weight, bias }, exact = linear.forward(inputs).y
  const absolute = t => t && { ...t, data: Float64Array.from(t.data, Math.abs) }
  const sizes = linear.forward({ x: absolute(seen), weight: absolute(weight), bias: absolute(bias) }).y
  return { exact, tol: Array.from(sizes.data, size => (weight.shape[1] + 3) * U * size) }
}

for (const dtype of TYPES) {
  test(`${dtype}: every weight is stored as in the reference`, () => {
    for (const shape of SHAPES) gf.tidy(() => {
      const weight = mixed(shape), own = weight.to(dtype), wide = own.to('float32')
      assertSame(wide, stored[dtype](plain(weight)), `${dtype} ${shape}`)
      assert.deepEqual(own.toArray(), wide.toArray())
      assert.equal(own.at(shape[0] - 1, shape[1] - 1), wide.at(shape[0] - 1, shape[1] - 1))
      assertSame(wide.to(dtype).to('float32'), plain(wide), 'stored values are exact')
      if (dtype === 'int8') assertSame(own, plain(wide))
    })
  })

  test(`${dtype}: linear uses the stored values; a row has the same bits alone and among others`, () => {
    for (const shape of SHAPES) for (const M of ROWS) gf.tidy(() => {
      const weight = mixed(shape).to(dtype), [N, K] = shape, x = gf.randn([M, K]), bias = gf.randn([N])
      for (const b of [bias, undefined]) unrecorded(() => {
        const y = F.linear(x, weight, b), kept = plain(weight.to('float32')), seen = dtype === 'int8' ? rounded(plain(x))
          : plain(x)
        const { exact, tol } = expected(plain(x), kept, b && plain(b), seen)
        assertClose(y, exact, { tol, name: `${dtype} ${shape}, ${M} rows` })
        for (let m = 0; m < M; m++) assertSame(F.linear(x.narrow(0, m, 1), weight, b), plain(y.narrow(0, m, 1)))
      })
    })
  })

  test(`${dtype}: embedding reads rows; rejects unknown dtypes`, () => {
    for (const [V, C] of SHAPES) gf.tidy(() => {
      const table = mixed([V, C]).to(dtype), ids = [V - 1, 0, V >> 1]
      assertSame(F.embedding(ids, table), plain(table.to('float32').indexSelect(0, ids)))
    })
    const table = gf.randn([9, 8]).to(dtype)
    assertRejects(() => F.embedding([9], table), 'index', 'embedding', '9')
    assertRejects(() => F.relu(table), 'type', 'relu', dtype, "to('float32')")
  })

  test(`${dtype}: empty weights give empty sums`, () => unrecorded(() => {
    assertSame(F.linear(gf.zeros([2, 0]), gf.zeros([5, 0]).to(dtype), gf.ones([5])), plain(gf.ones([2, 5])))
    assert.deepEqual(F.linear(gf.zeros([2, 3]), gf.zeros([0, 3]).to(dtype)).shape, [2, 0])
    assert.deepEqual(F.embedding([], gf.zeros([5, 3]).to(dtype)).shape, [0, 3])
  }))

  test(`${dtype}: rejects weights that are not finite`, () => unrecorded(() => {
    const weight = gf.randn([19, 40]).to(dtype), x = gf.randn([4, 40])
    x.data[45] = NaN
    x.data[85] = Infinity
    const y = F.linear(x, weight), wide = F.linear(x, weight.to('float32'))
    if (dtype === 'int8') assert.ok([1, 2].every(row => y.toArray()[row].every(Number.isNaN)))
    else assertSame(y, plain(wide))
    for (const row of [0, 3]) assert.ok(y.toArray()[row].every(Number.isFinite))
    const bad = gf.randn([19, 40])
    bad.data[700] = Infinity
    if (dtype !== 'bfloat16') assertRejects(() => F.linear(x, bad.to(dtype)), 'range', dtype, 'finite')
  }))

  test(`${dtype}: a model is quantized, saved, cloned and loaded`, () => {
    const model = new gf.nn.Sequential(new gf.nn.Embedding(20, 16), new gf.nn.TransformerEncoderLayer(16, 2, {
      dimFeedforward: 24, dropout: 0 }), new gf.nn.Linear(16, 20)).eval()
    const held = () => Object.values(model.stateDict()).reduce((sum, t) => sum + t.bytes.length, 0), before = held()
    const weights = Object.fromEntries(Object.entries(model.stateDict()).map(
      ([name, t]) => [name, plain(t)]))
    const reference = unrecorded(() => model.forward([[3, 1, 19]]).toArray())
    assert.equal(gf.quantize(model, { dtype }), model)
    assert.ok(held() < before * 0.62, `${held()} bytes of ${before}`)
    for (const [name, t] of Object.entries(model.stateDict())) {
      const isMatrix = t.shape.length === 2
      assert.equal(t.dtype, isMatrix ? dtype : 'float32', name)
      assertSame(t.to('float32'), isMatrix ? stored[dtype](weights[name]) : weights[name], name)
    }
    const answer = () => unrecorded(() => model.forward([[3, 1, 19]]).toArray()), own = answer()
    assertClose(own.flat(2), reference.flat(2), { tol: dtype === 'float16' ? 5e-3 : 5e-2 })
    const { tensors } = gf.loadSafetensors(gf.saveSafetensors(model.stateDict()))
    assert.equal(tensors['2.weight'].dtype, 'float32')
    const copy = model.clone()
    assert.deepEqual(unrecorded(() => copy.forward([[3, 1, 19]]).toArray()), own)
    for (const weight of Object.values(model.stateDict())) if (weight.dtype === 'float32') weight.data.fill(0)
    assert.notDeepEqual(answer(), own)
    model.loadStateDict(tensors)
    assert.deepEqual(answer(), own, 'saved and read: the same bits')
    model.loadStateDict(copy.stateDict())
    assert.deepEqual(answer(), own)
  })

  test(`${dtype}: a trace has the same bits and correct explanations`, () => {
    const model = gf.quantize(new gf.nn.Sequential(new gf.nn.Embedding(9, 40), new gf.nn.Linear(40, 11)), { dtype })
    const run = () => model.forward([[1, 8]]), { output, trace } = gf.trace(() => run(), { modules: { model } })
    assert.deepEqual(output.toArray(), unrecorded(() => run().toArray()))
    const close = (name, index) => {
      const told = trace.explain(name, index)
      assert.equal(told.value, trace.get(name).at(...index))
      assert.ok(Math.abs(told.rounding) <= 1e-5 * Math.max(1, Math.abs(told.value)), `${name}: ${told.rounding}`)
      for (const { factors } of told.terms) for (const { source, value } of factors) {
        if (source) assert.equal(value, trace.get(source.name).at(...source.index), source.name)
      }
      return told
    }
    const told = close('model.1.output', [0, 1, 10])
    assert.equal(told.terms.length, 41)
    if (dtype === 'int8') {
      assert.equal(told.terms[1].factors[0].source.name, 'model.1.rounded')
      close('model.1.rounded', [0, 1, 35])
      assertSame(trace.get('model.1.rounded').reshape(2, 40), rounded(plain(trace.get('model.0.output').reshape(2, 40))))
      const edit = { name: 'model.1.rounded', index: [0, 1, 35], value: 2 }
      const { output: edited, trace: other } = gf.trace(run, { modules: { model }, edits: [edit] })
      assert.notDeepEqual(edited.toArray(), output.toArray())
      other.dispose()
    }
    close('model.0.output', [0, 1, 39])
    const seen = gf.observe(run, { modules: { model } })
    assert.deepEqual([...seen.read('model.1.weight')], model.stateDict()['1.weight'].toArray().flat())
    trace.dispose()
    const edits = [{ name: 'model.1.weight', index: [0, 0], value: 1 }]
    assertRejects(() => gf.trace(run, { modules: { model }, edits }), 'type', 'model.1.weight', dtype, 'edited')
  })

  test(`${dtype}: it cannot be trained`, () => {
    const model = gf.quantize(new gf.nn.Sequential(new gf.nn.Linear(8, 8), new gf.nn.LayerNorm(8)), { dtype })
    assert.equal(model.forward(gf.rand([2, 8])).requiresGrad, false)
    assertRejects(() => model.requiresGrad_(), 'type', '0.weight', dtype)
    assertRejects(() => new gf.optim.SGD(model.parameters()), 'type', 'params', dtype)
    assertRejects(() => gf.toOnnx(model, { input: [[1, 2, 3, 4, 5, 6, 7, 8]] }), 'type', 'toOnnx', '0.weight', dtype)
  })

  test(`${dtype}: gradients go through a weight to its input and its bias, in float64 and by differences`, () => {
    for (const shape of SHAPES) for (const M of ROWS) gf.tidy(() => {
      const weight = mixed(shape).to(dtype), [N, K] = shape, x = gf.randn([M, K], { requiresGrad: true })
      const bias = gf.randn([N], { requiresGrad: true }), cot = gf.randn([M, N])
      const loss = (at, step) => gf.noGrad(() => {
        const moved = x.detach().clone()
        moved.data[at] += step
        return Array.from(F.linear(moved, weight).data).reduce((sum, y, i) => sum + y * cot.data[i], 0)
      })
      for (const isPacked of [false, true]) {
        if (isPacked) unrecorded(() => F.linear(x, weight))
        x.grad = bias.grad = null
        F.linear(x, weight, bias).mul(cot).sum().backward()
        const kept = plain(weight.to('float32')), inputs = { x: plain(x), weight: kept, bias: plain(bias) }
        const { x: dx, bias: db } = linear.backward(inputs, {}, { y: plain(cot) })
        const sizes = Array.from({ length: M * K }, (_, i) => Array.from({ length: N }, (_, o) => Math.abs(
          cot.data[Math.floor(i / K) * N + o] * kept.data[o * K + i % K])).reduce((a, b) => a + b, 0))
        assertClose(x.grad, dx, { tol: sizes.map(size => (N + 3) * U * size), name: `${dtype} ${shape}, ${M} rows` })
        assertClose(bias.grad, db, { tol: (M + 3) * U * 10, name: `${dtype} ${shape}, ${M} rows` })
        for (let at = 0; at < M * K; at += Math.ceil(M * K / 3)) {
          // The loss is linear in x, so a large step has no error but that of rounding, of x too for int8.
          const slope = (loss(at, 8) - loss(at, -8)) / 16
          const size = Array.from(kept.data).reduce((max, w) => Math.max(max, Math.abs(w)), 0)
          assert.ok(Math.abs(slope - x.grad.data[at]) <= 1e-3 * (sizes[at] + size), `${slope} ${x.grad.data[at]}`)
        }
      }
    })
  })

  test(`${dtype}: gradients through a weight of several blocks, and through some rows of one`, () => gf.tidy(() => {
    const weight = gf.randn([1100, 1000]).to(dtype), x = gf.randn([3, 1000], { requiresGrad: true })
    const cot = gf.randn([3, 1100])
    F.linear(x, weight).mul(cot).sum().backward()
    assertClose(x.grad, plain(gf.matmul(cot, weight.to('float32'))), { tol: 1e-3 })
    const mha = gf.quantize(new gf.nn.MultiheadAttention(16, 2), { dtype })
    const y = gf.randn([1, 3, 16], { requiresGrad: true })
    mha.forward(y)[0].sum().backward()
    const own = y.grad.toArray(), wide = new gf.nn.MultiheadAttention(16, 2)
    wide.loadStateDict(mha.stateDict())
    y.grad = null
    wide.forward(y)[0].sum().backward()
    assertClose(own.flat(2), y.grad.toArray().flat(2), { tol: dtype === 'int8' ? 1e-3 : 1e-6 })
  }))

  test(`${dtype}: in a trace the gradients are the same and explained`, () => {
    const model = gf.quantize(new gf.nn.Sequential(new gf.nn.Linear(40, 8), new gf.nn.Linear(8, 3)), { dtype })
    const x = gf.randn([2, 40], { requiresGrad: true })
    model.forward(x).sum().backward()
    const expected = x.grad.toArray()
    x.grad = null
    const { output, trace } = gf.trace(() => model.forward(x).sum(), { modules: { model } })
    output.backward()
    assert.deepEqual(x.grad.toArray(), expected)
    const told = trace.explainGradient('model.input', [1, 39])
    assert.equal(told.value, expected[1][39])
    assert.ok(Math.abs(told.rounding ?? 0) < 1e-5)
    trace.dispose()
  })

  test(`${dtype}: QLoRA trains what is put around a stored weight, and the weight stays`, () => {
    const { nn } = gf
    class LoRA extends nn.Module {
      constructor(layer, rank) {
        super()
        const linear = (from, to) => new nn.Linear(from, to, { bias: false })
        Object.assign(this, { layer, a: linear(16, rank), b: linear(rank, 16) })
        this.b.weight.data.fill(0)
      }

      forward(input) {
        return this.layer.forward(input).add(this.b.forward(this.a.forward(input)))
      }
    }
    gf.manualSeed(3)
    const model = gf.quantize(new nn.Sequential(new nn.Linear(16, 16), new nn.ReLU(), new nn.Linear(16, 16)), { dtype })
    const before = model[0].weight.toArray()
    model[0] = new LoRA(model[0], 2)
    const x = gf.randn([8, 16]), target = gf.randn([8, 16])
    const trained = model.parameters().filter(p => p.requiresGrad), optimizer = new gf.optim.Adam(trained, { lr: 0.05 })
    assert.equal(trained.length, 2)
    const losses = Array.from({ length: 40 }, () => gf.tidy(() => {
      optimizer.zeroGrad()
      const loss = F.mseLoss(model.forward(x), target)
      loss.backward()
      optimizer.step()
      return loss.item()
    }))
    assert.ok(losses.at(-1) < 0.8 * losses[0], `${losses[0]} ${losses.at(-1)}`)
    assert.deepEqual(model[0].layer.weight.toArray(), before)
  })
}

for (const dtype of HALVES) test(`${dtype}: the bits are those of the same weight in float32`, () => {
  for (const shape of SHAPES) for (const M of ROWS) unrecorded(() => {
    const weight = mixed(shape).to(dtype), wide = weight.to('float32'), x = mixed([M, shape[1]])
    assertSame(F.linear(x, weight), plain(F.linear(x, wide)), `${shape}, ${M} rows`)
    for (const large of [70000, -3e38]) {
      if (x.numel()) x.data[x.numel() - 1] = large
      assertSame(F.linear(x, weight), plain(F.linear(x, wide)), `${shape}, ${M} rows with ${large}`)
    }
  })
})

test('quantize converts from 16 to 8 bits', () => {
  const model = new gf.nn.Linear(40, 9), weight = plain(model.weight)
  gf.quantize(gf.quantize(model, { dtype: 'bfloat16' }), { dtype: 'int8' })
  assert.equal(model.weight.dtype, 'int8')
  assertSame(model.weight.to('float32'), stored.int8({ shape: weight.shape, data: stored.bfloat16(weight).data }))
})

test('quantize rejects invalid arguments and names a weight that float16 cannot represent', () => {
  const model = new gf.nn.Sequential(new gf.nn.Linear(8, 8))
  assertRejects(() => gf.quantize([]), 'type', 'quantize', 'module')
  assertRejects(() => gf.quantize(model, { dtype: 'float32' }), 'range', 'dtype', 'int8')
  assertRejects(() => gf.randn([2, 2, 2]).to('int8'), 'shape', 'int8', 'matrix')
  assertRejects(() => gf.tensor([1], { dtype: 'int8' }), 'type', 'int8')
  assertRejects(() => gf.randn([8, 8]).to('int8').reshape(64), 'shape', 'int8')
  assertRejects(() => gf.randn([8, 8]).to('int8').add(1), 'type', 'int8')
  model[0].weight.data[9] = 70000
  assertRejects(() => gf.quantize(model, { dtype: 'float16' }), 'range', '0.weight', 'finite', 'bfloat16')
  assert.equal(model[0].weight.dtype, 'float32')
  assert.equal(gf.quantize(model).stateDict()['0.weight'].dtype, 'int8')
})

/** The places of a row's blocks of 32: [first, place within the block, place]. */
const places = K => Array.from({ length: K }, (_, k) => [k - k % 32, k % 32, k])

test('int8: sums of integers are exact, at every size of the last panel, block and rows', () => unrecorded(() => {
  const sizes = [[1, 1], [2, 33], [3, 64], [4, 31], [5, 32], [7, 40], [8, 65], [9, 34], [17, 70], [24, 96], [27, 5]]
  for (const [N, K] of sizes) {
    // Scales are 1: the largest weight of a block is 127, where x is small, its largest value 32767, weighed 0 or 1.
    const weight = Array.from({ length: N }, (_, n) => places(K).map(([first, j, k]) => (
      j === n % Math.min(32, K - first) ? 127 : (n * 7 + k * 5) % 3 - 1)))
    for (const M of [1, 2, 4, 6]) {
      const largest = (m, first) => (m * 3 + first / 32) % Math.min(32, K - first)
      const x = Array.from({ length: M }, (_, m) => places(K).map(([first, j, k]) => (
        j === largest(m, first) ? 32767 : (m * 11 + k * 13) % 9 - 4)))
      const bias = Array.from({ length: N }, (_, n) => n - 3)
      for (const b of [undefined, bias]) {
        const y = F.linear(gf.tensor(x), gf.tensor(weight).to('int8'), b && gf.tensor(b)).toArray()
        assert.deepEqual(y, x.map(row => weight.map((own, n) => (
          own.reduce((sum, q, k) => sum + q * row[k], b ? b[n] : 0)))), `${M} rows by ${N} of ${K}`)
      }
    }
  }
}))

test('int8: blocks below 2^-100 are 0; a value that is not finite is found at every index', () =>
  unrecorded(() => {
    const below = 2 ** -100 * (1 - 2 ** -24)
    for (const most of [2 ** -100, below, 2 ** -99]) for (const sign of [1, -1]) {
      const row = [sign * most, most / 4, 0, -most / 3].map(Math.fround), own = { shape: [1, 4], data: row }
      assertSame(gf.tensor([row]).to('int8').to('float32'), stored.int8(own), `weights to ${most}`)
      const weight = gf.tensor([[127, 0, 0, 0], [0, 127, 0, 0], [0, 0, 0, 127]]).to('int8'), seen = rounded(own).data
      const products = { shape: [1, 3], data: [0, 1, 3].map(i => Math.fround(127 * seen[i])) }
      assertClose(F.linear(gf.tensor([row]), weight), products, { rtol: 4 * U, name: `x to ${most}` })
    }
    for (let place = 0; place < 40; place++) for (const value of [NaN, Infinity, -Infinity]) {
      const x = gf.ones([2, 40]), weight = gf.ones([3, 40]), finite = weight.to('int8')
      x.data[place] = value
      assert.deepEqual(F.linear(x, finite).toArray().map(row => row.map(Number.isNaN)),
        [[true, true, true], [false, false, false]], `${value} at ${place}`)
      weight.data[40 + place] = value
      assertRejects(() => weight.to('int8'), 'range', 'int8', 'finite')
    }
  }))

test('int8: each cell of several panels and blocks is read', () => {
  const weight = gf.randn([21, 70]).to('int8'), wide = weight.to('float32')
  for (let n = 0; n < 21; n++) for (let k = 0; k < 70; k++) assert.equal(weight.at(n, k), wide.at(n, k))
})

for (const [dtype, exponents] of [['float16', 31], ['bfloat16', 255]]) {
  test(`${dtype}: each of the 65,536 values is multiplied exactly, with every number of rows`, () => unrecorded(() => {
    const shift = dtype === 'float16' ? 10 : 7, K = 8
    const bits = Array.from({ length: 65536 }, (_, i) => i).filter(i => (i >> shift & exponents) !== exponents)
    const weight = gf.zeros([bits.length / K, K]).to(dtype)
    weight.data.set(bits)
    const numbers = weight.toArray().flat(), eye = gf.eye(K)
    if (dtype === 'float16') assert.deepEqual(numbers, numbers.map(toFloat16), 'they are those of the definition')
    assert.equal(new Set(numbers).size, bits.length - 1, 'all are different, but 0 and -0')
    for (const M of [1, 2, 3, 5]) for (let k = 0; k < K; k++) {
      const x = gf.zeros([M, K])
      x.data.set(eye.data.subarray(k * K, (k + 1) * K), (M - 1) * K)
      const y = F.linear(x, weight).data.subarray((M - 1) * bits.length / K)
      assert.ok(y.every((value, n) => value === numbers[n * K + k]), `${M} rows, column ${k}`)
    }
  }))
}

test('float16: weights of a file that are not finite are rejected when they are used', () => {
  const file = gf.saveSafetensors({ w: gf.randn([9, 16]) }, { dtypes: 'F16' })
  for (const code of [0x7c00, 0xfc00, 0x7e00]) for (const cell of [0, 20, 143]) {
    const { w } = gf.loadSafetensors(file, { dtypes: 'float16' }).tensors, { buffer, byteOffset } = w.bytes
    new Uint16Array(buffer, byteOffset)[cell] = code
    assertRejects(() => unrecorded(() => F.linear(gf.ones([1, 16]), w)), 'range', 'float16', 'finite')
  }
})

test('float16: very large values', () => unrecorded(() => {
  const weight = mixed([19, 40]).to('float16'), wide = weight.to('float32')
  const large = [2 ** 15 - 1, 2 ** 15, -1e6, 1e30, Infinity, NaN]
  for (const value of large) for (const M of [1, 2, 3, 4]) for (const at of [0, 40 * M - 1]) {
    const x = gf.randn([M, 40])
    x.data[at] = value
    assertSame(F.linear(x, weight), plain(F.linear(x, wide)), `${value} in place ${at} of ${M} rows`)
  }
}))
