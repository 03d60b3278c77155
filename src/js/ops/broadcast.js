import { expect, formatShape } from '../errors.js'
import { cell, constant } from '../trace/explain.js'
import { range, sameShape, sizeOf } from '../tensor/shape.js'

/** The shape of a number. */
export const SCALAR = /** @type {const} */ ({ shape: [] })

/** The maximum number of axes of a kernel: MAX_AXES of axes.h. */
export const MAX_WALKED_AXES = 16

/**
 * Broadcasts two shapes: axes are aligned at the right, and an axis of length 1 is repeated. Neighboring axes that
 * behave alike are merged for the kernels.
 * @param {string} where
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 * @returns {{ shape: number[], axes: number[] }} axes for the kernels: rank, sides, strides of a, strides of b
 */
export function broadcast(where, a, b) {
  if (sameShape(a, b)) return { shape: [...a], axes: [1, sizeOf(a), 1, 1] }
  const rank = Math.max(a.length, b.length)
  const side = (/** @type {readonly number[]} */ s, /** @type {number} */ axis) => s[axis - rank + s.length] ?? 1
  const shape = range(rank).map(axis => {
    const [p, q] = [side(a, axis), side(b, axis)]
    expect(p === q || p === 1 || q === 1, 'shape',
      () => `${where}: shapes ${formatShape(a)} and ${formatShape(b)} do not broadcast: ${p} and ${q} on axis ${axis}`)
    return p === 1 ? q : p
  })
  /** @type {{ side: number, a: boolean, b: boolean }[]} whether a and b move along this axis */ const axes = []
  shape.forEach((length, axis) => {
    if (length === 1) return
    const moves = { side: length, a: side(a, axis) === length, b: side(b, axis) === length }, last = axes.at(-1)
    if (last && last.a === moves.a && last.b === moves.b) last.side *= length
    else axes.push(moves)
  })
  if (!axes.length) axes.push({ side: 1, a: true, b: true })
  expect(axes.length <= MAX_WALKED_AXES, 'shape',
    () => `${where}: shapes ${formatShape(a)} and ${formatShape(b)} alternate too often to broadcast; reshape one of them`)
  const steps = (/** @type {'a' | 'b'} */ key) => {
    let step = 1
    return axes.reduceRight((list, axis) => {
      list.unshift(axis[key] ? step : 0)
      if (axis[key]) step *= axis.side
      return list
    }, /** @type {number[]} */ ([]))
  }
  return { shape, axes: [axes.length, ...axes.map(axis => axis.side), ...steps('a'), ...steps('b')] }
}

const double = new Float64Array(1), words = new Int32Array(double.buffer)
const float = new Float32Array(1), bits = new Int32Array(float.buffer)

/**
 * Passes axes to the next kernel call, followed by a number as float32, for an operand that is a number.
 * @param {import('../engine/engine.js').Engine} engine @param {readonly number[]} axes @param {number} [number]
 * @returns {[number, number]} the address of each
 */
export function passAxes(engine, axes, number = 0) {
  float[0] = number
  const first = engine.pass([...axes, bits[0]])
  return [first, first + 4 * axes.length]
}

/**
 * Passes axes to the next kernel call, preceded by a number as float64.
 * @param {import('../engine/engine.js').Engine} engine @param {readonly number[]} axes @param {number} number
 * @returns {[number, number]} the address of each
 */
export function passAxesAndNumber(engine, axes, number) {
  double[0] = number
  const first = engine.pass([...words, ...axes])
  return [first + 8, first]
}

/**
 * The cell of an operand that a cell of the result uses.
 * @param {readonly number[]} shape of the operand @param {readonly number[]} index of the result
 */
export const operandIndex = (shape, index) =>
  shape.map((side, axis) => (side === 1 ? 0 : index[index.length - shape.length + axis]))

/**
 * The factor of an operand in a cell of the result: one of its cells, or the number itself.
 * @param {any} node @param {'a' | 'b'} side @param {readonly number[]} index of the result
 */
export function operand({ inputs, saved }, side, index) {
  const tensor = inputs[side]
  return tensor ? cell(tensor, operandIndex(tensor.shape, index), side) : constant(String(saved.number), saved.number)
}

/**
 * The cells of the result that use one cell of an operand.
 * @param {readonly number[]} result its shape @param {readonly number[]} operand its shape
 * @param {readonly number[]} index of the operand
 * @returns {number[][]}
 */
export function resultIndices(result, operand, index) {
  return result.reduce((indices, side, axis) => {
    const own = axis - result.length + operand.length
    const choices = own >= 0 && operand[own] === side ? [index[own]] : range(side)
    return indices.flatMap(head => choices.map(i => [...head, i]))
  }, /** @type {number[][]} */ ([[]]))
}
