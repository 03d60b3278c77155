import { ACCUMULATE, BFLOAT16_B, FLOAT16_B, PANELS_B, TRANSPOSE_A, TRANSPOSE_B } from '../engine/constants.js'
import { expect, formatShape } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { indicesOf, offsetOf, range, sliceShape } from '../tensor/shape.js'
import { operandIndex, resultIndices } from './broadcast.js'
import { mul } from './binary.js'
import { expectRank, expectFloatTensor, expectTensor, countRows, expectSameEngine } from './checks.js'
import { reductions } from './reduce.js'
import { expectMovable } from './strided.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** Whether b is in float32 panels, which need no packing. @param {number} flags */
const isReady = flags => (flags & (PANELS_B | FLOAT16_B | BFLOAT16_B)) === PANELS_B

/**
 * Calls the kernel with addresses: out [M, N] = a [M, K] b [K, N] + bias.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {number} out @param {number} a @param {number} b
 * @param {{ M: number, N: number, K: number, bias?: number, flags?: number }} options
 */
export function multiply(engine, out, a, b, { M, N, K, bias = 0, flags = 0 }) {
  const workspace = engine.scratch(engine.c.gf_matmul_workspace(M, isReady(flags) ? 0 : N, K))
  engine.c.gf_matmul(out, workspace, a, b, bias, M, N, K, flags)
}

/**
 * The matrices of a and b for each matrix of the result, with leading axes broadcast.
 * @param {readonly number[]} a @param {readonly number[]} b @param {readonly number[]} lead of the result
 */
const pairs = (a, b, lead) =>
  indicesOf(lead).map(index => [a, b].map(shape => offsetOf(shape, operandIndex(shape, index))))

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'matmul',
  reads: { a: ['b'], b: ['a'] },
  axes({ inputs: { a, b } }, of) {
    const rows = of(a), columns = of(b), longer = columns.length > rows.length ? columns : rows
    return [...longer.slice(0, -2), ...rows.slice(-2, -1), ...columns.slice(-1)]
  },
  /* out = a b  =>  da += dout b^T,  db += a^T dout */
  backward({ inputs: { a, b }, outputs: { out }, saved: { M, N, K, uses } }, gradient) {
    const { engine } = out
    const da = gradient(a), db = gradient(b), dout = gradient(out)
    uses.forEach((/** @type {number[]} */ [ai, bi], /** @type {number} */ i) => {
      const from = dout + i * M * N * 4, inA = ai * M * K * 4, inB = bi * K * N * 4
      if (da) multiply(engine, da + inA, from, b.dataPtr() + inB, { M, N: K, K: N, flags: TRANSPOSE_B | ACCUMULATE })
      if (db) multiply(engine, db + inB, a.dataPtr() + inA, from, { M: K, N, K: M, flags: TRANSPOSE_A | ACCUMULATE })
    })
  },
  explain({ inputs: { a, b } }, _, index) {
    const lead = index.slice(0, -2), [i, j] = index.slice(-2)
    return sumOf('out[i, j] = Σₖ a[i, k] × b[k, j]', range(a.shape[a.shape.length - 1]).map(k =>
      productTerm(cell(a, [...leadOf(a, lead), i, k], 'a'), cell(b, [...leadOf(b, lead), k, j], 'b'))))
  },
  explainGradient({ inputs: { a, b }, outputs: { out } }, input, index, d) {
    const own = input === 'a' ? a : b, [p, q] = index.slice(-2), [M, N] = sliceShape(out.shape, -2)
    const leads = resultIndices(sliceShape(out.shape, 0, -2), sliceShape(own.shape, 0, -2), index.slice(0, -2))
    if (input === 'a') {
      return {
        formula: 'da[i, k] = Σⱼ dout[i, j] × b[k, j]',
        terms: leads.flatMap(lead => range(N).map(j =>
          productTerm(d(out, [...lead, p, j], 'dout'), cell(b, [...leadOf(b, lead), q, j], 'b'))))
      }
    }
    return {
      formula: 'db[k, j] = Σᵢ a[i, k] × dout[i, j]',
      terms: leads.flatMap(lead => range(M).map(i =>
        productTerm(cell(a, [...leadOf(a, lead), i, p], 'a'), d(out, [...lead, i, q], 'dout'))))
    }
  },
  cost: ({ saved: { M, N, K, uses } }) => ({ multiplyAdds: uses.length * M * N * K })
}

/** The same of int32 tensors, modulo 2^32 as in PyTorch. @type {import('../autograd/autograd.js').Operation} */
const integerOp = {
  ...op,
  backward() {},
  explain(node, output, index) {
    const explanation = op.explain(node, output, index)
    return { ...explanation, computed: node.outputs.out.at(...index) }
  },
  explainGradient: () => ({ formula: 'no gradient: only float32 tensors have one', terms: [] })
}

/**
 * out [M, N] = a [M, K] b [K, N] for int32 values.
 * @param {Int32Array} out @param {Int32Array} a @param {Int32Array} b
 * @param {{ M: number, N: number, K: number }} sides
 */
function multiplyIntegers(out, a, b, { M, N, K }) {
  for (let i = 0; i < M; i++) for (let k = 0; k < K; k++) {
    const factor = a[i * K + k]
    for (let j = 0; j < N; j++) out[i * N + j] += Math.imul(factor, b[k * N + j])
  }
}

/** The leading part of an operand's index. @param {Tensor} tensor @param {readonly number[]} lead */
const leadOf = (tensor, lead) => operandIndex(sliceShape(tensor.shape, 0, -2), lead)

/** The leading axes of the result. @param {readonly number[]} a @param {readonly number[]} b @param {string} both */
function broadcastLead(a, b, both) {
  const rank = Math.max(a.length, b.length)
  return range(rank).map(axis => {
    const [p, q] = [a[axis - rank + a.length] ?? 1, b[axis - rank + b.length] ?? 1]
    expect(p === q || p === 1 || q === 1, 'shape', () => `matmul: leading axes must be equal or 1; ${both}`)
    return p === 1 ? q : p
  })
}

/** Multiplies with a vector as a matrix of one row or column. @param {Tensor} a @param {Tensor} b */
function multiplyVectors(a, b) {
  const side = a.shape[a.shape.length - 1], other = b.shape[Math.max(0, b.shape.length - 2)]
  expect(side === other, 'shape', () => `matmul: the last side of a ${formatShape(a.shape)} is ${side}, ` +
    `the ${b.shape.length === 1 ? 'only side' : 'last but one'} of b ${formatShape(b.shape)} is ${other}; they must be equal`)
  const left = a.shape.length === 1 ? a.reshape(1, a.numel()) : a
  const right = b.shape.length === 1 ? b.reshape(b.numel(), 1) : b
  const out = matmul(left, right), { shape } = out
  const ends = [...(left === a ? sliceShape(shape, -2, -1) : []), ...(right === b ? sliceShape(shape, -1) : [])]
  return out.reshape(...sliceShape(shape, 0, -2), ...ends)
}

/**
 * The matrix product of two float32 or two int32 tensors, with leading axes broadcast: torch.matmul. int32 is computed
 * in JavaScript, modulo 2^32.
 * @param {Tensor} a [..., M, K], or [K] as one row
 * @param {Tensor} b [..., K, N], or [K] as one column
 * @returns {Tensor} [..., M, N], without the side of a vector
 * @throws {import('../errors.js').GlassformerError} 'shape' when the sides do not fit
 * @example
 * F.matmul(gf.tensor([[1, 2], [3, 4]]), gf.tensor([[1], [1]]))   // [[3], [7]]
 */
export function matmul(a, b) {
  const areIntegers = [a, b].every(tensor => expectTensor('matmul', tensor === a ? 'a' : 'b', tensor).dtype === 'int32')
  const { engine } = areIntegers ? a : expectFloatTensor('matmul', 'a', a)
  if (!areIntegers) expectFloatTensor('matmul', 'b', b)
  expectSameEngine('matmul', a, b)
  const both = `a is ${formatShape(a.shape)}, b is ${formatShape(b.shape)}`, ranks = [a.shape.length, b.shape.length]
  expect(!ranks.includes(0), 'shape',
    () => `matmul: expected matrices [..., M, K] and [..., K, N], or vectors; ${both}`)
  if (ranks.includes(1)) return multiplyVectors(a, b)
  const [rows, K] = sliceShape(a.shape, -2), [inner, N] = sliceShape(b.shape, -2)
  expect(K === inner, 'shape', () => `matmul: the columns of a must be as many as the rows of b; ${both}`)
  const aLead = sliceShape(a.shape, 0, -2), bLead = sliceShape(b.shape, 0, -2), lead = broadcastLead(aLead, bLead, both)
  const out = areIntegers ? engine.zeros([...lead, rows, N], 'int32') : engine.empty([...lead, rows, N]), isSingle = bLead.length === 0
  const M = isSingle ? countRows(a) : rows, uses = isSingle ? [[0, 0]] : out.numel() ? pairs(aLead, bLead, lead) : []
  const [inA, inB, inOut] = areIntegers ? [a, b, out].map(tensor => /** @type {Int32Array} */ (tensor.values)) : []
  uses.forEach(([ai, bi], i) => {
    if (areIntegers) {
      multiplyIntegers(inOut.subarray(i * M * N), inA.subarray(ai * M * K), inB.subarray(bi * K * N), { M, N, K })
      return
    }
    const to = out.dataPtr() + i * M * N * 4
    multiply(engine, to, a.dataPtr() + ai * M * K * 4, b.dataPtr() + bi * K * N * 4, { M, N, K })
  })
  return record(engine, areIntegers ? integerOp : op, { a, b }, { out }, { M, N, K, uses })
}

/** @param {string} where @param {string} name @param {Tensor} x */
const vector = (where, name, x) => expectRank(where, name, expectMovable(where, x, name), 1, '[N]')

/**
 * The dot product, Σ a[i] b[i], of two float32 or two int32 tensors: torch.dot.
 * @param {Tensor} a [N] @param {Tensor} b [N] @returns {Tensor} []
 */
export function dot(a, b) {
  vector('dot', 'a', a)
  vector('dot', 'b', b)
  if (a.dtype === 'int32' && b.dtype === 'int32' && a.numel() === b.numel()) return reductions.sum(mul(a, b))
  return matmul(a, b)
}

/**
 * The outer product, a[i] b[j], of any types that mul takes: torch.outer.
 * @param {Tensor} a [N] @param {Tensor} b [M] @returns {Tensor} [N, M]
 */
export function outer(a, b) {
  vector('outer', 'a', a)
  vector('outer', 'b', b)
  return mul(a.reshape(a.numel(), 1), b.reshape(1, b.numel()))
}
