import { expect, formatShape } from '../errors.js'
import { sizeOf } from '../shape.js'
import { expectShape, expectFloatTensor, toIdTensor, expectOptionalTensor, expectSameEngine } from './checks.js'

/**
 * What losses over classes share: logits or their likes as rows [N, V], targets as N class numbers, weights of classes.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {Tensor | number | import('../tensor.js').NestedArrays | Int32Array} Targets
 */

/**
 * [V], [N, V] or [B, V, ...] as rows of V; and the shape that a loss for each of them has.
 * @param {string} where @param {string} name @param {Tensor} x @returns {{ rows: Tensor, lead: number[] }}
 */
export function toClassRows(where, name, x) {
  const { shape } = expectFloatTensor(where, name, x)
  if (shape.length === 2) return { rows: x, lead: [shape[0]] }
  expect(shape.length > 0, 'shape', () => `${where}: ${name} must have shape [V], [N, V] or [B, V, ...], got []`)
  const [B, V, ...rest] = shape, R = sizeOf(rest)
  if (shape.length === 1) return { rows: x.reshape(1, B), lead: [] }
  return { rows: x.reshape(B, V, R).transpose(1, 2).reshape(B * R, V), lead: [B, ...rest] }
}

/**
 * What to write where logits or targets are shaped for another axis.
 * @param {Tensor} given @param {number[]} lead @param {number} V
 */
function targetHint({ shape, size }, lead, V) {
  const flat = 'target.reshape(-1), or target.flat() of an array'
  if (lead.length > 1 && shape.length === lead.length && shape[1] === V) {
    return `; classes are read from axis 1, so if they are on the last, write logits.reshape(-1, ${lead.at(-1)}) and ${flat}`
  }
  return size === sizeOf(lead) ? `; write ${flat}` : ''
}

/**
 * Targets as [N] class numbers, all of them classes or ignored.
 * @param {import('../engine.js').Engine} engine @param {string} where @param {Targets} target
 * @param {number[]} lead their shape @param {number} V @param {number} ignoreIndex
 * @returns {Tensor} int32, perhaps the given one itself
 */
export function toClassIndices(engine, where, target, lead, V, ignoreIndex) {
  const given = typeof target === 'number' ? toIdTensor(engine, where, 'target', Int32Array.of(target)).reshape()
    : toIdTensor(engine, where, 'target', target)
  expectShape(where, 'target', given, lead, `one class for each row of logits${targetHint(given, lead, V)}`)
  const N = given.size, bad = engine.c.gf_cross_entropy_check(given.dataPtr(), N, V, ignoreIndex)
  expect(bad < 0, 'index', () => `${where}: target must be from 0 to ${V - 1} or ${ignoreIndex} (ignoreIndex), ` +
    `got ${given.values[bad]} at index ${bad}`)
  return given
}

/** @param {string} where @param {Tensor} x @param {unknown} weight @param {number} V @returns {Tensor | null} */
export function expectClassWeights(where, x, weight, V) {
  const known = expectOptionalTensor(where, 'weight', weight)
  if (!known) return null
  expectSameEngine(where, x, known)
  expect(known.shape.length === 1 && known.shape[0] === V, 'shape',
    () => `${where}: weight must have shape [${V}], one number for each class, got ${formatShape(known.shape)}`)
  return known
}
