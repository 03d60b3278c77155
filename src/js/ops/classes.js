import { expect, formatShape } from '../errors.js'
import { sizeOf } from '../tensor/shape.js'
import { expectShape, expectFloatTensor, toIdTensor, expectOptionalTensor, expectSameEngine } from './checks.js'

/**
 * Arguments of losses over classes: logits or log probabilities as rows [N, V], targets as N class indices, and weights
 * of classes.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {Tensor | number | import('../tensor/tensor.js').NestedArrays | Int32Array} Targets
 */

/**
 * Reshapes [V], [N, V] or [B, V, ...] to rows of V; lead is the shape of the losses, one for each row.
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
 * A hint for targets of another shape.
 * @param {Tensor} target @param {number[]} lead @param {number} V
 */
function targetHint({ shape }, lead, V) {
  const flat = 'target.reshape(-1), or target.flat() of an array'
  if (lead.length > 1 && shape.length === lead.length && shape[1] === V) {
    return `; classes are read from axis 1, so if they are on the last, write logits.reshape(-1, ${lead.at(-1)}) and ${flat}`
  }
  return sizeOf(shape) === sizeOf(lead) ? `; write ${flat}` : ''
}

/**
 * Targets as class indices [N]; 'index' for one that is neither a class nor ignoreIndex.
 * @param {import('../engine/engine.js').Engine} engine @param {string} where @param {Targets} target
 * @param {number[]} lead their shape @param {number} V @param {number} ignoreIndex
 * @returns {Tensor} int32, perhaps the argument itself
 */
export function toClassIndices(engine, where, target, lead, V, ignoreIndex) {
  const indices = typeof target === 'number' ? toIdTensor(engine, where, 'target', Int32Array.of(target)).reshape()
    : toIdTensor(engine, where, 'target', target)
  expectShape(where, 'target', indices, lead, `one class for each row of logits${targetHint(indices, lead, V)}`)
  const N = indices.numel(), bad = engine.c.gf_cross_entropy_check(indices.dataPtr(), N, V, ignoreIndex)
  expect(bad < 0, 'index', () => `${where}: target must be from 0 to ${V - 1} or ${ignoreIndex} (ignoreIndex), ` +
    `got ${indices.values[bad]} at index ${bad}`)
  return indices
}

/** @param {string} where @param {Tensor} x @param {unknown} weight @param {number} V @returns {Tensor | null} */
export function expectClassWeights(where, x, weight, V) {
  const weights = expectOptionalTensor(where, 'weight', weight)
  if (!weights) return null
  expectSameEngine(where, x, weights)
  expect(weights.shape.length === 1 && weights.shape[0] === V, 'shape',
    () => `${where}: weight must have shape [${V}], one number for each class, got ${formatShape(weights.shape)}`)
  return weights
}
