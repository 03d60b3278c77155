/**
 * Generation of an imported model: token by token over a cache, yielding to other tasks where it can be stopped. With
 * edits every token is recomputed in full, in the order of the runs that display it.
 */

import { nextTask } from '../../../src/js/next_task.js'
import { generate, generateSteps } from '../generation.js'
import { choosable } from '../decoding.js'

/** @import { Chosen } from '../generation.js' */
/** @import { Frame } from '../decoding.js' */
/** @import { Edit, Library, LibraryTensor, Settings } from '../../types.d.ts' */
/** @import { Cache } from '../../../src/js/ops/attention_cache.js' */

/**
 * How a kind of model generates.
 * @typedef {object} Going
 * @property {Frame & { V: number, isCausal: boolean }} frame
 * @property {readonly number[]} ends every token that ends an answer
 * @property {(rows: number[][]) => LibraryTensor} forward logits of all rows, as in a run
 * @property {() => { next: (rows: number[][], cache: Cache | null) => LibraryTensor, done: () => void }} begin
 *   logits of the last tokens, over a cache
 */

/**
 * A pending request: it can be stopped, and is told the number of tokens.
 * @typedef {{ signal: AbortSignal, onWritten: (count: number) => void }} Waiting
 */

/** @param {Partial<Chosen> & { ids: number[] }} made @returns {Chosen} */
const chosen = made => ({ random: null, tree: null, best: null, isGiven: false, ...made })

/** The decoding options of the settings. @param {Settings} settings */
function wayOf({ decoding, beams, temperature, topK, topP, seed }) {
  if (decoding === 'beam') return { beams }
  return decoding === 'sample' ? { temperature, topK, topP, seed } : {}
}

/**
 * @param {{ ids: number[], steps: { random: number | null }[], tree: Chosen['tree'], best: number | null }} made
 * @param {Settings} settings @param {number} end
 */
function read({ ids, steps, tree, best }, { decoding }, end) {
  if (!ids.length) return chosen({ ids: [end] })
  return chosen({ ids, tree, best, random: decoding === 'sample' ? steps.map(({ random }) => Number(random)) : null })
}

/** The decoding options of a generation over the cache. @param {Going} going @param {Settings} settings */
const askedOf = ({ frame, ends }, settings) => (
  { ...wayOf(settings), maxNewTokens: frame.longest, end: [...ends] })

/**
 * The next logits [B, T, V], with last rows that a token can be chosen from.
 * @param {Library} gf @param {(...args: any[]) => any} next @returns {(...args: any[]) => any}
 */
const withChoosable = (gf, next) => (...args) => {
  const logits = next(...args), [B, T, V] = logits.shape, { values } = logits
  const rows = Array.from({ length: B }, (_, b) => values.subarray((b * T + T - 1) * V, (b + 1) * T * V))
  if (rows.every(row => choosable(row) === row)) return logits
  return gf.tensor(Float32Array.from(rows.flatMap(row => [...choosable(row)])), { shape: [B, 1, V] })
}

/**
 * @param {Library} gf @param {Settings} settings @param {Going} way @param {Edit[]} edits
 * @returns {Chosen}
 */
export function generateNow(gf, settings, way, edits) {
  const { frame, forward, begin } = way
  if (edits.length) return generate(gf, settings, forward, frame, edits)
  const { next, done } = begin()
  try {
    const options = askedOf(way, settings)
    return read(gf.decoding.decode(withChoosable(gf, next), [...frame.start], options), settings, frame.end)
  } finally {
    done()
  }
}

/**
 * The final answer of a stepwise generation, or the current one when it is stopped.
 * @param {Iterable<Chosen>} steps @param {Waiting} waiting
 */
async function inTurns(steps, { signal, onWritten }) {
  /** @type {Chosen | null} */ let last = null
  for (const chosen of steps) {
    last = chosen
    onWritten(chosen.ids.length)
    await nextTask()
    if (signal.aborted) break
  }
  return /** @type {Chosen} */ (last)
}

/**
 * The same asynchronously; when stopped it is the answer so far, at least one token.
 * @param {Library} gf @param {Settings} settings @param {Going} way @param {Edit[]} edits @param {Waiting} waiting
 * @returns {Promise<Chosen>}
 */
export async function generateAsync(gf, settings, way, edits, waiting) {
  const { frame, forward, begin } = way, { signal, onWritten } = waiting
  if (edits.length) return inTurns(generateSteps(gf, settings, forward, frame, edits), waiting)
  const { next, done } = begin()
  // The signal makes the generation yield to other tasks; an answer that it aborted would be lost.
  const options = {
    ...askedOf(way, settings), signal: new AbortController().signal,
    stoppingCriteria(/** @type {number[]} */ { length }) {
      onWritten(length)
      return signal.aborted
    }
  }
  try {
    return read(await gf.decoding.decode(withChoosable(gf, next), [...frame.start], options), settings, frame.end)
  } finally {
    done()
  }
}
