/** The model stored in the browser: buttons to open or delete it. */

import { h, setText } from '../lib/dom.js'
import { size } from './format_bytes.js'

/** @import { Context } from '../types.d.ts' */

/**
 * @param {Pick<Context, 't' | 'ask'>} context @param {() => void} reopen
 */
export function keptPart({ t, ask }, reopen) {
  const said = h('p')
  const again = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'reopen', 'onclick': reopen })
  const forget = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'forget', 'onclick': async () => {
    await ask('forget', {})
    await update()
    said.hidden = false
    setText(said, t('bring.forgotten'))
  } })
  const deeds = h('div', {}, again, forget)
  const element = h('div', { 'className': 'bring-kept', 'aria-live': 'polite' }, said, deeds)

  async function update() {
    const there = await ask('stored', {}).catch(() => null)
    said.hidden = deeds.hidden = !there
    setText(said, there ? t('bring.kept', { names: there.names.join(', '), bytes: size(there.bytes) }) : '')
    setText(again, t('bring.reopen'))
    setText(forget, t('bring.forget'))
  }
  return { element, update }
}
