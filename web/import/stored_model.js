/** The model stored in the browser: buttons to open or delete it. */

import { h, setText } from '../lib/dom.js'
import { formatBytes } from './format_bytes.js'

/** @import { Context } from '../types.d.ts' */

/**
 * @param {Pick<Context, 't' | 'ask'>} context @param {() => void} reopen
 */
export function storedModel({ t, ask }, reopen) {
  const text = h('p')
  const again = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'reopen', 'onclick': reopen })
  const forget = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'forget', 'onclick': async () => {
    await ask('forget', {})
    await update()
    text.hidden = false
    setText(text, t('bring.forgotten'))
  } })
  const deeds = h('div', {}, again, forget)
  const element = h('div', { 'className': 'bring-kept', 'aria-live': 'polite' }, text, deeds)

  async function update() {
    const there = await ask('stored', {}).catch(() => null)
    text.hidden = deeds.hidden = !there
    setText(text, there ? t('bring.kept', { names: there.names.join(', '), bytes: formatBytes(there.bytes) }) : '')
    setText(again, t('bring.reopen'))
    setText(forget, t('bring.forget'))
  }
  return { element, update }
}
