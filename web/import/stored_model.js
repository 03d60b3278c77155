/** The model stored in the browser: buttons to open or delete it. */

import { h, setText } from '../lib/dom.js'
import { formatBytes } from './format_bytes.js'

/** @import { Context } from '../types.d.ts' */

/**
 * @param {Pick<Context, 't' | 'runQuery'>} context @param {() => void} reopen
 */
export function createStoredModelView({ t, runQuery }, reopen) {
  const text = h('p')
  const reopenButton = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'reopen', 'onclick': reopen })
  const deleteButton = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'forget', 'onclick': async () => {
    await runQuery('forget', {})
    await update()
    text.hidden = false
    setText(text, t('bring.forgotten'))
  } })
  const actions = h('div', {}, reopenButton, deleteButton)
  const element = h('div', { 'className': 'bring-kept', 'aria-live': 'polite' }, text, actions)

  async function update() {
    const stored = await runQuery('stored', {}).catch(() => null)
    text.hidden = actions.hidden = !stored
    setText(text, stored ? t('bring.kept', { names: stored.names.join(', '), bytes: formatBytes(stored.bytes) }) : '')
    setText(reopenButton, t('bring.reopen'))
    setText(deleteButton, t('bring.forget'))
  }
  return { element, update }
}
