import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { goldenCases } from '../golden/index.js'
import { U } from '../lib/bounds.js'
import { assertClose, assertSame } from '../lib/compare.js'
import { assertRejects, gf, toTensor } from '../lib/engine.js'
import { numbers } from '../lib/numbers.js'
import { testOp } from '../lib/op_tests.js'
import { Extremes } from '../../src/js/ops/extremes.js'
import { forward, backward, reductionNames } from '../../src/reference/reduce.js'

const F = gf.functional
/** max and min give indices, too, along one axis. */
const valuesOf = out => (out instanceof Extremes ? out.values : out)
const options = ({ op, p, ...rest }) => ({ ...rest, ...(p === undefined ? {} : { p: Number(p) }) })

/**
 * Sums run in double, so a value is rounded once or twice and a slope a few times. Exponentials are summed in float32:
 * n roundings of the whole, and those of each exponent; the slope takes exp of the difference to that.
 */
const ROUNDINGS = { sum: [1, 1], mean: [1, 1], max: [0, 0], min: [0, 0], amax: [0, 1], amin: [0, 1], prod: [1, 2] }

testOp('reduce', {
  run: ({ x }, params) => ({ y: valuesOf(F[params.op](x, options(params))) }),
  bounds: ({ inputs, params, cot }) => {
    const { y } = forward(inputs, params), dx = backward(inputs, params, cot).x
    const n = inputs.x.data.length / (y.data.length || 1), most = Math.max(0, ...Array.from(inputs.x.data, Math.abs))
    const [value, slope] = params.op === 'logsumexp' ? [1, 2 * n + 30] : ROUNDINGS[params.op] ?? [3, 6]
    const tiny = 2 ** -53 * n * most * (params.op === 'logsumexp' ? 0 : 1)
    const sums = params.op === 'logsumexp' ? U * (n + 12 + 2 * most) : tiny
    return {
      y: y.data.map(v => value * U * Math.abs(v) + sums),
      x: dx.data.map((v, i) => slope * U * Math.abs(v) +
        2 ** -45 * Math.abs(cot.y.data[Math.min(i, cot.y.data.length - 1)]))
    }
  },
  golden: { arithmetic: ['reduce'] }
})

testOp('rowwise', {
  run: ({ x }, { op, dim }) => ({ y: valuesOf(F[op](x, { dim })) }),
  bounds: ({ inputs: { x }, cot: { y: dy } }) => {
    const width = 40, most = Math.max(0, ...Array.from(dy.data, Math.abs))
    return { y: x.data.map(v => U * (2 * Math.abs(v) + width)), x: x.data.map(() => U * width * 4 * most) }
  },
  golden: { arithmetic: ['rowwise'] }
})

for (const { id, inputs: { x }, params: { op, ...rest }, outputs: { y } } of goldenCases('arithmetic', 'place')) {
  test(`${id}: PyTorch's indices`, () => {
    const out = F[op](toTensor(x), rest)
    assert.equal(out.dtype, 'int32')
    assertSame(out, { shape: y.shape, data: y.data }, op)
  })
}

test('softmax along an axis is that of the transposed tensor, bit for bit', () => {
  const x = gf.randn([3, 17, 5], { requiresGrad: true }),
    y = gf.tensor(x.transpose(1, 2).toArray(), { requiresGrad: true })
  const dy = gf.randn([3, 17, 5])
  for (const name of ['softmax', 'logSoftmax']) {
    const [a, b] = [F[name](x, { dim: 1 }), F[name](y)]
    assert.deepEqual(a.toArray(), b.transpose(1, 2).toArray())
    a.backward(dy)
    b.backward(dy.transpose(1, 2))
    assert.deepEqual(x.grad.toArray(), y.grad.transpose(1, 2).toArray())
  }
})

test('sums and extremes of integers and bools', () => {
  const ids = gf.tensor([[1, -2, 16777217], [4, 5, 6]], { dtype: 'int32' }), mask = ids.gt(1)
  const plain = out => [out.dtype, out.toArray()]
  assert.deepEqual(plain(ids.sum()), ['int32', 16777231])
  assert.deepEqual(plain(ids.sum({ dim: 0 })), ['int32', [5, 3, 16777223]])
  assert.deepEqual(plain(ids.max({ dim: 1, keepdim: true }).values), ['int32', [[16777217], [6]]])
  assert.deepEqual(plain(ids.min()), ['int32', -2])
  assert.deepEqual(plain(mask.sum({ dim: 1 })), ['int32', [1, 3]])
  assert.deepEqual(plain(mask.all({ dim: 1 })), ['bool', [false, true]])
  assert.deepEqual(plain(mask.any({ dim: 0 })), ['bool', [true, true, true]])
  assert.deepEqual(plain(gf.tensor([0.25, 0]).any()), ['bool', true])
  assert.deepEqual(plain(gf.tensor([0.25, 0]).all()), ['bool', false])
  assert.deepEqual(plain(mask.max()), ['bool', true])
})

test('empty reductions: sums are 0, means NaN, products 1; maxima are errors', () => {
  const none = gf.tensor([], { shape: [2, 0] })
  const cells = { sum: 0, mean: NaN, prod: 1, logsumexp: -Infinity, norm: 0, var: NaN, std: NaN }
  for (const [name, value] of Object.entries(cells)) {
    assert.deepEqual(none[name]({ dim: 1 }).toArray(), [value, value], name)
    assert.deepEqual(none[name]().toArray(), value, name)
    assert.deepEqual(none[name]({ dim: 0 }).toArray(), [], name)
  }
  assert.deepEqual([none.all().item(), none.any().item()], [true, false])
  for (const name of ['max', 'min', 'amax', 'amin', 'argmax', 'argmin']) {
    assertRejects(() => none[name]({ dim: 1 }), 'shape', name, 'nothing', '[2, 0]')
    assert.deepEqual(valuesOf(none[name]({ dim: 0 })).shape, [0])
  }
})

test('the derivative of a norm at 0 is 0', () => {
  for (const p of [1, 1.5, 2, 3]) {
    const x = gf.tensor([3, 0, -3, -0, 0], { requiresGrad: true }), share = p === 1 ? 1 : 2 ** (1 / p - 1)
    x.norm({ p }).backward()
    assertClose(x.grad, { shape: [5], data: [share, 0, -share, 0, 0] }, { tol: 2e-7, name: `p = ${p}` })
  }
  const none = gf.tensor([0, -0], { requiresGrad: true })
  for (const p of [1, 2, 3]) none.norm({ p }).backward()
  assertSame(none.grad, { shape: [2], data: [0, 0] })
})

test('reductions of a single value', () => {
  const x = gf.tensor(3, { requiresGrad: true })
  assert.deepEqual([x.sum().item(), x.mean({ dim: 0 }).item(), x.argmax({ dim: -1 }).item()], [3, 3, 0])
  assert.deepEqual([x.var().item(), x.var({ correction: 0 }).item(), x.norm({ p: 0 }).item()], [NaN, 0, 1])
  x.max().backward()
  assert.equal(x.grad.item(), 1)
})

const USES = {
  ...Object.fromEntries(reductionNames.map(name => [name, [undefined, { dim: 1 }, { dim: [0, 2], keepdim: true }]])),
  norm: [{ p: 3, dim: 1 }, { p: Infinity, dim: 0 }, { p: 1 }, { dim: [0, 1] }]
}

for (const [name, all] of Object.entries(USES)) {
  for (const options of all) {
    test(`${name} ${JSON.stringify(options)}: cells and gradients are explained`, () => {
      const x = gf.tensor([[[1, -2], [0.5, 3]], [[2.5, 1.5], [-0.25, 2]]], { requiresGrad: true })
      const { trace } = gf.trace(() => {
        const y = valuesOf(x[name](options))
        y.backward(gf.tensor(Float32Array.from({ length: y.numel() }, (_, i) => 1 + i), { shape: y.shape }))
      })
      const y = trace.get(name), first = trace.explain(name, y.shape.map(() => 0))
      assert.ok(Math.abs(first.rounding) <= 1e-6 * (1 + Math.abs(first.value)), JSON.stringify(first))
      for (const at of [[0, 0, 0], [1, 1, 1], [0, 1, 1]]) {
        const found = trace.explainGradient('input', at)
        assert.ok(Math.abs(found.rounding) <= 1e-6 * (1 + Math.abs(found.value)), JSON.stringify(found))
      }
      assert.deepEqual(trace.nodes[0].op.axes(trace.nodes[0], () => 'abc'.split('').map(n => ({ name: n }))).length,
        y.shape.length)
      trace.dispose()
    })
  }
}

test('argmax, all and any are explained', () => {
  const { trace } = gf.trace(() => {
    const x = gf.tensor([[1, 5, 2], [7, 0, 7]])
    return [x.argmax({ dim: 1 }), x.argmin(), x.all({ dim: 1 }), x.gt(1).sum({ dim: 1 })]
  })
  for (const [name, index, value] of [['argmax', [1], 0], ['argmin', [], 4], ['all', [1], 0], ['sum', [0], 2]]) {
    const { computed, terms } = trace.explain(name, index)
    assert.equal(computed, value, name)
    assert.ok(terms.length > 1)
  }
  trace.dispose()
})

test('reductions reject invalid arguments', () => {
  const x = gf.tensor([[1, 2], [3, 4]])
  assertRejects(() => x.sum({ dim: 2 }), 'range', 'sum', 'dim', '-2', '1', '2')
  assertRejects(() => x.sum({ dim: [0, -2] }), 'range', 'sum', 'twice')
  assertRejects(() => x.mean({ dim: 'x' }), 'type', 'mean', 'dim', '"x"')
  assertRejects(() => x.mean({ axis: 1 }), 'type', 'mean', 'axis', 'dim')
  assertRejects(() => x.mean('all'), 'type', 'mean', 'dim', '"all"')
  assertRejects(() => x.max({ keepdim: 1 }), 'type', 'max', 'keepdim')
  assertRejects(() => x.norm({ p: -1 }), 'range', 'norm', 'p', '-1')
  assertRejects(() => x.var({ correction: NaN }), 'range', 'var', 'correction')
  assertRejects(() => x.eq(1).mean(), 'type', 'mean', 'bool', "to('float32')")
  assertRejects(() => x.to('float16').sum(), 'type', 'sum', 'float16', "to('float32')")
  assertRejects(() => F.sum([1, 2]), 'type', 'sum', 'x')
  assertRejects(() => F.softmax(x, { dim: 2 }), 'range', 'softmax', 'dim')
})

test('the first largest and smallest value of a long row is found at every index', () => {
  const isBefore = (x, y, sign) => !Number.isNaN(y) && (Number.isNaN(x) || sign * x > sign * y)
  const place = (row, sign) => row.reduce((best, x, i) => (isBefore(x, row[best], sign) ? i : best), 0)
  for (let n = 1; n < 70; n++) for (const odd of [NaN, 9, -9, Infinity, -Infinity, -0]) {
    const row = Array.from({ length: n }, (_, i) => i * 7 % 5 - 2)
    row[Math.floor(n * 0.7)] = odd
    const x = gf.tensor(row)
    for (const [name, sign] of [['max', 1], ['min', -1]]) {
      const at = place(row, sign)
      assert.equal(x[`arg${name}`]().item(), at, `arg${name} of ${row}`)
      assert.ok(Object.is(x[`a${name}`]().item(), row[at]), `${name} of ${row}`)
    }
  }
})

test('reductions along separate axes do not mix rows', () => {
  const shape = [2, 3, 2, 2, 3, 2], x = gf.tensor(Array.from({ length: 144 }, (_, i) => i * 7919 % 145))
  for (const dim of [[1, 3], [0, 2, 4], [1, 4], [2, 5], [1, 3, 5]]) {
    const others = [0, 1, 2, 3, 4, 5].filter(axis => !dim.includes(axis)), whole = x.reshape(shape)
    const rows = whole.permute([...others, ...dim]).reshape([...others.map(axis => shape[axis]), -1])
    for (const name of ['sum', 'var', 'amax', 'logsumexp']) {
      assert.deepEqual(whole[name]({ dim }).toArray(), rows[name]({ dim: -1 }).toArray(), `${name} along ${dim}`)
    }
  }
})

test("a row's extreme does not depend on the next row", () => {
  for (let n = 1; n < 70; n++) for (const at of [0, n >> 1, n - 1]) {
    const row = Array.from({ length: n }, (_, i) => (i === at ? 3 : i % 3))
    const all = [row, row.map(v => v + 9), row.map(v => -v)], x = gf.tensor(all)
    const place = sign => all.map(one => one.indexOf(sign * Math.max(...one.map(v => v * sign))))
    assert.deepEqual(x.argmax({ dim: 1 }).toArray(), place(1), `argmax ${n} ${at}`)
    assert.deepEqual(x.argmin({ dim: 1 }).toArray(), place(-1), `argmin ${n} ${at}`)
  }
})

test('the first of 0 and -0 is the maximum and the minimum', () => {
  for (let i = 0; i < 37; i++) for (let j = 0; j < 37; j++) {
    if (i === j) continue
    const row = side => Array.from({ length: 37 }, (_, k) => (k === i ? 0 : k === j ? -0 : side))
    const first = i < j ? 0 : -0, name = `0 at ${i}, -0 at ${j}`
    assert.ok(Object.is(gf.tensor(row(-1)).amax().item(), first), `the largest, ${name}`)
    assert.ok(Object.is(gf.tensor(row(1)).amin().item(), first), `the smallest, ${name}`)
  }
})

test('argmax of equal values, signed zeros and NaN is explained', () => {
  const rows = [[[-0, 0, -1], 0, 2], [[0, -0, 1], 2, 0], [[1, NaN, 2, NaN], 1, 1], [[2, 5, 5, 2], 1, 0],
    [[0, Infinity, -Infinity], 1, 2]]
  for (const [values, largest, smallest] of rows) {
    const { trace } = gf.trace(() => [gf.tensor(values).argmax(), gf.tensor(values).argmin()])
    for (const [name, expected] of [['argmax', largest], ['argmin', smallest]]) {
      const { value, computed } = trace.explain(name, [])
      assert.deepEqual([value, computed], [expected, expected], `${name} of ${values}`)
    }
    trace.dispose()
  }
})

/** What PyTorch 1.13.1 gives: cells, a reduction, its gradient. */
const TORCH_GRADIENTS = [
  [[1, NaN, 2, NaN], x => x.max(), [0, 0.5, 0, 0.5]],
  [[NaN, 1], x => x.min(), [1, 0]],
  [[1, NaN, 2, NaN], x => x.amax(), [NaN, NaN, NaN, NaN]],
  [[3, 3, 1], x => x.max(), [0.5, 0.5, 0]],
  [[0, NaN, 2], x => x.prod(), [NaN, 0, NaN]],
  [[0, Infinity, 2], x => x.prod(), [Infinity, 0, NaN]],
  [[0, 0, NaN], x => x.prod({ dim: 0 }), [NaN, NaN, 0]],
  [[0, 0, 3], x => x.prod({ dim: 0 }), [0, 0, 0]],
  [[Infinity, 3, 2], x => x.prod({ dim: 0 }), [NaN, Infinity, Infinity]],
  [[1, 2], x => x.var({ dim: 0, correction: 3 }), [1, -1]],
  [[1, 2], x => x.var({ dim: 0, correction: 2 }), [-Infinity, Infinity]],
  [[1, 2], x => x.std({ dim: 0, correction: 3 }), [0, -0]],
  [[1, 2], x => x.std({ dim: 0, correction: 2 }), [NaN, NaN]],
  [[1e-42, 4e5], x => x.norm({ p: 1.01 }), [0.33418092, 1]],
  [[1, Infinity, -2], x => x.norm({ p: 0.5 }), [Infinity, NaN, -Infinity]],
  [[1, Infinity, -2], x => x.norm({ p: 3 }), [0, NaN, -0]]
]

for (const [cells, f, expected] of TORCH_GRADIENTS) {
  test(`gradients at the edge are PyTorch's: ${String(f).slice(5)} of ${cells}`, () => {
    const x = gf.tensor(cells, { requiresGrad: true })
    f(x).backward()
    const got = x.grad.toArray()
    expected.forEach((value, i) => assert.ok(Object.is(got[i], value) || got[i] === value ||
      Math.abs(got[i] - value) <= 1e-6 * Math.abs(value), `${got} is not ${expected}`))
  })
}

test('the gradient of the norm of tiny values is their direction', () => {
  const x = gf.tensor([1e-45, 0], { requiresGrad: true })
  x.norm().backward()
  assert.deepEqual(x.grad.toArray(), [1, 0])
})

test('an empty array of axes means all; an infinite norm of nothing is an error', () => {
  const x = gf.tensor([[1, 2, 3], [4, 5, 7]])
  for (const name of ['sum', 'mean', 'amax', 'amin', 'var', 'std', 'norm', 'prod', 'logsumexp', 'max', 'min']) {
    assert.deepEqual(x[name]({ dim: [] }).toArray(), x[name]().toArray(), name)
  }
  assertRejects(() => gf.zeros([0]).norm({ p: Infinity }), 'shape', 'norm', 'nothing to choose from')
  assertRejects(() => x.sum({ dim: Array(100000).fill(0) }), 'range', 'sum: dim names axis 0 twice')
})

test("a long row gives the reference's result, alone and among others", () => {
  for (const C of [16, 31, 32, 67, 130]) for (const op of ['sum', 'mean', 'var', 'std', 'norm', 'amax', 'logsumexp']) {
    const x = numbers([4, C], C, { shift: 1 }), all = toTensor(x)[op]({ dim: 1 }).toArray()
    const alone = gf.tensor(x.data, { shape: [4, C] }).split(1).map(row => row[op]({ dim: 1 }).item())
    assert.deepEqual(alone, all, `${op} of ${C}`)
    const expected = forward({ x }, { op, dim: 1 }).y
    assertClose({ shape: [4], data: all }, expected, { tol: all.map(v => 8 * U * Math.abs(v)), name: `${op} of ${C}` })
  }
})

test('max and min along one axis give values and indices, as in PyTorch', () => {
  const x = gf.tensor([[3, 9, 9], [7, -1, 5]], { requiresGrad: true })
  for (const call of [() => x.max(1), () => x.max({ dim: -1 }), () => gf.max(x, 1), () => F.max(x, { dim: 1 })]) {
    const { values, indices } = call(), [first, second] = call()
    assert.deepEqual([values.toArray(), indices.toArray(), indices.dtype], [[9, 7], [1, 0], 'int32'])
    assert.deepEqual([first.toArray(), second.toArray()], [[9, 7], [1, 0]])
  }
  assert.deepEqual(Array.from(x.min(0, true), one => one.toArray()), [[[3, -1, 5]], [[0, 1, 1]]])
  assert.equal(x.max().item(), 9)
  assert.deepEqual(x.max([0, 1]).toArray(), 9)
  x.max(1).values.sum().backward()
  assert.deepEqual(x.grad.toArray(), [[0, 1, 0], [1, 0, 0]])
  const result = x.detach().clone(), late = result.max(1)
  result.zero_()
  assertRejects(() => late.indices, 'state', 'read values and indices at once')
  const flags = gf.tensor([[false, true], [false, false]]).max(1)
  assert.deepEqual([flags.values.toArray(), flags.indices.toArray()], [[true, false], [1, 0]])
})

test('max and min along an axis: values and indices by number, and both are printed as in PyTorch', () => {
  const x = gf.tensor([[1, 3], [5, 2]]), largest = x.max(1), least = x.min(1)
  assert.deepEqual([largest[0].toArray(), largest[1].toArray(), least[1].toArray()], [[3, 5], [1, 0], [0, 1]])
  assert.equal(largest[0], largest.values)
  const printed = 'torch.return_types.max(\nvalues=tensor([3., 5.]),\nindices=tensor([1, 0], dtype=torch.int32))'
  assert.deepEqual([String(largest), inspect(largest)], [printed, printed])
  assert.match(String(least), /^torch\.return_types\.min\(/)
  const overwritten = x.max(0)
  x.zero_()
  assert.match(String(overwritten), /indices=\(overwritten\)/)
})
