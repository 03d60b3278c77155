import { BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, INT32, INT8 } from './constants.js'

/**
 * What a tensor's values can be. Operations compute in float32. int32 is for ids and counts, bool for masks; float64 is
 * for tables such as the positional encoding's; float16, bfloat16 and int8 only store, in less memory: `linear` and
 * `embedding` take weights of them, everything else after `to('float32')`. int8 is a matrix of integers from −127
 * to 127, 32 neighbours of a row with a scale.
 * @typedef {'float32' | 'int32' | 'float64' | 'bool' | 'float16' | 'bfloat16' | 'int8'} DType
 * @typedef {Float32Array | Int32Array | Float64Array | Uint8Array | Uint16Array} Data bool as 0 and 1, the halves as
 *   their bits
 */

/** What PyTorch and others call types that have other names here. @type {Record<string, DType>} */
export const ELSEWHERE = {
  float: 'float32', double: 'float64', half: 'float16', long: 'int32', int: 'int32', int64: 'int32', uint8: 'int32',
  boolean: 'bool'
}

/** What to write for a type that is none. @param {unknown} name */
export const typeHint = name => (Object.hasOwn(ELSEWHERE, String(name)) ? `; write '${ELSEWHERE[String(name)]}'` : '')

const word = new Uint32Array(1), single = new Float32Array(word.buffer)

/** @param {number} bits @returns {number} */
function fromHalf(bits) {
  const size = bits & 0x7fff, sign = bits >> 15 ? -1 : 1, mantissa = size & 0x3ff
  if (size >= 0x7c00) return size > 0x7c00 ? NaN : sign * Infinity
  return sign * (size < 0x400 ? size * 2 ** -24 : (0x400 + mantissa) * 2 ** ((size >> 10) - 25))
}

/** The upper half of a float32. @param {number} bits @returns {number} */
function fromBrainHalf(bits) {
  word[0] = bits << 16
  return single[0]
}

/**
 * code: what the kernels call it; view: how the memory shows it; read: what a value means, where it is not itself.
 * @type {Record<DType, { bytes: number, code: number, view: 'floats' | 'ints' | 'doubles' | 'bytes' | 'halves',
 *   read?: (value: number) => any }>}
 */
export const DTYPES = {
  float32: { bytes: 4, code: FLOAT32, view: 'floats' },
  int32: { bytes: 4, code: INT32, view: 'ints' },
  float64: { bytes: 8, code: FLOAT64, view: 'doubles' },
  bool: { bytes: 1, code: BOOL, view: 'bytes', read: Boolean },
  float16: { bytes: 2, code: FLOAT16, view: 'halves', read: fromHalf },
  bfloat16: { bytes: 2, code: BFLOAT16, view: 'halves', read: fromBrainHalf },
  /** With its scales, see src/c/ops/int8.c. */ int8: { bytes: 8.5 / 8, code: INT8, view: 'bytes' }
}

/** What a tensor can be made as. */
export const MADE = /** @type {DType[]} */ (Object.keys(DTYPES).filter(dtype => dtype !== 'int8'))

/** What only stores: weights that are only used. */
export const STORED = /** @type {DType[]} */ (['float16', 'bfloat16', 'int8'])

/** What weights can be. */
export const WEIGHTS = /** @type {DType[]} */ (['float32', ...STORED])
