/** One matrix: caption, labels on two sides, heatmap; sized to the width it is given. */

import { h, exists, setText } from './dom.js'
import { setNames } from './formula.js'
import { heatmap } from './heatmap.js'
import { labels, leftGutter, slantedStep, topPlan } from './labels.js'
import { dimensions, exact } from './number.js'
import { cellOf, indexOf, squaresOf } from './slice.js'

/** @import { Band, HeatmapView, Square } from './heatmap.js' */
/** @import { Cell, Edit, Marks, Slice } from '../types.d.ts' */

/**
 * Handlers of cells.
 * @typedef {{ look(cell: Cell): void, press(cell: Cell): void, edit(cell: Cell): void, leave(): void }} Handlers
 *
 * How a matrix is drawn: the options of a heatmap except the matrix itself, and a title.
 * @typedef {Pick<HeatmapView, 'scale' | 'palette' | 'cell' | 'group' | 'crossed' | 'plain' | 'isPaper'> & {
 *   title: string, spoken?: string, edits?: Edit[] }} HeatView
 *
 * The row, column or cell that belongs to a cell elsewhere.
 * @typedef {(cell: Cell) => Band | null} Follow
 *
 * A stage's options for drawing a matrix.
 * @typedef {object} MatrixLook
 * @property {string} title
 * @property {boolean} [dense] rows close together
 * @property {boolean} [pair] one of two that are side by side where there is room
 * @property {string[]} [alignTo] row labels to reserve room for, so that matrices below each other line up
 * @property {Follow} [follow]
 * @property {number} [group] columns that belong together, as the columns of one head
 * @property {number} [columns] how many columns to reserve room for, if there are fewer yet
 * @property {((row: number, col: number) => boolean) | null} [crossed] cells drawn as struck out
 *
 * @typedef {MatrixLook & Omit<HeatView, 'cell'> & { width: number }} MatrixView the available width
 */

const LARGEST = 48
/** The minimum cell width; a wider matrix is scrolled inside its frame. */
export const SMALLEST = 4
const NUMBERS = 34
const PAIR_FROM = 560
const PAIR_GAP = 32
const FEW_ROWS = 12
/** The maximum number of rows that display numbers, where columns are wide enough. */
const READ_ROWS = 24
const TALLEST = 8000

/**
 * The cell height for a width: flat with numbers, square with only colors.
 * @param {number} width
 */
export const heightFor = width => (width >= NUMBERS ? Math.min(32, Math.round(width * 0.72)) : Math.max(width, 14))

/**
 * Dense rows: with numbers while they are few, only colors when they are many.
 * @param {number} width @param {number} rows
 */
function denseHeightFor(width, rows) {
  if (width >= NUMBERS && rows <= READ_ROWS) return 22
  return rows > FEW_ROWS ? 14 : Math.max(14, Math.min(width, 18))
}

/**
 * The largest cell width at which so many columns fit.
 * @param {number} room @param {number} columns @param {number} [smallest]
 */
export const fit = (room, columns, smallest = SMALLEST) => (
  Math.max(smallest, Math.min(LARGEST, Math.floor(room / columns))))

/** Adds a caption to a container: a name and a shape. @param {Element} container */
export function caption(container) {
  const name = h('b')
  const shape = h('span', { className: 'shape' })
  container.append(h('div', { className: 'caption' }, name, ' ', shape))
  return {
    /** @param {string} text @param {number} rows @param {number} cols */
    update(text, rows, cols) {
      setNames(name, text)
      setText(shape, dimensions([rows, cols]))
    }
  }
}

/**
 * The cells in which two slices of the same part differ; none if they are of different parts.
 * @param {Slice | undefined} before @param {Slice} after
 */
function changes(before, after) {
  /** @param {Slice} part */
  const place = ({ name, shape, fixed, axis, start, order, rowOrder }) => (
    [name, shape, fixed, axis, start, order, rowOrder].join())
  if (!before || place(before) !== place(after) || before.values.length !== after.values.length) return []
  return Array.from(after.values.keys())
    .filter(i => !Object.is(before.values[i], after.values[i]))
    .map(i => ({ row: Math.floor(i / after.cols), col: i % after.cols }))
}

/**
 * A heatmap whose handlers receive tensor cells instead of rows and columns.
 * @param {Element} container
 * @param {Handlers} handlers
 */
export function tensorHeat(container, { look, press, edit, leave }) {
  /** @type {Slice} */ let part
  /** @type {HeatView} */ let current
  /** @param {Square} square */
  const toCell = ({ row, col }) => ({ name: part.name, index: indexOf(part, row, col) })
  const heat = heatmap(container, {
    onLook: cell => look(toCell(cell)), onPress: cell => press(toCell(cell)),
    onEdit: cell => edit(toCell(cell)), onLeave: leave
  })
  return {
    /** @param {Slice} next @param {HeatView} view */
    update(next, view) {
      const changed = current && current.edits !== view.edits ? changes(part, next) : []
      part = next
      current = view
      const { rows, cols, values } = next
      /** @param {number} row @param {number} col */
      const names = (row, col) => `${next.rowLabels[row]}, ${next.colLabels[col]}`
      /** @param {number} row @param {number} col */
      const describe = (row, col) => `${names(row, col)}: ${exact(values[row * cols + col])}`
      const label = [view.spoken, view.title, dimensions([rows, cols])].filter(Boolean).join(' ')
      heat.update({ ...view, label, rows, cols, values, describe, part })
      if (changed.length) heat.pulse(changed)
    },
    /** The drawing and its options, for exports. */
    drawing: () => part && { part, view: current },
    /** The square of a tensor cell in this matrix, or null. */
    find: (/** @type {Cell | null} */ cell) => (cell && part ? cellOf(part, cell) : null),
    /** The squares of those cells that are in this matrix. */
    among: (/** @type {Marks['sources']} */ cells) => (part ? squaresOf(part, cells) : []),
    mark: heat.mark
  }
}

/**
 * Mounts one labelled matrix.
 * @param {Element} container
 * @param {Handlers} handlers
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
  /** @type {Follow | undefined} */ let follow

  return {
    element: root,
    /**
     * @param {Slice} part
     * @param {MatrixView} view
     */
    update(part, view) {
      follow = view.follow
      const gutter = leftGutter(view.alignTo ?? part.rowLabels)
      const room = (view.pair && view.width >= PAIR_FROM ? (view.width - PAIR_GAP) / 2 : view.width) - gutter
      const columns = Math.max(part.cols, view.columns ?? 0)
      const loose = fit(room, columns)
      const plan = topPlan(part.colLabels, loose)
      const width = plan.overhang ? fit(room - plan.overhang, columns) : loose
      const wanted = view.dense ? denseHeightFor(width, part.rows) : heightFor(width)
      const height = Math.min(wanted, Math.max(1, TALLEST / part.rows))
      head.update(view.title, part.rows, part.cols)
      const step = plan.slanted ? slantedStep(width) : plan.step
      top.update({ items: part.colLabels, cell: width, room: plan.height, slanted: plan.slanted, step })
      left.update({ items: part.rowLabels, cell: height, room: gutter })
      body.style.setProperty('padding-right', `${plan.overhang}px`)
      heat.update(part, { ...view, cell: { width, height } })
    },
    /** Null while it is hidden: what it drew last belongs to another run. */
    drawings: () => (root.hidden ? [] : [heat.drawing()].filter(exists)),
    /** @param {Marks} marks */
    mark({ current, pinned, sources, isAsked }) {
      const here = heat.find(current)
      const band = current && !here ? follow?.(current) ?? null : null
      heat.mark({ current: here, pinned, band, isAsked, cells: heat.among(sources) })
      left.mark(here?.row ?? band?.row)
      top.mark(here?.col ?? band?.col)
    }
  }
}
