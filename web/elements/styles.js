/** The styles of the elements, as style sheets of their shadow roots, which a Content-Security-Policy allows. */

import base from '../style/base.css'
import figures from '../style/figures.css'
import house from '../style/house.css'
import tables from '../style/model_tables.css'
import tokens from '../style/tokens.css'
import translator from '../style/translator.css'
import lab from '../style/lab.css'
import inspector from '../style/inspector.css'
import elements from '../style/elements.css'

/** Sheets by their text, which all elements share. @type {Map<string, CSSStyleSheet>} */
const sheets = new Map()

/** @param {string} text */
function sheetOf(text) {
  const sheet = sheets.get(text) ?? new CSSStyleSheet()
  if (!sheets.has(text)) sheet.replaceSync(text)
  sheets.set(text, sheet)
  return sheet
}

/** The style sheets of a figure, and of what else an element displays. @param {string[]} [more] their texts */
export const sheetsFor = (more = []) => (
  [base, figures, house, tables, tokens, translator, lab, inspector, ...more, elements].map(sheetOf))
