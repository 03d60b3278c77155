/** A step, one layer at a time: forward to the loss, backward, and the update. */

import { h, syncChildren, setText } from '../../lib/dom.js'
import { formatBrief, formatExact } from '../../lib/number.js'

/** @import { Translate } from '../../types.d.ts' */
/** @import { Layer } from '../layers.js' */

const COLUMNS = /** @type {const} */ (['rms', 'norm', 'ratio'])

/** A position in a step: which layer goes forward or backward, the loss, or the update. */
/** @typedef {{ at: 'forward' | 'loss' | 'backward' | 'moved', layer: number }} Place */

/** @param {number} pressCount how many presses there have been @param {number} count of layers @returns {Place} */
function positionAfter(pressCount, count) {
  if (pressCount < count) return { at: 'forward', layer: pressCount }
  if (pressCount === count) return { at: 'loss', layer: -1 }
  return pressCount <= 2 * count ? { at: 'backward', layer: 2 * count - pressCount } : { at: 'moved', layer: -1 }
}

/** What is known at a position, by column. @param {Place} place @param {number} layer */
const visibleColumns = ({ at, layer: selected }, layer) => ({
  rms: at !== 'forward' || layer <= selected,
  norm: at === 'moved' || (at === 'backward' && layer >= selected),
  ratio: at === 'moved'
})

/**
 * @param {Element} container
 * @param {{ t: Translate, step(): void }} context step: takes the step
 */
export function mountLayerSteps(container, { t, step }) {
  /** @type {{ step: number, loss: number, layers: Layer[] } | null} */ let breakdown = null
  /** Everything is visible before the first press. */ let pressCount = Infinity
  let continuesNext = false
  const status = h('p', { role: 'status' })
  const body = h('tbody')
  const next = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'layer', 'onclick': showNextPart },
    t('theatre.layerOn'))
  container.append(h('div', { 'className': 'theatre-scroll', 'tabindex': '0', 'role': 'region',
    'aria-label': t('theatre.apartParts.layers') },
  h('table', { className: 'theatre-layers' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('theatre.layer')),
    COLUMNS.map(column => h('th', { scope: 'col' }, t(`theatre.layerColumns.${column}`))))), body)), next, status)

  function showNextPart() {
    if (!breakdown) return
    const isDone = pressCount === 2 * breakdown.layers.length + 1
    if (isDone) {
      continuesNext = true
      step()
      return
    }
    pressCount = Number.isFinite(pressCount) ? pressCount + 1 : 0
    draw()
  }
  function draw() {
    if (!breakdown) return
    const { layers, loss, step: stepNumber } = breakdown, place = positionAfter(pressCount, layers.length)
    const maxima = Object.fromEntries(COLUMNS.map(column => [column,
      Math.max(...layers.map(layerOutput => layerOutput[column]))]))
    syncChildren(body, layers, () => h('tr', {}, h('th', { scope: 'row' }), COLUMNS.map(() => h('td'))), (row, layerOutput, i) => {
      setText(row.children[0], layerOutput.name)
      const visible = visibleColumns(place, i)
      row.toggleAttribute('data-here', Number.isFinite(pressCount) && place.layer === i)
      COLUMNS.forEach((column, c) => {
        const cell = /** @type {HTMLElement} */ (row.children[c + 1])
        setText(cell, visible[column] ? formatBrief(layerOutput[column]) : '')
        cell.style.setProperty('--share', String(visible[column] ? layerOutput[column] / (maxima[column] || 1) : 0))
      })
    })
    const currentLayer = layers[place.layer]
    setText(status, Number.isFinite(pressCount) ? t(`theatre.layerSaid.${place.at}`, {
      step: stepNumber, loss: formatExact(loss), name: currentLayer?.name ?? '', rms: formatBrief(currentLayer?.rms ?? 0), norm: formatBrief(currentLayer?.norm ?? 0),
      shape: currentLayer ? `[${currentLayer.shape.join(', ')}]` : ''
    }) : '')
  }
  return {
    advance: showNextPart,
    /** @param {{ step: number, loss: number, layers: Layer[] }} nextBreakdown */
    show(nextBreakdown) {
      if (breakdown?.step !== nextBreakdown.step) pressCount = continuesNext ? 0 : Infinity
      continuesNext = false
      breakdown = nextBreakdown
      draw()
    },
    /** @param {boolean} isIdle whether nothing plays and the training is not over */
    enable(isIdle) {
      next.disabled = !isIdle
    }
  }
}
