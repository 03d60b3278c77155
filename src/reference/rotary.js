// Rotary position embedding: pair i of a head is rotated by position * base^(-2i/D), (a, b) -> (a cos - b sin, b cos +
// a sin). Only the first dims channels of a head are rotated, by default all D. layout: the channels of a pair are
// dims/2 apart ('half') or adjacent ('interleaved'); scale multiplies the tables. x [B, H, T, heads*D];
// positions [T] or [B, T], by default 0 .. T-1. Frequencies and angles are rounded to float32, as in existing models:
// this rounding is part of the definition.
/** @import { TensorLike, Tensor } from './tensor.js' */

/** @typedef {{ cos: TensorLike, sin: TensorLike }} Tables */
/** @typedef {{ positions?: number[] | number[][], base?: number, layout?: string, heads?: number, dims?: number,
 *   frequencies?: readonly number[], scale?: number }} Params */

import { map } from './tensor.js'

/**
 * Cosines and sines of a list of positions, [positions, half].
 * @param {number[]} positions
 * @param {number} half
 * @param {number} [base]
 * @param {readonly number[]} [customFrequencies] default: those of the base
 * @param {number} [scale]
 */
export function tables(positions, half, base = 10000, customFrequencies, scale = 1) {
  /** @param {unknown} _ @param {number} pair */
  const frequencyOf = (_, pair) => Math.fround(1 / Math.fround(base ** Math.fround(pair / half)))
  const frequencies = customFrequencies?.map(Math.fround) ?? Array.from({ length: half }, frequencyOf)
  const angles = positions.flatMap(
    position => frequencies.map(frequency => Math.fround(Math.fround(position) * frequency)))
  /** @param {(angle: number) => number} of @returns {Tensor} */
  const table = of => ({ shape: [positions.length, half], data: Float64Array.from(angles, angle => scale * of(angle)) })
  return { cos: table(Math.cos), sin: table(Math.sin) }
}

/**
 * Rotates by the rows of the tables: one row per position, or per position of each batch element.
 * @param {TensorLike} x
 * @param {Tables} tables
 * @param {Params} params
 * @param {number} sign
 */
function rotate(x, { cos, sin }, { layout = 'half', heads = 1 }, sign) {
  const [B, H, T, C] = x.shape, D = C / heads, half = cos.shape[1], y = map(x, v => v), rows = cos.shape[0]
  for (let row = 0; row < B * H * T; row++) {
    const at = rows === T ? row % T : Math.floor(row / (H * T)) * T + row % T
    for (let pair = 0; pair < heads * half; pair++) {
      const head = Math.floor(pair / half), i = pair % half, start = row * C + head * D
      const [p, q] = layout === 'half' ? [start + i, start + i + half] : [start + 2 * i, start + 2 * i + 1]
      const [c, s] = [cos.data[at * half + i], sign * sin.data[at * half + i]]
      y.data[p] = x.data[p] * c - x.data[q] * s
      y.data[q] = x.data[q] * c + x.data[p] * s
    }
  }
  return y
}

/** @param {{ x: TensorLike } & Partial<Tables>} inputs @param {Params} params @returns {Tables} */
function tablesOf({ x: { shape: [, , T, C] }, cos, sin }, params) {
  const { positions, base, heads = 1, dims = C / heads, frequencies, scale } = params
  if (cos && sin) return { cos, sin }
  return tables(positions?.flat() ?? Array.from({ length: T }, (_, t) => t), dims / 2, base, frequencies, scale)
}

/** @param {{ x: TensorLike } & Partial<Tables>} inputs @param {Params} params */
export const forward = (inputs, params) => ({ y: rotate(inputs.x, tablesOf(inputs, params), params, 1) })

/**
 * The derivative of a rotation is the inverse rotation.
 * @param {{ x: TensorLike } & Partial<Tables>} inputs
 * @param {Params} params
 * @param {{ y: TensorLike }} outputs
 */
export const backward = (inputs, params, { y: dy }) => (
  { x: map(rotate({ ...dy, shape: inputs.x.shape }, tablesOf(inputs, params), params, -1), v => v) })
