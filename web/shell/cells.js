/**
 * The selected or pinned cell: explained in the inspector, marked wherever it is visible, followed to its sources.
 */

import { isSameCell } from '../lib/cell.js'
import { exists } from '../lib/dom.js'
import { debounce } from '../lib/scheduling.js'
import { getTensor, hasCell } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { runLatest } from './engine.js'
import { getFirstCell } from './first_cell.js'

/** @import { RunQuery, Cell, CellExplanation, Context, Marks, Run, View } from '../types.d.ts' */

/**
 * The parts that render which cell is selected.
 * @typedef {{ frame?: { mark: (marks: Marks) => void }, twin?: { mark: (marks: Marks) => void },
 *   inspector: ReturnType<typeof import('../inspector/index.js').mountInspector> }} Marked
 * @typedef {(CellExplanation | null)[] | null} Explanations
 */

const MAX_TRAIL = 6
/** Nobody has selected the first cell of a room, so in a new run its explanation waits until typing pauses. */
const EXPLAIN_DELAY = 200

/**
 * @param {object} page
 * @param {HTMLElement} page.panel where the inspector stands
 * @param {Context['get']} page.get
 * @param {Context['set']} page.set
 * @param {Context['run']} page.run the displayed run, and
 * @param {Context['run']} page.twin its twin
 * @param {() => View} page.view what is looked at
 * @param {() => Marked} page.parts of the page
 * @param {RunQuery} page.runQuery
 * @param {(render: () => void) => void} page.attempt renders what it can, and the rest once its values arrive
 */
export function createSelection({ panel, get, set, run, twin, view, parts, runQuery, attempt }) {
  /** @type {Cell | null} */ let selected = null
  /** Whether all but its sources are dimmed, as when the reader has selected it. */ let isChosen = false
  /** @type {{ run: Run | null, twin: Run | null, cell: Cell | null, found: Explanations }} */
  let lastExplanation = { run: null, twin: null, cell: null, found: null }
  /** @type {Cell[]} */ let trail = []
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer

  /** The run that a cell belongs to: the displayed one, or its twin. @param {Cell | null} cell */
  const runOfCell = cell => (cell?.isTwin ? twin() : run())
  /** Beside the figure, the inspector explains a cell from the start. */
  const hasSidePanel = matchMedia('(min-width: 1100px)')

  function current() {
    const displayedRun = run()
    if (!displayedRun) return null
    const { cell: pinned, embed } = get()
    const cell = pinned ?? selected
    const cellRun = runOfCell(cell)
    if (cellRun && hasCell(cellRun, cell)) return cell
    return hasSidePanel.matches && !embed ? getFirstCell(displayedRun, view()) : null
  }
  /**
   * The values of a cell in both runs, where both have it.
   * @param {Cell | null} cell @param {Explanations} explanations
   */
  function valuePair(cell, explanations) {
    const runs = [run(), twin()].filter(exists).filter(item => hasCell(item, cell))
    if (!cell || runs.length < 2) return null
    const cellValues = cell.isGradient ? explanations?.map(explanation => explanation?.value)
      : runs.map(run => valueAt(getTensor(run, cell.name), cell.index))
    const [hereValue, thereValue] = cellValues ?? []
    return hereValue !== undefined && thereValue !== undefined ? { here: hereValue, there: thereValue } : null
  }
  /** The history, unless something else than the reader has pinned the cell, such as a step of a lesson. */
  const pinnedTrail = () => (get().cell === trail[trail.length - 1] ? trail : [])
  /** @param {Marks} marks */
  function mark(marks) {
    parts().frame?.mark(marks)
    parts().twin?.mark(marks)
  }
  /**
   * Marks a cell and its sources wherever they are visible, and renders its explanation.
   * @param {Cell | null} cell @param {Explanations} explanations
   */
  function showExplanation(cell, explanations) {
    const pinned = Boolean(get().cell)
    const explanation = explanations && explanations[explanations.length > 1 && cell?.isTwin ? 1 : 0]
    mark({ current: cell, pinned, sources: explanation?.sources ?? [], isChosen: pinned || isChosen })
    parts().inspector.update({
      run: runOfCell(cell), cell, pinned, trail: pinnedTrail(), explanation,
      pair: valuePair(cell, explanations && explanations.length > 1 ? explanations : null),
      idle: run()?.unusedEdits ?? [], room: view().room.id
    })
  }
  /** Tells the inspector whether an explanation is still to come. @param {boolean} isWaiting */
  const setBusy = isWaiting => panel.setAttribute('aria-busy', String(isWaiting))
  /**
   * Requests the explanation of a cell; of a gradient in both runs, since nothing else has its value.
   * @param {Cell} cell
   */
  function explanations(cell) {
    const sides = cell.isGradient && twin() ? [false, true] : [Boolean(cell.isTwin)]
    return Promise.all(sides.map(isTwin => runQuery('explain', { cell: { ...cell, isTwin } })))
  }
  const explain = runLatest(explanations, (explanations, cell) => {
    if (cell !== current()) return
    lastExplanation = { run: run(), twin: twin(), cell, found: explanations }
    setBusy(false)
    showExplanation(cell, explanations)
  }, () => setBusy(false))

  /** Renders the selected cell and requests its explanation, unless it is cached. */
  function showCell() {
    const cell = current()
    const isSameRun = lastExplanation.run === run()
    const isExplained = isSameRun && lastExplanation.twin === twin() && isSameCell(cell, lastExplanation.cell)
    showExplanation(cell, isExplained ? lastExplanation.found : null)
    clearTimeout(timer)
    setBusy(Boolean(cell) && !isExplained)
    if (!cell || isExplained) return
    if (get().cell || selected || isSameRun) explain(cell)
    else timer = setTimeout(() => explain(cell), EXPLAIN_DELAY)
  }
  const show = () => attempt(showCell)
  /** In a new room the figure is rendered first; the explanation of its first cell follows in a task of its own. */
  const showSoon = debounce(show)

  return {
    show,
    /** The cell that the reader, or a step of a lesson, has selected. */
    selected: () => get().cell ?? selected,
    showLater() {
      setBusy(true)
      showSoon()
    },
    /** @param {Cell} cell @param {boolean} [dimsOthers] whether all but its sources are dimmed */
    selectCell(cell, dimsOthers = true) {
      if (get().cell) return
      selected = cell
      isChosen = dimsOthers
      show()
    },
    /** When the mouse leaves, the figure removes its marks, and the inspector keeps its last cell. */
    endHover() {
      if (!get().cell) mark({ current: null, pinned: false, sources: [] })
    },
    /** Pins a cell; pinning the pinned one, or null, unpins. @param {Cell | null} cell */
    pinCell(cell) {
      const { cell: pinned } = get()
      const isPinned = isSameCell(cell, pinned)
      selected = cell ?? pinned
      isChosen = Boolean(selected)
      const position = trail.findIndex(item => isSameCell(item, cell))
      trail = !cell || isPinned ? [] : [...trail.slice(0, Math.max(0, position)), cell]
      set({ cell: isPinned ? null : cell })
    },
    /** Follows a source in its own run: pins it and remembers the way back. @param {Cell} source */
    pinSource(source) {
      const here = current(), known = pinnedTrail(), path = here && !known.length ? [here] : known
      const cell = { ...source, ...(here?.isTwin && { isTwin: true }) }
      const position = path.findIndex(item => isSameCell(item, cell))
      trail = [...path.slice(0, position < 0 ? MAX_TRAIL : position), cell].slice(-MAX_TRAIL)
      set({ cell })
    },
    /** Clears the selection when the room changes. */
    clearSelection() {
      selected = null
      isChosen = false
    },
    /** Clears the selection and its history when the state is replaced. */
    clearHistory() {
      trail = []
    }
  }
}
