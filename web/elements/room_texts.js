/** The texts of rooms that say much: they are fetched with the first figure that displays one of their group. */

import { loadRoomTexts } from './model_texts.js'

/** @import { Language } from '../types.d.ts' */

/** The stages with many texts, in groups of those that are fetched together; one uses texts of its own group only. */
export const WORDY = {
  house: ['house'],
  inside: ['ablation', 'attribution', 'costs', 'head_scores', 'output', 'patching', 'residual_stream', 'weight_blocks'],
  numbers: ['activation', 'bpe_training', 'cache', 'decoding', 'embedding', 'experts', 'norm', 'sampling', 'syllables', 'unigram', 'wordpiece']
}
const GROUPS = Object.entries(WORDY)

/**
 * Adds the texts of rooms to those of the page.
 * @param {Language} language @param {Record<string, any>} page
 */
export function createRoomTexts(language, page) {
  const loaded = new Set()
  /** The groups that are not loaded, of a stage or of all. @param {string} [stage] */
  const missing = stage => GROUPS.filter(([group, stages]) => !loaded.has(group) && (!stage || stages.includes(stage)))
  return {
    /** @param {string} stage */
    has: stage => missing(stage).length === 0,
    /** @param {string} [stage] */
    async load(stage) {
      await Promise.all(missing(stage).map(async ([group]) => {
        const stages = /** @type {Record<string, object>} */ (await loadRoomTexts(language, group))
        page.stages = Object.fromEntries(Object.entries(page.stages).map(([name, own]) => (
          [name, { ...own, ...stages[name] }])))
        loaded.add(group)
      }))
    }
  }
}
