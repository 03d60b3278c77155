/** Sequences that repeat: predicting the token that followed before. */

import { IGNORE_INDEX, batchOf, heldOutSequences, sequences } from '../models/induction/data.js'
import { bestScores, headScores } from '../models/induction/measure.js'
import { CONFIG, createInduction } from '../models/induction/model.js'
import { LONGEST, TOKENS, decode, encode, unknownWord } from '../models/induction/tokens.js'
import { greedyTokens } from './greedy_tokens.js'
import { accuracyOf, shapeOf } from './model_options.js'

const TESTS = 64
/** The number of blocks that the heads are scored on. */
const BLOCKS = 8
/** The number of generated tokens per report. */
const MAX_NEW_TOKENS = 8

/** @param {import('../models/induction/data.js').Sequence[]} list */
const asBatch = list => {
  const { input, target } = batchOf(list)
  return { inputs: [input], target, ignoreIndex: IGNORE_INDEX, words: TOKENS }
}

/** @type {import('./index.js').Task} */
export const induction = {
  prepare: () => ({}),
  create: (gf, settings) => createInduction(gf, { ...CONFIG, ...shapeOf(settings) }),
  batch: (gf, { seed, batch }, data, step) => asBatch(sequences(seed * 1_000_003 + step, batch)),
  heldOut: (gf, { seed }) => asBatch(heldOutSequences(seed, TESTS)),
  measureAccuracy: (gf, model, data, batch) => accuracyOf(gf, model, batch),
  measureHeads: (gf, model, { seed }) => bestScores(headScores(gf, model, seed, BLOCKS)),
  tables: () => ({ 'embedding.weight': TOKENS }),
  answer(gf, model, data, text) {
    const start = encode(text, MAX_NEW_TOKENS)
    const ids = greedyTokens(gf, model, start, Math.min(LONGEST, start.length + MAX_NEW_TOKENS))
    return { text: `${text.trim()} ${decode(ids.slice(start.length))}`, inputs: [[ids]], tokens: { text: ids.map(id => TOKENS[id]) } }
  },
  problem(text) {
    const word = unknownWord(text)
    return word === undefined ? null : { key: 'errors.unknown', values: { word } }
  }
}
