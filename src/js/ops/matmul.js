import { expect, shapeText } from '../errors.js'
import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { indicesOf, range } from '../shape.js'
import { floatTensor, rowsOf } from './checks.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** The flags of gf_matmul, as in glassformer.h. */
export const TRANSPOSE_A = 1, TRANSPOSE_B = 2, ACCUMULATE = 8

/**
 * The kernel on addresses: out [batch, M, N] = a [batch, M, K] b [batch, K, N] + bias.
 * @param {import('../engine.js').Engine} engine
 * @param {number} out @param {number} a @param {number} b
 * @param {{ batch?: number, M: number, N: number, K: number, bias?: number, flags?: number }} options
 */
export function multiply(engine, out, a, b, { batch = 1, M, N, K, bias = 0, flags = 0 }) {
  const workspace = flags & TRANSPOSE_A ? engine.scratch(engine.c.gf_matmul_workspace()) : 0
  engine.c.gf_matmul(out, workspace, a, b, bias, batch, M, N, K, flags)
}

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'matmul',
  /* out = a b  =>  da += dout b^T,  db += a^T dout */
  backward({ inputs: { a, b }, outputs: { out }, saved: { batch, M, N, K } }, gradient) {
    const { engine } = out
    const da = gradient(a), db = gradient(b), dout = gradient(out)
    if (da) multiply(engine, da, dout, b.address, { batch, M, N: K, K: N, flags: TRANSPOSE_B | ACCUMULATE })
    if (db) multiply(engine, db, a.address, dout, { batch, M: K, N, K: M, flags: TRANSPOSE_A | ACCUMULATE })
  },
  explain({ inputs: { a, b } }, _, index) {
    const { row, column, bRow } = places(a, b, index)
    const terms = range(a.shape[a.shape.length - 1]).map(k => product(cell(a, [...row, k], 'a'), cell(b, bRow(k, column), 'b')))
    return sumOf('out[i, j] = Σₖ a[i, k] × b[k, j]', terms)
  },
  explainGradient({ inputs: { a, b }, outputs: { out } }, input, index, d) {
    if (input === 'a') {
      const { row, bRow } = places(a, b, index), k = index[index.length - 1]
      return {
        formula: 'da[i, k] = Σⱼ dout[i, j] × b[k, j]',
        terms: range(out.shape[out.shape.length - 1]).map(j => product(d(out, [...row, j], 'dout'), cell(b, bRow(k, j), 'b')))
      }
    }
    const [k, j] = index.slice(-2), shared = b.shape.length === 2
    const rows = shared ? indicesOf(a.shape.slice(0, -1)) : range(a.shape[a.shape.length - 2]).map(i => [...index.slice(0, -2), i])
    return {
      formula: 'db[k, j] = Σᵢ a[i, k] × dout[i, j]',
      terms: rows.map(row => product(cell(a, [...row, k], 'a'), d(out, [...row, j], 'dout')))
    }
  },
  cost: ({ saved: { batch, M, N, K } }) => ({ multiplyAdds: batch * M * N * K })
}

/** @param {Tensor} a @param {Tensor} b @param {readonly number[]} index */
function places(a, b, index) {
  const batch = b.shape.length === 2 ? [] : index.slice(0, -2)
  return {
    row: index.slice(0, -1),
    column: index[index.length - 1],
    bRow: (/** @type {number} */ k, /** @type {number} */ j) => [...batch, k, j]
  }
}

/**
 * Matrix product: torch.matmul for a [..., M, K] and b [K, N], or b with the same leading axes as a.
 * @param {Tensor} a
 * @param {Tensor} b
 * @returns {Tensor} [..., M, N]
 * @throws {import('../errors.js').GlassformerError} 'shape' when the sides do not fit
 */
export function matmul(a, b) {
  const { engine } = floatTensor('matmul', 'a', a)
  floatTensor('matmul', 'b', b)
  const both = `a is ${shapeText(a.shape)}, b is ${shapeText(b.shape)}`
  expect(a.shape.length >= 2 && b.shape.length >= 2, 'shape', () => `matmul: expected matrices [..., M, K] and [..., K, N]; ${both}`)
  const [M, K] = a.shape.slice(-2), [inner, N] = b.shape.slice(-2), lead = a.shape.slice(0, -2), shared = b.shape.length === 2
  expect(K === inner, 'shape', () => `matmul: the columns of a must be as many as the rows of b; ${both}`)
  expect(shared || shapeText(lead) === shapeText(b.shape.slice(0, -2)), 'shape',
    () => `matmul: b must have two axes or the same leading axes as a; ${both}`)
  const batch = lead.reduce((n, side) => n * side, 1), out = engine.empty([...lead, M, N])
  const sizes = shared ? { batch: 1, M: rowsOf(a), N, K } : { batch, M, N, K }
  multiply(engine, out.address, a.address, b.address, sizes)
  return record(engine, op, { a, b }, { out }, sizes)
}
