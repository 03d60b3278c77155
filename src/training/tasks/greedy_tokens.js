/** Generation from the models of tasks. */

import { largest } from './model_options.js'

/** The maximum number of generated tokens per report, since training should not wait. */
export const MAX_NEW_TOKENS = 24

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
