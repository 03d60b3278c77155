/** One matrix with its caption, its labels on two sides and its heatmap, as wide as the available width. */

import { h, exists, setText } from './dom.js'
import { setNames } from './formula.js'
import { mountHeatmap } from './heatmap.js'
import { mountLabels, leftWidth, slantedStep, planTopLabels } from './labels.js'
import { formatShape, formatExact } from './number.js'
import { findSquare, cellIndexOf, findSquares } from './slice.js'

/** @import { Band, HeatmapView, Square } from './heatmap.js' */
/** @import { Cell, Edit, Marks, Slice } from '../types.d.ts' */

/**
 * Handlers of cells.
 * @typedef {{ selectCell(cell: Cell): void, pinCell(cell: Cell): void, editCell(cell: Cell): void, endHover(): void }}
 *   Handlers
 *
 * How a matrix is drawn: the options of a heatmap except the matrix itself, and a title.
 * @typedef {Pick<HeatmapView,
 *   'scale' | 'palette' | 'cell' | 'group' | 'crossed' | 'masked' | 'isInteger' | 'plain' | 'isPaper'> & {
 *   title: string, spoken?: string, edits?: Edit[] }} HeatView
 *
 * The row, column or cell to mark for the current cell of another matrix.
 * @typedef {(cell: Cell) => Band | null} Follow
 *
 * A stage's options for drawing a matrix.
 * @typedef {object} MatrixLook
 * @property {string} title
 * @property {boolean} [dense] rows close together
 * @property {boolean | 'first' | 'second'} [pair] one of two matrices that are side by side where the width allows;
 *   'first' and 'second' have the same rows, labeled once, and are side by side only where their cells stay wide enough
 *   for numbers; else they are below each other, with rows close together
 * @property {string[]} [alignTo] row labels to reserve space for, so that matrices below each other line up
 * @property {Follow} [follow]
 * @property {number} [group] columns that belong together, as the columns of one head
 * @property {number} [columns] the minimum number of columns to reserve space for
 * @property {((row: number, col: number) => boolean) | null} [crossed] cells drawn as struck out
 * @property {((row: number, col: number) => boolean) | null} [masked] cells that a mask hides, drawn hatched
 * @property {boolean} [isInteger] numbers without decimals
 *
 * @typedef {MatrixLook & Omit<HeatView, 'cell'> & { width: number }} MatrixView the available width
 */

const MAX_CELL_WIDTH = 48
/** The minimum cell width; a wider matrix is scrolled inside its frame. */
export const MIN_CELL_WIDTH = 4
const NUMBER_WIDTH = 34
const MIN_PAIR_WIDTH = 560
const PAIR_GAP = 32
const FEW_ROWS = 12
/** The maximum number of rows that display numbers, where columns are wide enough. */
const MAX_NUMBER_ROWS = 24
const MAX_HEIGHT = 8000

/**
 * The cell height for a cell width: flatter with numbers, square with only colors.
 * @param {number} width
 */
export const cellHeight = width => (width >= NUMBER_WIDTH ? Math.min(32, Math.round(width * 0.72))
  : Math.max(width, 14))

/**
 * The cell height of dense rows: few rows have space for numbers, many only for colors.
 * @param {number} width @param {number} rows
 */
function denseCellHeight(width, rows) {
  if (width >= NUMBER_WIDTH && rows <= MAX_NUMBER_ROWS) return 22
  return rows > FEW_ROWS ? 14 : Math.max(14, Math.min(width, 18))
}

/**
 * The largest cell width at which so many columns fit.
 * @param {number} width @param {number} columns @param {number} [minWidth]
 */
export const fitCellWidth = (width, columns, minWidth = MIN_CELL_WIDTH) => (
  Math.max(minWidth, Math.min(MAX_CELL_WIDTH, Math.floor(width / columns))))

/** Adds a caption to a container: a name and a shape. @param {Element} container */
export function mountCaption(container) {
  const name = h('b')
  const shape = h('span', { className: 'shape' })
  container.append(h('div', { className: 'caption' }, name, ' ', shape))
  return {
    /** @param {string} text @param {number} rows @param {number} cols */
    update(text, rows, cols) {
      setNames(name, text)
      setText(shape, formatShape([rows, cols]))
    }
  }
}

/**
 * The cells in which two slices of the same part differ; none if they are of different parts.
 * @param {Slice | undefined} before @param {Slice} after
 */
function changedCells(before, after) {
  /** @param {Slice} part */
  const partKey = ({ name, shape, fixed, axis, start, order, rowOrder }) => (
    [name, shape, fixed, axis, start, order, rowOrder].join())
  if (!before || partKey(before) !== partKey(after) || before.values.length !== after.values.length) return []
  return Array.from(after.values.keys())
    .filter(i => !Object.is(before.values[i], after.values[i]))
    .map(i => ({ row: Math.floor(i / after.cols), col: i % after.cols }))
}

/**
 * A heatmap whose handlers receive tensor cells instead of rows and columns.
 * @param {Element} container
 * @param {Handlers} handlers
 */
export function mountTensorHeatmap(container, { selectCell: look, pinCell: press, editCell: edit, endHover: leave }) {
  /** @type {Slice} */ let part
  /** @type {HeatView} */ let current
  /** The cell that the reader has chosen. @type {Square | null} */ let chosen = null
  /** @param {Square} square */
  const toCell = ({ row, col }) => ({ name: part.name, index: cellIndexOf(part, row, col) })
  const heat = mountHeatmap(container, {
    onSelect: cell => look(toCell(cell)), onPin: cell => press(toCell(cell)),
    onEdit: cell => edit(toCell(cell)), onLeave: leave
  })
  return {
    /** @param {Slice} next @param {HeatView} view */
    update(next, view) {
      const changed = current && current.edits !== view.edits ? changedCells(part, next) : []
      part = next
      current = view
      const { rows, cols, values } = next
      /** @param {number} row @param {number} col */
      const names = (row, col) => `${next.rowLabels[row]}, ${next.colLabels[col]}`
      /** @param {number} row @param {number} col */
      const describe = (row, col) => `${names(row, col)}: ${formatExact(values[row * cols + col])}`
      const label = [view.spoken, view.title, formatShape([rows, cols])].filter(Boolean).join(' ')
      heat.update({ ...view, label, rows, cols, values, describe, part })
      if (changed.length) heat.pulse(changed)
    },
    /** The drawing and its options, for exports. */
    drawing: () => part && { part, view: current, chosen },
    /** The square of a tensor cell in this matrix, or null. */
    find: (/** @type {Cell | null} */ cell) => (cell && part ? findSquare(part, cell) : null),
    /** The squares of those cells that are in this matrix. */
    findSquares: (/** @type {Marks['sources']} */ cells) => (part ? findSquares(part, cells) : []),
    /** @param {Parameters<typeof heat.mark>[0]} marks */
    mark(marks) {
      chosen = (marks.isChosen || marks.pinned) && marks.current ? marks.current : null
      heat.mark(marks)
    }
  }
}

/**
 * Mounts one labelled matrix.
 * @param {Element} container
 * @param {Handlers} handlers
 */
export function mountMatrix(container, handlers) {
  const root = h('div', { className: 'matrix' })
  const head = mountCaption(root)
  const body = h('div', { className: 'matrix-body' }, h('div'))
  const top = mountLabels(body, 'top')
  const left = mountLabels(body, 'left')
  const heat = mountTensorHeatmap(body, handlers)
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
      const gutter = leftWidth(view.alignTo ?? part.rowLabels)
      const columns = Math.max(part.cols, view.columns ?? 0)
      /** @param {number} available */
      const planColumns = available => {
        const fullWidth = fitCellWidth(available, columns), plan = planTopLabels(part.colLabels, fullWidth)
        return { plan, width: plan.overhang ? fitCellWidth(available - plan.overhang, columns) : fullWidth }
      }
      const sharesRows = typeof view.pair === 'string'
      const halfWidth = (view.width - PAIR_GAP - (sharesRows ? 1 : 2) * gutter) / 2
      const half = view.pair && view.width >= MIN_PAIR_WIDTH ? planColumns(halfWidth) : null
      const isBeside = half && (!sharesRows || half.width >= NUMBER_WIDTH)
      const { plan, width } = isBeside ? half : planColumns(view.width - gutter)
      const isDense = view.dense || (sharesRows && !isBeside), hasRowLabels = !isBeside || view.pair !== 'second'
      const preferredHeight = isDense ? denseCellHeight(width, part.rows) : cellHeight(width)
      const height = Math.min(preferredHeight, Math.max(1, MAX_HEIGHT / part.rows))
      head.update(view.title, part.rows, part.cols)
      const step = plan.slanted ? slantedStep(width) : plan.step
      top.update({ items: part.colLabels, cell: width, room: plan.height, slanted: plan.slanted, step })
      left.update({ items: hasRowLabels ? part.rowLabels : [], cell: height, room: hasRowLabels ? gutter : 0 })
      body.style.setProperty('padding-right', `${plan.overhang}px`)
      heat.update(part, { ...view, cell: { width, height } })
    },
    /** The drawing; none while the matrix is hidden, since it was drawn for another run. */
    drawings: () => (root.hidden ? [] : [heat.drawing()].filter(exists)),
    /** @param {Marks} marks */
    mark({ current, pinned, sources, isChosen }) {
      const here = heat.find(current)
      const band = current && !here ? follow?.(current) ?? null : null
      heat.mark({ current: here, pinned, band, isChosen, cells: heat.findSquares(sources) })
      left.mark(here?.row ?? band?.row)
      top.mark(here?.col ?? band?.col)
    }
  }
}
