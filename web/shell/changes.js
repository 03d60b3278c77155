/** The reader's changes to the model. */

import { groupEdits } from '../lib/edits.js'
import { defaultsOf } from '../models/index.js'
import { describeComparison } from '../twin/describe.js'
import { controlsOf, hasSettingEffect, valueLabel } from './controls.js'

/** @import { State, Translate } from '../types.d.ts' */

/** The changed switches. @param {State} state */
export function changedSettings(state) {
  const defaults = defaultsOf(state.model)
  return controlsOf(state.model).filter(key => hasSettingEffect(key, state) && !Object.is(state[key], defaults[key]))
}

/** How many switches and numbers have been changed. @param {State} state */
export const changeCount = state => changedSettings(state).length + groupEdits(state.edits).length

/** The changes in words. @param {State} state @param {Translate} t @returns {string[]} */
export function describeChanges(state, t) {
  const settings = changedSettings(state).map(name =>
    describeComparison({ name, value: state[name], word: valueLabel(name, state) }, t))
  const { length: count } = groupEdits(state.edits)
  return count ? [...settings, t('twin.edits.some', { count })] : settings
}
