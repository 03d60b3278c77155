/** All texts of the page, by language. */

import { loadTexts, loadTrainingTexts } from '../../web/words/index.js'

const load = async language => ({ ...await loadTexts(language, true), training: await loadTrainingTexts(language) })

export const [korean, english] = await Promise.all([load('ko'), load('en')])
