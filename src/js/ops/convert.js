import { oneOf } from '../errors.js'
import { record } from '../autograd.js'
import { DTYPES } from '../dtype.js'
import { cell, product } from '../explain.js'
import { anyTensor } from './checks.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../dtype.js').DType} DType */

const NAMES = /** @type {DType[]} */ (Object.keys(DTYPES))

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'to',
  parameters: ({ outputs: { out } }) => ({ dtype: out.dtype }),
  /* Only float32 has gradients, and a float32 tensor as float32 is itself. */
  backward() {},
  explain({ inputs: { x }, outputs: { out } }, _, index) {
    return { formula: 'out = x', terms: [product(cell(x, index, 'x'))], computed: Number(out.at(...index)) }
  },
  explainGradient: () => ({ formula: 'no gradient: only float32 tensors have one', terms: [] })
}

/**
 * The same values as another type: torch.Tensor.to. To int32 the fraction is cut off (NaN becomes 0, and what is too
 * large the largest int32); to bool all but 0 is true. Only float32 has gradients, so none goes through.
 * @param {Tensor} x any shape and type
 * @param {DType} dtype
 * @returns {Tensor} x itself if it has that type
 */
export function to(x, dtype) {
  const { engine } = anyTensor('to', 'x', x)
  oneOf('to', 'dtype', dtype, NAMES)
  if (x.dtype === dtype) return x
  const out = engine.empty(x.shape, dtype)
  engine.c.gf_convert(out.address, DTYPES[dtype].code, x.address, DTYPES[x.dtype].code, x.size)
  return record(engine, op, { x }, { out })
}
