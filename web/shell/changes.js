/** The reader's changes to the model: listed in every room, undone with one press. */

import { h, setText } from '../lib/dom.js'
import { editHistoryOf, groupEdits } from '../lib/edits.js'
import { defaultsOf } from '../models/index.js'
import { describeComparison } from '../twin/describe.js'
import { controlsOf, hasSettingEffect, valueLabel } from './controls.js'

/** @import { Context, State, Translate } from '../types.d.ts' */

/** @param {State} state */
function changedSettings(state) {
  const defaults = defaultsOf(state.model)
  return controlsOf(state.model).filter(key => hasSettingEffect(key, state) && !Object.is(state[key], defaults[key]))
}

/** The settings that the reader has changed: in a lesson they are the lesson's. @param {State} state */
const readerSettings = state => (state.lesson ? [] : changedSettings(state))

/** How many switches and numbers the reader has changed. @param {State} state */
export const changeCount = state => readerSettings(state).length + groupEdits(state.edits).length

/** The changes in words. @param {State} state @param {Translate} t @returns {string[]} */
export function describeChanges(state, t) {
  const settings = changedSettings(state).map(name =>
    describeComparison({ name, value: state[name], word: valueLabel(name, state) }, t))
  const { length: count } = groupEdits(state.edits)
  return count ? [...settings, t('twin.edits.some', { count })] : settings
}

/**
 * Mounts the button that undoes all changes, hidden while there are none. Where it takes a line of its own, the page
 * scrolls by it, so that what the reader presses stays under the pointer.
 * @param {Element} container
 * @param {Pick<Context, 't' | 'get' | 'set'>} context
 * @param {Element} figure below it
 * @returns {() => void} renders the number of changes
 */
export function mountUndoButton(container, { t, get, set }, figure) {
  let isFirst = true
  const figureTop = () => figure.getBoundingClientRect().top
  const reset = () => {
    const { model, edits } = get(), defaults = defaultsOf(model)
    if (edits.length) editHistoryOf({ get }).record(edits)
    set({ ...Object.fromEntries(readerSettings(get()).map(key => [key, defaults[key]])), edits: [] }, 'push')
  }
  const button = h('button', { type: 'button', className: 'changed', onclick: reset, hidden: true })
  container.append(button)
  return () => {
    const count = changeCount(get()), isHidden = count === 0
    const before = isFirst || isHidden === button.hidden ? null : figureTop()
    button.hidden = isHidden
    setText(button, count ? t('app.changed', { count }) : '')
    if (before !== null) scrollBy({ top: figureTop() - before, behavior: 'instant' })
    isFirst = false
  }
}
