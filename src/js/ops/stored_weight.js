import { ACCUMULATE } from '../engine/constants.js'
import { unpackBlocks } from '../tensor/block_weights.js'
import { DTYPES, isBlockType } from '../tensor/dtype.js'
import { multiply } from './matmul.js'
import { mergeStridedAxes } from './strided.js'

/**
 * Gradients through weights that are stored in 8 or 16 bits. The weights themselves have none, but what is before them
 * may be trained, such as the LoRA of an earlier layer.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/** Numbers that are unpacked at once: 4 MB of float32, which most weights fit into. */
const BLOCK = 2 ** 20

/**
 * Writes rows of a weight as float32, without moving it out of its panels.
 * @param {Tensor} out [count, K] @param {Tensor} weight [O, K] of another dtype @param {number} first row
 */
export function unpackRows(out, weight, first) {
  const { engine, dtype, storage, offset, shape: [, K] } = weight, { c } = engine, [count] = out.shape
  if (isBlockType(dtype)) return unpackBlocks(out.dataPtr(), weight, first, count)
  const { bytes, code } = DTYPES[dtype]
  if (storage?.packedColumns === K && offset === 0) {
    engine.recording?.use(storage)
    const rows = engine.empty([count], 'int32')
    rows.values.forEach((_, i, all) => { all[i] = first + i })
    c.gf_embedding_panels(out.dataPtr(), rows.dataPtr(), storage.address, count, K, code)
    return rows.dispose()
  }
  c.gf_convert(out.dataPtr(), DTYPES.float32.code, weight.dataPtr() + first * K * bytes, code, out.numel())
}

/**
 * dx [M, K] += dy [M, count] W, for some rows of a weight. They are unpacked in blocks, so that a large weight is
 * never in memory as float32; up to 2²⁰ numbers the bits are those of the same weight in float32.
 * @param {Tensor} weight [O, K] @param {number} dx address @param {number} dy address
 * @param {{ M: number, first: number, count: number }} rows
 */
export function accumulateInputGradient(weight, dx, dy, { M, first, count }) {
  const { engine, shape: [, K] } = weight, size = Math.max(1, Math.min(count, Math.floor(BLOCK / Math.max(1, K))))
  for (let from = 0; from < count; from += size) {
    const length = Math.min(size, count - from), rows = engine.empty([length, K]), columns = engine.empty([M, length])
    const axes = engine.pass(mergeStridedAxes('linear', columns.shape, [length, 1], [count, 1]))
    if (columns.numel()) engine.c.gf_strided_copy(columns.dataPtr(), dy + from * 4, axes, 0)
    if (rows.numel()) unpackRows(rows, weight, first + from)
    multiply(engine, dx, columns.dataPtr(), rows.dataPtr(), { M, N: K, K: length, flags: ACCUMULATE })
    columns.dispose()
    rows.dispose()
  }
}
