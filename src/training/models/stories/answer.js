/** Generates a story from a prompt, token by token. */

import { createRandom } from '../random.js'
import { encode } from './data.js'
import { END, decode } from './decode.js'
import { LONGEST } from './model.js'

/** Tokens reserved for the continuation, however long the prompt is. */
const RESERVED_TOKENS = 48

/**
 * The candidates for the next token with their probabilities, the most probable first, after top-k.
 * @param {ArrayLike<number>} logits of one position
 * @param {{ temperature?: number, topK?: number }} [options] temperature 0 keeps only the most probable token
 * @returns {{ id: number, probability: number }[]}
 */
export function nextTokens(logits, { temperature = 1, topK = 0 } = {}) {
  const sorted = Array.from(logits, (logit, id) => ({ id, logit })).sort((a, b) => b.logit - a.logit || a.id - b.id)
  if (temperature === 0) return [{ id: sorted[0].id, probability: 1 }]
  const candidates = topK ? sorted.slice(0, topK) : sorted
  const parts = candidates.map(({ logit }) => Math.exp((logit - candidates[0].logit) / temperature))
  const total = parts.reduce((sum, part) => sum + part, 0)
  return candidates.map(({ id }, n) => ({ id, probability: parts[n] / total }))
}

/** @param {{ id: number, probability: number }[]} tokens @param {number} random from 0 to 1 */
function sampleToken(tokens, random) {
  let sum = 0
  return (tokens.find(({ probability }) => (sum += probability) > random) ?? tokens[0]).id
}

/**
 * Generates until the story ends or the model's maximum length is reached.
 * @param {any} gf @param {any} model @param {any} tokenizer @param {string} beginning
 * @param {{ temperature?: number, topK?: number, seed?: number, mask?: any }} [options] temperature 0, the default: the
 *   most probable token each time; mask: from the length, as in the model's forward
 * @returns {{ ids: number[], given: number, text: string }} ids with the <end> before and perhaps after; how many were
 *   given; prompt and continuation as text
 */
export function continueText(gf, model, tokenizer, beginning, { temperature = 0, topK = 0, seed = 42, mask } = {}) {
  const draw = createRandom(seed), ids = encode(tokenizer, beginning, RESERVED_TOKENS), promptLength = ids.length
  do {
    const logits = gf.tidy(() => gf.noGrad(() => {
      const all = model.forward([ids], mask?.(ids.length)), size = all.shape[2]
      return all.values.slice(-size)
    }))
    ids.push(sampleToken(nextTokens(logits, { temperature, topK }), draw.uniform()))
  } while (ids.at(-1) !== tokenizer.idOf(END) && ids.length < LONGEST)
  const text = beginning ? beginning + decode(tokenizer, ids.slice(promptLength)) : decode(tokenizer, ids)
  return { ids, given: promptLength, text }
}
