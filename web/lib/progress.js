/** A progress bar with the count, displayed while something is running. */

import { h, setText } from './dom.js'

/** @import { Translate } from '../types.d.ts' */

/** @param {Element} container @param {Translate} t */
export function mountProgress(container, t) {
  const bar = h('progress'), label = h('span')
  const element = h('p', { className: 'note progress-line', hidden: true }, bar, label)
  container.append(element)
  return {
    /** @param {number} done @param {number} count hidden once all is done */
    update(done, count) {
      element.hidden = done >= count
      bar.max = count
      bar.value = done
      const text = t('frame.progress', { done: Math.floor(done), count })
      setText(label, text)
      bar.setAttribute('aria-label', text)
    }
  }
}
