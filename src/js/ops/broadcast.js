import { expect, shapeText } from '../errors.js'
import { range, sameShape, sizeOf } from '../shape.js'

/**
 * How two shapes are walked together: axes are aligned at the right, an axis of length 1 is repeated, and neighbouring
 * axes that behave alike are joined, so that four are enough for the kernels.
 * @param {string} where
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 * @returns {{ shape: number[], sides: number[], aStrides: number[], bStrides: number[] }} sides and strides of length 4
 */
export function broadcast(where, a, b) {
  if (sameShape(a, b)) {
    const size = sizeOf(a), strides = [size, size, size, 1]
    return { shape: [...a], sides: [1, 1, 1, size], aStrides: strides, bStrides: strides }
  }
  const rank = Math.max(a.length, b.length)
  const side = (/** @type {readonly number[]} */ s, /** @type {number} */ axis) => s[axis - rank + s.length] ?? 1
  const shape = range(rank).map(axis => {
    const [p, q] = [side(a, axis), side(b, axis)]
    expect(p === q || p === 1 || q === 1, 'shape',
      () => `${where}: shapes ${shapeText(a)} and ${shapeText(b)} do not broadcast: ${p} and ${q} on axis ${axis}`)
    return p === 1 ? q : p
  })
  /** @type {{ side: number, a: boolean, b: boolean }[]} whether a and b move along this axis */ const axes = []
  shape.forEach((length, axis) => {
    const moves = { side: length, a: side(a, axis) === length, b: side(b, axis) === length }
    const last = axes.at(-1)
    if (length === 1 && last) return
    if (last && last.a === moves.a && last.b === moves.b) last.side *= length
    else axes.push(moves)
  })
  expect(axes.length <= 4, 'shape',
    () => `${where}: shapes ${shapeText(a)} and ${shapeText(b)} alternate too often to broadcast; reshape one of them`)
  while (axes.length < 4) axes.unshift({ side: 1, a: true, b: true })
  const strides = (/** @type {'a' | 'b'} */ key) => {
    let stride = 1
    return axes.reduceRight((list, axis) => {
      list.unshift(axis[key] ? stride : 0)
      if (axis[key]) stride *= axis.side
      return list
    }, /** @type {number[]} */ ([]))
  }
  return { shape, sides: axes.map(axis => axis.side), aStrides: strides('a'), bStrides: strides('b') }
}

/**
 * Sides and strides in memory for the next kernel call.
 * @param {import('../engine.js').Engine} engine @param {...readonly number[]} fours lists of four
 * @returns {number[]} the address of each
 */
export function passFours(engine, ...fours) {
  const first = engine.pass(fours.flat())
  return fours.map((_, i) => first + 16 * i)
}

/**
 * The cell of an operand that a cell of the result uses.
 * @param {readonly number[]} shape of the operand @param {readonly number[]} index of the result
 */
export const operandIndex = (shape, index) =>
  shape.map((side, axis) => (side === 1 ? 0 : index[index.length - shape.length + axis]))

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
