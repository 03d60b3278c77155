import { describe, expect, expectNumber, expectOptions, expectInteger } from '../errors.js'
import { tensor } from '../tensor/from_values.js'
import { to } from '../ops/convert.js'
import { readSeed } from '../tensor/generator.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * From a row of logits to a token: temperature, top-k and top-p, and sampling from the candidates that they leave.
 * Ranks and probabilities come from the kernels, so that a seed selects the same token on every machine.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 *
 * @typedef {object} SamplingOptions
 * @property {number} [temperature] 1; divides the logits: below 1 the distribution is sharper, above 1 flatter
 * @property {number} [topK] 0 keeps all; else the number of most probable tokens to keep; ties go to the smaller id
 * @property {number} [topP] 1 keeps all; else the smallest set of most probable tokens whose probabilities sum to topP,
 *   at least one (nucleus sampling, Holtzman et al. 2019)
 * @property {number} [minP] 0 keeps all; else tokens less probable than minP × the most probable one are removed
 *   (Nguyen et al. 2024)
 *
 * @typedef {object} Candidates
 * @property {Int32Array} ids the tokens that are kept, most probable first, ties by the smaller id
 * @property {Float32Array} probabilities of these tokens, summing to 1
 */

export const SAMPLING_OPTIONS = ['temperature', 'topK', 'topP', 'minP']

/**
 * Logits divided by the temperature. If the largest would overflow, it is subtracted from all logits first; every
 * smaller logit then gets probability 0.
 * @param {Float32Array} row @param {number} inverse 1 / temperature
 */
function applyTemperature(row, inverse) {
  const max = row.reduce((largest, logit) => Math.max(largest, logit), -Infinity)
  const overflows = Number.isFinite(max) && !Number.isFinite(Math.fround(max * inverse))
  return row.map(logit => (!overflows ? logit * inverse : logit === max ? 0 : (logit - max) * inverse))
}

/**
 * Checks that a token can be chosen from a row of logits. NaN has no order, so it is an error; +∞ takes all of the
 * probability.
 * @template {ArrayLike<number>} T @param {string} where @param {T} row
 * @returns {T | Float32Array<ArrayBuffer>} the row itself; if it has a +∞, a copy with 0 for +∞ and −∞ for all others
 * @throws {import('../errors.js').GlassformerError} 'range' for NaN, and if all logits are −∞
 */
export function checkLogits(where, row) {
  let max = -Infinity
  for (let id = 0; id < row.length; id++) {
    expect(!Number.isNaN(row[id]), 'range', () => `${where}: logits must be numbers, got NaN at index ${id}`)
    if (row[id] > max) max = row[id]
  }
  expect(max > -Infinity, 'range', () => `${where}: one of the logits must be above −∞, got ${row.length} that are not`)
  return max < Infinity ? row : Float32Array.from(row, logit => (logit === Infinity ? 0 : -Infinity))
}

/**
 * The checked options with their defaults.
 * @param {string} where @param {any} options @returns {Required<SamplingOptions>}
 */
export function checkSamplingOptions(where, { temperature = 1, topK = 0, topP = 1, minP = 0 }) {
  expectNumber(where, 'temperature', temperature, 'a number > 0', v => v > 0 && v < Infinity)
  expectInteger(where, 'topK', topK)
  expectNumber(where, 'topP', topP, 'a number above 0, up to 1', v => v > 0 && v <= 1)
  expectNumber(where, 'minP', minP, 'a number from 0 to 1', v => v >= 0 && v <= 1)
  return { temperature, topK, topP, minP }
}

/**
 * The indices of a row's k largest values, the largest first, ties by the smaller index; NaN comes before all.
 * @param {Tensor} row @param {number} [k] row.size @returns {Int32Array}
 */
export function rankIndices(row, k = row.numel()) {
  const { engine } = row
  return engine.tidy(() => {
    const order = engine.empty([k], 'int32')
    engine.c.gf_sort(order.dataPtr(), engine.scratch(2 * row.numel()), row.dataPtr(), 1, row.numel(), 1, k, 1)
    return /** @type {Int32Array} */ (order.values.slice())
  })
}

/** @param {Engine} engine @param {Float32Array} values @returns {Float32Array} */
const softmaxOf = (engine, values) => engine.tidy(() => {
  const row = tensor(engine, values), out = engine.empty(row.shape)
  engine.c.gf_softmax_forward(out.dataPtr(), row.dataPtr(), 1, row.numel())
  return /** @type {Float32Array} */ (out.values.slice())
})

/**
 * The size of the smallest prefix whose probabilities sum to p.
 * @param {Float32Array} probabilities in descending order @param {number} p
 */
function nucleusSize(probabilities, p) {
  const total = probabilities.reduce((sum, probability) => sum + probability, 0)
  const { length } = probabilities
  let count = 0
  for (let sum = 0; count < length && (count === 0 || sum < p * total); count++) sum += probabilities[count]
  return count
}

/**
 * The candidates that temperature, top-k, top-p and then min-p leave of one row of logits, and their probabilities. A
 * token with probability 0 is never a candidate.
 * @param {Engine} engine @param {Tensor | ArrayLike<number>} logits [V] @param {SamplingOptions} [options]
 * @returns {Candidates}
 */
export function filterLogits(engine, logits, options) {
  const where = 'filterLogits', checked = expectOptions(where, options, SAMPLING_OPTIONS)
  const { temperature, topK, topP, minP } = checkSamplingOptions(where, checked)
  const row = checkLogits(where, Float32Array.from(valuesOfRow(where, logits)))
  const scaled = applyTemperature(row, Math.fround(1 / temperature))
  const k = topK > 0 ? Math.min(topK, row.length) : row.length
  return engine.tidy(() => {
    const order = rankIndices(tensor(engine, scaled), k), values = Float32Array.from(order, id => scaled[id])
    const all = softmaxOf(engine, values), nucleus = topP < 1 ? nucleusSize(all, topP) : k
    const isKept = (/** @type {number} */ probability) => probability >= minP * all[0]
    const count = minP > 0 ? all.subarray(0, nucleus).findLastIndex(isKept) + 1 : nucleus
    const probabilities = count < k ? softmaxOf(engine, values.subarray(0, count)) : all
    const end = probabilities.findLastIndex(probability => probability > 0) + 1 || probabilities.length
    return { ids: order.slice(0, end), probabilities: probabilities.slice(0, end) }
  })
}

/** The values of logits as numbers, whatever the dtype. @param {any} logits */
const valuesOf = logits => {
  if (!(logits instanceof Tensor)) return logits
  return logits.dtype === 'float32' ? logits.values : logits.engine.tidy(() => to(logits, 'float32').values.slice())
}

/**
 * The values of a row of logits, checked and not copied.
 * @param {string} where @param {any} logits @returns {ArrayLike<number>}
 */
function valuesOfRow(where, logits) {
  const values = valuesOf(logits), isTyped = ArrayBuffer.isView(values) && typeof Object(values)[0] === 'number'
  const isList = Array.isArray(values) && Array.from(values).every(value => typeof value === 'number')
  expect((isTyped || isList) && /** @type {any} */ (values).length > 0, 'type', () => `${where}: logits must be a row of numbers, got ${describe(logits)}`)
  return /** @type {any} */ (values)
}

/**
 * The candidate that a uniform random number selects: the first whose cumulative probability exceeds it.
 * @param {Candidates} candidates from `filterLogits` @param {number} random in [0, 1) @returns {number} the token's id
 */
export function pick(candidates, random) {
  const { ids, probabilities } = Object(candidates), isValid = ids?.length > 0 &&
    ids.length === probabilities?.length && Array.from(probabilities).every(p => typeof p === 'number' && p >= 0)
  expect(isValid, 'type', () => 'pick: candidates must be { ids, probabilities }, as gf.decoding.filterLogits returns ' +
    `them, got ${describe(candidates)}`)
  expectNumber('pick', 'random', random, 'a number from 0 up to 1', v => v >= 0 && v < 1)
  let end = 0
  for (let i = 0; i < ids.length; i++) if ((end += probabilities[i]) > random) return ids[i]
  return ids[ids.length - 1]
}

/** The index of the largest logit, ties by the smaller index. @param {Tensor | ArrayLike<number>} logits */
export function greedy(logits) {
  const values = checkLogits('greedy', valuesOfRow('greedy', logits))
  let best = 0
  for (let id = 1; id < values.length; id++) if (values[id] > values[best]) best = id
  return best
}

/** A stream of uniform random numbers: with a seed, those of torch.rand(1) after torch.manual_seed(seed). */
export class RandomStream {
  #engine
  #generator

  /**
   * @param {Engine} engine
   * @param {number | bigint} [seed] default: none, and the numbers come from the engine's generator
   */
  constructor(engine, seed) {
    this.#engine = engine
    this.#generator = 0
    if (seed === undefined || seed === null) return
    const bits = readSeed('generate', seed)
    this.#generator = engine.memory.alloc(engine.c.gf_generator_size())
    engine.c.gf_seed(this.#generator, bits)
  }

  next() {
    const engine = this.#engine
    return engine.tidy(() => {
      const out = engine.empty([1])
      engine.c.gf_uniform(out.dataPtr(), this.#generator || engine.generator, 1, 0, 1)
      return out.values[0]
    })
  }

  dispose() {
    if (this.#generator) this.#engine.memory.free(this.#generator)
    this.#generator = 0
  }
}
