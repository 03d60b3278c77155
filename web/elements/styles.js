/** The styles of the elements, as style sheets of their shadow roots, which a Content-Security-Policy allows. */

import base from '../style/base.css'
import figures from '../style/figures.css'
import elements from '../style/elements.css'
import { stylesOf } from './styles_of_rooms.js'

/** The styles of rooms, each fetched with the first room that needs it, in the order in which they apply. */
const LOADERS = {
  house: () => import('../style/house.css'),
  switches: () => import('../style/switches.css'),
  model_tables: () => import('../style/model_tables.css'),
  tokens: () => import('../style/tokens.css'),
  translator: () => import('../style/translator.css'),
  lab: () => import('../style/lab.css'),
  inspector: () => import('../style/inspector.css')
}
/** @typedef {keyof typeof LOADERS} RoomStyle */
const ALL = /** @type {RoomStyle[]} */ (Object.keys(LOADERS))

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
  /** @type {Partial<Record<RoomStyle, string>>} */ const ofRooms = {}
  /** @type {string[]} */ let more = []
  const adopt = () => {
    const texts = ALL.flatMap(name => ofRooms[name] ?? [])
    shadow.adoptedStyleSheets = [base, figures, ...texts, ...more, elements].map(sheetOf)
  }
  return {
    /** Adds styles of what else an element displays. @param {string[]} [texts] */
    adopt(texts = []) {
      more = texts
      adopt()
    },
    /** Whether a stage has all its styles. @param {string} stage */
    has: stage => (stylesOf(stage) ?? ALL).every(name => name in ofRooms),
    /** Adds the styles of a stage, or all. @param {string} [stage] */
    async load(stage) {
      const names = stage ? stylesOf(stage) ?? ALL : ALL
      await Promise.all(names.map(async name => { ofRooms[name] ??= (await LOADERS[name]()).default }))
      adopt()
    }
  }
}
