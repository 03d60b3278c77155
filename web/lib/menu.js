/** The quiet menu of a figure: save it as a picture or a table, or copy its numbers as an array. */

import { fileName, toArray, toCsv } from './export.js'
import { clipboard } from './clipboard.js'
import { h, contextOf, targetOf, uniqueId } from './dom.js'
import { setNames } from './formula.js'
import { save } from './save.js'

/** @import { Child, Piece, Slice, Translate } from '../types.d.ts' */

const PIXEL_RATIO = 2
/** A byte order mark, so that spreadsheets read UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** @param {string} text @param {string} type */
const textFile = (text, type) => new Blob([text], { type })

/** Rasterizes a picture. @param {Piece} picture @returns {Promise<Blob>} */
async function rasterised({ svg, width, height }) {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * PIXEL_RATIO
  canvas.height = height * PIXEL_RATIO
  contextOf(canvas).drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise(resolve => { canvas.toBlob(blob => resolve(/** @type {Blob} */ (blob)), 'image/png') })
}

/**
 * Closes a menu when Escape is pressed, or on a press or focus outside. It closes after the press and never during it:
 * Chromium 156 crashes when the pressed element is hidden before the event has been handled.
 * @param {HTMLDetailsElement} details
 */
export function closing(details) {
  /** @param {PointerEvent} event */
  const outside = event => {
    if (!details.contains(targetOf(event))) details.open = false
  }
  details.addEventListener('toggle', () => {
    if (details.open) document.addEventListener('pointerup', outside)
    else document.removeEventListener('pointerup', outside)
  })
  details.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !details.open) return
    event.stopPropagation()
    details.open = false
    details.querySelector('summary')?.focus()
  })
  details.addEventListener('focusout', ({ relatedTarget }) => {
    const next = /** @type {Node | null} */ (relatedTarget)
    // A press on text in the menu focuses the menu's ancestor.
    if (next && !details.contains(next) && !next.contains(details)) setTimeout(() => { details.open = false })
  })
}

/**
 * Mounts the menu, closed.
 * @param {Element} container
 * @param {object} source
 * @param {Translate} source.t
 * @param {() => { title: string, part: Slice }[]} source.parts the matrices to export
 * @param {() => number} source.main the one that is listed first
 * @param {() => Piece} source.picture the whole figure
 * @param {string} [source.which] distinguishes figures with the same name
 */
export function menu(container, { t, parts, main, picture, which }) {
  const name = uniqueId('matrix')
  const choice = h('fieldset', { className: 'menu-choice' }, h('legend', {}, t('figure.which')))
  const { copy, elements } = clipboard({ done: t('figure.copied'), byHand: t('figure.byHand') })
  const number = () => /** @type {HTMLInputElement | null} */ (choice.querySelector('input:checked'))?.value ?? main()
  const chosen = () => parts()[Number(number())].part
  const first = () => parts()[main()].part
  const actions = {
    PNG: async () => save(await rasterised(picture()), fileName(first(), 'png', which)),
    SVG: () => save(textFile(picture().svg, 'image/svg+xml'), fileName(first(), 'svg', which)),
    CSV: () => save(textFile(BYTE_ORDER_MARK + toCsv(chosen()), 'text/csv'), fileName(chosen(), 'csv', which))
  }
  const copies = /** @type {const} */ ({ NumPy: 'numpy', PyTorch: 'torch', JavaScript: 'js' })
  /** @param {string} text @param {() => void} act */
  const button = (text, act) => h('button', { type: 'button', className: 'quiet', onclick: act }, text)
  /** @param {string} word @param {Child} buttons */
  const row = (word, buttons) => h('div',
    { 'className': 'menu-row', 'role': 'group', 'aria-label': t(`figure.${word}`) },
    h('span', {}, t(`figure.${word}`)), buttons)
  const details = h('details', { className: 'menu' }, h('summary', {}, t('figure.menu')),
    h('div', { className: 'menu-body' },
      row('picture', /** @type {const} */ (['PNG', 'SVG']).map(type => button(type, actions[type]))), choice,
      row('table', [button('CSV', actions.CSV)]),
      row('copy', Object.entries(copies).map(([text, language]) => (
        button(text, () => copy(toArray(chosen(), language)))))), elements))
  container.append(details)

  function fill() {
    const list = parts()
    choice.hidden = list.length < 2
    choice.replaceChildren(choice.firstChild, ...list.map(({ title }, i) => {
      const label = h('span')
      setNames(label, title)
      return h('label', {}, h('input', {
        'type': 'radio', name, 'value': String(i), 'checked': i === main(), 'aria-label': title
      }), label)
    }))
  }
  details.addEventListener('toggle', () => details.open && fill())
  closing(details)
}
