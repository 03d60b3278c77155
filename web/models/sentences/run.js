/** A run of the block of the sentences. */

import { runPipeline } from '../../../src/js/pipeline.js'
import { sentences, sentencesOf } from './index.js'

/** @import { PipelineSettings } from '../../../src/js/pipeline.js' */
/** @import { Edit, Library, ModelRun, Settings } from '../../types.d.ts' */

/** @param {Library} gf @param {Settings} settings of the page @param {Edit[]} edits @returns {ModelRun} */
export function run(gf, { model, text, ...settings }, edits) {
  const asked = /** @type {PipelineSettings} */ ({ ...settings, texts: sentencesOf(text), edits })
  const made = runPipeline(gf, asked)
  const used = /** @type {object} */ ({ model, ...made.settings })
  return { run: made.run, settings: /** @type {Settings} */ (used), hints: sentences.hints }
}
