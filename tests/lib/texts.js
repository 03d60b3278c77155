/** All texts of the page, by language. */

import { loadTexts, loadTrainingTexts } from '../../web/words/index.js'

const load = async language => ({ ...await loadTexts(language, true), training: await loadTrainingTexts(language) })

export const [korean, english, chinese] = await Promise.all(['ko', 'en', 'zh'].map(load))
