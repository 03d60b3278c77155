import { GlassformerError } from './errors.js'

/**
 * Weights as the matrix product reads them: panels of 8 rows, column by column (src/c/ops/matmul.h). A weight that is
 * only used is turned into panels once, in its own place, so it takes its memory once. Whoever asks for its values or
 * their address gets rows again.
 *
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./tensor.js').Storage} Storage
 */

const PANEL = 8

/** Fewer rows than half a panel would only fill it up with what is never used. */
const WORTH_PACKING = 4

/**
 * Bytes that the last panel of [N, K] has beyond the last row.
 * @param {number} N @param {number} K @param {number} cell bytes of one
 */
export const spareBytes = (N, K, cell) => (N < WORTH_PACKING ? 0 : -N & (PANEL - 1)) * K * cell

/** Where a cell of rows lies in panels. @param {number} place @param {number} K */
export function placeInPanels(place, K) {
  const row = Math.floor(place / K), within = row % PANEL
  return (row - within) * K + place % K * PANEL + within
}

/** @param {Engine} engine @param {Storage} storage @param {number} K @param {number} back */
function turn({ c, turning }, storage, K, back) {
  c.gf_arrange(storage.address, turning.address, storage.bytes / (4 * K), K, back)
  storage.columns = back ? 0 : K
}

/** Panels become rows. @param {Engine} engine @param {Storage} storage */
export const toRows = (engine, storage) => turn(engine, storage, storage.columns, 1)

/**
 * What panels need is there afterwards: a last one that is whole, and room to turn them, now and back.
 * @param {Engine} engine @param {Storage} storage @param {number} bytes @param {number} K
 */
function hasRoom(engine, storage, bytes, K) {
  const { memory, turning } = engine, room = PANEL * K * 4
  try {
    if (turning.bytes < room) {
      const address = memory.alloc(room)
      if (turning.bytes) memory.free(turning.address)
      engine.turning = { address, bytes: room }
    }
    storage.widen(bytes)
    return true
  } catch (error) {
    if (error instanceof GlassformerError && error.code === 'memory') return false
    throw error
  }
}

/**
 * Rows of a weight as panels.
 * @param {Tensor} weight [O, K] @param {number} first @param {number} count
 * @param {...(Tensor | null)} others that are read as rows at the same time
 * @returns {number} their address; 0 where they stay rows: a gradient may change them, it is a part of a tensor, or
 *   there is no memory
 */
export function panelsOf(weight, first, count, ...others) {
  const { engine, storage, shape: [O, K] } = weight
  if (engine.gradEnabled || !storage || !K || count < WORTH_PACKING || first % PANEL) return 0
  const from = storage.address + first * K * 4
  if (storage.columns === K && weight.offset === 0) return others.some(t => t?.storage === storage) ? 0 : from
  const isWhole = weight.offset === 0 && storage.bytes === weight.size * 4
  if (!isWhole || others.some(t => t?.storage === storage)) return 0
  if (storage.columns) toRows(engine, storage)
  if (!hasRoom(engine, storage, storage.bytes + spareBytes(O, K, 4), K)) return 0
  turn(engine, storage, K, 0)
  return storage.address + first * K * 4
}
