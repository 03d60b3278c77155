/** The button that undoes the reader's changes to the model, which are listed in every room. */

import { h, setText } from '../lib/dom.js'
import { editHistoryOf } from '../lib/edit_history.js'
import { defaultsOf } from '../models/index.js'
import { changeCount, changedSettings } from './changes.js'

/** @import { Context } from '../types.d.ts' */

/**
 * Mounts the button that undoes all changes, hidden while there are none.
 * @param {Element} container
 * @param {Pick<Context, 't' | 'get' | 'set'>} context
 * @returns {() => void} renders the number of changes
 */
export function mountUndoButton(container, { t, get, set }) {
  const reset = () => {
    const { model, edits } = get(), defaults = defaultsOf(model)
    if (edits.length) editHistoryOf({ get }).record(edits)
    set({ ...Object.fromEntries(changedSettings(get()).map(key => [key, defaults[key]])), edits: [] }, 'push')
  }
  const button = h('button', { type: 'button', className: 'changed', onclick: reset, hidden: true })
  container.append(button)
  return () => {
    const count = changeCount(get())
    button.hidden = count === 0
    setText(button, count ? t('app.changed', { count }) : '')
  }
}
