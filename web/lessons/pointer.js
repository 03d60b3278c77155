/** Marks a step's target on the page: a ring around cells of a matrix, or an outline of an element. */

import { h } from '../lib/dom.js'

/** @typedef {ReturnType<typeof import('./scroll_keeper.js').createScrollKeeper>} ScrollKeeper */

const RING_MARGIN = 3
/** @typedef {{ grid: HTMLElement, here: (number | null)[], counts: number[], columns?: number[] }} FoundCells */

/**
 * The grid that displays these cells, and the range of its rows and columns; null stands for all of them.
 * @param {Element} stage @param {import('./index.js').Cells} place @returns {FoundCells | null}
 */
function findCells(stage, { tensor, index, columns }) {
  /** @type {NodeListOf<HTMLElement>} */ const grids = stage.querySelectorAll(`.heat[data-tensor="${tensor}"]`)
  for (const grid of grids) {
    const first = (grid.dataset.first ?? '').split(',').map(Number)
    const axes = (grid.dataset.axes ?? '').split(',').map(Number)
    const counts = ['aria-rowcount', 'aria-colcount'].map(name => Number(grid.getAttribute(name)))
    const selected = axes.map(axis => {
      const place = axis < 0 ? null : index[axis]
      return place === null ? null : place - first[axis]
    })
    const isDisplayed = selected.every((place, i) => place === null || (place >= 0 && place < counts[i])) &&
      index.every((place, axis) => axes.includes(axis) || place === null || place === first[axis])
    if (!isDisplayed || !grid.checkVisibility()) continue
    return { grid, here: selected, counts, columns: columns?.map(column => column - first[axes[1]]) }
  }
  return null
}

/** A ring around cells; it is inside the grid and scrolls with it. @param {FoundCells} found */
function drawRing({ grid, here: [row, col], counts: [rows, cols], columns }) {
  /** @param {number | null} place @param {number} count */
  const fractionOf = (place, count) => (place === null ? [0, 1] : [place / count, 1 / count])
  const [left, width] = columns ? [columns[0] / cols, columns.length / cols] : fractionOf(col, cols)
  const [top, height] = fractionOf(row, rows)
  const element = h('span', { className: 'pointer', style: {
    left: `calc(${left * 100}% - ${RING_MARGIN}px)`, top: `calc(${top * 100}% - ${RING_MARGIN}px)`,
    width: `calc(${width * 100}% + ${2 * RING_MARGIN}px)`, height: `calc(${height * 100}% + ${2 * RING_MARGIN}px)`
  } })
  grid.append(element)
  grid.classList.add('has-pointer')
  return element
}

/**
 * @param {HTMLElement} stage whose matrices have the cells
 * @param {HTMLElement} root what is pointed at is inside it
 * @param {ScrollKeeper} scrollKeeper keeps it visible
 */
export function createPointer(stage, root, scrollKeeper) {
  /** @type {{ key: string, element: Element | null }} */ let lastTarget = { key: '', element: null }
  function clear() {
    lastTarget.element?.classList.remove('is-pointed')
    for (const element of root.querySelectorAll('.pointer')) element.remove()
    for (const element of root.querySelectorAll('.has-pointer')) element.classList.remove('has-pointer')
  }
  return {
    /**
     * @param {import('./index.js').Place | null} target @param {string} key scrolls there when it is another
     * @param {Element | null} [question] text that has to stay visible
     */
    point(target, key, question = null) {
      clear()
      if (!target) return scrollKeeper.release()
      const isElement = target.selector !== undefined
      const place = isElement ? null : findCells(stage, target)
      const element = isElement ? root.querySelector(target.selector) : place && drawRing(place)
      if (isElement) element?.classList.add('is-pointed')
      if (element && key !== lastTarget.key) scrollKeeper.keep(element, question)
      else if (element) scrollKeeper.renew(element)
      lastTarget = { key: element ? key : lastTarget.key, element }
    },
    clear() {
      clear()
      scrollKeeper.release()
    }
  }
}
