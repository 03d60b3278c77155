/** Settings of a room that the reader has changed in the code of a notebook. */

import { modelOf, problemsOf } from '../models/index.js'

/** @import { Patch, State } from '../types.d.ts' */
/** @import { Document } from './documents/index.js' */

/** @param {RegExp} pattern @param {string} code */
const matchFirst = (pattern, code) => pattern.exec(code)?.[1]

/**
 * The settings of the room that a cell links to: the cell's own, replaced by what the reader has written; values that
 * the room does not accept are left out.
 * @param {Document} document @param {number} i of the cell @param {string[]} codes as the reader has them
 * @param {State} state @returns {Patch}
 */
export function roomSettings({ cells }, i, codes, state) {
  const { state: cellState = {}, carries = {} } = cells[i]
  const { settings } = modelOf(state.model)
  const changed = Object.entries(carries).flatMap(([key, [cell, pattern]]) => {
    const text = matchFirst(pattern, codes[cell])
    if (text === undefined || text === matchFirst(pattern, cells[cell].js)) return []
    return [[key, settings[key] ? Number(text) : text]]
  })
  return changed.reduce((patch, [key, value]) => {
    const next = { ...patch, [key]: value }
    return problemsOf({ ...state, ...next })[key] ? patch : next
  }, cellState)
}
