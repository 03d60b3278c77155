/** A window over a long list of tokens, with a note on its range and buttons to move it. */

import { formatInteger } from './number.js'
import { h, setText } from './dom.js'

/** The number of tokens that are drawn at once. */
export const MAX_TOKENS = 128

/**
 * @param {Element} container @param {import('../types.d.ts').Translate} t
 * @param {() => void} draw renders again
 */
export function mountTokenWindow(container, t, draw) {
  let first = 0, size = 1
  /** Uses `aria-disabled`, so that a pressed button keeps the focus. @param {Element} pressed @param {number} step */
  const move = (pressed, step) => {
    if (pressed.getAttribute('aria-disabled') === 'true') return
    first += step * size
    draw()
  }
  /** @param {string} sign @param {string} key @param {number} step */
  const button = (sign, key, step) => h('button', {
    'type': 'button', 'aria-label': t(`frame.span.${key}`),
    'onclick': (/** @type {Event & { currentTarget: Element }} */ event) => move(event.currentTarget, step)
  }, sign)
  const [before, after] = [button('‹', 'before', -1), button('›', 'after', 1)]
  const status = h('span', { role: 'status' })
  const element = h('div', { className: 'stretch', hidden: true }, h('span', { className: 'stepper' }, before, after), status)
  container.append(element)
  return {
    element,
    /**
     * The window over a list of this length.
     * @param {number} total @param {number} max the length of the window
     * @returns {[number, number]} its start and its end
     */
    rangeOf(total, max) {
      size = max
      first = Math.max(0, Math.floor(Math.min(first, total - 1) / size) * size)
      const end = Math.min(total, first + size)
      element.hidden = total <= size
      before.setAttribute('aria-disabled', String(first === 0))
      after.setAttribute('aria-disabled', String(end === total))
      setText(status, element.hidden ? '' : (
        t('frame.span.drawn', { from: formatInteger(first), to: formatInteger(end - 1), of: formatInteger(total) })))
      return [first, end]
    },
    /** Moves the window to an index; the next rendering displays it. @param {number} at */
    seek(at) {
      first = at
    }
  }
}
