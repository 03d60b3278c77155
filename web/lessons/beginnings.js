/** The beginning of a story in every language. */

import { BEGINNINGS } from '../../src/training/models/stories/beginnings.js'
import { linkByLanguage } from '../words/examples.js'

/** The end of the first sentence, as the model with the parts of Llama writes it. @type {Record<string, string>} */
const SENTENCE_ENDS = { '다윤은 아침에': '숲에 갔어요.', 'Julia went to the': 'library at night.' }

/**
 * @param {string} settings as in a link
 * @param {(text: string) => [string, string][]} fieldsOf the fields of a beginning
 */
const linkFields = (settings, fieldsOf) => linkByLanguage(BEGINNINGS, text => (
  new URLSearchParams([...fieldsOf(text), ...new URLSearchParams(settings)]).toString()))

/** A lesson's base with a story in the reader's language, else in English. @param {string} [settings] */
export const beginnings = (settings = '') => linkFields(settings, text => [['beginning', text]])

/** The same with one sentence, which makes few rows. @param {string} settings */
export const sentences = settings => linkFields(settings, text => [['beginning', text], ['target', SENTENCE_ENDS[text]]])
