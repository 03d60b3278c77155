/** A tuned or Jacobian lens, fitted to runs of the model on a few texts, as data for the page. */

import { repeatRun } from './input_attribution.js'
import { describePredictions } from './interpret.js'

/** @import { FittedLens, Library, ModelRun, QueryTypes } from '../types.d.ts' */

/**
 * Texts to fit a lens to, none of them the one that it reads: of the training's kind, else the page's examples.
 * @param {ModelRun} modelRun @param {string} own the text it reads @param {string[]} examples
 */
export const textsToFit = ({ similarTexts }, own, examples) => (
  (similarTexts?.() ?? examples).filter(text => text !== own))

/**
 * The mean divergence of what a lens reads early from what the last point says, in nats.
 * @param {Library} gf @param {any} logits [points, rows, V]
 */
function meanDivergence(gf, logits) {
  const [points] = logits.shape, { klDiv, logSoftmax } = gf.functional
  return gf.tidy(() => {
    const all = logSoftmax(logits, { dim: -1 }), last = all.select(0, points - 1)
    const divergences = Array.from({ length: points - 1 }, (_, n) => (
      klDiv(all.select(0, n), last, { reduction: 'batchmean', logTarget: true }).item()))
    return divergences.reduce((sum, value) => sum + value / divergences.length, 0)
  })
}

/**
 * Fits a lens to all runs but the first, which it then reads; a single run is both. Null where the library has a
 * reason not to.
 * @param {Library} gf @param {ModelRun[]} modelRuns
 * @param {Pick<QueryTypes['fitLens'][0], 'kind' | 'logits' | 'rows' | 'ids'>} query
 * @param {{ signal: AbortSignal, onProgress: (fraction: number) => void }} how
 * @returns {Promise<FittedLens | null>}
 */
export async function fitLens(gf, modelRuns, { kind, logits, rows, ids }, how) {
  const runs = modelRuns.flatMap(modelRun => repeatRun(gf, modelRun) ?? [])
  try {
    if (runs.length < modelRuns.length) return null
    const fit = kind === 'tuned' ? gf.interpret.tunedLens : gf.interpret.jacobianLens
    // On the page these functions are fetched when they are first called.
    const others = runs.length > 1 ? runs.slice(1) : runs, lens = await fit(others, { logits, ...how })
    const { logits: read } = await lens.read(runs[0], { positions: rows, logits })
    const predictions = describePredictions(gf, read, ids), divergence = meanDivergence(gf, read)
    for (const own of [read, lens]) own.dispose()
    return { predictions, losses: lens.losses ?? null, divergence, count: runs.length - 1 }
  } catch (error) {
    if (how.signal.aborted || !(/** @type {import('../types.d.ts').Failure} */ (error).code)) throw error
    return null
  } finally {
    for (const run of runs) run.dispose()
  }
}
