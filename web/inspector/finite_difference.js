/** Checks a gradient by finite differences: the slope of the loss around the cell beside the gradient from backward. */

import { isSameCell } from '../lib/cell.js'
import { h, setText } from '../lib/dom.js'
import { isEditable } from '../lib/edits.js'
import { formatBrief, formatExact } from '../lib/number.js'
import { getTensor } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { answering, settingsOf } from '../models/index.js'
import { STEP } from '../worker/finite_difference.js'

/** @import { Cell, CellExplanation, Child, Context, Run, State } from '../types.d.ts' */

/** @typedef {{ run: Run, cell: Cell, explanation: CellExplanation | null }} Asked a cell and how it was made */

/** Losses differ in late digits, so they get six; slopes get four. @param {number} value @param {number} count */
const digits = (value, count) => formatExact(Number(value.toPrecision(count)))

/**
 * The settings that reproduce this run, with its decoder reading the same tokens.
 * @param {Run} run @param {State} state
 */
function settingsAgain(run, state) {
  const settings = settingsOf(state)
  return run.decoding ? answering(settings, run.decoding) : settings
}

/**
 * @param {Pick<Context, 't' | 'runQuery' | 'get'> & { redraw: () => void, live: Element }} context
 *   live: a live region that outlasts the sections; a region that is inserted with its text is not announced
 * @returns {(view: Asked) => Child} the section for a cell
 */
export function finiteDifference({ t, runQuery, get, redraw, live }) {
  /** @type {{ run: Run | null, cell: Cell | null, result: Record<string, string> | null }} */
  let last = { run: null, cell: null, result: null }
  /** @param {Run} run @param {Cell} cell */
  const isKnown = (run, cell) => last.run === run && isSameCell(last.cell, cell)

  /** @param {Asked} asked @param {number} value */
  async function measure({ run, cell, explanation }, value) {
    last = { run, cell, result: null }
    setText(live, '')
    const { high, low, slope } = await runQuery('finiteDifference', { settings: settingsAgain(run, get()), cell, value })
    if (!isKnown(run, cell)) return
    const gradient = explanation?.value ?? NaN
    const compared = { slope: digits(slope, 4), gradient: digits(gradient, 4), apart: formatBrief(slope - gradient) }
    last.result = { up: digits(high, 6), down: digits(low, 6), ...compared }
    redraw()
    setText(live, t('inspector.nudge.said', compared))
  }
  /** @param {Record<string, string>} result */
  function resultList(result) {
    /** @param {[string, string]} entry */
    const line = ([name, value]) => [h('dt', {}, t(`inspector.nudge.${name}`)), h('dd', {}, value)]
    return [
      h('dl', { className: 'steps' }, Object.entries(result).map(line)),
      h('p', { className: 'note' }, t(get().edits.length ? 'inspector.nudge.edited' : 'inspector.nudge.why'))
    ]
  }
  return view => {
    const { run, cell, explanation } = view
    if (!isKnown(run, cell)) setText(live, '')
    if (!cell.isGradient || cell.isTwin || !explanation || explanation.none || !isEditable(run, cell)) return ''
    const value = valueAt(getTensor(run, cell.name), cell.index)
    if (!Number.isFinite(value)) return ''
    return h('section', { className: 'nudge' },
      h('button', {
        'type': 'button', 'className': 'quiet', 'data-keep': 'nudge', 'onclick': () => measure(view, value)
      }, t('inspector.nudge.do', { step: formatExact(STEP) })),
      isKnown(run, cell) && last.result ? resultList(last.result) : '')
  }
}
