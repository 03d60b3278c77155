import { record } from '../autograd/autograd.js'
import { cell, productTerm } from '../trace/explain.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** Neighbors in a row that share a step. */
const BLOCK = 32

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'rounded',
  /* The derivative of rounding is 0 almost everywhere; like any straight-through estimator, this takes dx = dout. */
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_accumulate(gradient(x), gradient(out), out.numel())
  },
  explain({ inputs: { x }, outputs: { out }, saved: { steps } }, _, index) {
    const value = Number(out.at(...index))
    const terms = [productTerm(cell(x, index, 'x'))], from = index[index.length - 1] - index[index.length - 1] % BLOCK
    const width = Math.min(BLOCK, x.shape[x.shape.length - 1] - from)
    const row = Array.from({ length: width }, (_, i) => cell(x, [...index.slice(0, -1), from + i], 'x'))
    const step = Math.fround(Math.fround(row.reduce((max, { value: v }) => Math.max(max, Math.abs(v)), 0)) / steps)
    return {
      formula: `out = s × round(x / s), s = max |x| of the block / ${steps}`, terms, row, computed: value,
      steps: [{ label: 's', value: step }, { label: 's × round(x / s)', value }]
    }
  },
  explainGradient: ({ outputs: { out } }, _, index, d) => (
    { formula: 'dx = dout', terms: [productTerm(d(out, index, 'dout'))] })
}

/** The largest integer that a rounded value stands for; the sums of Q6_K need a bit more than those of the others. */
const stepsOf = (/** @type {import('../tensor/dtype.js').DType} */ dtype) => (dtype === 'q6_k' ? 16383 : 32767)

/**
 * The rounding of x before a product with a weight in blocks: to 16 bits, with a step for each block of 32 values. The
 * kernel does this itself; in a trace it is recorded as an operation, and its result is used if it is edited.
 * @param {Tensor} x @param {import('../tensor/dtype.js').DType} dtype of the weight
 * @returns {{ operand: Tensor, recorded: Tensor }}
 */
export function traceRounding(x, dtype) {
  const { engine } = x
  if (!engine.trace) return { operand: x, recorded: x }
  const isEdited = engine.trace.willEdit(op.name), out = engine.empty(x.shape), K = x.shape[x.shape.length - 1]
  const steps = stepsOf(dtype)
  engine.c.gf_int8_rounded(out.dataPtr(), x.dataPtr(), K ? x.numel() / K : 0, K, steps)
  const recorded = record(engine, op, { x }, { out }, { steps })
  return { operand: isEdited ? recorded : x, recorded }
}
