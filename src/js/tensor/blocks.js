import { Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0 } from '../engine/constants.js'
import { float16ToNumber } from './float16.js'

/**
 * Tensors of GGUF whose values are stored in blocks of 32 or 256 with a scale (ggml's block_q8_0 and so on): what a
 * block has, and the values that it stands for.
 *
 * @typedef {object} BlockKind
 * @property {number} code the kernels' constant
 * @property {number} values of a block
 * @property {number} bytes of a block
 * @property {(bytes: Uint8Array, at: number, out: Float32Array, to: number) => void} read writes the values of the
 *   block at byte `at` to out, from index `to` on
 */

/** @param {Uint8Array} bytes @param {number} at */
const half = (bytes, at) => float16ToNumber(bytes[at] | bytes[at + 1] << 8)
/** @param {number} byte */
const signed = byte => byte << 24 >> 24

const SMALL = 32, LARGE = 256

/**
 * Blocks of 32 values with 4 or 5 bits each: a low half byte for each of the first 16 values, a high one for each of
 * the others, and the fifth bits in 4 bytes.
 * @param {number} code @param {boolean} hasMin whether a minimum is added, else half of the range is subtracted
 * @param {boolean} hasFifthBit
 * @returns {BlockKind}
 */
function smallBlock(code, hasMin, hasFifthBit) {
  const start = hasMin ? 4 : 2, codes = start + (hasFifthBit ? 4 : 0), middle = hasMin ? 0 : hasFifthBit ? 16 : 8
  return {
    code, values: SMALL, bytes: codes + 16,
    read(bytes, at, out, to) {
      const scale = half(bytes, at), min = hasMin ? half(bytes, at + 2) : 0
      for (let i = 0; i < SMALL; i++) {
        const byte = bytes[at + codes + i % 16], low = i < 16 ? byte & 15 : byte >> 4
        const fifth = hasFifthBit ? bytes[at + start + (i >> 3)] >> (i & 7) & 1 : 0
        out[to + i] = Math.fround((low + 16 * fifth - middle) * scale) + min
      }
    }
  }
}

/** 32 values with 8 bits. @type {BlockKind} */
const bytesBlock = {
  code: Q8_0, values: SMALL, bytes: 34,
  read(bytes, at, out, to) {
    const scale = half(bytes, at)
    for (let i = 0; i < SMALL; i++) out[to + i] = signed(bytes[at + 2 + i]) * scale
  }
}

/**
 * The scale and minimum of group j of a block of 256 values: 6 bits each, packed into 12 bytes.
 * @param {Uint8Array} bytes @param {number} at of the 12 bytes @param {number} j
 */
function scaleAndMin(bytes, at, j) {
  if (j < 4) return [bytes[at + j] & 63, bytes[at + j + 4] & 63]
  const low = bytes[at + j + 4]
  return [low & 15 | bytes[at + j - 4] >> 6 << 4, low >> 4 | bytes[at + j] >> 6 << 4]
}

/**
 * 256 values with 4 or 5 bits in 8 groups, each with a scale and a minimum of 6 bits.
 * @param {number} code @param {boolean} hasFifthBit @returns {BlockKind}
 */
function groupedBlock(code, hasFifthBit) {
  const codes = hasFifthBit ? 48 : 16
  return {
    code, values: LARGE, bytes: codes + 128,
    read(bytes, at, out, to) {
      const d = half(bytes, at), dmin = half(bytes, at + 2)
      for (let j = 0; j < 8; j++) {
        const [scale, min] = scaleAndMin(bytes, at + 4, j), first = at + codes + 32 * (j >> 1)
        for (let i = 0; i < 32; i++) {
          const low = j % 2 ? bytes[first + i] >> 4 : bytes[first + i] & 15
          const fifth = hasFifthBit ? bytes[at + 16 + i] >> j & 1 : 0
          out[to + 32 * j + i] = Math.fround(Math.fround(d * scale) * (low + 16 * fifth)) - Math.fround(dmin * min)
        }
      }
    }
  }
}

/** 256 values with 6 bits in 16 groups, each with a scale of 8 bits. @type {BlockKind} */
const sixBitsBlock = {
  code: Q6_K, values: LARGE, bytes: 210,
  read(bytes, at, out, to) {
    const d = half(bytes, at + 208)
    for (let i = 0; i < LARGE; i++) {
      const n = i >> 7, quarter = i >> 5 & 3, l = i & 31
      const low = bytes[at + 64 * n + (quarter & 1) * 32 + l] >> (quarter & 2 ? 4 : 0) & 15
      const high = bytes[at + 128 + 32 * n + l] >> 2 * quarter & 3
      out[to + i] = Math.fround(d * signed(bytes[at + 192 + (i >> 4)])) * ((low | high << 4) - 32)
    }
  }
}

/** The formats by their names in GGUF; the dtypes of tensors have the same in lower case. */
export const BLOCKS = {
  Q8_0: bytesBlock,
  Q4_0: smallBlock(Q4_0, false, false), Q4_1: smallBlock(Q4_1, true, false),
  Q5_0: smallBlock(Q5_0, false, true), Q5_1: smallBlock(Q5_1, true, true),
  Q4_K: groupedBlock(Q4_K, false), Q5_K: groupedBlock(Q5_K, true), Q6_K: sixBitsBlock
}

/** The format of a dtype of a file, if it has blocks. @param {string} dtype @returns {BlockKind | undefined} */
export const findBlock = dtype => /** @type {Record<string, BlockKind>} */ (BLOCKS)[dtype]
