/** Short stories: predicting the next token. */

import { SPACE, hexBytes } from '../models/token_text.js'
import { LONGEST, batchOf, createTokenizer, decode, encode, stories as tell } from '../models/stories/data.js'
import { CONFIG, createStories } from '../models/stories/model.js'
import { largest, accuracyOf, shapeOf } from './model_options.js'

const TESTS = 32, NONE = -100
/** The maximum number of generated tokens per report, since training should not wait. */
const MAX_NEW_TOKENS = 24

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A token as displayed. @param {Uint8Array} bytes */
export function display(bytes) {
  try {
    return utf8.decode(bytes).replaceAll(' ', SPACE).replaceAll('\n', '⏎')
  } catch {
    return hexBytes(bytes)
  }
}

/**
 * Greedy generation.
 * @param {any} gf @param {any} model @param {number[]} start @param {number} max tokens that the model can read
 * @param {number} [end] the token that stops it
 */
export function greedyTokens(gf, model, start, max, end) {
  const ids = [...start]
  for (let n = 0; n < MAX_NEW_TOKENS && ids.length < max && (n === 0 || ids.at(-1) !== end); n++) {
    ids.push(gf.tidy(() => gf.noGrad(() => {
      const { values, shape } = model.forward([ids])
      return largest(values.slice(-shape[2]))
    })))
  }
  return ids
}

/** @param {{ tokenizer: any, words: string[] }} data @param {string[]} texts */
const asBatch = ({ tokenizer, words }, texts) => {
  const { input, target } = batchOf(tokenizer, texts)
  return { inputs: [input], target, ignoreIndex: NONE, words }
}

/** @type {import('./index.js').Task} */
export const stories = {
  prepare(gf) {
    const tokenizer = createTokenizer(gf)
    return { tokenizer, words: Array.from({ length: tokenizer.size }, (_, id) => display(tokenizer.bytesOf(id))) }
  },
  create: (gf, settings) => createStories(gf, { ...CONFIG, ...shapeOf(settings) }),
  batch: (gf, { seed, batch }, data, step) => asBatch(data, tell(seed * 1_000_003 + step, batch)),
  heldOut: (gf, { seed }, data) => asBatch(data, tell(seed, TESTS, { names: 'held out' })),
  measureAccuracy: (gf, model, data, batch) => accuracyOf(gf, model, batch),
  tables: ({ words }) => ({ 'embedding.weight': words }),
  answer(gf, model, { tokenizer, words }, text) {
    const start = encode(tokenizer, text, MAX_NEW_TOKENS)
    const ids = greedyTokens(gf, model, start, LONGEST, start[0])
    const said = decode(tokenizer, ids.slice(start.length))
    return { text: text + said, inputs: [[ids]], tokens: { text: ids.map(id => words[id]) } }
  }
}
