import { describe, expect, expectInteger, expectType, formatShape } from '../errors.js'
import { Run } from '../trace/observe.js'

/**
 * The logit, or the difference of two, that an attribution explains.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 *
 * @typedef {object} TargetOptions
 * @property {number} [position] of the logits; the last one; negative numbers count from the end
 * @property {number} [token] the id whose logit is explained; the one with the largest logit
 * @property {number} [against] an id whose logit is subtracted; none
 * @property {number} [row] 0, of the batch
 * @property {string} [logits] the name of the tensor with the logits; the run's output
 *
 * cells: the offsets of the logits with their signs; total: their sum.
 * @typedef {{ logits: Tensor, name: string, row: number, position: number, token: number, against: number | null,
 *   cells: number[], signs: number[], total: number }} Target
 */

export const TARGET_OPTIONS = ['position', 'token', 'against', 'row', 'logits']

/** @param {string} where @param {unknown} run @returns {asserts run is Run} */
export function expectRun(where, run) {
  expectType(run instanceof Run, `${where}: run must be a Run, as gf.observe returns it`, run)
}

/**
 * The tensor with the logits of a run.
 * @param {string} where @param {Run} run @param {string} [name]
 * @returns {{ logits: Tensor, name: string }}
 */
export function findLogits(where, run, name) {
  expectType(name === undefined || typeof name === 'string', `${where}: logits must be the name of a tensor`, name)
  const { trace, output } = run.observation, logits = name === undefined ? output : run.tensor(name)
  const found = trace.nameOf(logits), rank = logits.shape.length
  expect(!output.disposed, 'state', () => `${where}: the run was disposed`)
  expect(found !== undefined && trace.tracedProducerOf(logits) !== undefined, 'state',
    () => `${where}: ${name === undefined ? 'the run\'s output' : describe(name)} was not computed in the run`)
  expect(logits.dtype === 'float32' && rank >= 2 && rank <= 3, 'shape', () => `${where}: ${name === undefined
    ? 'the output of the run' : found} must be logits [B, T, V], [T, V] or [B, V], got ${describe(logits)}; ` +
    'option logits names another tensor of the run')
  return { logits, name: found }
}

/** Whether the first of two axes is the batch. @param {Run} run @param {string} name */
const isBatchOnly = (run, name) => run.describe(name).axes[0].name === 'batch'

/**
 * Reads the options that choose a logit.
 * @param {string} where @param {Run} run @param {TargetOptions} options @returns {Target}
 * @throws {import('../errors.js').GlassformerError} 'range' and 'type' for wrong numbers, 'shape' for an output without
 *   logits
 */
export function readTarget(where, run, options) {
  const { logits, name } = findLogits(where, run, options.logits), { shape } = logits, V = shape[shape.length - 1]
  const isRank3 = shape.length === 3, isBatch = !isRank3 && isBatchOnly(run, name)
  const B = isRank3 || isBatch ? shape[0] : 1, T = isRank3 ? shape[1] : isBatch ? 1 : shape[0]
  expect(B > 0 && T > 0 && V > 0, 'shape', () => `${where}: the logits must not be empty, got ${formatShape(shape)}`)
  const row = expectInteger(where, 'row', options.row ?? 0, 0, B - 1)
  const position = (expectInteger(where, 'position', options.position ?? -1, -T, T - 1) + T) % T
  const first = (row * T + position) * V
  const token = expectInteger(where, 'token', options.token ?? largest(logits, first, V), 0, V - 1)
  const other = options.against ?? null
  const against = other === null ? null : expectInteger(where, 'against', other, 0, V - 1)
  expect(against !== token, 'range', () => `${where}: against must be another token than ${token}`)
  const cells = against === null ? [first + token] : [first + token, first + against]
  const signs = [1, -1].slice(0, cells.length), total = sumAt(logits, cells, signs)
  return { logits, name, row, position, token, against, cells, signs, total }
}

/** @param {Tensor} logits @param {readonly number[]} cells @param {readonly number[]} signs */
export function sumAt({ values }, cells, signs) {
  return cells.reduce((sum, cell, i) => sum + signs[i] * Number(values[cell]), 0)
}

/** The index of the largest of some logits. @param {Tensor} logits @param {number} first @param {number} V */
function largest({ values }, first, V) {
  let best = 0
  for (let v = 1; v < V; v++) if (values[first + v] > values[first + best]) best = v
  return best
}
