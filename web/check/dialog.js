/**
 * The check: compares every number of the page with its value recomputed in double, and lists the largest difference
 * by room.
 */

import { listAnswers } from '../lib/attribution.js'
import { h } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { formatBrief } from '../lib/number.js'
import { fullRoomName } from '../lib/room_name.js'
import { roomOfTensor, roomsOf } from '../rooms/index.js'
import { startWorker } from '../lib/fetch_on_demand.js'
import { createCalls } from '../lib/rpc.js'
import { hasGraph } from '../models/graph.js'

/** @import { RunQuery, Context, Language, Room, Run, Translate } from '../types.d.ts' */
/** @import { Result } from './recompute.js' */

/** The totals of a room or of the whole page. @typedef {{ count: number, difference: number, isRight: boolean }} Sum */
/** @typedef {Sum & { room: Room | null }} Line */
/**
 * errorRatio: the largest error as a fraction of its bound; given: the number of weights; drawn: of values sampled
 * by dropout; skipped: of values that operations computed which the check does not know.
 * @typedef {Sum & { errorRatio: number, gradients: number, given: number, drawn: number, skipped: number,
 *   skippedOps: Set<string> }} Totals
 */

/** Operations whose results are taken as they are: random masks, and matrices that were not retained. */
const TAKEN = ['given', 'dropout', 'attention']

/**
 * Sums the results by the room of their tensors.
 * @param {Result[]} results
 * @param {(name: string) => Room | null | undefined} home
 * @returns {Totals & { rooms: Line[] }}
 */
export function summary(results, home) {
  /** @type {Map<Room | null, Line>} */
  const rooms = new Map()
  /** @type {Totals} */
  const totals = { count: 0, difference: 0, errorRatio: 0, gradients: 0, given: 0, drawn: 0, isRight: true, skipped: 0,
    skippedOps: new Set() }
  for (const { name, op, part, count, difference, errorRatio } of results) {
    if (part === 'value' && difference === null) {
      const isSkipped = op !== null && !TAKEN.includes(op)
      totals[op === 'dropout' ? 'drawn' : isSkipped ? 'skipped' : 'given'] += count
      if (isSkipped) totals.skippedOps.add(op)
    }
    const room = home(name) ?? null
    const line = rooms.get(room) ?? { room, count: 0, difference: 0, isRight: true }
    totals.errorRatio = Math.max(totals.errorRatio, errorRatio)
    for (const sum of [line, totals]) {
      if (part === 'value' && difference !== null) sum.count += count
      if (part === 'value' || errorRatio > 1) sum.difference = Math.max(sum.difference, difference ?? 0)
      sum.isRight &&= errorRatio <= 1
    }
    if (part === 'gradient') totals.gradients += count
    if (line.count || !line.isRight) rooms.set(room, line)
  }
  return { ...totals, rooms: [...rooms.values()] }
}

/** Runs one check in a worker of its own. @param {object} run @returns {Promise<Result[]>} */
function recomputeInWorker(run) {
  const worker = startWorker('check')
  return createCalls(worker).call('recompute', { run }).finally(() => worker.terminate())
}

/** Limits of a check: values (30 million take about a minute and 1.5 GB) and multiply-adds. */
const MAX = { numbers: 3e7, products: 5e9 }

/** @param {number} count @param {string} language */
const formatCount = (count, language) => count.toLocaleString(language)

/** @param {number} count */
const formatCompact = count => count.toLocaleString(document.documentElement.lang, ROUND_FORMAT)
/** @type {Intl.NumberFormatOptions} */
const ROUND_FORMAT = { notation: 'compact', maximumSignificantDigits: 2 }

/**
 * One line per room, in the order of the model; the last line is for tensors without a room.
 * @param {{ rooms: Line[] }} found
 * @param {Room[]} order
 * @param {Translate} t
 */
function table({ rooms }, order, t) {
  /** @param {Line} one */
  const orderOf = ({ room }) => (room ? order.indexOf(room) : order.length)
  /** @param {Line} one */
  const line = ({ room, count, difference, isRight }) => h('tr', {},
    h('th', { scope: 'row' }, room ? fullRoomName(room, t) : t('check.elsewhere')),
    h('td', {}, formatCount(count, document.documentElement.lang)),
    h('td', { className: isRight ? '' : 'is-wrong' }, formatBrief(difference)))
  return h('table', {}, h('thead', {}, h('tr', {},
    ['room', 'count', 'difference'].map(name => h('th', { scope: 'col' }, t(`check.${name}`))))),
  h('tbody', {}, [...rooms].sort((a, b) => orderOf(a) - orderOf(b)).map(line)))
}

/**
 * The dialog, which computes when it is opened.
 * @param {Pick<Context, 't' | 'get' | 'run' | 'loadAll' | 'runQuery'>} context
 */
export function check({ t, runQuery, get, run, loadAll }) {
  const result = h('div', { 'className': 'check-result', 'aria-live': 'polite' })
  const close = h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() }, t('app.close'))
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { 'className': 'settings check', 'aria-label': t('check.label') },
    h('div', { className: 'dialog-head' }, h('h2', {}, t('check.label')), close),
    h('p', {}, renderProse(t('check.what'))), result,
    h('details', {}, h('summary', {}, t('check.why')), h('p', {}, renderProse(t('check.tests')))))
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())

  /**
   * Explains why a run is too large to be checked in this tab; undefined for others.
   * @param {Run} displayedRun
   */
  async function sizeProblem(displayedRun) {
    const numbers = [...displayedRun.tensors.values()].filter(({ isKept }) => isKept !== false)
      .reduce((sum, { shape }) => sum + shape.reduce((product, side) => product * side, 1), 0)
    const { results: costs } = await runQuery('costs', {}), products = costs.reduce((sum, cost) => sum + cost.multiplyAdds, 0)
    if (numbers <= MAX.numbers && products <= MAX.products) return ''
    const [count, multiplied, maxNumbers, maxProducts] =
      [numbers, products, MAX.numbers, MAX.products].map(formatCompact)
    return t('check.many', { count, multiplied, most: maxNumbers, mostMultiplied: maxProducts })
  }

  /** The parts of every token of the answer. @param {Run} displayedRun @param {Room[]} rooms */
  function explainAnswers(displayedRun, rooms) {
    const name = rooms.find(({ stage }) => stage === 'attribution')?.parts.logits
    return Promise.all((name ? listAnswers(displayedRun, name) : []).map(async ({ position, token: chosen }) => {
      const { token, parts } = await runQuery('attribution', { logits: name, position, token: chosen, isDifference: false })
      return { name, position, token, parts: parts.map(({ value }) => value) }
    }))
  }
  async function open() {
    const displayedRun = run()
    if (!displayedRun) return
    result.replaceChildren()
    dialog.showModal()
    try {
      const problem = await sizeProblem(displayedRun)
      if (problem) {
        result.replaceChildren(h('p', {}, problem))
        return
      }
      const rooms = roomsOf(displayedRun)
      const results = await recomputeInWorker({
        ...await loadAll(displayedRun), edits: get().edits, gradients: await runQuery('gradients', {}),
        explained: await explainAnswers(displayedRun, rooms)
      })
      const rows = summary(results, name => roomOfTensor(rooms, name, displayedRun))
      const formatted = /** @type {const} */ (['count', 'gradients', 'given', 'drawn', 'skipped']).map(name => (
        [name, formatCount(rows[name], document.documentElement.lang)]))
      const values = { ...Object.fromEntries(formatted), difference: formatBrief(rows.difference) }
      const list = { 'className': 'check-table', 'tabindex': '0', 'role': 'region', 'aria-label': t('check.room') }
      result.replaceChildren(
        h('p', { className: 'check-total' }, t(rows.isRight ? 'check.right' : 'check.wrong', values)),
        h('div', list, table(rows, rooms, t)),
        h('p', { className: 'note' }, t(rows.drawn ? 'check.drawn' : 'check.given', values), ' ', t(hasGraph(displayedRun.settings.model) ? 'check.besides' : 'check.taken'),
          displayedRun.retained ? ` ${t('check.unkept')}` : '',
          rows.skipped ? ` ${t('check.skipped', { ...values, ops: [...rows.skippedOps].join(', ') })}` : ''))
    } catch (error) {
      result.replaceChildren(h('p', { className: 'problem' }, t('check.failed', { message: /** @type {Error} */ (error).message })))
    }
  }
  return { open, dialog }
}
