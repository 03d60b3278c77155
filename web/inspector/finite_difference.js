/** Checks a gradient by finite differences: the slope of the loss around the cell beside the gradient from backward. */

import { isSameCell } from '../lib/cell.js'
import { h, setText } from '../lib/dom.js'
import { isEditable } from '../lib/edits.js'
import { STEPS } from '../lib/finite_difference.js'
import { formatBrief, formatExact } from '../lib/number.js'
import { getTensor } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { answering, settingsOf } from '../models/index.js'

/** @import { Cell, CellExplanation, Child, Context, Run, State } from '../types.d.ts' */

/** @typedef {{ run: Run, cell: Cell, explanation: CellExplanation | null }} ExplainedCell a cell and how it was made */

/** Losses differ in late digits, so they get six; slopes get four. @param {number} value @param {number} count */
const formatDigits = (value, count) => formatExact(Number(value.toPrecision(count)))

/**
 * The settings that reproduce this run, with its decoder reading the same tokens.
 * @param {Run} run @param {State} state
 */
function settingsToRepeat(run, state) {
  const settings = settingsOf(state)
  return run.decoding ? answering(settings, run.decoding) : settings
}

/**
 * @param {Pick<Context, 't' | 'runQuery' | 'get'> & { redraw: () => void, live: Element }} context
 *   live: a live region that outlasts the sections; a region that is inserted with its text is not announced
 * @returns {(view: ExplainedCell) => Child} the section for a cell
 */
export function createFiniteDifference({ t, runQuery, get, redraw, live }) {
  /** @type {{ run: Run | null, cell: Cell | null, result: Record<string, string> | null }} */
  let measured = { run: null, cell: null, result: null }
  /** @param {Run} run @param {Cell} cell */
  const isMeasured = (run, cell) => measured.run === run && isSameCell(measured.cell, cell)

  /** @param {ExplainedCell} cell @param {number} value @param {number} step */
  async function measure({ run, cell, explanation }, value, step) {
    measured = { run, cell, result: null }
    setText(live, '')
    const { high, low, slope } = await runQuery('finiteDifference', { settings: settingsToRepeat(run, get()), cell, value, step })
    if (!isMeasured(run, cell)) return
    const gradient = explanation?.value ?? NaN
    const comparison = { slope: formatDigits(slope, 4), gradient: formatDigits(gradient, 4),
      apart: formatBrief(slope - gradient) }
    measured.result = { up: formatDigits(high, 6), down: formatDigits(low, 6), ...comparison }
    redraw()
    setText(live, t('inspector.nudge.said', comparison))
  }
  /** @param {Record<string, string>} result */
  function renderResult(result) {
    /** @param {[string, string]} entry */
    const line = ([name, value]) => [h('dt', {}, t(`inspector.nudge.${name}`)), h('dd', {}, value)]
    return [
      h('dl', { className: 'steps' }, Object.entries(result).map(line)),
      h('p', { className: 'note' }, t(get().edits.length ? 'inspector.nudge.edited' : 'inspector.nudge.why'))
    ]
  }
  return view => {
    const { run, cell, explanation } = view
    if (!isMeasured(run, cell)) setText(live, '')
    if (!cell.isGradient || cell.isTwin || !explanation || explanation.missingReason || !isEditable(run, cell)) return ''
    const value = valueAt(getTensor(run, cell.name), cell.index)
    if (!Number.isFinite(value)) return ''
    return h('section', { className: 'nudge' },
      STEPS.map((step, i) => h('button', {
        'type': 'button', 'className': 'quiet', 'data-keep': i ? 'nudge-less' : 'nudge', 'onclick': () => measure(view, value, step)
      }, t('inspector.nudge.do', { step: formatExact(step) }))),
      isMeasured(run, cell) && measured.result ? renderResult(measured.result) : '')
  }
}
