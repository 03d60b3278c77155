/** A window over a long list of tokens, with notes on what is left out and buttons to move it. */

import { h, setText } from './dom.js'
import { grouped } from './costs.js'

/** The number of tokens that are drawn at once. */
export const MAX_TOKENS = 128

/**
 * @param {Element} container @param {import('../types.d.ts').Translate} t
 * @param {() => void} draw renders again
 */
export function tokenWindow(container, t, draw) {
  let first = 0, size = 1
  /** Not `disabled`: the button that was pressed keeps the focus. @param {Element} pressed @param {number} by */
  const move = (pressed, by) => {
    if (pressed.getAttribute('aria-disabled') === 'true') return
    first += by * size
    draw()
  }
  /** @param {string} sign @param {string} key @param {number} by */
  const button = (sign, key, by) => h('button', {
    'type': 'button', 'aria-label': t(`frame.span.${key}`),
    'onclick': (/** @type {Event & { currentTarget: Element }} */ event) => move(event.currentTarget, by)
  }, sign)
  const [before, after] = [button('‹', 'before', -1), button('›', 'after', 1)]
  const status = h('span', { role: 'status' })
  const element = h('div', { className: 'stretch', hidden: true }, h('span', { className: 'stepper' }, before, after), status)
  container.append(element)
  return {
    element,
    /**
     * The window over a list of this length.
     * @param {number} total @param {number} most that are drawn at once
     * @returns {[number, number]} the start, and the end
     */
    of(total, most) {
      size = most
      first = Math.max(0, Math.floor(Math.min(first, total - 1) / size) * size)
      const end = Math.min(total, first + size)
      element.hidden = total <= size
      before.setAttribute('aria-disabled', String(first === 0))
      after.setAttribute('aria-disabled', String(end === total))
      setText(status, element.hidden ? '' : (
        t('frame.span.drawn', { from: grouped(first), to: grouped(end - 1), of: grouped(total) })))
      return [first, end]
    },
    /** Moves the window to an index; the next rendering displays it. @param {number} at */
    seek(at) {
      first = at
    }
  }
}
