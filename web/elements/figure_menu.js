/** The menu of a figure in an element, which is loaded when it is opened. */

import { h } from '../lib/dom.js'

/** @typedef {Parameters<typeof import('../lib/figure_menu.js').mountFigureMenu>[1]} Source */

/**
 * The picture without the enlargement of the element, by which its texts would not fit.
 * @param {Element} container @param {Source['picture']} picture
 */
const atFullSize = (container, picture) => async () => {
  const root = /** @type {HTMLElement} */ (container.closest('.root')), enlarged = root.style.getPropertyValue('--enlarged')
  await import('../lib/figure_picture.js')
  root.style.setProperty('--enlarged', '1')
  try {
    return await picture()
  } finally {
    root.style.setProperty('--enlarged', enlarged)
  }
}

/** @param {Element} container @param {Source} source */
export function mountFigureMenu(container, source) {
  const opener = h('button', { type: 'button', className: 'quiet menu-opener', onclick: () => open() }, source.t('figure.menu'))
  const place = h('div', { className: 'menu' }, opener)
  container.append(place)
  async function open() {
    const { mountFigureMenu: mountWhole } = await import('../lib/figure_menu.js')
    place.remove()
    mountWhole(container, { ...source, picture: atFullSize(container, source.picture) })
    const whole = /** @type {HTMLElement} */ (container.querySelector('.menu .menu-opener'))
    whole.focus()
    whole.click()
  }
}
