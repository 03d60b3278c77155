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
 * @property {number} center what is subtracted from every code
 * @property {(bytes: Uint8Array, at: number) => Block} decode reads the block at byte `at`
 * @property {(bytes: Uint8Array, at: number, out: Float32Array, to: number) => void} read writes the values of the
 *   block at byte `at` to out, from index `to` on
 *
 * A block: a value is scale × (code − center) + min, with the scale and the minimum of its group.
 * @typedef {object} Block
 * @property {Float32Array} scales of the groups, which are equally large
 * @property {Float32Array} mins of the groups; −0 in formats without minimums, since adding it changes no bit
 * @property {Int8Array} codes
 */

/** @param {Uint8Array} bytes @param {number} at */
const half = (bytes, at) => float16ToNumber(bytes[at] | bytes[at + 1] << 8)
/** @param {number} byte */
const signed = byte => byte << 24 >> 24

const SMALL = 32, LARGE = 256

/**
 * A format by its numbers, the number of groups of a block, and a function that writes the parts of a block.
 * @param {Pick<BlockKind, 'code' | 'values' | 'bytes' | 'center'> & { groups: number }} format
 * @param {(block: Block, bytes: Uint8Array, at: number) => void} decodeInto
 * @returns {BlockKind}
 */
function createKind({ groups, ...format }, decodeInto) {
  const { values, center } = format, size = values / groups
  /** @returns {Block} */
  const createBlock = () => (
    { scales: new Float32Array(groups), mins: new Float32Array(groups).fill(-0), codes: new Int8Array(values) })
  const shared = createBlock(), { scales, mins, codes } = shared
  return {
    ...format,
    decode(bytes, at) {
      const block = createBlock()
      decodeInto(block, bytes, at)
      return block
    },
    read(bytes, at, out, to) {
      decodeInto(shared, bytes, at)
      for (let group = 0, i = 0; group < groups; group++) {
        const scale = scales[group], min = mins[group]
        for (const end = i + size; i < end; i++) out[to + i] = Math.fround(scale * (codes[i] - center)) + min
      }
    }
  }
}

/**
 * Blocks of 32 values with 4 or 5 bits each: a low half byte for each of the first 16 values, a high one for each of
 * the others, and the fifth bits in 4 bytes.
 * @param {number} code @param {boolean} hasMin whether a minimum is added, else half of the range is subtracted
 * @param {boolean} hasFifthBit
 */
function smallBlock(code, hasMin, hasFifthBit) {
  const start = hasMin ? 4 : 2, first = start + (hasFifthBit ? 4 : 0), center = hasMin ? 0 : hasFifthBit ? 16 : 8
  const format = { code, values: SMALL, bytes: first + 16, groups: 1, center }
  return createKind(format, ({ scales, mins, codes }, bytes, at) => {
    scales[0] = half(bytes, at)
    if (hasMin) mins[0] = half(bytes, at + 2)
    for (let i = 0; i < SMALL; i++) {
      const byte = bytes[at + first + i % 16], low = i < 16 ? byte & 15 : byte >> 4
      codes[i] = hasFifthBit ? low | (bytes[at + start + (i >> 3)] >> (i & 7) & 1) << 4 : low
    }
  })
}

/** 32 values with 8 bits. */
const bytesFormat = { code: Q8_0, values: SMALL, bytes: 34, groups: 1, center: 0 }
const bytesBlock = createKind(bytesFormat, ({ scales, codes }, bytes, at) => {
  scales[0] = half(bytes, at)
  for (let i = 0; i < SMALL; i++) codes[i] = bytes[at + 2 + i]
})

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
 * @param {number} code @param {boolean} hasFifthBit
 */
function groupedBlock(code, hasFifthBit) {
  const start = hasFifthBit ? 48 : 16
  const format = { code, values: LARGE, bytes: start + 128, groups: 8, center: 0 }
  return createKind(format, ({ scales, mins, codes }, bytes, at) => {
    const d = half(bytes, at), dmin = half(bytes, at + 2)
    for (let j = 0; j < 8; j++) {
      const [scale, min] = scaleAndMin(bytes, at + 4, j), first = at + start + 32 * (j >> 1)
      scales[j] = d * scale
      mins[j] = -dmin * min
      for (let i = 0; i < 32; i++) {
        const low = j % 2 ? bytes[first + i] >> 4 : bytes[first + i] & 15
        codes[32 * j + i] = hasFifthBit ? low | (bytes[at + 16 + i] >> j & 1) << 4 : low
      }
    }
  })
}

/** 256 values with 6 bits in 16 groups, each with a scale of 8 bits. */
const sixBitsFormat = { code: Q6_K, values: LARGE, bytes: 210, groups: 16, center: 32 }
const sixBitsBlock = createKind(sixBitsFormat, ({ scales, codes }, bytes, at) => {
  const d = half(bytes, at + 208)
  for (let j = 0; j < 16; j++) scales[j] = d * signed(bytes[at + 192 + j])
  for (let i = 0; i < LARGE; i++) {
    const n = i >> 7, quarter = i >> 5 & 3, l = i & 31
    const low = bytes[at + 64 * n + (quarter & 1) * 32 + l] >> (quarter & 2 ? 4 : 0) & 15
    codes[i] = low | (bytes[at + 128 + 32 * n + l] >> 2 * quarter & 3) << 4
  }
})

/** The formats by their names in GGUF; the dtypes of tensors have the same in lower case. */
export const BLOCKS = {
  Q8_0: bytesBlock,
  Q4_0: smallBlock(Q4_0, false, false), Q4_1: smallBlock(Q4_1, true, false),
  Q5_0: smallBlock(Q5_0, false, true), Q5_1: smallBlock(Q5_1, true, true),
  Q4_K: groupedBlock(Q4_K, false), Q5_K: groupedBlock(Q5_K, true), Q6_K: sixBitsBlock
}

/** The format of a dtype of a file, if it has blocks. @param {string} dtype @returns {BlockKind | undefined} */
export const findBlock = dtype => /** @type {Record<string, BlockKind>} */ (BLOCKS)[dtype]
