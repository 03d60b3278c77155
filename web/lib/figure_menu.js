/** The quiet menu of a figure: save it as a picture or a table, or copy its numbers as an array. */

import { fileName, toArray, toCsv } from './export.js'
import { createClipboard } from './clipboard.js'
import { h, getContext2d, uniqueId } from './dom.js'
import { setNames } from './formula.js'
import { createMenu } from './menu.js'
import { saveBlob } from './save.js'

/** @import { Child, Piece, Slice, Translate } from '../types.d.ts' */

const PIXEL_RATIO = 2
/** A byte order mark, so that spreadsheets read UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** @param {string} text @param {string} type */
const textFile = (text, type) => new Blob([text], { type })

/** Rasterizes a picture. @param {Piece} picture @returns {Promise<Blob>} */
async function rasterize({ svg, width, height }) {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * PIXEL_RATIO
  canvas.height = height * PIXEL_RATIO
  getContext2d(canvas).drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise(resolve => { canvas.toBlob(blob => resolve(/** @type {Blob} */ (blob)), 'image/png') })
}

/**
 * Mounts the menu, closed.
 * @param {Element} container
 * @param {object} source
 * @param {Translate} source.t
 * @param {() => { title: string, part: Slice }[]} source.parts the matrices to export
 * @param {() => number} source.main the one that is listed first
 * @param {() => Promise<Piece>} source.picture the whole figure
 * @param {string} [source.fileSuffix] distinguishes files of figures with the same name
 */
export function mountFigureMenu(container, { t, parts, main, picture, fileSuffix }) {
  const name = uniqueId('matrix')
  const matrixChoice = h('fieldset', { className: 'menu-choice' }, h('legend', {}, t('figure.which')))
  const { copy, elements } = createClipboard({ done: t('figure.copied'), byHand: t('figure.byHand') })
  const chosenIndex = () => /** @type {HTMLInputElement | null} */ (matrixChoice.querySelector('input:checked'))?.value ?? main()
  const chosenMatrix = () => parts()[Number(chosenIndex())].part
  const mainMatrix = () => parts()[main()].part
  const actions = {
    PNG: async () => saveBlob(await rasterize(await picture()), fileName(mainMatrix(), 'png', fileSuffix)),
    SVG: async () => saveBlob(textFile((await picture()).svg, 'image/svg+xml'), fileName(mainMatrix(), 'svg', fileSuffix)),
    CSV: () => saveBlob(textFile(BYTE_ORDER_MARK + toCsv(chosenMatrix()), 'text/csv'), fileName(chosenMatrix(), 'csv', fileSuffix))
  }
  const copyLanguages = /** @type {const} */ ({ NumPy: 'numpy', PyTorch: 'torch', JavaScript: 'js' })
  /** @param {string} text @param {() => void} action */
  const button = (text, action) => h('button', { type: 'button', className: 'quiet', onclick: action }, text)
  /** @param {string} word @param {Child} buttons */
  const row = (word, buttons) => h('div',
    { 'className': 'menu-row', 'role': 'group', 'aria-label': t(`figure.${word}`) },
    h('span', {}, t(`figure.${word}`)), buttons)
  container.append(createMenu({ className: 'menu', label: t('figure.menu'), onopen: fill },
    row('picture', /** @type {const} */ (['PNG', 'SVG']).map(type => button(type, actions[type]))), matrixChoice,
    row('table', [button('CSV', actions.CSV)]),
    row('copy', Object.entries(copyLanguages).map(([text, language]) => (
      button(text, () => copy(toArray(chosenMatrix(), language)))))), elements))

  function fill() {
    const list = parts()
    matrixChoice.hidden = list.length < 2
    matrixChoice.replaceChildren(matrixChoice.firstChild, ...list.map(({ title }, i) => {
      const label = h('span')
      setNames(label, title)
      return h('label', {}, h('input', {
        'type': 'radio', name, 'value': String(i), 'checked': i === main(), 'aria-label': title
      }), label)
    }))
  }
}
