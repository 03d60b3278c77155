/** The reader's own text: predicting the next character or byte pair. */

import { createRandom } from '../models/random.js'
import { exampleText } from '../models/stories/data.js'
import { CONFIG, createStories } from '../models/stories/model.js'
import { vocabularyOf } from '../models/text/vocabulary.js'
import { greedyTokens } from './greedy_tokens.js'
import { accuracyOf, shapeOf } from './model_options.js'

const TESTS = 32, NONE = -100
/** The fraction of a text that is held out: its end. */
const HELD_OUT = 0.1

/**
 * Windows of a text: inputs, and the next token as the target.
 * @param {{ ids: number[], tokens: string[] }} data @param {number[]} starts @param {number} length
 */
function windows({ ids, tokens }, starts, length) {
  return {
    inputs: [starts.map(from => ids.slice(from, from + length))],
    target: starts.flatMap(from => ids.slice(from + 1, from + length + 1)), ignoreIndex: NONE, words: tokens
  }
}

/** @type {import('./index.js').Task} */
export const text = {
  needsText: ({ unit }) => unit === 'pairs',
  prepare(gf, settings, given = exampleText()) {
    const vocabulary = vocabularyOf(gf, given, settings), { length } = settings, ids = vocabulary.encode(given)
    const border = Math.min(ids.length - length - 1, Math.floor(ids.length * (1 - HELD_OUT)))
    return { ...vocabulary, ids, border, length }
  },
  create: (gf, settings, { size, length }) => (
    createStories(gf, { ...CONFIG, ...shapeOf(settings), vocabSize: size, longest: length })),
  batch(gf, { seed, batch, length }, data, step) {
    const draw = createRandom(seed * 1_000_003 + step)
    const starts = Array.from({ length: batch }, () => draw.below(Math.max(1, data.border - length)))
    return windows(data, starts, length)
  },
  heldOut(gf, { length }, data) {
    const room = data.ids.length - data.border - length
    const count = Math.max(1, Math.min(TESTS, Math.floor(room / length)))
    return windows(data, Array.from({ length: count }, (_, n) => data.border + Math.floor(n * room / count)), length)
  },
  measureAccuracy: (gf, model, data, batch) => accuracyOf(gf, model, batch),
  inFile: ({ size, length, serialized }) => (
    { shape: { vocabSize: size, longest: length }, vocabulary: JSON.stringify(serialized) }),
  tables: ({ tokens }) => ({ 'embedding.weight': tokens }),
  answer(gf, model, { encode, decode, tokens, length }, beginning) {
    const start = encode(beginning)
    const ids = greedyTokens(gf, model, (start.length ? start : [0]).slice(-Math.ceil(length / 2)), length)
    const said = decode(ids.slice(Math.min(Math.max(1, start.length), Math.ceil(length / 2))))
    return { text: beginning + said, inputs: [[ids]], tokens: { text: ids.map(id => tokens[id]) } }
  }
}
