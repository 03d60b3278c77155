/** The beginning of a story in every language. */

import { BEGINNINGS } from '../../src/training/models/stories/beginnings.js'
import { linkByLanguage } from '../words/examples.js'

/** The first sentences of stories, each with its end as the model with the parts of Llama writes it. */
const SENTENCES = [['ko', '다윤은 아침에', '숲에 갔어요.'], ['en', 'Julia went to the', 'library at night.']]

/** A lesson's base with a story in the reader's language, else in English. @param {string} [settings] as in a link */
export const beginnings = (settings = '') => linkByLanguage(BEGINNINGS, text => (
  new URLSearchParams([['beginning', text], ...new URLSearchParams(settings)]).toString()))

/** The same with one sentence, which makes few rows. @param {string} settings */
export const sentences = settings => linkByLanguage(SENTENCES.map(([language, beginning, target]) => (
  [language, new URLSearchParams([['beginning', beginning], ['target', target], ...new URLSearchParams(settings)]).toString()])))
