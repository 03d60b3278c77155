/** One matrix: caption, labels on two sides, heatmap; sized to the width it is given. */

import { h, setText } from './dom.js'
import { setNames } from './formula.js'
import { heatmap } from './heatmap.js'
import { labels, leftGutter, topPlan } from './labels.js'
import { dimensions, exact } from './number.js'
import { cellOf, indexOf } from './slice.js'

const LARGEST = 48
/** The narrowest cell; a matrix of more columns than fit is scrolled inside its frame. */
export const SMALLEST = 4
const NUMBERS = 34
const PAIR_FROM = 560
const PAIR_GAP = 32
const FEW_ROWS = 12
const TALLEST = 8000

/** Cell height that goes with a width: flat where numbers stand, square where only colour does. */
export const heightFor = width => (width >= NUMBERS ? Math.min(32, Math.round(width * 0.72)) : Math.max(width, 14))

/** Rows close together: with numbers while they are few, colour alone when they are many. */
function denseHeightFor(width, rows) {
  if (rows > FEW_ROWS) return 14
  return width >= NUMBERS ? 22 : Math.max(14, Math.min(width, 18))
}

/** The largest cell at which so many columns fit. */
export const fit = (room, columns, smallest = SMALLEST) => (
  Math.max(smallest, Math.min(LARGEST, Math.floor(room / columns))))

/** Adds a caption to a container: a name and a shape. @param {Element} container */
export function caption(container) {
  const name = h('b')
  const shape = h('span', { className: 'shape' })
  container.append(h('div', { className: 'caption' }, name, ' ', shape))
  return {
    update(text, rows, cols) {
      setNames(name, text)
      setText(shape, dimensions([rows, cols]))
    }
  }
}

/** The cells in which two cuts of the same place differ; none if they are of different places. */
function changes(before, after) {
  const place = ({ name, shape, fixed, axis, start }) => [name, shape, fixed, axis, start].join()
  if (!before || place(before) !== place(after) || before.values.length !== after.values.length) return []
  return Array.from(after.values.keys())
    .filter(i => !Object.is(before.values[i], after.values[i]))
    .map(i => ({ row: Math.floor(i / after.cols), col: i % after.cols }))
}

/**
 * A heatmap that speaks of tensor cells instead of rows and columns.
 * @param {Element} container
 * @param {{ look(cell: object): void, press(cell: object): void, edit(cell: object): void, leave(): void }} handlers
 */
export function tensorHeat(container, { look, press, edit, leave }) {
  let part = null
  let shown = null
  const toCell = ({ row, col }) => ({ name: part.name, index: indexOf(part, row, col) })
  const heat = heatmap(container, {
    onLook: cell => look(toCell(cell)), onPress: cell => press(toCell(cell)),
    onEdit: cell => edit(toCell(cell)), onLeave: leave
  })
  return {
    /** @param {import('./slice.js').Slice} next @param {object} view the rest of the heatmap's view */
    update(next, view) {
      const changed = shown && shown.edits !== view.edits ? changes(part, next) : []
      part = next
      shown = view
      const { rows, cols, values } = part
      const names = (row, col) => `${part.rowLabels[row]}, ${part.colLabels[col]}`
      const describe = (row, col) => `${names(row, col)}: ${exact(values[row * cols + col])}`
      const label = [view.spoken, view.title, dimensions([rows, cols])].filter(Boolean).join(' ')
      heat.update({ ...view, label, rows, cols, values, describe, part })
      if (changed.length) heat.pulse(changed)
    },
    /** What is drawn and how, for pictures. */
    drawing: () => part && { part, view: shown },
    /** Where a cell of a tensor is here, or null. */
    find: cell => (cell && part ? cellOf(part, cell) : null),
    mark: heat.mark
  }
}

/**
 * Mounts one labelled matrix.
 * @param {Element} container
 * @param {object} handlers as in `tensorHeat`
 */
export function matrix(container, handlers) {
  const root = h('div', { className: 'matrix' })
  const head = caption(root)
  const body = h('div', { className: 'matrix-body' }, h('div'))
  const top = labels(body, 'top')
  const left = labels(body, 'left')
  const heat = tensorHeat(body, handlers)
  root.append(body)
  container.append(root)
  let follow = null

  return {
    /**
     * @param {import('./slice.js').Slice} part
     * @param {object} view the rest of the heatmap's view, and
     * @param {string} view.title
     * @param {number} view.width what there is to fill
     * @param {boolean} [view.dense] rows close together
     * @param {boolean} [view.pair] one of two that stand side by side where there is room
     * @param {string[]} [view.alignTo] row labels to make room for, so that matrices below each other line up
     * @param {(cell: object) => { row?: number, col?: number } | null} [view.follow] the row, column or cell that
     *   belongs to a cell elsewhere
     */
    update(part, view) {
      follow = view.follow
      const gutter = leftGutter(view.alignTo ?? part.rowLabels)
      const room = (view.pair && view.width >= PAIR_FROM ? (view.width - PAIR_GAP) / 2 : view.width) - gutter
      const loose = fit(room, part.cols)
      const plan = topPlan(part.colLabels, loose)
      const width = plan.overhang ? fit(room - plan.overhang, part.cols) : loose
      const wanted = view.dense ? denseHeightFor(width, part.rows) : heightFor(width)
      const height = Math.min(wanted, Math.max(1, TALLEST / part.rows))
      head.update(view.title, part.rows, part.cols)
      top.update({ items: part.colLabels, cell: width, room: plan.height, slanted: plan.slanted, step: plan.step })
      left.update({ items: part.rowLabels, cell: height, room: gutter })
      body.style.setProperty('padding-right', `${plan.overhang}px`)
      heat.update(part, { ...view, cell: { width, height } })
    },
    drawings: () => [heat.drawing()].filter(Boolean),
    /**
     * @param {{ current: object | null, pinned: boolean, sources: object[], isAsked?: boolean }} marks cells of tensors
     */
    mark({ current, pinned, sources, isAsked }) {
      const here = heat.find(current)
      const band = current && !here ? follow?.(current) ?? null : null
      heat.mark({ current: here, pinned, band, isAsked, cells: sources.map(heat.find).filter(Boolean) })
      left.mark(here?.row ?? band?.row)
      top.mark(here?.col ?? band?.col)
    }
  }
}
