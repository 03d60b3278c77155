/** The styles of the elements, as style sheets of their shadow roots, which a Content-Security-Policy allows. */

import base from '../style/base.css'
import figures from '../style/figures.css'
import elements from '../style/elements.css'
import { PLAIN } from './plain_stages.js'

/** Sheets by their text, which all elements share. @type {Map<string, CSSStyleSheet>} */
const sheets = new Map()

/** @param {string} text */
function sheetOf(text) {
  const sheet = sheets.get(text) ?? new CSSStyleSheet()
  if (!sheets.has(text)) sheet.replaceSync(text)
  sheets.set(text, sheet)
  return sheet
}

/** Gives a shadow root the styles of a figure. @param {ShadowRoot} shadow */
export function createStyles(shadow) {
  /** @type {string[]} */ let ofRooms = []
  /** @type {string[]} */ let more = []
  let isLoaded = false
  const adopt = () => { shadow.adoptedStyleSheets = [base, figures, ...ofRooms, ...more, elements].map(sheetOf) }
  return {
    /** Adds styles of what else an element displays. @param {string[]} [texts] */
    adopt(texts = []) {
      more = texts
      adopt()
    },
    /** Whether a stage has all its styles. @param {string} stage */
    has: stage => isLoaded || PLAIN.includes(stage),
    async load() {
      ofRooms = (await import('./room_styles.js')).ROOM_STYLES
      isLoaded = true
      adopt()
    }
  }
}
