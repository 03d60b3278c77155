import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumOfProducts } from '../lib/bounds.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { prefersPairs } from '../../src/js/engine/engine.js'
import { matmul } from '../../src/reference/index.js'
import { sizeOf } from '../../src/reference/tensor.js'

const F = gf.functional

/** y sums k products; da sums n, db sums m, and both again over the batches that read the same matrix. */
function terms({ inputs: { a, b }, cot: { y } }) {
  const [m, k] = a.shape.slice(-2)
  const n = b.shape.at(-1)
  const batches = t => sizeOf(y.shape.slice(0, -2)) / (sizeOf(t.shape.slice(0, -2)) || 1)
  return { y: k, a: n * batches(a), b: m * batches(b) }
}

testOp('matmul', {
  run: ({ a, b }) => ({ y: F.matmul(a, b) }),
  bounds: sumOfProducts(matmul, terms),
  golden: { ops: ['matmul'], special_values: ['matmul'] }
})

test('matmul: rejects invalid arguments', () => {
  const a = gf.tensor([
    [1, 2, 3],
    [4, 5, 6]
  ])
  assertRejects(() => F.matmul(a, a), 'shape', 'matmul', '[2, 3]', '3', '2')
  const batches = n => gf.tensor(new Float32Array(n), { shape: [n, 1, 1] })
  assertRejects(() => F.matmul(batches(2), batches(3)), 'shape', 'matmul', '[2, 1, 1]', '[3, 1, 1]')
  assertRejects(() => F.matmul([[1]], a), 'type', 'matmul', 'a', 'tensor')
  assertRejects(() => F.matmul(a, gf.tensor(Int32Array.of(1, 2, 3), { shape: [3, 1] })), 'type', 'matmul', 'b', 'int32')
})

/** A cell as matmul.c promises it: from left to right, one rounding a product and one a sum. */
function cellByHand(K, a, b) {
  let sum = 0
  for (let k = 0; k < K; k++) sum = Math.fround(sum + Math.fround(a(k) * b(k)))
  return sum
}

/** Indices on both sides of every border between blocks, and the last. */
const borders = n => [0, 3, 4, 7, 8, 63, 64, 127, 128, 520, 767, 768, 1023, 1024, 1031, 1032, n - 1].filter(i => i < n)

/** In both orders that the kernel knows, whichever this engine runs faster. */
function inBothOrders(fn) {
  for (const inPairs of [false, true]) {
    gf.engine.c.gf_matmul_in_pairs(Number(inPairs))
    try {
      fn(inPairs ? 'in pairs' : 'one by one')
    } finally {
      gf.engine.c.gf_matmul_in_pairs(Number(prefersPairs()))
    }
  }
}

test('matmul, linear: exact across blocks of rows, columns and k, in every layout of B', () => inBothOrders(order => {
  const sizes = [
    [1, 1035, 771], [3, 1035, 771], [131, 1035, 771], [131, 1035, 700], [100, 300, 700], [5, 1025, 1537],
    [6, 9, 1], [6, 9, 2], [6, 9, 3], [6, 9, 7], [6, 9, 8], [6, 9, 9], [6, 9, 17]
  ]
  for (const [M, N, K] of sizes) {
    gf.tidy(() => {
      const a = gf.rand([M, K]), b = gf.rand([K, N]), weight = b.transpose(0, 1)
      const [x, y] = [a.data.slice(), b.data.slice()]
      const products = {
        rows: F.matmul(a, b), transposed: F.linear(a, weight), panels: gf.noGrad(() => F.linear(a, weight))
      }
      for (const [form, { data }] of Object.entries(products)) {
        for (const m of borders(M)) {
          for (const n of borders(N)) {
            const expected = cellByHand(K, k => x[m * K + k], k => y[k * N + n])
            assert.equal(data[m * N + n], expected, `${form} [${m}, ${n}] of ${M} x ${N} x ${K}, ${order}`)
          }
        }
      }
    })
  }
}))

test('matmul backward: exact across blocks', () => {
  const [M, N, K] = [1035, 131, 771]
  gf.tidy(() => {
    const a = gf.rand([M, K], { requiresGrad: true }), b = gf.rand([K, N], { requiresGrad: true }), dy = gf.rand([M, N])
    F.matmul(a, b).backward(dy)
    const [x, w, d, da, db] = [a, b, dy, a.grad, b.grad].map(({ data }) => data.slice())
    for (const m of borders(M)) {
      for (const k of borders(K)) {
        const expected = cellByHand(N, n => d[m * N + n], n => w[k * N + n])
        assert.equal(da[m * K + k], expected, `da [${m}, ${k}]`)
      }
    }
    for (const k of borders(K)) {
      for (const n of borders(N)) {
        const expected = cellByHand(M, m => x[m * K + k], m => d[m * N + n])
        assert.equal(db[k * N + n], expected, `db [${k}, ${n}]`)
      }
    }
  })
})
