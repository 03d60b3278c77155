/** Undo and redo of the reader's edits. */

import { hasEdits } from './edits.js'

/** @import { Edit } from './edits.js' */
/** @import { Context } from '../types.d.ts' */

/**
 * Remembers lists of edits, for undo and redo. What a script has changed meanwhile may equal the last ones, which are
 * left out: a step always changes something.
 */
export function createEditHistory() {
  /** @type {Edit[][]} */ const past = []
  /** @type {Edit[][]} */ const future = []
  /** @param {Edit[][]} lists @param {readonly Edit[]} edits */
  const findOther = (lists, edits) => (
    lists.findLastIndex(list => list.length !== edits.length || !hasEdits(list, edits)))
  /** @param {Edit[][]} from @param {Edit[][]} to @returns {(edits: Edit[]) => Edit[] | null} */
  const step = (from, to) => edits => {
    const at = findOther(from, edits)
    if (at < 0) return null
    to.push(edits)
    return from.splice(at)[0]
  }
  return {
    /** @param {Edit[]} edits */
    record(edits) {
      past.push(edits)
      future.length = 0
    },
    undo: step(past, future), redo: step(future, past),
    canUndo: (/** @type {Edit[]} */ edits) => findOther(past, edits) >= 0,
    canRedo: (/** @type {Edit[]} */ edits) => findOther(future, edits) >= 0
  }
}

/** @type {WeakMap<Context['get'], ReturnType<typeof createEditHistory>>} */ const histories = new WeakMap()

/**
 * The history of a page, or of one of the figures in it, whatever language its parts are built in.
 * @param {Pick<Context, 'get'>} context
 */
export function editHistoryOf({ get }) {
  const history = histories.get(get) ?? createEditHistory()
  histories.set(get, history)
  return history
}

/**
 * Changes the edits of a page or a figure so that the change can be undone.
 * @param {Pick<Context, 'get' | 'set'>} context @param {Edit[]} edits
 * @param {Parameters<Context['set']>[1]} [entry] how the change enters the browser's history
 */
export function changeEdits({ get, set }, edits, entry) {
  editHistoryOf({ get }).record(get().edits ?? [])
  set({ edits }, entry)
}
