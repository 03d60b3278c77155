import { describe, expect } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { packBlocks, unpackBlocks } from '../tensor/block_weights.js'
import { DTYPES, isBlockType, typeHint } from '../tensor/dtype.js'
import { cell, productTerm } from '../trace/explain.js'
import { expectTensor } from './checks.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../tensor/dtype.js').DType} DType */

/**
 * Copies values into a tensor of the same shape and any dtype.
 * @param {Tensor} out @param {Tensor} x
 */
export function convertInto(out, x) {
  const { engine } = out
  if (x.dtype === out.dtype) out.copyFrom(x)
  else if (isBlockType(out.dtype) && x.dtype === 'float32') packBlocks(out, x.dataPtr())
  else if (out.dtype === 'float32' && isBlockType(x.dtype)) unpackBlocks(out.dataPtr(), x)
  else if (isBlockType(out.dtype) || isBlockType(x.dtype)) {
    const float32 = engine.empty(x.shape)
    convertInto(float32, x)
    convertInto(out, float32)
    float32.dispose()
  } else engine.c.gf_convert(out.dataPtr(), DTYPES[out.dtype].code, x.dataPtr(), DTYPES[x.dtype].code, x.numel())
}

/** GGUF's formats are only read from files. */
const NAMES = /** @type {DType[]} */ (Object.keys(DTYPES)).filter(dtype => !DTYPES[dtype].block)
/** Devices, which PyTorch's `to` accepts. */
const DEVICES = ['cuda', 'cpu', 'mps']

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'to',
  kind: 'elementwise',
  parameters: ({ outputs: { out } }) => ({ dtype: out.dtype }),
  /* Only float32 has gradients, and converting float32 to float32 records nothing. */
  backward() {},
  explain({ inputs: { x }, outputs: { out } }, _, index) {
    return { formula: 'out = x', terms: [productTerm(cell(x, index, 'x'))], computed: Number(out.at(...index)) }
  },
  explainGradient: () => ({ formula: 'no gradient: only float32 tensors have one', terms: [] })
}

/**
 * Converts to another dtype: torch.Tensor.to. Conversion to int32 truncates (NaN becomes 0, numbers out of range the
 * nearest int32); to bool, all values but 0 become true; to int8, which needs a matrix, values are rounded to 255
 * steps. No gradient flows through, since only float32 has gradients.
 * @param {Tensor} x any shape and type
 * @param {DType} dtype
 * @returns {Tensor} x itself if it has that dtype
 */
export function to(x, dtype) {
  const { engine } = expectTensor('to', 'x', x)
  expect(!DEVICES.includes(dtype), 'range', () => `to: there are no devices here; leave .to('${dtype}') out`)
  if (x.dtype === dtype) return x
  expect(!DTYPES[dtype]?.block, 'type', () => `to: ${dtype} is a format of GGUF files, and only models.load makes such ` +
    "tensors; to('int8') stores a matrix in less memory, too")
  expect(NAMES.includes(dtype), typeof dtype === 'string' ? 'range' : 'type',
    () => `to: dtype must be one of ${NAMES.join(', ')}, got ${describe(dtype)}${typeHint(dtype)}` +
      ('dtype' in Object(dtype) ? '; write x.typeAs(other)' : ''))
  const out = engine.empty(x.shape, dtype)
  convertInto(out, x)
  return record(engine, op, { x }, { out })
}
