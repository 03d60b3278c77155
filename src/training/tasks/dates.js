/** English dates into Korean. */

import { LONGEST, SOURCE_TOKENS, START, TARGET_TOKENS, encode, idsOf, isHeldOut, joinTarget,
  splitSource } from '../models/dates/data.js'
import { sampleExamples, exactFraction } from '../models/dates/measure.js'
import { createTranslator } from '../models/dates/model.js'
import { sourceProblem } from '../models/dates/problems.js'
import { shapeOf } from './model_options.js'

/** @import { Example } from '../models/dates/measure.js' */

const TESTS = 100
const SOURCE_IDS = idsOf(SOURCE_TOKENS)
const START_ID = TARGET_TOKENS.indexOf(START)

/** @param {Example[]} examples */
const batchOf = examples => ({
  inputs: [examples.map(e => e.source), examples.map(e => e.input)], target: examples.flatMap(e => e.target),
  ignoreIndex: 0, words: TARGET_TOKENS, examples
})

/** @type {import('./index.js').Task} */
export const dates = {
  prepare: () => ({}),
  create: (gf, settings) => createTranslator(gf, shapeOf(settings)),
  batch: (gf, { batch }) => batchOf(sampleExamples(gf, batch, day => !isHeldOut(day))),
  heldOut: (gf, { seed }) => {
    gf.manualSeed(seed)
    return batchOf(sampleExamples(gf, TESTS, isHeldOut))
  },
  measureAccuracy: (gf, translator, data, { examples }) => (
    exactFraction(translator, /** @type {Example[]} */ (examples))),
  tables: () => ({ 'source_embedding.weight': SOURCE_TOKENS, 'target_embedding.weight': TARGET_TOKENS }),
  answer(gf, translator, data, text) {
    const source = encode(splitSource(text), SOURCE_IDS, 0)
    /** @type {string[][]} */
    const [translation] = translator.translate([source])
    const input = [START_ID, ...translation.map(token => TARGET_TOKENS.indexOf(token))].slice(0, LONGEST.target)
    return {
      text: joinTarget(translation), inputs: [[source], [input]],
      tokens: { source: source.map(id => SOURCE_TOKENS[id]), target: input.map(id => TARGET_TOKENS[id]) }
    }
  },
  problem: sourceProblem
}
