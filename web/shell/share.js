/** Taking a room along: its link, or the code that puts its figure into another page. */

import { copying } from '../lib/clipboard.js'
import { h } from '../lib/dom.js'
import { closing } from '../lib/menu.js'
import { taking } from './export_model.js'

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

/** Figures of a room and of what it is compared with, that of the opening, and the training page down to its curves. */
const FIGURES = '.stage .stage-figure, .living-slot, .theatre-head, .theatre-stage'
/** Where there is no figure yet. */
const USUAL_HEIGHT = 480

/**
 * From the top of the first box to the bottom of the last. What is not visible has no height.
 * @param {Pick<DOMRect, 'top' | 'bottom' | 'height'>[]} boxes
 */
export function heightOf(boxes) {
  const seen = boxes.filter(({ height }) => height)
  if (!seen.length) return USUAL_HEIGHT
  return Math.max(...seen.map(({ bottom }) => bottom)) - Math.min(...seen.map(({ top }) => top))
}

const figuresHeight = () => (
  heightOf([...document.querySelectorAll(FIGURES)].map(one => one.getBoundingClientRect())))

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
