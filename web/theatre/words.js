/** The texts of the training page, loaded with it and looked up before those of the page. */

import { translator } from '../lib/text.js'
import { loadTrainingTexts } from '../words/index.js'

/** @import { Language, Translate } from '../types.d.ts' */

/** @param {{ t: Translate, language(): Language }} context @returns {Promise<Translate>} */
export async function loadTexts({ t, language }) {
  const own = translator(await loadTrainingTexts(language()), { strict: false })
  return (key, values) => {
    const text = own(key, values)
    return text === key ? t(key, values) : text
  }
}
