import { describe, expect, formatShape, expectInteger } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { indexOf, offsetOf, sizeOf } from '../tensor/shape.js'

/** A method of tensors: tensor.js imports this file, so it does not import the class. */

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * Matches runs of axes of two shapes that have the same number of cells, from the first on.
 * @param {readonly number[]} from @param {readonly number[]} to @returns {{ from: number[], to: number[] }[]}
 */
function matchAxes(from, to) {
  const groups = []
  let i = 0, j = 0
  while (i < from.length || j < to.length) {
    /** @type {{ from: number[], to: number[] }} */ const group = { from: [], to: [] }
    let here = 1, there = 1
    // Axes of the same size belong together, those of size 1, too.
    if (i < from.length && from[i] === to[j]) {
      groups.push({ from: [i++], to: [j++] })
      continue
    }
    do {
      if (j >= to.length || (i < from.length && here <= there)) here *= from[group.from[group.from.push(i++) - 1]]
      else there *= to[group.to[group.to.push(j++) - 1]]
    } while (here !== there && (i < from.length || j < to.length))
    groups.push(group)
  }
  return groups
}

/**
 * The axes after a reshape: unchanged axes keep their meaning, split channels become heads and channels, and merged
 * axes get the meaning of the only one among them that is longer than 1.
 * @type {NonNullable<import('../autograd/autograd.js').Operation['axes']>}
 */
function reshapedAxes({ inputs: { x }, outputs: { out } }, of) {
  const axes = of(x), isLong = (/** @type {number} */ i) => x.shape[i] !== 1
  return matchAxes(x.shape, out.shape).flatMap(({ from, to }) => {
    const long = from.filter(isLong), [own] = (long.length ? long : from).map(i => axes[i])
    if (to.length === 3 && from.length === 1 && own.name === 'channel') return [
      { name: 'head', per: out.shape[to[1]] }, { name: 'head', per: 1 }, own]
    if (to.length === 2 && from.length === 1 && own.name === 'channel') return [{ name: 'head' }, own]
    if (long.length === 2 && to.length === 1 && axes[long[0]].name === 'head') return [axes[long[1]]]
    return to.map(i => (long.length <= 1 && own && (to.length === 1 || out.shape[i] !== 1) ? own : { name: 'row' }))
  })
}

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'reshape',
  isView: true,
  axes: reshapedAxes,
  parameters: ({ outputs: { out } }) => ({ shape: [...out.shape] }),
  /* out = x in another shape  =>  dx += dout */
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_accumulate(gradient(x), gradient(out), out.numel())
  },
  explain({ inputs: { x }, outputs: { out } }, _, index) {
    const source = indexOf(x.shape, offsetOf(out.shape, index))
    return sumOf('out = x', [productTerm(cell(x, source, 'x'))])
  },
  explainGradient({ inputs: { x }, outputs: { out } }, _, index, d) {
    const target = indexOf(out.shape, offsetOf(x.shape, index))
    return { formula: 'dx = dout', terms: [productTerm(d(out, target, 'dout'))] }
  }
}

/**
 * A view of the values in another shape, without copying: torch.Tensor.view.
 * @param {Tensor} x
 * @param {readonly number[]} shape one side may be -1 and is then inferred
 * @param {string} [where] the name of the method, for messages
 * @returns {Tensor}
 * @throws {import('../errors.js').GlassformerError} 'shape' when the sizes differ
 */
export function reshape(x, shape, where = 'reshape') {
  shape.forEach((side, axis) => expectInteger(where, `shape[${axis}]`, side, -1))
  const known = sizeOf(shape.filter(side => side !== -1)), open = shape.filter(side => side === -1).length
  const target = shape.map(side => (side === -1 ? x.numel() / known : side))
  expect(open <= 1, 'shape', () => `${where}: only one side may be -1, got ${formatShape(shape)}`)
  expect(sizeOf(target) === x.numel() && target.every(Number.isInteger), 'shape',
    () => `${where}: ${describe(x)} cannot take shape ${formatShape(shape)}: it has ${x.numel()} values`)
  return record(x.engine, op, { x }, { out: x.engine.view(x, target) })
}
