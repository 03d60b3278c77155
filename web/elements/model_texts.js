/**
 * The texts that a model has in place of the page's, and those of rooms that say much. The build makes a file of those
 * of each model, and of each group of rooms.
 */

import { loadTexts } from '../words/index.js'

/** @import { Language } from '../types.d.ts' */
/** @import { Texts } from '../lib/text.js' */

/** @param {Language} language @param {string} model @returns {Promise<Texts | undefined>} */
export const loadModelTexts = async (language, model) => (await loadTexts(language, true)).models[model]

/** @param {Language} language @param {string} _group @returns {Promise<Texts>} */
export const loadRoomTexts = async (language, _group) => (await loadTexts(language, true)).page.stages
