/** The texts of the training page, loaded with it and looked up before those of the page. */

import { translator } from '../lib/text.js'

/** @type {Record<string, () => Promise<{ words: any }>>} */
const WORDS = { ko: () => import('./text/ko.js'), en: () => import('./text/en.js') }

/** @import { Translate } from '../types.d.ts' */

/** @param {{ t: Translate, language(): string }} context @returns {Promise<Translate>} */
export async function loadTexts({ t, language }) {
  const { words } = await WORDS[language()]()
  const own = translator(words, { strict: false })
  return (key, values) => {
    const text = own(key, values)
    return text === key ? t(key, values) : text
  }
}
