import { ACCUMULATE, BFLOAT16_B, FLOAT16_B, PANELS_B, TRANSPOSE_A, TRANSPOSE_B } from '../engine/constants.js'
import { expect, formatShape } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { indicesOf, range, replaceLastSize } from '../tensor/shape.js'
import { blockAddress } from '../tensor/block_weights.js'
import { DTYPES, isBlockType } from '../tensor/dtype.js'
import { traceRounding } from './rounded.js'
import {
  countRows, expectFloatTensor, expectOptionalTensor, expectRank, expectSameEngine, expectShape, expectWeightTensor,
  getLastSize
} from './checks.js'
import { getPanels } from '../tensor/panels.js'
import { multiply } from './matmul.js'
import { accumulateInputGradient } from './stored_weight.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'linear',
  recompute({ x, weight, bias }, rows) {
    expectInFeatures(x, weight)
    return linearRows(x, weight, bias, rows)
  },
  reads: { x: ['weight'], weight: ['x'] },
  inputAxes: { weight: [{ name: 'row' }, { name: 'channel' }], bias: ({ inputs: { weight } }, of) => [of(weight)[0]] },
  axes({ inputs: { x, weight } }, of) {
    const [row] = of(weight)
    return [...of(x).slice(0, -1), row.name === 'row' ? { name: 'channel' } : row]
  },
  parameters: ({ saved: { first, count, biasFirst } }) => ({ first, count, biasFirst }),
  /* y = x W^T + b  =>  dx += dy W,  dW += dy^T x,  db += column sums of dy */
  backward({ inputs: { x, weight, bias }, outputs: { out }, saved: { first, count, biasFirst } }, gradient) {
    const { engine } = out
    const M = countRows(x), [, K] = weight.shape, dout = gradient(out)
    const dx = gradient(x), dweight = gradient(weight), dbias = gradient(bias), skipped = first * K * 4
    if (dx && weight.dtype !== 'float32') accumulateInputGradient(weight, dx, dout, { M, first, count })
    else if (dx) multiply(engine, dx, dout, weight.dataPtr() + skipped, { M, N: K, K: count, flags: ACCUMULATE })
    if (dweight) {
      multiply(engine, dweight + skipped, dout, x.dataPtr(), { M: count, N: K, K: M, flags: TRANSPOSE_A | ACCUMULATE })
    }
    if (dbias) engine.c.gf_bias_backward(dbias + biasFirst * 4, dout, M, count)
  },
  explain({ inputs: { x, weight, bias }, saved: { first, biasFirst } }, _, index) {
    const row = index.slice(0, -1), column = index[index.length - 1], o = first + column
    const terms = range(weight.shape[1]).map(k => productTerm(cell(x, [...row, k], 'x'), cell(weight, [o, k], 'W')))
    if (bias) terms.unshift(productTerm(cell(bias, [biasFirst + column], 'b')))
    return sumOf(bias ? 'y = b + Σₖ x[k] × W[o, k]' : 'y = Σₖ x[k] × W[o, k]', terms)
  },
  explainGradient({ inputs: { x, weight }, outputs: { out }, saved: { first, count, biasFirst } }, input, index, d) {
    if (input === 'x') {
      const row = index.slice(0, -1), k = index[index.length - 1]
      return {
        formula: 'dx[k] = Σₒ dy[o] × W[o, k]',
        terms: range(count).map(o => productTerm(d(out, [...row, o], 'dy'), cell(weight, [first + o, k], 'W')))
      }
    }
    const o = index[0] - (input === 'bias' ? biasFirst : first)
    if (o < 0 || o >= count) return { formula: '0', terms: [] }
    const rows = indicesOf(x.shape.slice(0, -1))
    if (input === 'bias') {
      return { formula: 'db[o] = Σ dy[·, o]', terms: rows.map(row => productTerm(d(out, [...row, o], 'dy'))) }
    }
    return {
      formula: 'dW[o, k] = Σ dy[·, o] × x[·, k]',
      terms: rows.map(row => productTerm(d(out, [...row, o], 'dy'), cell(x, [...row, index[1]], 'x')))
    }
  },
  cost: ({ inputs: { x, weight, bias }, saved: { count } }) => ({
    multiplyAdds: countRows(x) * count * weight.shape[1],
    parameters: count * weight.shape[1] + (bias ? count : 0)
  })
}

/**
 * Flags of the matrix product for weights in panels.
 * @type {Partial<Record<import('../tensor/dtype.js').DType, number>>}
 */
const FLAGS = { float32: PANELS_B, float16: PANELS_B | FLOAT16_B, bfloat16: PANELS_B | BFLOAT16_B }

/**
 * Calls `use` with the address of some rows of a weight as float32; rows of other dtypes are converted.
 * @param {Tensor} weight @param {number} first @param {number} count @param {(address: number) => void} use
 */
function withRows(weight, first, count, use) {
  const { engine, dtype, shape: [, K] } = weight, { bytes, code } = DTYPES[dtype]
  const rows = weight.dataPtr() + first * K * bytes
  if (dtype === 'float32') return use(rows)
  const copy = engine.empty([count, K])
  engine.c.gf_convert(copy.dataPtr(), DTYPES.float32.code, rows, code, copy.numel())
  use(copy.dataPtr())
  copy.dispose()
}

/**
 * @param {Tensor} out @param {Tensor} x @param {Tensor} weight of int8 @param {number} first row, a multiple of 8
 * @param {{ M: number, N: number, K: number, bias: number }} sizes
 */
function multiplyInt8(out, x, weight, first, { M, N, K, bias }) {
  const { engine } = out, { c } = engine, rows = blockAddress(weight) + c.gf_int8_size(first, K)
  c.gf_int8_product(out.dataPtr(), engine.scratch(c.gf_int8_workspace(M, K)), x.dataPtr(), rows, bias, M, N, K)
}

/**
 * @param {Tensor} out @param {Tensor} x @param {Tensor} weight in GGUF's blocks @param {number} first row
 * @param {{ M: number, N: number, K: number, bias: number }} sizes
 */
function multiplyGgufBlocks(out, x, weight, first, { M, N, K, bias }) {
  const { engine: { c }, engine } = out, workspace = engine.scratch(c.gf_blocks_workspace(M, K))
  const rows = blockAddress(weight, first), { code } = DTYPES[weight.dtype]
  c.gf_blocks_product(out.dataPtr(), workspace, x.dataPtr(), rows, bias, M, N, K, code)
}

/**
 * y = x Wᵀ + b with some rows of the weight, for the projections of attention.
 * @param {Tensor} x [..., K]
 * @param {Tensor} weight [O, K]
 * @param {Tensor | null} bias [at least biasFirst + count]
 * @param {{ first?: number, count?: number, biasFirst?: number }} [rows] first: 0, the first row of weight to use;
 *   count: the number of rows, default: all; biasFirst: the index of the first value of bias, default: first
 * @returns {Tensor} [..., count]
 */
export function linearRows(x, weight, bias, { first = 0, count = weight.shape[0], biasFirst = first } = {}) {
  expectSameEngine('linear', x, weight, bias)
  const { engine } = x, [, K] = weight.shape, M = countRows(x)
  const out = engine.empty(replaceLastSize(x.shape, count))
  const sizes = { M, N: count, K, bias: bias ? bias.dataPtr() + biasFirst * 4 : 0, flags: TRANSPOSE_B }
  if (isBlockType(weight.dtype)) {
    const { operand, recorded } = traceRounding(x, weight.dtype)
    const multiplyByBlocks = weight.dtype === 'int8' ? multiplyInt8 : multiplyGgufBlocks
    multiplyByBlocks(out, operand, weight, first, sizes)
    return record(engine, op, { x: recorded, weight, bias }, { out }, { first, count, biasFirst })
  }
  const panels = getPanels(weight, first, count, x, bias)
  if (panels) {
    sizes.flags = /** @type {number} */ (FLAGS[weight.dtype])
    multiply(engine, out.dataPtr(), x.dataPtr(), panels, sizes)
  } else withRows(weight, first, count, rows => multiply(engine, out.dataPtr(), x.dataPtr(), rows, sizes))
  return record(engine, op, { x, weight, bias }, { out }, { first, count, biasFirst })
}

/** @param {Tensor} x @param {Tensor} weight */
const expectInFeatures = (x, weight) => expect(getLastSize('linear', 'x', x) === weight.shape[1], 'shape', () =>
  `linear: the last dimension of x must be ${weight.shape[1]} (weight is ${formatShape(weight.shape)}), ` +
  `got ${formatShape(x.shape)}`)

/**
 * A linear layer, y = x Wᵀ + b: torch.nn.functional.linear. A weight of float16, bfloat16, int8 or a format of GGUF has
 * no gradient, but gradients flow through it to x, as QLoRA needs. Products with int8 and with the formats of GGUF
 * round x to 16 bits (Q6_K: 15), with a step for each 32 values; gradients are computed as if x were not rounded.
 * @param {Tensor} x [..., inFeatures]
 * @param {Tensor} weight [outFeatures, inFeatures]
 * @param {Tensor | null} [bias] [outFeatures]
 * @returns {Tensor} [..., outFeatures]
 * @throws {import('../errors.js').GlassformerError} 'shape' when they do not fit
 * @example
 * F.linear(gf.tensor([[1, 2]]), gf.tensor([[3, 4], [5, 6]]), gf.tensor([10, 20]))   // [[21, 37]]
 */
export function linear(x, weight, bias) {
  expectFloatTensor('linear', 'x', x)
  expectWeightTensor('linear', 'weight', weight)
  expectRank('linear', 'weight', weight, 2, '[outFeatures, inFeatures]')
  const offset = expectOptionalTensor('linear', 'bias', bias)
  expectInFeatures(x, weight)
  expectShape('linear', 'bias', offset, [weight.shape[0]], 'one value for each output feature')
  return linearRows(x, weight, offset)
}
