/** Loads the first texts, in the reader's language, and the engine while the scripts of the page are still arriving. */

import { preloadWorker } from './shell/first_worker.js'
import { resolveLanguage } from './shell/language.js'
import { LANGUAGES, loadTexts } from './words/index.js'

/** @import { Language } from './words/index.js' */

const language = new URLSearchParams(location.hash.slice(1)).get('language') ?? ''
// The page loads them again, which reports a failure.
loadTexts(resolveLanguage({ language: language in LANGUAGES ? /** @type {Language} */ (language) : 'auto' }), false).catch(() => {})
preloadWorker()
