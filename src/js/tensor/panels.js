import { GlassformerError, describe, expect } from '../errors.js'
import { DTYPES, isBlockType } from './dtype.js'

/**
 * Weights in the layout that the matrix product reads: panels of 8 rows, column by column (src/c/ops/matmul.h). A
 * weight that is not trained is rearranged into panels once, in place, so it needs no second copy. Reading its values
 * or calling dataPtr() rearranges it into rows again.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./storage.js').Storage} Storage
 * @typedef {import('./dtype.js').DType} DType
 */

const PANEL = 8

/** The fewest rows worth packing: fewer would leave most of a panel unused. */
const MIN_ROWS = 4

/**
 * Bytes that the last panel of [N, K] needs beyond the last row.
 * @param {readonly number[]} shape @param {DType} dtype
 */
export const getPaddingBytes = ([N, K], dtype) =>
  (N < MIN_ROWS || isBlockType(dtype) ? 0 : (-N & (PANEL - 1)) * K * DTYPES[dtype].bytes)

/** The offset in panels of a cell, from its row-major offset. @param {number} offset @param {number} K */
export function getPanelOffset(offset, K) {
  const row = Math.floor(offset / K), within = row % PANEL
  return (row - within) * K + offset % K * PANEL + within
}

/**
 * @param {Engine} engine @param {Storage} storage @param {DType} dtype @param {number} K @param {number} back
 * @returns {boolean} false for values that are not finite
 */
function rearrange({ c, panelBuffer }, storage, dtype, K, back) {
  const { bytes, code } = DTYPES[dtype], rows = storage.bytes / (bytes * K)
  const hasSucceeded = c.gf_repack(storage.address, panelBuffer.address, rows, K, code, back) !== 0
  if (hasSucceeded) storage.packedColumns = back ? 0 : K
  return hasSucceeded
}

/** Rearranges panels into rows. @param {Engine} engine @param {Storage} storage @param {DType} dtype */
export const unpackPanels = (engine, storage, dtype) => rearrange(engine, storage, dtype, storage.packedColumns, 1)

/**
 * Ensures memory for panels: a full last panel, and a buffer for rearranging to panels and back.
 * @param {Engine} engine @param {Storage} storage @param {number} bytes @param {number} K
 */
function ensureMemory(engine, storage, bytes, K) {
  const { panelBuffer } = engine, { memory } = storage, bufferBytes = PANEL * K * 4
  try {
    if (panelBuffer.bytes < bufferBytes) {
      const address = memory.alloc(bufferBytes)
      if (panelBuffer.bytes) memory.free(panelBuffer.address)
      engine.panelBuffer = { address, bytes: bufferBytes }
    }
    storage.reserve(bytes)
    return true
  } catch (error) {
    if (error instanceof GlassformerError && error.code === 'memory') return false
    throw error
  }
}

/**
 * Packs a weight into panels if possible; whether it was.
 * @param {Tensor} weight @param {Storage} storage
 */
function packWeight(weight, storage) {
  const { engine, dtype, shape } = weight, [, K] = shape, { bytes } = DTYPES[dtype]
  if (weight.offset || storage.bytes !== weight.numel() * bytes) return false
  if (storage.packedColumns) unpackPanels(engine, storage, dtype)
  if (!ensureMemory(engine, storage, storage.bytes + getPaddingBytes(shape, dtype), K)) return false
  expect(rearrange(engine, storage, dtype, K, 0), 'range', () =>
    `${describe(weight)} must hold finite numbers to be a weight, got some that are not; bfloat16 holds larger ones`)
  return true
}

/**
 * The address of some rows of a weight as panels.
 * @param {Tensor} weight [O, K] of float32, float16 or bfloat16 @param {number} first @param {number} count
 * @param {Tensor | null} [x] read as rows at the same time @param {Tensor | null} [bias] likewise
 * @returns {number} 0 if they stay rows: the weight may be trained, is a view of a part, or memory is short
 * @throws {GlassformerError} 'range' for float16 that is not finite
 */
export function getPanels(weight, first, count, x, bias) {
  const { engine, storage, dtype } = weight, K = weight.shape[1]
  if (!storage || !K || count < MIN_ROWS || first % PANEL) return 0
  // The next part would begin within a panel and force everything back into rows, so rows are used from the start.
  if (count % PANEL && count < weight.shape[0]) return 0
  if ((engine.gradEnabled && dtype === 'float32') || x?.storage === storage || bias?.storage === storage) return 0
  const isPacked = storage.packedColumns === K && weight.offset === 0
  if (!isPacked && !packWeight(weight, storage)) return 0
  engine.recording?.use(storage)
  return storage.address + first * K * DTYPES[dtype].bytes
}
