/** A tuned or Jacobian lens, fitted to runs of the model on a few texts, as data for the page. */

import { repeatRun } from './input_attribution.js'
import { describePredictions } from './interpret.js'

/** @import { FittedLens, Library, ModelRun, QueryTypes } from '../types.d.ts' */

/**
 * Fits a lens and reads the first run with it; null where the library has a reason not to.
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
    const lens = await fit(runs, { logits, ...how })
    const { logits: read } = await lens.read(runs[0], { positions: rows, logits })
    const predictions = describePredictions(gf, read, ids)
    for (const own of [read, lens]) own.dispose()
    return { predictions, losses: lens.losses ?? null, count: runs.length }
  } catch (error) {
    if (how.signal.aborted || !(/** @type {import('../types.d.ts').Failure} */ (error).code)) throw error
    return null
  } finally {
    for (const run of runs) run.dispose()
  }
}
