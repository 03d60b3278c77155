/** Taking a room along: its link, or the code that puts its figure into another page. */

import { copying } from '../lib/copying.js'
import { h } from '../lib/dom.js'
import { closing } from '../lib/menu.js'
import { taking } from './taking.js'

/** @import { Context } from '../types.d.ts' */

/** What stands around a figure that is shown alone: title and origin above, the line of a cell below. */
const AROUND = 168
const STEP = 20

/** @type {Record<string, string>} */
const ESCAPES = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }
/** @param {string} text */
const escaped = text => text.replace(/[&"<>]/g, sign => ESCAPES[sign])

/**
 * The element that shows a link's page inside another page.
 * @param {{ url: string, title: string, height: number }} frame
 */
export const embedCode = ({ url, title, height }) => (
  `<iframe src="${escaped(url)}" title="${escaped(title)}" width="100%" ` +
  `height="${Math.ceil((height + AROUND) / STEP) * STEP}" style="border: 0" loading="lazy"></iframe>`)

/** From the top of the room's figure to the end of what it is compared with. */
function figuresHeight() {
  const boxes = [...document.querySelectorAll('.stage .stage-figure')].map(one => one.getBoundingClientRect())
    .filter(({ height }) => height)
  return Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top))
}

/**
 * Mounts the menu of ways to share, closed.
 * @param {Pick<Context, 't' | 'link' | 'language' | 'ask' | 'run'>} context
 */
export function share(context) {
  const { t, link, language } = context
  const model = taking(context)
  const { copy, elements } = copying({ done: t('app.shared'), byHand: t('figure.byHand') })
  /** @param {string} action @param {() => string} text */
  const button = (action, text) => h('button', {
    'type': 'button', 'className': 'quiet', 'data-action': action, 'onclick': () => copy(text())
  }, t(`app.${action}`))
  const details = h('details', { className: 'share' }, h('summary', { className: 'quiet' }, t('app.sharing')),
    h('div', { className: 'menu-body' }, button('share', () => link()),
      button('embed', () => embedCode({
        url: link({ embed: true, language: language() }), title: document.title, height: figuresHeight()
      })),
      h('p', { className: 'menu-note' }, t('app.embedding')), elements, model.element))
  closing(details)
  return { element: details, update: model.update }
}

/**
 * The way from a figure that stands in another page to the whole page.
 * @param {HTMLElement} element
 * @param {Pick<Context, 't' | 'link'>} context
 */
export function signature(element, { t, link }) {
  const anchor = h('a', { 'target': '_blank', 'rel': 'noopener', 'aria-label': t('app.whole') },
    'glassformer', h('span', { 'aria-hidden': 'true' }, ' ↗'))
  element.replaceChildren(anchor)
  return { update: () => anchor.setAttribute('href', link({ embed: false })) }
}
