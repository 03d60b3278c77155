/**
 * Generation of an imported model: token by token over a cache, yielding to other tasks where it can be stopped. With
 * edits every token is recomputed in full, in the order of the runs that display it.
 */

import { nextTask } from '../../../src/js/next_task.js'
import { generate, generateSteps } from '../generation.js'
import { ensureChoosable } from '../decoding.js'

/** @import { Chosen } from '../generation.js' */
/** @import { Frame } from '../decoding.js' */
/** @import { Edit, Library, LibraryTensor, Settings } from '../../types.d.ts' */
/** @import { Cache } from '../../../src/js/ops/attention_cache.js' */

/**
 * How a kind of model generates.
 * @typedef {object} GenerationPlan
 * @property {Frame & { V: number, isCausal: boolean }} frame
 * @property {readonly number[]} ends every token that ends an answer
 * @property {(rows: number[][]) => LibraryTensor} forward logits of all rows, as in a run
 * @property {() => { next: (rows: number[][], cache: Cache | null) => LibraryTensor, done: () => void }} begin
 *   logits of the last tokens, over a cache
 */

/**
 * A pending request: its signal stops the generation, and `onWritten` receives the number of tokens.
 * @typedef {{ signal: AbortSignal, onWritten: (count: number) => void }} PendingRequest
 */

/** @param {Partial<Chosen> & { ids: number[] }} made @returns {Chosen} */
const chosen = made => ({ random: null, tree: null, best: null, isGiven: false, ...made })

/** The decoding options of the settings. @param {Settings} settings */
function decodingOptions({ decoding, beams, temperature, topK, topP, seed }) {
  if (decoding === 'beam') return { beams }
  return decoding === 'sample' ? { temperature, topK, topP, seed } : {}
}

/**
 * @param {{ ids: number[], steps: { random: number | null }[], tree: Chosen['tree'], best: number | null }} made
 * @param {Settings} settings @param {number} end
 */
function toChosen({ ids, steps, tree, best }, { decoding }, end) {
  if (!ids.length) return chosen({ ids: [end] })
  return chosen({ ids, tree, best, random: decoding === 'sample' ? steps.map(({ random }) => Number(random)) : null })
}

/** The options of `gf.decoding.decode`. @param {GenerationPlan} going @param {Settings} settings */
const generationOptions = ({ frame, ends }, settings) => (
  { ...decodingOptions(settings), maxNewTokens: frame.longest, end: [...ends] })

/**
 * Wraps a forward so that a token can be chosen from its last rows, even if they contain NaN.
 * @param {Library} gf @param {(...args: any[]) => any} next @returns {(...args: any[]) => any}
 */
const withChoosable = (gf, next) => (...args) => {
  const logits = next(...args), [B, T, V] = logits.shape, { values } = logits
  const rows = Array.from({ length: B }, (_, b) => values.subarray((b * T + T - 1) * V, (b + 1) * T * V))
  if (rows.every(row => ensureChoosable(row) === row)) return logits
  return gf.tensor(Float32Array.from(rows.flatMap(row => [...ensureChoosable(row)])), { shape: [B, 1, V] })
}

/**
 * @param {Library} gf @param {Settings} settings @param {GenerationPlan} way @param {Edit[]} edits
 * @returns {Chosen}
 */
export function generateNow(gf, settings, way, edits) {
  const { frame, forward, begin } = way
  if (edits.length) return generate(gf, settings, forward, frame, edits)
  const { next, done } = begin()
  try {
    const options = generationOptions(way, settings)
    return toChosen(gf.decoding.decode(withChoosable(gf, next), [...frame.start], options), settings, frame.end)
  } finally {
    done()
  }
}

/**
 * The final answer of a stepwise generation, or the current one when it is stopped.
 * @param {Iterable<Chosen>} steps @param {PendingRequest} waiting
 */
async function runSteps(steps, { signal, onWritten }) {
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
 * Generates asynchronously; when stopped, resolves to the answer so far, at least one token.
 * @param {Library} gf @param {Settings} settings @param {GenerationPlan} way @param {Edit[]} edits
 * @param {PendingRequest} waiting
 * @returns {Promise<Chosen>}
 */
export async function generateAsync(gf, settings, way, edits, waiting) {
  const { frame, forward, begin } = way, { signal, onWritten } = waiting
  if (edits.length) return runSteps(generateSteps(gf, settings, forward, frame, edits), waiting)
  const { next, done } = begin()
  // The signal makes the generation yield to other tasks; an answer that it aborted would be lost.
  const options = {
    ...generationOptions(way, settings), signal: new AbortController().signal,
    stoppingCriteria(/** @type {number[]} */ { length }) {
      onWritten(length)
      return signal.aborted
    }
  }
  try {
    return toChosen(await gf.decoding.decode(withChoosable(gf, next), [...frame.start], options), settings, frame.end)
  } finally {
    done()
  }
}
