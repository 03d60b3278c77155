/**
 * The selected or pinned cell: explained in the inspector, marked wherever it is visible, followed to its sources.
 */

import { hasCell } from '../inspector/index.js'
import { sameCell } from '../lib/cell.js'
import { exists } from '../lib/dom.js'
import { debounce } from '../lib/scheduling.js'
import { tensorOf } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { latest } from './engine.js'
import { firstCell } from './first_cell.js'

/** @import { Ask, Cell, CellExplanation, Context, Marks, Run, View } from '../types.d.ts' */

/**
 * The parts that render which cell is selected.
 * @typedef {{ frame?: { mark: (marks: Marks) => void }, twin?: { mark: (marks: Marks) => void },
 *   inspector: ReturnType<typeof import('../inspector/index.js').inspector> }} Marked
 * @typedef {(CellExplanation | null)[] | null} Found
 */

const LONGEST_TRAIL = 6
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
 * @param {Ask} page.ask
 * @param {(act: () => void) => void} page.attempt renders what it can, and the rest once its values arrive
 */
export function cells({ panel, get, set, run, twin, view, parts, ask, attempt }) {
  /** @type {Cell | null} */ let looked = null
  /** @type {{ run: Run | null, twin: Run | null, cell: Cell | null, found: Found }} */
  let explained = { run: null, twin: null, cell: null, found: null }
  /** @type {Cell[]} */ let trail = []
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer

  /** The run that a cell belongs to: the displayed one, or its twin. @param {Cell | null} cell */
  const runBehind = cell => (cell?.isTwin ? twin() : run())
  /** Beside the figure, the inspector explains a cell from the start. */
  const isBeside = matchMedia('(min-width: 1100px)')

  function current() {
    const here = run()
    if (!here) return null
    const { cell: pinned, embed } = get()
    const cell = pinned ?? looked
    const its = runBehind(cell)
    if (its && hasCell(its, cell)) return cell
    return isBeside.matches && !embed ? firstCell(here, view()) : null
  }
  /**
   * The values of a cell in both runs, where both have it.
   * @param {Cell | null} cell @param {Found} explanations
   */
  function pairOf(cell, explanations) {
    const both = [run(), twin()].filter(exists).filter(one => hasCell(one, cell))
    if (!cell || both.length < 2) return null
    const values = cell.isGradient ? explanations?.map(one => one?.value)
      : both.map(one => valueAt(tensorOf(one, cell.name), cell.index))
    const [here, there] = values ?? []
    return here !== undefined && there !== undefined ? { here, there } : null
  }
  /** @param {Marks} marks */
  function mark(marks) {
    parts().frame?.mark(marks)
    parts().twin?.mark(marks)
  }
  /**
   * Marks a cell and its sources wherever they are visible, and renders its explanation.
   * @param {Cell | null} cell @param {Found} found
   */
  function showExplanation(cell, found) {
    const pinned = Boolean(get().cell)
    const explanation = found && found[found.length > 1 && cell?.isTwin ? 1 : 0]
    mark({ current: cell, pinned, sources: explanation?.sources ?? [], isAsked: pinned || Boolean(looked) })
    parts().inspector.update({
      run: runBehind(cell), cell, pinned, trail, explanation,
      pair: pairOf(cell, found && found.length > 1 ? found : null),
      idle: run()?.unusedEdits ?? [], room: view().room.id
    })
  }
  /** Tells the inspector whether an explanation is still to come. @param {boolean} isWaiting */
  const waits = isWaiting => panel.setAttribute('aria-busy', String(isWaiting))
  /**
   * Requests the explanation of a cell; of a gradient in both runs, since nothing else has its value.
   * @param {Cell} cell
   */
  function explanations(cell) {
    const sides = cell.isGradient && twin() ? [false, true] : [Boolean(cell.isTwin)]
    return Promise.all(sides.map(isTwin => ask('explain', { cell: { ...cell, isTwin } })))
  }
  const explain = latest(explanations, (found, cell) => {
    if (cell !== current()) return
    explained = { run: run(), twin: twin(), cell, found }
    waits(false)
    showExplanation(cell, found)
  }, () => waits(false))

  /** Renders the selected cell and requests its explanation, unless it is cached. */
  function showCell() {
    const cell = current()
    const isOfRun = explained.run === run()
    const isTold = isOfRun && explained.twin === twin() && sameCell(cell, explained.cell)
    showExplanation(cell, isTold ? explained.found : null)
    clearTimeout(timer)
    waits(Boolean(cell) && !isTold)
    if (!cell || isTold) return
    if (get().cell || looked || isOfRun) explain(cell)
    else timer = setTimeout(() => explain(cell), EXPLAIN_DELAY)
  }
  const show = () => attempt(showCell)
  /** In a new room the figure is rendered first; the explanation of its first cell follows in a task of its own. */
  const soon = debounce(show)

  return {
    show,
    showLater() {
      waits(true)
      soon()
    },
    /** @param {Cell} cell */
    look(cell) {
      if (get().cell) return
      looked = cell
      show()
    },
    /** When the mouse leaves, the figure removes its marks, and the inspector keeps its last cell. */
    leave() {
      if (!get().cell) mark({ current: null, pinned: false, sources: [] })
    },
    /** Pins a cell; pinning the pinned one, or null, unpins. @param {Cell | null} cell */
    press(cell) {
      const { cell: pinned } = get()
      const same = sameCell(cell, pinned)
      looked = cell ?? pinned
      const position = trail.findIndex(one => sameCell(one, cell))
      trail = !cell || same ? [] : position >= 0 ? trail.slice(0, position + 1) : [cell]
      set({ cell: same ? null : cell })
    },
    /** Follows a source in its own run: pins it and remembers the way back. @param {Cell} source */
    visit(source) {
      const cell = { ...source, ...(current()?.isTwin && { isTwin: true }) }
      const position = trail.findIndex(one => sameCell(one, cell))
      const before = trail.length ? trail : [current()].filter(exists)
      trail = position >= 0 ? trail.slice(0, position + 1) : [...before, cell].slice(-LONGEST_TRAIL)
      set({ cell })
    },
    /** Clears the selection when the room changes. */
    lookAway() {
      looked = null
    },
    /** Clears the selection and its history when the state is replaced. */
    forget() {
      trail = []
    }
  }
}
