/** The texts of rooms that say much: they are fetched with the first figure that displays one. */

import { loadRoomTexts } from './model_texts.js'

/** @import { Language } from '../types.d.ts' */

/** The stages with many texts. */
export const WORDY = ['ablation', 'activation', 'attribution', 'bpe_training', 'cache', 'costs', 'decoding', 'embedding', 'experts', 'head_scores',
  'house', 'norm', 'output', 'patching', 'residual_stream', 'sampling', 'syllables', 'unigram', 'weight_blocks', 'wordpiece']

/**
 * Adds the texts of rooms to those of the page.
 * @param {Language} language @param {Record<string, any>} page
 */
export function createRoomTexts(language, page) {
  let isLoaded = false
  return {
    /** @param {string} stage */
    has: stage => isLoaded || !WORDY.includes(stage),
    async load() {
      if (isLoaded) return
      const stages = /** @type {Record<string, object>} */ (await loadRoomTexts(language))
      page.stages = Object.fromEntries(Object.entries(page.stages).map(([name, own]) => (
        [name, { ...own, ...stages[name] }])))
      isLoaded = true
    }
  }
}
