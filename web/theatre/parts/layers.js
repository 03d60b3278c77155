/** A step, one layer at a time: forward to the loss, backward, and the update. */

import { h, syncChildren, setText } from '../../lib/dom.js'
import { formatBrief, formatExact } from '../../lib/number.js'

/** @import { Translate } from '../../types.d.ts' */
/** @import { Layer } from '../layers.js' */

const COLUMNS = /** @type {const} */ (['rms', 'norm', 'ratio'])

/** A position in a step: which layer goes forward or backward, the loss, or the update. */
/** @typedef {{ at: 'forward' | 'loss' | 'backward' | 'moved', layer: number }} Place */

/** @param {number} front how many presses there have been @param {number} count of layers @returns {Place} */
function placeOf(front, count) {
  if (front < count) return { at: 'forward', layer: front }
  if (front === count) return { at: 'loss', layer: -1 }
  return front <= 2 * count ? { at: 'backward', layer: 2 * count - front } : { at: 'moved', layer: -1 }
}

/** What is known at a position, by column. @param {Place} place @param {number} layer */
const knownAt = ({ at, layer: here }, layer) => ({
  rms: at !== 'forward' || layer <= here,
  norm: at === 'moved' || (at === 'backward' && layer >= here),
  ratio: at === 'moved'
})

/**
 * @param {Element} container
 * @param {{ t: Translate, step(): void }} context step: takes the step
 */
export function layerByLayer(container, { t, step }) {
  /** @type {{ step: number, loss: number, layers: Layer[] } | null} */ let made = null
  /** Everything is visible before the first press. */ let front = Infinity
  let goesOn = false
  const said = h('p', { role: 'status' })
  const body = h('tbody')
  const next = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'layer', 'onclick': advance },
    t('theatre.layerOn'))
  container.append(h('div', { 'className': 'theatre-scroll', 'tabindex': '0', 'role': 'region',
    'aria-label': t('theatre.apartParts.layers') },
  h('table', { className: 'theatre-layers' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('theatre.layer')),
    COLUMNS.map(column => h('th', { scope: 'col' }, t(`theatre.layerColumns.${column}`))))), body)), next, said)

  function advance() {
    if (!made) return
    const isDone = front === 2 * made.layers.length + 1
    if (isDone) {
      goesOn = true
      step()
      return
    }
    front = Number.isFinite(front) ? front + 1 : 0
    draw()
  }
  function draw() {
    if (!made) return
    const { layers, loss, step: of } = made, place = placeOf(front, layers.length)
    const most = Object.fromEntries(COLUMNS.map(column => [column, Math.max(...layers.map(one => one[column]))]))
    syncChildren(body, layers, () => h('tr', {}, h('th', { scope: 'row' }), COLUMNS.map(() => h('td'))), (row, one, i) => {
      setText(row.children[0], one.name)
      const known = knownAt(place, i)
      row.toggleAttribute('data-here', Number.isFinite(front) && place.layer === i)
      COLUMNS.forEach((column, c) => {
        const cell = /** @type {HTMLElement} */ (row.children[c + 1])
        setText(cell, known[column] ? formatBrief(one[column]) : '')
        cell.style.setProperty('--share', String(known[column] ? one[column] / (most[column] || 1) : 0))
      })
    })
    const here = layers[place.layer]
    setText(said, Number.isFinite(front) ? t(`theatre.layerSaid.${place.at}`, {
      step: of, loss: formatExact(loss), name: here?.name ?? '', rms: formatBrief(here?.rms ?? 0), norm: formatBrief(here?.norm ?? 0),
      shape: here ? `[${here.shape.join(', ')}]` : ''
    }) : '')
  }
  return {
    advance,
    /** @param {{ step: number, loss: number, layers: Layer[] }} taken */
    show(taken) {
      if (made?.step !== taken.step) front = goesOn ? 0 : Infinity
      goesOn = false
      made = taken
      draw()
    },
    /** @param {boolean} isStill whether nothing plays and the training is not over */
    enable(isStill) {
      next.disabled = !isStill
    }
  }
}
