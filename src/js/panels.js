import { GlassformerError, describe, expect } from './errors.js'
import { DTYPES } from './dtype.js'

/**
 * Weights as the matrix product reads them: panels of 8 rows, column by column (src/c/ops/matmul.h). A weight that is
 * not trained is rearranged into panels once, in place, so it needs no second copy. Reading its values or its address
 * rearranges it into rows again.
 *
 * @typedef {import('./engine.js').Engine} Engine
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
  (N < MIN_ROWS || dtype === 'int8' ? 0 : (-N & (PANEL - 1)) * K * DTYPES[dtype].bytes)

/** The offset in panels of a cell, given by its offset in rows. @param {number} place @param {number} K */
export function getPanelOffset(place, K) {
  const row = Math.floor(place / K), within = row % PANEL
  return (row - within) * K + place % K * PANEL + within
}

/**
 * @param {Engine} engine @param {Storage} storage @param {DType} dtype @param {number} K @param {number} back
 * @returns {boolean} whether it could be done
 */
function rearrange({ c, panelBuffer }, storage, dtype, K, back) {
  const { bytes, code } = DTYPES[dtype]
  const isDone = c.gf_repack(storage.address, panelBuffer.address, storage.bytes / (bytes * K), K, code, back) !== 0
  if (isDone) storage.columns = back ? 0 : K
  return isDone
}

/** Rearranges panels into rows. @param {Engine} engine @param {Storage} storage @param {DType} dtype */
export const unpackPanels = (engine, storage, dtype) => rearrange(engine, storage, dtype, storage.columns, 1)

/**
 * Ensures memory for panels: a full last panel, and a buffer for rearranging to panels and back.
 * @param {Engine} engine @param {Storage} storage @param {number} bytes @param {number} K
 */
function ensureMemory(engine, storage, bytes, K) {
  const { panelBuffer } = engine, { memory } = storage, room = PANEL * K * 4
  try {
    if (panelBuffer.bytes < room) {
      const address = memory.alloc(room)
      if (panelBuffer.bytes) memory.free(panelBuffer.address)
      engine.panelBuffer = { address, bytes: room }
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
  if (weight.offset || storage.bytes !== weight.size * bytes) return false
  if (storage.columns) unpackPanels(engine, storage, dtype)
  if (!ensureMemory(engine, storage, storage.bytes + getPaddingBytes(shape, dtype), K)) return false
  expect(rearrange(engine, storage, dtype, K, 0), 'range', () =>
    `${describe(weight)} must hold finite numbers to be a weight, got some that are not; bfloat16 holds larger ones`)
  return true
}

/**
 * The address of some rows of a weight as panels.
 * @param {Tensor} weight [O, K] of float32, float16 or bfloat16 @param {number} first @param {number} count
 * @param {Tensor | null} [x] read as rows at the same time @param {Tensor | null} [bias] likewise
 * @returns {number} 0 where they stay rows: the weight may be trained, it is a view of a part, or memory is short
 * @throws {GlassformerError} 'range' for float16 that is not finite
 */
export function getPanels(weight, first, count, x, bias) {
  const { engine, storage, dtype } = weight, K = weight.shape[1]
  if (!storage || !K || count < MIN_ROWS || first % PANEL) return 0
  // The next part would begin within a panel and turn everything back into rows, so rows are used from the start.
  if (count % PANEL && count < weight.shape[0]) return 0
  if ((engine.gradEnabled && dtype === 'float32') || x?.storage === storage || bias?.storage === storage) return 0
  const isThere = storage.columns === K && weight.offset === 0
  if (!isThere && !packWeight(weight, storage)) return 0
  engine.recording?.use(storage)
  return storage.address + first * K * DTYPES[dtype].bytes
}
