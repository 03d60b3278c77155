/** Tensors of the page's run, for the cases of exercises. */

/** @import { Library } from '../types.d.ts' */
/** @import { RunValues } from './index.js' */

/**
 * A tensor of the run; its batch, which is one sentence, is left out.
 * @param {Library} gf @param {RunValues} values @param {string} name
 */
export function tensorOf(gf, values, name) {
  const { shape, data } = values[name]
  const tensor = gf.tensor(Float32Array.from(data), { shape })
  return shape.length > 1 && shape[0] === 1 ? tensor.squeeze(0) : tensor
}

/**
 * One head of a tensor with the heads side by side: [T, 32] of four heads to [T, 8].
 * @param {Library} gf @param {RunValues} values @param {string} name @param {number} [head]
 */
export function headOf(gf, values, name, head = 0) {
  const tensor = tensorOf(gf, values, name), width = /** @type {number} */ (tensor.shape.at(-1)) / HEADS
  return tensor.slice(-1, head * width, (head + 1) * width)
}

/** The heads of the dates model. */
export const HEADS = 4

export const ENCODER = 'transformer.encoder.layers.0', DECODER = 'transformer.decoder.layers.0'
