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

/** @type {CSSStyleSheet[] | undefined} */ let sheets

/** The style sheets, which all elements share. */
export function sheetsFor() {
  sheets ??= [base, figures, house, tables, tokens, translator, lab, inspector, elements].map(text => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    return sheet
  })
  return sheets
}
