/** The gradient put to the test: its cell nudged up and down, the slope of the loss beside what backward gave. */

import { isEditable } from '../edits.js'
import { sameCell } from '../lib/cell.js'
import { h } from '../lib/dom.js'
import { brief, exact } from '../lib/number.js'
import { tensorOf } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { NUDGE } from '../model/nudge.js'
import { settingsOf } from '../state.js'

/** Losses differ late: six digits of them, four of slopes. */
const digits = (value, count) => exact(Number(value.toPrecision(count)))

/** The settings that give this run again, with its decoder reading what it reads now. */
function settingsAgain(run, state) {
  const settings = settingsOf(state)
  return run.decoding ? { ...settings, target: run.decoding.steps.map(({ id }) => id) } : settings
}

/**
 * @param {{ t: Function, ask(question: string, details: object): Promise<any>, get(): object, redraw(): void }} context
 * @returns {(view: { run: object, cell: object, explanation: object | null }) => any} the section for a cell
 */
export function nudge({ t, ask, get, redraw }) {
  let known = { run: null, cell: null, result: null }

  async function measure(run, cell, value) {
    known = { run, cell, result: null }
    const result = await ask('nudge', { settings: settingsAgain(run, get()), cell, value })
    if (known.run !== run || !sameCell(known.cell, cell)) return
    known = { run, cell, result }
    redraw()
  }
  function found({ high, low, slope }, gradient) {
    const line = (name, value) => [h('dt', {}, t(`inspector.nudge.${name}`)), h('dd', {}, value)]
    return [
      h('dl', { className: 'steps' }, line('up', digits(high, 6)), line('down', digits(low, 6)),
        line('slope', digits(slope, 4)), line('gradient', digits(gradient, 4)), line('apart', brief(slope - gradient))),
      h('p', { className: 'note' }, t(get().edits.length ? 'inspector.nudge.edited' : 'inspector.nudge.why'))
    ]
  }
  return ({ run, cell, explanation }) => {
    if (!cell.isGradient || cell.isTwin || !explanation || !isEditable(cell)) return ''
    const tensor = tensorOf(run, cell.name)
    const value = valueAt(tensor, cell.index)
    if (!Number.isFinite(value)) return ''
    const isKnown = known.run === run && sameCell(known.cell, cell) && known.result
    return h('section', { className: 'nudge' },
      h('button', {
        type: 'button', className: 'quiet', 'data-keep': 'nudge',
        onclick: () => measure(run, cell, value)
      }, t('inspector.nudge.do', { step: exact(NUDGE) })),
      isKnown ? found(known.result, explanation.value) : '')
  }
}
