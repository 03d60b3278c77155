/** Missing words: Korean particles, and English verbs that agree. */

import { answer, filled, encodeSentence } from '../models/particles/answer.js'
import { examples } from '../models/particles/data.js'
import { IGNORE_INDEX, accuracy, batchesFrom, taskOf } from '../models/particles/measure.js'
import { CONFIG, createParticles } from '../models/particles/model.js'
import { MASK, TOKENS, WORDS } from '../models/particles/tokens.js'
import { shapeOf } from './model_options.js'

/** @import { Example } from '../models/particles/data.js' */

const TESTS = 200

/** @param {ReturnType<typeof taskOf>} task */
const asBatch = ({ input, target }) => ({ inputs: [input], target, ignoreIndex: IGNORE_INDEX, words: WORDS })

/** @type {import('./index.js').Task} */
export const particles = {
  prepare: (gf, { seed, batch }) => ({ batchAt: batchesFrom(seed, batch) }),
  create: (gf, settings) => createParticles(gf, { ...CONFIG, ...shapeOf(settings) }),
  batch: (gf, settings, { batchAt }, step) => asBatch(batchAt(step)),
  heldOut(gf, { seed }) {
    const tests = examples(seed, TESTS, { isHeldOut: true })
    return { ...asBatch(taskOf(tests)), tests }
  },
  measureAccuracy: (gf, model, data, { tests }) => accuracy(gf, model, /** @type {Example[]} */ (tests)).right,
  tables: () => ({ 'embedding.weight': TOKENS }),
  answer(gf, model, data, text) {
    const { ids, tokens } = encodeSentence(text)
    return { text: filled(text, answer(gf, model, text)), inputs: [[ids]], tokens: { text: tokens } }
  },
  problem: text => (text.includes(MASK) ? null : { key: 'errors.noGap', values: {} })
}
