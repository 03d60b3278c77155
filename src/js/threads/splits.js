import { MAX_PARTS } from './mailbox.js'

/**
 * How calls of kernels are split into parts. Rows stay whole and each row is computed as in one call, so the results
 * have the same bits.
 *
 * @typedef {import('./team.js').Team} Team
 * @typedef {object} Parts
 * @property {number[][]} parts the arguments of each part
 * @property {string} [kernel] the kernel for a part, if it is another one
 * @property {number} [workspace] the index of the argument that is a workspace
 * @property {number} [floats] the size of the workspace
 *
 * @typedef {{ from: number, length: number }} Range
 * @typedef {object} Split
 * @property {(args: number[], team: Team) => number} work of a call, in multiply-adds
 * @property {(args: number[], threads: number, c: import('../platform.d.ts').Exports, team: Team) => Parts} divide
 */

/** Floats of a panel's row, and rows that the product packs at once. */
const PANEL = 8, BLOCK_M = 128

/**
 * Splits 0 .. n into ranges of about the same length, which is a multiple of `unit` for all but the last.
 * @param {number} n @param {number} count @param {number} [unit] @returns {Range[]}
 */
function splitRange(n, count, unit = 1) {
  const length = Math.ceil(n / Math.min(count, MAX_PARTS) / unit) * unit
  return Array.from({ length: Math.ceil(n / length) },
    (_, i) => ({ from: i * length, length: Math.min(length, n - i * length) }))
}

/**
 * A split of a kernel that computes each row separately. Arguments are given by their indices.
 * @param {number} cost of a value, in multiply-adds
 * @param {number} count the number of rows
 * @param {number[]} moving addresses of arrays with as many rows
 * @param {{ side?: number, single?: number[] }} [rows] side: the length of a row; default: 1 value; single: addresses
 *   of arrays with one value for each row, or 0
 * @returns {Split}
 */
const rows = (cost, count, moving, { side = -1, single = [] } = {}) => ({
  work: args => cost * args[count] * (args[side] ?? 1),
  divide(args, threads) {
    const row = args[side] ?? 1
    const parts = splitRange(args[count], 2 * threads, side < 0 ? PANEL : 1).map(({ from, length }) => {
      const list = [...args]
      list[count] = length
      for (const i of moving) list[i] += 4 * from * row
      for (const i of single) if (list[i]) list[i] += 4 * from
      return list
    })
    return { parts }
  }
})

/** A split of an elementwise kernel. @param {number} cost @param {number} count @param {number[]} moving */
const values = (cost, count, moving) => rows(cost, count, moving)

/**
 * The tiles of a matrix product: blocks of rows, or of columns if there are few rows. Each part packs the other matrix
 * again, so there are only as many parts as keep the waiting short.
 * @param {number} M @param {number} N @param {number} threads
 */
function tiles(M, N, threads) {
  const byRows = M > BLOCK_M, n = byRows ? M : N, each = byRows ? BLOCK_M : 2 * BLOCK_M
  const count = n >= 2 * threads * each ? 2 * threads : threads
  return splitRange(n, count, PANEL).map(({ from, length }) => (byRows ? [from, length, 0, N] : [0, M, from, length]))
}

/** Fewer rows wait for the weights to be read, which takes as long as this number of rows. */
const READ = 4

/** The work of a product. @param {number[]} args */
const productWork = ([, , , , , M, N, K]) => (M && Math.max(M, READ)) * N * K

/** @type {Split} */
const product = {
  work: productWork,
  divide([out, workspace, a, b, bias, M, N, K, flags], threads, c) {
    const parts = tiles(M, N, threads).map(tile => [out, workspace, a, b, bias, M, N, K, flags, ...tile])
    return { parts, kernel: 'gf_matmul_part', workspace: 1, floats: c.gf_matmul_workspace(M, N, K) }
  }
}

/**
 * A product with a weight in blocks. One row is split by columns, several by rows, since parts of several rows would
 * not be contiguous.
 * @param {'gf_int8' | 'gf_blocks'} kernels whose functions _size and _workspace describe a weight
 * @param {number} [cost] how many times longer one row takes than of float32
 * @returns {Split}
 */
const blocksProduct = (kernels, cost = 1) => ({
  work: args => productWork(args) * (args[5] === 1 ? cost : 1),
  divide([out, workspace, x, weight, bias, M, N, K, ...type], threads, c) {
    const parts = M === 1
      ? splitRange(N, threads, PANEL).map(({ from, length }) => [out + 4 * from, workspace, x,
          weight + c[`${kernels}_size`](from, K, ...type), bias && bias + 4 * from, 1, length, K, ...type])
      : splitRange(M, threads, 4).map(({ from, length }) => [out + 4 * from * N, workspace, x + 4 * from * K, weight,
          bias, length, N, K, ...type])
    return { parts, workspace: 1, floats: c[`${kernels}_workspace`](M, K) }
  }
})

/**
 * A split of attention, whose last argument is a struct. With a mask some parts take less time than others, so there
 * are more parts than threads.
 * @param {number} workspace the index of the workspace @param {string} kernel for a part
 * @param {0 | 1} isBackward
 * @param {(sizes: { heads: number, group: number, blocks: number }, threads: number) => Range[]} splitBlocks
 * @returns {Split}
 */
const attention = (workspace, kernel, isBackward, splitBlocks) => ({
  work(args, team) {
    const [B, H, Tq, Tk, D, Dv] = team.ints(structOf(args), 6)
    return B * H * Tq * Tk * (D + Dv)
  },
  divide(args, threads, c, team) {
    const struct = structOf(args), [B, H, , , , , group] = team.ints(struct, 7)
    const parts = splitBlocks({ heads: B * H, group, blocks: c.gf_attention_blocks(struct) }, threads)
      .map(({ from, length }) => [...args, from, length])
    return { parts, kernel, workspace, floats: c.gf_attention_workspace(struct, isBackward) }
  }
})

/** @param {number[]} args */
const structOf = args => args[args.length - 1]

/** Puts the last ranges at both ends, where threads begin. @param {Range[]} list */
const lastFirst = list => [...list.filter((_, i) => i % 2).reverse(), ...list.filter((_, i) => i % 2 === 0)]

/** Splits by heads, or, if there are few, by blocks of queries; the last blocks attend to the most keys. */
const forward = attention(2, 'gf_attention_forward_part', 0, ({ heads, blocks }, threads) => (
  heads < 4 * threads ? lastFirst(splitRange(blocks, 4 * threads)) : splitRange(blocks, heads, blocks / heads)))

/** Heads that share keys and values add to the same gradients, so they stay in one part. */
const backward = attention(4, 'gf_attention_backward_part', 1, ({ heads, group }) => splitRange(heads / group, MAX_PARTS))

/**
 * The splits by kernel. The numbers are indices of arguments, in the order of glassformer.h.
 * @type {Record<string, Split>}
 */
export const SPLITS = {
  gf_matmul: product,
  gf_int8_product: blocksProduct('gf_int8'),
  gf_blocks_product: blocksProduct('gf_blocks', 3),
  gf_attention_forward: forward,
  gf_attention_backward: backward,
  gf_softmax_forward: rows(25, 2, [0, 1], { side: 3 }),
  gf_softmax_backward: rows(10, 3, [0, 1, 2], { side: 4 }),
  gf_log_softmax_forward: rows(25, 2, [0, 1], { side: 3 }),
  gf_log_softmax_backward: rows(25, 3, [0, 1, 2], { side: 4 }),
  gf_layer_norm_forward: rows(10, 6, [0, 3], { side: 7, single: [1, 2] }),
  gf_rms_norm_forward: rows(10, 4, [0, 2], { side: 5, single: [1] }),
  gf_gelu_forward: values(25, 2, [0, 1]),
  gf_gelu_backward: values(30, 3, [0, 1, 2]),
  gf_gelu_tanh_forward: values(25, 2, [0, 1]),
  gf_gelu_tanh_backward: values(30, 3, [0, 1, 2]),
  gf_adam_step: rows(25, 5, [0, 1, 2, 4], { single: [3] })
}
