/** Shows the first words, and loads texts and engine while the scripts of the page are still arriving. */

import { findElement } from './lib/dom.js'
import { isOpening, showFirstWords } from './opening/first_words.js'
import { preloadWorker } from './shell/first_worker.js'
import { resolveLanguage } from './shell/language.js'
import { LANGUAGES, loadTexts } from './words/index.js'

/** @import { Language } from './words/index.js' */

const parameters = new URLSearchParams(location.hash.slice(1)), named = parameters.get('language') ?? ''
const language = resolveLanguage({ language: named in LANGUAGES ? /** @type {Language} */ (named) : 'auto' })
if (isOpening(parameters)) {
  document.documentElement.lang = LANGUAGES[language].tag
  document.documentElement.toggleAttribute('data-opening', true)
  showFirstWords(findElement(document, '#opening'), language)
}
// The page loads them again, which reports a failure.
loadTexts(language, false).catch(() => {})
preloadWorker()
