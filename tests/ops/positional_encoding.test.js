import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertClose, assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { positional_encoding as reference } from '../../src/reference/index.js'

const { pe_tables, pe_odd, pe_big } = loadGolden('ops')

/** An angle of p radians is a double with a rounding of p: so much the table may move, whatever computes sine. */
const atPositions = (L, d, tol) => Array.from({ length: L * d }, (_, i) => tol * Math.max(1, Math.floor(i / d)))
const DOUBLE = 1e-15
const SINGLE = 4e-7
/** Where PyTorch's float32 angles are followed, only the rounding of sine and the last bit of a rate are left. */
const FOLLOWED = 1.2e-7

for (const { L, d, n, loop64, torch32, concat64 } of pe_tables) {
  test(`positionalEncoding ${L} x ${d}, base ${n}: the three written forms`, () => {
    const table = options => gf.positionalEncoding(L, d, { base: n, ...options })
    const double = { tol: atPositions(L, d, DOUBLE) }
    const single = { tol: atPositions(L, d, SINGLE) }
    for (const method of ['direct', 'log']) {
      assertClose(table({ method, layout: 'interleaved', dtype: 'float64' }), loop64, {
        ...double,
        name: `float64 ${method}`
      })
      assertClose(table({ method, layout: 'concatenated', dtype: 'float64' }), concat64, {
        ...double,
        name: `sines first ${method}`
      })
      assertClose(table({ method, layout: 'interleaved', dtype: 'float32' }), torch32, {
        ...single,
        name: `float32 ${method}`
      })
    }
    const followed = { tol: FOLLOWED, name: 'float32 angles' }
    assertClose(table({ method: 'log-float32' }), torch32, followed)
  })
}

test('positionalEncoding: an odd width has one more sine, in each layout', () => {
  const { L, d, n, loop64, concat64 } = pe_odd
  const double = { tol: atPositions(L, d, DOUBLE) }
  const table = layout => gf.positionalEncoding(L, d, { base: n, layout, method: 'direct', dtype: 'float64' })
  assertClose(table('concatenated'), concat64, double)
  const { shape, data } = plain(table('interleaved'))
  assertClose({ shape, data }, reference.forward({}, { max_length: L, d_model: d, base: n }).y, double)
  // The loops of the lessons leave out the last sine, which is the last of those that come first.
  const withLast = loop64.data.map((value, i) => (i % d < d - 1 ? value : concat64.data[i - i % d + (d - 1) / 2]))
  assertClose({ shape, data }, { shape, data: withLast }, double)
  assert.ok(data[2 * d - 1] > 0)
})

test('positionalEncoding: an empty table accepts any base', () => {
  assert.deepEqual(gf.positionalEncoding(0, 4, { base: 0.5 }).shape, [0, 4])
  assertRejects(() => gf.positionalEncoding(2 ** 27, 2), 'range', 'positionalEncoding', '2^26')
  // The second of two pairs turns by 2^26 from place to place.
  assert.deepEqual(gf.positionalEncoding(2, 4, { base: 2 ** -52 }).shape, [2, 4])
  assertRejects(() => gf.positionalEncoding(3, 4, { base: 2 ** -52 }), 'range', '2^26')
})

test('positionalEncoding: every cell is explained, in each layout, odd widths too', () => {
  for (const layout of ['interleaved', 'concatenated']) for (const d of [5, 6]) {
    const { output, trace } = gf.trace(() => gf.positionalEncoding(3, d, { layout }))
    const [name] = trace.names
    for (let k = 0; k < 3; k++) for (let column = 0; column < d; column++) {
      const { computed, value } = trace.explain(name, [k, column])
      assert.equal(value, output.at(k, column))
      assert.ok(Math.abs(computed - value) < 2e-7, `${layout} ${d} [${k}, ${column}]: ${computed} beside ${value}`)
    }
    trace.dispose()
  }
})

test('positionalEncoding 5000 x 512: far positions in both precisions', () => {
  const { L, d, n, rows, cols, loop64, torch32 } = pe_big
  const picked = options => {
    const { data } = plain(gf.positionalEncoding(L, d, { base: n, ...options }))
    return { shape: loop64.shape, data: rows.flatMap(r => cols.map(c => data[r * d + c])) }
  }
  const far = tol => ({ tol: rows.flatMap(r => cols.map(() => tol * Math.max(1, r))) })
  assertClose(picked({ dtype: 'float64' }), loop64, { ...far(DOUBLE), name: 'float64' })
  assertClose(picked({ dtype: 'float32' }), torch32, { ...far(SINGLE), name: 'float32' })
  assertClose(picked({ method: 'log-float32' }), torch32, { tol: FOLLOWED, name: 'float32 angles' })
})

test('positionalEncoding: the defaults are base 10000, interleaved, float32', () => {
  const table = gf.positionalEncoding(6, 8)
  assert.equal(table.dtype, 'float32')
  assertClose(table, reference.forward({}, { max_length: 6, d_model: 8, base: 10000 }).y, { tol: 5 * SINGLE })
})

for (const [L, d] of [
  [1, 1],
  [1, 17],
  [17, 3],
  [33, 67],
  [130, 5],
  [0, 4]
]) {
  test(`positionalEncoding ${L} x ${d}: the reference's numbers`, () => {
    for (const layout of ['interleaved', 'concatenated']) {
      for (const method of ['direct', 'log']) {
        const expected = reference.forward({}, { max_length: L, d_model: d, base: 500, layout, method }).y
        const table = gf.positionalEncoding(L, d, { base: 500, layout, method, dtype: 'float64' })
        assertClose(table, expected, { tol: atPositions(L, d, DOUBLE), name: `${layout} ${method}` })
      }
    }
  })
}

/** A lesson adds the rows of the right positions, another by mistake the row of the sentence. */
testOp('add', {
  run: ({ x, pe }, { slice }) => {
    const [batch, time, width] = x.shape
    const shape = slice === 'x.size(1)' ? [time, width] : [batch, 1, width]
    const rows = gf.tensor(Float32Array.from(pe.data.slice(0, shape[0] * width)), { shape })
    return { y: gf.functional.add(x, rows) }
  },
  bounds: () => ({}),
  golden: { ops: ['pe_add'] },
  examples: []
})

test('positionalEncoding: every position has the same norm', () => {
  const table = gf.positionalEncoding(50, 6, { dtype: 'float64', layout: 'concatenated' })
  const { data } = plain(table)
  const squares = Array.from({ length: 50 }, (_, p) =>
    data.slice(6 * p, 6 * p + 6).reduce((sum, value) => sum + value * value, 0)
  )
  assertClose(squares, new Float64Array(50).fill(3), { tol: 1e-14 })
})

test('positionalEncoding: rejects invalid arguments', () => {
  const reject = (code, args, ...fragments) =>
    assertRejects(() => gf.positionalEncoding(...args), code, 'positionalEncoding', ...fragments)
  reject('range', [-1, 4], 'maxLength', '-1')
  reject('range', [5, 2.5], 'dModel', '2.5')
  reject('type', ['5', 4], 'maxLength', '5')
  reject('range', [5, 4, { layout: 'mixed' }], 'layout', 'interleaved', 'concatenated', 'mixed')
  reject('range', [5, 4, { method: 'exp' }], 'method', 'direct', 'log', 'exp')
  reject('range', [5, 4, { base: 0 }], 'base', '0')
  reject('range', [5, 4, { dtype: 'int32' }], 'dtype', 'int32')
})

test('positionalEncoding: a base below 1 gives exact sines, or an error for angles that are too large', () => {
  const table = gf.positionalEncoding(5, 6, { base: 0.01, dtype: 'float64' }),
    reference = [0, 1, 2].map(i => 0.01 ** (-2 * i / 6))
  for (let k = 0; k < 5; k++) reference.forEach(
    (f, i) => assertClose(table.at(k, 2 * i), Math.sin(k * f), { tol: 1e-12 * (1 + k * f) }))
  for (const base of [1e-20, 1e-219, 5e-324]) assertRejects(() => gf.positionalEncoding(100, 64, { base }), 'range',
    'base', 'angles')
  assertRejects(() => gf.positionalEncoding(2 ** 26 + 2, 2), 'range', '2^26')
  for (const base of [1e-20, 1e300]) assertSame(gf.positionalEncoding(1, 4, { base }), gf.tensor([[0, 1, 0, 1]]))
})

test('each method is explained at large positions, where they differ', () => {
  for (const method of ['direct', 'log', 'log-float32']) gf.tidy(() => {
    const { output, trace } = gf.trace(() => gf.positionalEncoding(2000, 8, { method }))
    const name = trace.names.find(one => trace.get(one) === output)
    for (const k of [1, 777, 1998, 1999]) for (let column = 0; column < 8; column++) {
      const { value, computed } = trace.explain(name, [k, column])
      assert.equal(value, output.at(k, column))
      assert.ok(Math.abs(value - computed) <= 1e-6, `${method} [${k}, ${column}]: ${value}, computed ${computed}`)
    }
    trace.dispose()
  })
})
