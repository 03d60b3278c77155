import { BLOCKS } from './blocks.js'
import { BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, INT32, INT8 } from '../engine/constants.js'
import { float16ToNumber } from './float16.js'

/**
 * The types of a tensor's values. Operations compute in float32. int32 is for ids and counts, bool for masks, float64
 * for tables such as the positional encoding. float16, bfloat16, int8 and the formats of GGUF (q8_0 and so on) only
 * store weights in less memory: `linear` and `embedding` take them, other operations need `to('float32')` first. int8
 * is a matrix of integers from −127 to 127 with a scale for each block of 32 values of a row; blocks.js has GGUF's.
 * @typedef {'q8_0' | 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q4_k' | 'q5_k' | 'q6_k'} GgufDType
 * @typedef {'float32' | 'int32' | 'float64' | 'bool' | 'float16' | 'bfloat16' | 'int8' | GgufDType} DType
 * @typedef {Float32Array | Int32Array | Float64Array | Uint8Array | Uint16Array} Data bool as 0 and 1, float16 and
 *   bfloat16 as their bits
 */

/** Names that PyTorch and others use for types, with the type here. @type {Record<string, DType>} */
export const DTYPE_ALIASES = {
  float: 'float32', double: 'float64', half: 'float16', long: 'int32', int: 'int32', int64: 'int32', uint8: 'int32',
  boolean: 'bool'
}

/** A hint for an unknown type. @param {unknown} name */
export const typeHint = name => (Object.hasOwn(DTYPE_ALIASES, String(name)) ? `; write '${DTYPE_ALIASES[String(name)]}'` : '')

const float32Bits = new Uint32Array(1), float32Value = new Float32Array(float32Bits.buffer)

/** The nearest bfloat16, ties to even. @param {number} x finite @returns {number} */
export function roundToBfloat16(x) {
  float32Value[0] = x
  float32Bits[0] += 0x7fff + (float32Bits[0] >>> 16 & 1)
  float32Bits[0] &= 0xffff0000
  return float32Value[0]
}

/** bfloat16 is the upper half of a float32. @param {number} bits @returns {number} */
function bfloat16ToNumber(bits) {
  float32Bits[0] = bits << 16
  return float32Value[0]
}

/** @param {import('./blocks.js').BlockKind} block */
const inBlocks = block =>
  ({ bytes: block.bytes / block.values, code: block.code, view: /** @type {const} */ ('bytes'), block })

/** @type {Record<GgufDType, ReturnType<typeof inBlocks>>} */
const GGUF_DTYPES = /** @type {any} */ (
  Object.fromEntries(Object.entries(BLOCKS).map(([name, block]) => [name.toLowerCase(), inBlocks(block)])))

/**
 * bytes: of a value, or the mean; code: the kernels' constant; view: the method of Memory that shows the values; read:
 * converts a stored value; block: the format, of GGUF's types.
 * @type {Record<DType, { bytes: number, code: number, view: 'floats' | 'ints' | 'doubles' | 'bytes' | 'halves',
 *   read?: (value: number) => any, block?: import('./blocks.js').BlockKind }>}
 */
export const DTYPES = {
  float32: { bytes: 4, code: FLOAT32, view: 'floats' },
  int32: { bytes: 4, code: INT32, view: 'ints' },
  float64: { bytes: 8, code: FLOAT64, view: 'doubles' },
  bool: { bytes: 1, code: BOOL, view: 'bytes', read: Boolean },
  float16: { bytes: 2, code: FLOAT16, view: 'halves', read: float16ToNumber },
  bfloat16: { bytes: 2, code: BFLOAT16, view: 'halves', read: bfloat16ToNumber },
  /** With its scales, see src/c/ops/int8.c. */ int8: { bytes: 8.5 / 8, code: INT8, view: 'bytes' },
  ...GGUF_DTYPES
}

/** Whether the values lie in blocks with a scale, so that they have no address of their own. @param {DType} dtype */
export const isBlockType = dtype => dtype === 'int8' || DTYPES[dtype].block !== undefined

const NAMES = /** @type {DType[]} */ (Object.keys(DTYPES))

/** The types in which tensors can be created. */
export const TENSOR_DTYPES = NAMES.filter(dtype => !isBlockType(dtype))

/** The types that only store weights, which cannot be trained. */
export const STORAGE_DTYPES = NAMES.filter(dtype => isBlockType(dtype) || ['float16', 'bfloat16'].includes(dtype))

/** The types of weights. */
export const WEIGHT_DTYPES = /** @type {DType[]} */ (['float32', ...STORAGE_DTYPES])
