/** Taking a room along: its link, or the code that puts its figure into another page. */

import { h, setText } from './lib/dom.js'
import { closing } from './lib/menu.js'

const SHOWN_FOR = 1600
/** What stands around a figure that is shown alone: title above, the line of a cell below. */
const AROUND = 144
const STEP = 20

const ESCAPES = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }
const escaped = (text) => text.replace(/[&"<>]/g, (sign) => ESCAPES[sign])

/**
 * The element that shows a link's page inside another page.
 * @param {{ url: string, title: string, height: number }} frame
 */
export const embedCode = ({ url, title, height }) => (
  `<iframe src="${escaped(url)}" title="${escaped(title)}" width="100%" ` +
  `height="${Math.ceil((height + AROUND) / STEP) * STEP}" style="border: 0" loading="lazy"></iframe>`)

/**
 * Mounts the menu of ways to share, closed.
 * @param {object} context
 * @param {Function} context.t
 * @param {(patch?: object) => string} context.link the page's address with some of its state changed
 * @param {() => string} context.language
 * @param {() => { title: string, height: number }} context.shown the room's name and the size of its figure
 */
export function share({ t, link, language, shown }) {
  const said = h('span', { role: 'status', className: 'menu-said' })
  const copy = async (text) => {
    await navigator.clipboard.writeText(text)
    setText(said, t('app.shared'))
    setTimeout(() => setText(said, ''), SHOWN_FOR)
  }
  const button = (action, text) => h('button', {
    type: 'button', className: 'quiet', 'data-action': action, onclick: () => copy(text())
  }, t(`app.${action}`))
  const details = h('details', { className: 'share' }, h('summary', { className: 'quiet' }, t('app.sharing')),
    h('div', { className: 'menu-body' }, button('share', () => link()),
      button('embed', () => embedCode({ url: link({ embed: true, language: language() }), ...shown() })),
      h('p', { className: 'menu-note' }, t('app.embedding')), said))
  closing(details)
  return details
}

/**
 * The way from a figure that stands in another page to the whole page.
 * @param {HTMLElement} element
 * @param {{ t: Function, link(patch?: object): string }} context
 */
export function signature(element, { t, link }) {
  const anchor = h('a', { target: '_blank', rel: 'noopener', 'aria-label': t('app.whole') },
    'glassformer', h('span', { 'aria-hidden': 'true' }, ' ↗'))
  element.replaceChildren(anchor)
  return { update: () => anchor.setAttribute('href', link({ embed: false })) }
}
