/** Short stories: predicting the next token. */

import { SPACE, hexBytes } from '../models/token_text.js'
import { batchOf, createTokenizer, encode, stories as tell } from '../models/stories/data.js'
import { decode } from '../models/stories/decode.js'
import { CONFIG, LONGEST, createStories } from '../models/stories/model.js'
import { accuracyOf, shapeOf } from './model_options.js'
import { MAX_NEW_TOKENS, greedyTokens } from './greedy_tokens.js'

const TESTS = 32, NONE = -100

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A token as displayed. @param {Uint8Array} bytes */
export function display(bytes) {
  try {
    return utf8.decode(bytes).replaceAll(' ', SPACE).replaceAll('\n', '⏎')
  } catch {
    return hexBytes(bytes)
  }
}

/** @param {{ tokenizer: any, words: string[] }} data @param {string[]} texts */
const asBatch = ({ tokenizer, words }, texts) => {
  const { input, target } = batchOf(tokenizer, texts)
  return { inputs: [input], target, ignoreIndex: NONE, words }
}

/** @type {import('./index.js').Task} */
export const stories = {
  needsText: () => true,
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
