import { MOST_PARTS } from './mailbox.js'

/**
 * How calls of kernels are divided. Rows are never cut in two and every row is computed as it would be alone, so what
 * comes out has the same bits.
 *
 * @typedef {import('./team.js').Team} Team
 * @typedef {object} Parts
 * @property {number[][]} parts the arguments of each
 * @property {string} [kernel] that does a part, if not the same
 * @property {number} [room] the argument that is a workspace
 * @property {number} [floats] that a part needs there
 *
 * @typedef {{ from: number, length: number }} Piece
 * @typedef {object} Split
 * @property {(args: number[], team: Team) => number} work in multiply-adds, or what takes as long
 * @property {(args: number[], threads: number, c: import('../platform.d.ts').Exports, team: Team) => Parts} divide
 */

/** Floats of a panel's row, queries of a block, rows that the product packs at once. */
const PANEL = 8, BLOCK_M = 128

/**
 * From 0 to n in pieces about as long, each but the last of a multiple of `unit`.
 * @param {number} n @param {number} count @param {number} [unit] @returns {Piece[]}
 */
function pieces(n, count, unit = 1) {
  const length = Math.ceil(n / Math.min(count, MOST_PARTS) / unit) * unit
  return Array.from({ length: Math.ceil(n / length) },
    (_, i) => ({ from: i * length, length: Math.min(length, n - i * length) }))
}

/**
 * Kernels that go from row to row.
 * @param {number} cost of a value
 * @param {number} count the argument that counts rows
 * @param {number[]} moving arguments that are as many rows, moved on with them
 * @param {{ side?: number, single?: number[] }} [rows] side: the argument that says how long a row is, else 1; single:
 *   arguments that have one value a row, if they are there
 * @returns {Split}
 */
const rows = (cost, count, moving, { side = -1, single = [] } = {}) => ({
  work: args => cost * args[count] * (args[side] ?? 1),
  divide(args, threads) {
    const row = args[side] ?? 1
    const parts = pieces(args[count], 2 * threads, side < 0 ? PANEL : 1).map(({ from, length }) => {
      const list = [...args]
      list[count] = length
      for (const i of moving) list[i] += 4 * from * row
      for (const i of single) if (list[i]) list[i] += 4 * from
      return list
    })
    return { parts }
  }
})

/** One value each. @param {number} cost @param {number} count @param {number[]} moving */
const values = (cost, count, moving) => rows(cost, count, moving)

/**
 * Few rows are packed once and for all columns, so their columns are divided; many rows are as many blocks of rows.
 * Each part packs the other matrix for itself, so there are no more parts than are needed to wait little.
 * @param {number} M @param {number} N @param {number} threads
 */
function tiles(M, N, threads) {
  const byRows = M > BLOCK_M, n = byRows ? M : N, each = byRows ? BLOCK_M : 2 * BLOCK_M
  const count = n >= 2 * threads * each ? 2 * threads : threads
  return pieces(n, count, PANEL).map(({ from, length }) => (byRows ? [from, length, 0, N] : [0, M, from, length]))
}

/** @type {Split} */
const product = {
  work: ([, , , , , M, N, K]) => M * N * K,
  divide([out, workspace, a, b, bias, M, N, K, flags], threads, c) {
    const parts = tiles(M, N, threads).map(tile => [out, workspace, a, b, bias, M, N, K, flags, ...tile])
    return { parts, kernel: 'gf_matmul_part', room: 1, floats: c.gf_matmul_workspace(M, N, K) }
  }
}

/** One row by columns, several by rows: a row of several would be written with gaps. @type {Split} */
const int8Product = {
  work: ([, , , , , M, N, K]) => M * N * K,
  divide([out, workspace, x, weight, bias, M, N, K], threads, c) {
    const parts = M === 1
      ? pieces(N, threads, PANEL).map(({ from, length }) => [out + 4 * from, workspace, x,
          weight + c.gf_int8_size(from, K), bias && bias + 4 * from, 1, length, K])
      : pieces(M, threads, 4).map(({ from, length }) => [out + 4 * from * N, workspace, x + 4 * from * K, weight, bias,
          length, N, K])
    return { parts, room: 1, floats: c.gf_int8_workspace(M, K) }
  }
}

/**
 * Attention, whose last argument is its struct. Under a mask some parts are done sooner than others, so there are more
 * of them than threads.
 * @param {number} room which argument is a workspace @param {string} kernel that does a part
 * @param {0 | 1} isBackward
 * @param {(sizes: { heads: number, group: number, blocks: number }, threads: number) => Piece[]} cut
 * @returns {Split}
 */
const attention = (room, kernel, isBackward, cut) => ({
  work(args, team) {
    const [B, H, Tq, Tk, D, Dv] = team.ints(structOf(args), 6)
    return B * H * Tq * Tk * (D + Dv)
  },
  divide(args, threads, c, team) {
    const struct = structOf(args), [B, H, , , , , group] = team.ints(struct, 7)
    const parts = cut({ heads: B * H, group, blocks: c.gf_attention_blocks(struct) }, threads)
      .map(({ from, length }) => [...args, from, length])
    return { parts, kernel, room, floats: c.gf_attention_workspace(struct, isBackward) }
  }
})

/** @param {number[]} args */
const structOf = args => args[args.length - 1]

/** What is taken first stands at both ends: every other part from the last on, and the rest back. */
/** @param {Piece[]} list */
const lastFirst = list => [...list.filter((_, i) => i % 2).reverse(), ...list.filter((_, i) => i % 2 === 0)]

/** Heads, or, where there are few, blocks of queries; the last of them see most keys. */
const forward = attention(2, 'gf_attention_forward_part', 0, ({ heads, blocks }, threads) => (
  heads < 4 * threads ? lastFirst(pieces(blocks, 4 * threads)) : pieces(blocks, heads, blocks / heads)))

/** Heads that share keys and values add up to their gradients, one after the other. */
const backward = attention(4, 'gf_attention_backward_part', 1, ({ heads, group }) => pieces(heads / group, MOST_PARTS))

/** Kernels by name. The numbers are places in their lists of arguments, as glassformer.h has them. */
/** @type {Record<string, Split>} */
export const SPLITS = {
  gf_matmul: product,
  gf_int8_product: int8Product,
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
