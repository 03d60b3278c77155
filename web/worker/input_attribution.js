/** What each token did to a logit, by gradients or occlusion, as data for the page. */

import { toLibrary } from '../lib/edits.js'
import { isSamplingEdit } from '../models/generation.js'
import { inEvalMode } from './cache_comparison.js'

/** @import { Failure, InputAttributions, Library, ModelRun, QueryTypes } from '../types.d.ts' */

/**
 * The run's model again, without what only chooses a token, and with dropout off; null where the model cannot run by
 * itself, or takes values from a run on another text.
 * @param {Library} gf @param {ModelRun} modelRun
 */
export function repeatRun(gf, { exportable, settings }) {
  const edits = settings.edits.filter(edit => !isSamplingEdit(edit))
  if (!exportable || edits.some(({ fromText }) => fromText !== undefined)) return null
  const { model, inputs } = exportable
  return gf.observe(() => inEvalMode(model, () => model.forward(...Object.values(inputs))), { edits: toLibrary(edits) })
}

/**
 * The values of the tokens of each text that the model embeds; null where the library has a reason not to compute them.
 * @param {Library} gf @param {ModelRun} modelRun @param {QueryTypes['inputAttribution'][0]} query
 * @returns {Promise<InputAttributions | null>}
 */
export async function attributeInputs(gf, modelRun, { method, inputs, logits, position, token, against }) {
  const run = repeatRun(gf, modelRun)
  if (!run) return null
  const target = { logits, position, token, ...(against !== null && { against }) }
  try {
    const found = []
    // On the page this function is fetched when it is first called.
    for (const input of inputs) found.push(await gf.interpret.inputAttribution(run, { method, target, input }))
    return found.map(({ values, total, baseline, gap }) => ({ values: [...values], total, baseline, gap }))
  } catch (error) {
    if (!(/** @type {Failure} */ (error).code)) throw error
    return null
  } finally {
    run.dispose()
  }
}
