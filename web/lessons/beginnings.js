/** The beginning of a story in every language. */

import { BEGINNINGS } from '../../src/training/models/stories/beginnings.js'
import { linkByLanguage } from '../words/examples.js'

/** A lesson's base with a story in the reader's language, else in English. @param {string} [settings] as in a link */
export const beginnings = (settings = '') => linkByLanguage(BEGINNINGS, text => (
  new URLSearchParams([['beginning', text], ...new URLSearchParams(settings)]).toString()))
