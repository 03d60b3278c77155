/** A run of the block of the sentences. */

import { runPipeline } from '../../../src/js/pipeline.js'
import { sentences, sentencesOf } from './index.js'

/** @param {any} gf @param {object} settings of the page @param {any[]} edits */
export function run(gf, { model, text, ...settings }, edits) {
  const made = runPipeline(gf, { ...settings, texts: sentencesOf(text), edits })
  return { run: made.run, settings: { model, ...made.settings }, hints: sentences.hints }
}
