/** The progress of reading a model: how far, how much longer, and a button that stops it. */

import { h, setText } from '../lib/dom.js'
import { size } from './format_bytes.js'

/** @import { Translate } from '../types.d.ts' */

/** Milliseconds after which the remaining time can be estimated. */
const TELLING = 500

/** @param {Translate} t @param {() => void} stop */
export function reading(t, stop) {
  const bar = h('progress')
  const said = h('span')
  const button = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'stop', 'onclick': stop })
  const element = h('div', { className: 'bring-reading', hidden: '' }, bar, said, button)
  let begun = 0
  return {
    element,
    begin() {
      begun = performance.now()
      bar.removeAttribute('value')
      bar.setAttribute('aria-label', t('bring.reading'))
      setText(said, t('bring.reading'))
      setText(button, t('bring.stop'))
      element.hidden = false
    },
    /** @param {{ done: number, total: number }} progress bytes */
    tell({ done, total }) {
      const spent = performance.now() - begun
      bar.max = total
      bar.value = done
      const seconds = String(Math.ceil(spent * (total - done) / Math.max(1, done) / 1000))
      setText(said, t('bring.progress', { done: size(done), total: size(total) }) +
      (done && spent > TELLING ? t('bring.left', { seconds }) : ''))
    },
    end() {
      element.hidden = true
    }
  }
}
