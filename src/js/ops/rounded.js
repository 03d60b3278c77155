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
  explain({ inputs: { x }, outputs: { out } }, _, index) {
    const value = Number(out.at(...index))
    const terms = [productTerm(cell(x, index, 'x'))], from = index[index.length - 1] - index[index.length - 1] % BLOCK
    const width = Math.min(BLOCK, x.shape[x.shape.length - 1] - from)
    const row = Array.from({ length: width }, (_, i) => cell(x, [...index.slice(0, -1), from + i], 'x'))
    const step = Math.fround(Math.fround(row.reduce((max, { value: v }) => Math.max(max, Math.abs(v)), 0)) / 32767)
    return {
      formula: 'out = s × round(x / s), s = max |x| of the block / 32767', terms, row, computed: value,
      steps: [{ label: 's', value: step }, { label: 's × round(x / s)', value }]
    }
  },
  explainGradient: ({ outputs: { out } }, _, index, d) => (
    { formula: 'dx = dout', terms: [productTerm(d(out, index, 'dout'))] })
}

/**
 * The rounding of x before a product with an int8 weight: to 16 bits, with a step for each block of 32 values. The
 * kernel does this itself; in a trace it is recorded as an operation, and its result is used if it is edited.
 * @param {Tensor} x
 * @returns {{ operand: Tensor, recorded: Tensor }}
 */
export function traceRounding(x) {
  const { engine } = x
  if (!engine.trace) return { operand: x, recorded: x }
  const isEdited = engine.trace.willEdit(op.name), out = engine.empty(x.shape), K = x.shape[x.shape.length - 1]
  engine.c.gf_int8_rounded(out.dataPtr(), x.dataPtr(), K ? x.numel() / K : 0, K)
  const recorded = record(engine, op, { x }, { out })
  return { operand: isEdited ? recorded : x, recorded }
}
