import { describe, expect, numberWhere, optionsOf, wholeNumber } from '../errors.js'
import { tensor } from '../from_values.js'
import { to } from '../ops/convert.js'
import { seedBits } from '../random.js'
import { Tensor } from '../tensor.js'

/**
 * From a row of logits to a token: temperature, top-k and top-p, and what is chosen from what they keep. Ranks and
 * shares
 * come from the kernels, so that a draw falls on the same token everywhere.
 *
 * @typedef {import('../engine.js').Engine} Engine
 *
 * @typedef {object} Cuts
 * @property {number} [temperature] 1, logits are divided by it: below 1 the best gain, above 1 the others
 * @property {number} [topK] 0 keeps all; else so many of the best are kept, of equal ones those with smaller ids
 * @property {number} [topP] 1 keeps all; else as few of the best as have this share together, at least one
 *
 * @typedef {object} Kept
 * @property {Int32Array} ids what is kept, the most probable first, of equal ones the smaller id
 * @property {Float32Array} shares of each, adding up to one
 */

export const CUTS = ['temperature', 'topK', 'topP']

/**
 * Logits by a temperature. Where that is so small that the best becomes infinite, all are counted from it: what
 * is less than it has no share then.
 * @param {Float32Array} row @param {number} inverse
 */
function temperedBy(row, inverse) {
  const best = row.reduce((most, logit) => Math.max(most, logit), -Infinity)
  const isLost = Number.isFinite(best) && !Number.isFinite(Math.fround(best * inverse))
  return row.map(logit => (!isLost ? logit * inverse : logit === best ? 0 : (logit - best) * inverse))
}

/**
 * Logits from which a token can be chosen: NaN is an error, since every order of it would be a guess; +∞ leaves nothing
 * to the others.
 * @template {ArrayLike<number>} T @param {string} where @param {T} row
 * @returns {T | Float32Array<ArrayBuffer>} the row itself, or a copy with 0 in place of +∞ and −∞ in place of the rest
 * @throws {import('../errors.js').GlassformerError} 'range' for NaN, and where all are −∞
 */
export function rankable(where, row) {
  let best = -Infinity
  for (let id = 0; id < row.length; id++) {
    expect(!Number.isNaN(row[id]), 'range', () => `${where}: logits must be numbers, got NaN at place ${id}`)
    if (row[id] > best) best = row[id]
  }
  expect(best > -Infinity, 'range', () => `${where}: one of the logits must be above −∞, got ${row.length} that are not`)
  return best < Infinity ? row : Float32Array.from(row, logit => (logit === Infinity ? 0 : -Infinity))
}

/** @param {string} where @param {any} given @returns {Required<Cuts>} */
export function checkCuts(where, { temperature = 1, topK = 0, topP = 1 }) {
  numberWhere(where, 'temperature', temperature, 'a number > 0', v => v > 0 && v < Infinity)
  wholeNumber(where, 'topK', topK)
  numberWhere(where, 'topP', topP, 'a number above 0, up to 1', v => v > 0 && v <= 1)
  return { temperature, topK, topP }
}

/**
 * The places of a row's values, the largest first, of equal ones the first; NaN before all.
 * @param {Tensor} row @param {number} [k] all; only so many @returns {Int32Array}
 */
export function ranking(row, k = row.size) {
  const { engine } = row
  return engine.tidy(() => {
    const order = engine.empty([k], 'int32')
    engine.c.gf_sort(order.address, engine.scratch(2 * row.size), row.address, 1, row.size, 1, k, 1)
    return /** @type {Int32Array} */ (order.values.slice())
  })
}

/** The softmax of some values. @param {Engine} engine @param {Float32Array} values @returns {Float32Array} */
const sharesOf = (engine, values) => engine.tidy(() => {
  const row = tensor(engine, values), out = engine.empty(row.shape)
  engine.c.gf_softmax_forward(out.address, row.address, 1, row.size)
  return /** @type {Float32Array} */ (out.values.slice())
})

/**
 * How many of the best, whose shares these are, have the share p together. @param {Float32Array} shares
 * @param {number} p
 */
function countFor(shares, p) {
  const total = shares.reduce((sum, share) => sum + share, 0)
  let count = 0
  for (let before = 0; count < shares.length && (count === 0 || before < p * total); count++) before += shares[count]
  return count
}

/**
 * What temperature, top-k and then top-p keep of one row of logits, and the shares of what is kept. Logits of −∞ are
 * never kept, unless there is nothing else.
 * @param {Engine} engine @param {Tensor | ArrayLike<number>} logits [V] @param {Cuts} [cuts]
 * @returns {Kept}
 */
export function kept(engine, logits, cuts) {
  const { temperature, topK, topP } = checkCuts('kept', optionsOf('kept', cuts, CUTS))
  const row = rankable('kept', Float32Array.from(rowOf('kept', logits))), inverse = Math.fround(1 / temperature)
  const tempered = temperedBy(row, inverse), most = topK > 0 ? Math.min(topK, row.length) : row.length
  return engine.tidy(() => {
    const order = ranking(tensor(engine, tempered), most), values = Float32Array.from(order, id => tempered[id])
    const all = sharesOf(engine, values), some = topP < 1 ? countFor(all, topP) : most
    const shares = some < most ? sharesOf(engine, values.subarray(0, some)) : all
    const last = shares.findLastIndex(share => share > 0) + 1 || shares.length
    return { ids: order.slice(0, last), shares: shares.slice(0, last) }
  })
}

/** The numbers of logits, of a tensor of any dtype. @param {any} logits */
const valuesOf = logits => {
  if (!(logits instanceof Tensor)) return logits
  return logits.dtype === 'float32' ? logits.values : logits.engine.tidy(() => to(logits, 'float32').values.slice())
}

/** @param {string} where @param {any} logits @returns {ArrayLike<number>} its values, not a copy */
function rowOf(where, logits) {
  const values = valuesOf(logits), isTyped = ArrayBuffer.isView(values) && !(values instanceof DataView)
  const isList = Array.isArray(values) && values.every(value => typeof value === 'number')
  expect((isTyped || isList) && /** @type {any} */ (values).length > 0, 'type', () => `${where}: logits must be a row of numbers, got ${describe(logits)}`)
  return /** @type {any} */ (values)
}

/**
 * The token a draw falls on when the shares lie side by side, the largest first.
 * @param {Kept} from what `kept` gave @param {number} draw from 0 up to 1 @returns {number} its id
 */
export function pick(from, draw) {
  const { ids, shares } = Object(from), isKept = ids?.length > 0 && ids.length === shares?.length
  expect(isKept, 'type', () => `pick: from must be { ids, shares }, as gf.decoding.kept gives them, got ${describe(from)}`)
  numberWhere('pick', 'draw', draw, 'a number from 0 up to 1', v => v >= 0 && v < 1)
  let end = 0
  for (let i = 0; i < ids.length; i++) if ((end += shares[i]) > draw) return ids[i]
  return ids[ids.length - 1]
}

/** The place of the largest value, of equal ones the first. @param {Tensor | ArrayLike<number>} logits */
export function greedy(logits) {
  const values = rankable('greedy', rowOf('greedy', logits))
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i
  return best
}

/** The stream of torch.rand after torch.manual_seed(seed), apart from the engine's own. */
export class Draws {
  #engine
  #own

  /** @param {Engine} engine @param {number | bigint} [seed] without one the engine's stream is drawn from */
  constructor(engine, seed) {
    this.#engine = engine
    this.#own = 0
    if (seed === undefined || seed === null) return
    const bits = seedBits('generate', seed)
    this.#own = engine.memory.alloc(engine.c.gf_generator_size())
    engine.c.gf_seed(this.#own, bits)
  }

  next() {
    const engine = this.#engine
    return engine.tidy(() => {
      const out = engine.empty([1])
      engine.c.gf_uniform(out.address, this.#own || engine.generator, 1, 0, 1)
      return out.values[0]
    })
  }

  dispose() {
    if (this.#own) this.#engine.memory.free(this.#own)
    this.#own = 0
  }
}
