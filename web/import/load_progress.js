/** The progress of reading a model: how far, how much longer, and a button that stops it. */

import { h, setText } from '../lib/dom.js'
import { formatBytes } from './format_bytes.js'

/** @import { Translate } from '../types.d.ts' */

/** Milliseconds after which the remaining time can be estimated. */
const ESTIMATE_AFTER = 500

/** @param {Translate} t @param {() => void} stop */
export function createLoadProgress(t, stop) {
  const bar = h('progress')
  const text = h('span')
  const button = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'stop', 'onclick': stop })
  const element = h('div', { className: 'bring-reading', hidden: '' }, bar, text, button)
  let start = 0
  return {
    element,
    start() {
      start = performance.now()
      bar.removeAttribute('value')
      bar.setAttribute('aria-label', t('bring.reading'))
      setText(text, t('bring.reading'))
      setText(button, t('bring.stop'))
      element.hidden = false
    },
    /** @param {{ done: number, total: number }} progress bytes */
    update({ done, total }) {
      const elapsed = performance.now() - start
      bar.max = total
      bar.value = done
      const seconds = String(Math.ceil(elapsed * (total - done) / Math.max(1, done) / 1000))
      setText(text, t('bring.progress', { done: formatBytes(done), total: formatBytes(total) }) +
      (done && elapsed > ESTIMATE_AFTER ? t('bring.left', { seconds }) : ''))
    },
    end() {
      element.hidden = true
    }
  }
}
