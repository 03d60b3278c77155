// How calls of kernels are divided among threads: every row is done once, by a part that is told where it lies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_PARTS } from '../src/js/threads/mailbox.js'
import { SPLITS } from '../src/js/threads/splits.js'

const THREADS = [1, 2, 3, 8], COUNTS = [1, 7, 8, 9, 64, 130, 1000]

/** Pieces of 0 .. n - 1 in any order: without a gap, none twice. */
function assertCovers(pieces, n, label) {
  const sorted = [...pieces].sort(([a], [b]) => a - b)
  let next = 0
  for (const [from, length] of sorted) {
    assert.equal(from, next, label)
    next += length
  }
  assert.equal(next, n, label)
  assert.ok(sorted.length <= MAX_PARTS && sorted.every(([, length]) => length > 0), label)
}

/** Where the count, the side of a row, what moves by rows and what by single values stand in a call. */
const ROWS = {
  gf_softmax_forward: [2, 3, [0, 1], []],
  gf_softmax_backward: [3, 4, [0, 1, 2], []],
  gf_log_softmax_forward: [2, 3, [0, 1], []],
  gf_log_softmax_backward: [3, 4, [0, 1, 2], []],
  gf_layer_norm_forward: [6, 7, [0, 3], [1, 2]],
  gf_rms_norm_forward: [4, 5, [0, 2], [1]],
  gf_gelu_forward: [2, null, [0, 1], []],
  gf_gelu_backward: [3, null, [0, 1, 2], []],
  gf_gelu_tanh_forward: [2, null, [0, 1], []],
  gf_gelu_tanh_backward: [3, null, [0, 1, 2], []],
  gf_adam_step: [5, null, [0, 1, 2, 4], [3]]
}

for (const [name, [count, side, moving, single]] of Object.entries(ROWS)) test(`${name}: splits rows, each once`, () => {
  for (const threads of THREADS) for (const n of COUNTS) for (const missing of [[], single.slice(0, 1)]) {
    const args = Array.from({ length: 10 }, (_, i) => 10000 * (i + 1)), row = side === null ? 1 : 5
    args[count] = n
    if (side !== null) args[side] = row
    for (const i of missing) args[i] = 0
    const label = `${name} of ${n} by ${threads}`, { parts } = SPLITS[name].divide(args, threads)
    const pieces = parts.map(part => [(part[moving[0]] - args[moving[0]]) / 4 / row, part[count]])
    assertCovers(pieces, n, label)
    assert.ok(parts.length <= 2 * threads, label)
    if (side !== null) assert.equal(parts.length, Math.ceil(n / Math.ceil(n / Math.min(n, 2 * threads))), label)
    if (side === null) for (const [from] of pieces) assert.equal(from % 8, 0, `${label}: whole vectors`)
    parts.forEach((part, i) => part.forEach((value, at) => {
      const [from] = pieces[i], values = moving.includes(at) ? row : single.includes(at) && args[at] ? 1 : 0
      const by = 4 * from * values
      if (at !== count) assert.equal(value, args[at] + by, `${label}: argument ${at}`)
    }))
  }
})

test('the work of a call in multiply-adds', () => {
  const of = (name, ...args) => SPLITS[name].work(args)
  assert.deepEqual([4, 3, 1, 0].map(M => of('gf_matmul', 0, 0, 0, 0, 0, M, 5, 7)), [140, 140, 140, 0], 'few rows wait for memory')
  assert.equal(of('gf_int8_product', 0, 0, 0, 0, 0, 5, 5, 7), 175)
  assert.equal(of('gf_softmax_forward', 0, 0, 3, 7), 25 * 21)
  assert.equal(of('gf_gelu_forward', 0, 0, 100), 2500)
  const team = { ints: (at, n) => at === 99 && [2, 3, 5, 7, 4, 6, 1].slice(0, n) }
  assert.equal(SPLITS.gf_attention_forward.work([0, 99], team), 2 * 3 * 5 * 7 * 10)
})

test('products: every cell once, few rows split by columns, many by rows', () => {
  const c = { gf_matmul_workspace: () => 77 }
  const sizes = [[1, 8], [5, 1000], [128, 600], [129, 24], [1000, 16], [3000, 7]]
  for (const threads of THREADS) for (const [M, N] of sizes) {
    const made = SPLITS.gf_matmul.divide([10, 20, 30, 40, 50, M, N, 9, 3], threads, c)
    const done = new Uint8Array(M * N), label = `${M} x ${N} by ${threads}`
    for (const part of made.parts) {
      assert.deepEqual(part.slice(0, 9), [10, 20, 30, 40, 50, M, N, 9, 3])
      const [m, rows, n, columns] = part.slice(9)
      assert.ok(M > 128 ? columns === N : rows === M, label)
      for (let i = m; i < m + rows; i++) for (let j = n; j < n + columns; j++) done[i * N + j]++
    }
    assert.ok(done.every(times => times === 1), label)
    assert.deepEqual([made.kernel, made.workspace, made.floats], ['gf_matmul_part', 1, 77])
    assert.ok(made.parts.length <= 2 * threads, label)
  }
  const parts = (M, N, threads) => SPLITS.gf_matmul.divide([0, 0, 0, 0, 0, M, N, 9, 3], threads, c).parts.length
  assert.deepEqual([parts(4, 1024, 2), parts(4, 1016, 2), parts(512, 8, 2), parts(504, 8, 2)], [4, 2, 4, 2])
})

test("products with GGUF's blocks are split as those with int8, with the type", () => {
  const c = { gf_blocks_size: (rows, K, type) => rows * K * type, gf_blocks_workspace: (M, K) => M * K }, K = 64
  const split = M => SPLITS.gf_blocks_product.divide([1000, 2, 3000, 50000, 0, M, 16, K, 21], 2, c)
  assert.deepEqual(split(1), { parts: [
    [1000, 2, 3000, 50000, 0, 1, 8, K, 21], [1032, 2, 3000, 50000 + 8 * K * 21, 0, 1, 8, K, 21]
  ], workspace: 1, floats: K })
  assert.deepEqual(split(8).parts, [
    [1000, 2, 3000, 50000, 0, 4, 16, K, 21], [1000 + 4 * 4 * 16, 2, 3000 + 4 * 4 * K, 50000, 0, 4, 16, K, 21]
  ])
})

test('products with int8: one row split by columns, several by rows', () => {
  const c = { gf_int8_size: (rows, K) => rows * K, gf_int8_workspace: (M, K) => M * K }, K = 9
  for (const threads of THREADS) for (const N of COUNTS) for (const bias of [0, 7000]) {
    const args = [1000, 2, 3000, 50000, bias, 1, N, K]
    const { parts, workspace, floats } = SPLITS.gf_int8_product.divide(args, threads, c)
    assertCovers(parts.map(part => [(part[0] - 1000) / 4, part[6]]), N, `${N} columns`)
    for (const [out, , x, weight, b, M, , k] of parts) {
      const from = (out - 1000) / 4
      assert.deepEqual([x, weight, b, M, k, from % 8], [3000, 50000 + from * K, bias && bias + 4 * from, 1, K, 0])
    }
    assert.deepEqual([workspace, floats], [1, K])
  }
  for (const threads of THREADS) for (const M of [2, 3, 4, 5, 64, 130]) {
    const { parts } = SPLITS.gf_int8_product.divide([1000, 2, 3000, 50000, 7000, M, 6, K], threads, c)
    assertCovers(parts.map(part => [(part[0] - 1000) / 24, part[5]]), M, `${M} rows`)
    for (const [out, , x, weight, b, , n, k] of parts) {
      assert.deepEqual([x, weight, b, n, k], [3000 + (out - 1000) / 24 * 4 * K, 50000, 7000, 6, K])
    }
  }
})

test('attention: heads or blocks of queries, each once; the longest parts first and last', () => {
  const sizes = [[1, 1, 40, 1], [2, 4, 3, 2], [4, 32, 2, 4], [1, 8, 9, 1]]
  for (const threads of THREADS) for (const [B, H, each, group] of sizes) {
    const team = { ints: (at, n) => (at === 99 ? [B, H, 5, 7, 4, 6, group].slice(0, n) : []) }
    const label = `${B} x ${H} by ${threads}`
    const n = B * H * each, c = {
      gf_attention_blocks: at => (at === 99 ? n : NaN), gf_attention_workspace: (_, isBackward) => 50 + isBackward
    }
    const ahead = SPLITS.gf_attention_forward.divide([1, 2, 3, 99], threads, c, team)
    const pieces = ahead.parts.map(part => part.slice(4))
    assertCovers(pieces, n, label)
    assert.deepEqual([ahead.kernel, ahead.workspace, ahead.floats], ['gf_attention_forward_part', 2, 50])
    if (B * H < 4 * threads) {
      const ends = pieces.length > 1 ? [pieces[0][0], pieces.at(-1)[0]] : []
      const latest = pieces.map(([from]) => from).sort((a, b) => b - a).slice(0, 2)
      assert.deepEqual(ends.sort((a, b) => b - a), pieces.length > 1 ? latest : [], label)
      assert.equal(pieces.length, Math.ceil(n / Math.ceil(n / Math.min(64, 4 * threads))), label)
    } else {
      assert.deepEqual(pieces.map(([from]) => from), pieces.map((_, i) => i * pieces[0][1]), `${label}: in order`)
      assert.equal(pieces.length, Math.min(B * H, 64), label)
      for (const [from, length] of pieces) assert.deepEqual([from % each, length % each], [0, 0], `${label}: whole heads`)
    }
    const back = SPLITS.gf_attention_backward.divide([1, 2, 3, 4, 99], threads, c, team)
    assertCovers(back.parts.map(part => part.slice(5)), B * H / group, label)
    assert.equal(back.parts.length, B * H / group, label)
    assert.deepEqual([back.kernel, back.workspace, back.floats], ['gf_attention_backward_part', 4, 51])
  }
})
