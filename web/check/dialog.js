/**
 * The check: every number of the page compared with the same computed in double, with the largest difference by stage.
 */

import { h } from '../lib/dom.js'
import { prose } from '../lib/prose.js'
import { brief } from '../lib/number.js'
import { placeName } from '../lib/room_name.js'
import { homeOf, roomsOf } from '../rooms/index.js'
import { startWorker } from '../shell/fetch_on_demand.js'
import { isPlanned } from '../models/graph.js'

/** @import { Ask, Context, Language, Room, Run, Translate } from '../types.d.ts' */
/** @import { Result } from './recompute.js' */

/** What a room or the whole page comes to. @typedef {{ count: number, difference: number, isRight: boolean }} Sum */
/** @typedef {Sum & { room: Room | null }} Line */
/**
 * times: the largest fraction of a rounding bound that was used; given: weights; drawn: values sampled by dropout.
 * @typedef {Sum & { times: number, gradients: number, given: number, drawn: number }} Whole
 */

/**
 * Sums the results by the room of their tensors.
 * @param {Result[]} results
 * @param {(name: string) => Room | null | undefined} home
 * @returns {Whole & { rooms: Line[] }}
 */
export function summary(results, home) {
  /** @type {Map<Room | null, Line>} */
  const rooms = new Map()
  /** @type {Whole} */
  const whole = { count: 0, difference: 0, times: 0, gradients: 0, given: 0, drawn: 0, isRight: true }
  for (const { name, op, part, count, difference, times } of results) {
    if (part === 'value' && difference === null) whole[op === 'dropout' ? 'drawn' : 'given'] += count
    const room = home(name) ?? null
    const line = rooms.get(room) ?? { room, count: 0, difference: 0, isRight: true }
    whole.times = Math.max(whole.times, times)
    for (const sum of [line, whole]) {
      if (part === 'value' && difference !== null) sum.count += count
      if (part === 'value' || times > 1) sum.difference = Math.max(sum.difference, difference ?? 0)
      sum.isRight &&= times <= 1
    }
    if (part === 'gradient') whole.gradients += count
    if (line.count || !line.isRight) rooms.set(room, line)
  }
  return { ...whole, rooms: [...rooms.values()] }
}

/** Runs one check in a worker of its own. @param {object} run @returns {Promise<Result[]>} */
function recomputed(run) {
  const worker = startWorker('check')
  return new Promise((resolve, reject) => {
    worker.onerror = event => reject(new Error(event.message || 'check'))
    worker.onmessage = ({ data: { results, error } }) => (error ? reject(new Error(error)) : resolve(results))
    worker.postMessage({ run })
  }).finally(() => worker.terminate())
}

/** The maximum of values checked, some 30 million a minute and in 1.5 GB, and of multiply-adds. */
const MAX = { numbers: 3e7, products: 5e9 }

/** @param {number} count @param {string} language */
const formatCount = (count, language) => count.toLocaleString(language)

/** @param {number} count */
const roundly = count => count.toLocaleString(document.documentElement.lang, ROUND_FORMAT)
/** @type {Intl.NumberFormatOptions} */
const ROUND_FORMAT = { notation: 'compact', maximumSignificantDigits: 2 }

/**
 * One line per room, in the order of the model; last what belongs to none.
 * @param {{ rooms: Line[] }} found
 * @param {Room[]} order
 * @param {Translate} t
 */
function table({ rooms }, order, t) {
  /** @param {Line} one */
  const place = ({ room }) => (room ? order.indexOf(room) : order.length)
  /** @param {Line} one */
  const line = ({ room, count, difference, isRight }) => h('tr', {},
    h('th', { scope: 'row' }, room ? placeName(room, t) : t('check.elsewhere')),
    h('td', {}, formatCount(count, document.documentElement.lang)),
    h('td', { className: isRight ? '' : 'is-wrong' }, brief(difference)))
  return h('table', {}, h('thead', {}, h('tr', {},
    ['room', 'count', 'difference'].map(name => h('th', { scope: 'col' }, t(`check.${name}`))))),
  h('tbody', {}, [...rooms].sort((one, other) => place(one) - place(other)).map(line)))
}

/**
 * The dialog, which computes when it is opened.
 * @param {Pick<Context, 't' | 'get' | 'run' | 'whole'> & { ask: Ask }} context
 */
export function check({ t, ask, get, run, whole }) {
  const result = h('div', { 'className': 'check-result', 'aria-live': 'polite' })
  const close = h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() }, t('app.close'))
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { 'className': 'settings check', 'aria-label': t('check.label') },
    h('div', { className: 'dialog-head' }, h('h2', {}, t('check.label')), close),
    h('p', {}, prose(t('check.what'))), result,
    h('details', {}, h('summary', {}, t('check.why')), h('p', {}, prose(t('check.tests')))))
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())

  /**
   * Explains why a run is too large to be checked in this tab; undefined for others.
   * @param {Run} shown
   */
  async function sizeProblem(shown) {
    const numbers = [...shown.tensors.values()].filter(({ isKept }) => isKept !== false)
      .reduce((sum, { shape }) => sum + shape.reduce((product, side) => product * side, 1), 0)
    const { made: costs } = await ask('costs', {}), products = costs.reduce((sum, one) => sum + one.multiplyAdds, 0)
    if (numbers <= MAX.numbers && products <= MAX.products) return ''
    const [count, multiplied, maxNumbers, maxProducts] = [numbers, products, MAX.numbers, MAX.products].map(roundly)
    return t('check.many', { count, multiplied, most: maxNumbers, mostMultiplied: maxProducts })
  }

  async function open() {
    const shown = run()
    if (!shown) return
    result.replaceChildren()
    dialog.showModal()
    try {
      const many = await sizeProblem(shown)
      if (many) {
        result.replaceChildren(h('p', {}, many))
        return
      }
      const results = await recomputed({
        ...await whole(shown), edits: get().edits, gradients: await ask('gradients', {})
      })
      const rooms = roomsOf(shown)
      const rows = summary(results, name => homeOf(rooms, name, shown))
      const counted = /** @type {const} */ (['count', 'gradients', 'given', 'drawn']).map(name => (
        [name, formatCount(rows[name], document.documentElement.lang)]))
      const values = { ...Object.fromEntries(counted), difference: brief(rows.difference) }
      const list = { 'className': 'check-table', 'tabindex': '0', 'role': 'region', 'aria-label': t('check.room') }
      result.replaceChildren(
        h('p', { className: 'check-total' }, t(rows.isRight ? 'check.right' : 'check.wrong', values)),
        h('div', list, table(rows, rooms, t)),
        h('p', { className: 'note' }, t(rows.drawn ? 'check.drawn' : 'check.given', values), ' ', t(isPlanned(shown.settings.model) ? 'check.besides' : 'check.taken'),
          shown.retained ? ` ${t('check.unkept')}` : ''))
    } catch (error) {
      result.replaceChildren(h('p', { className: 'problem' }, t('check.failed', { message: /** @type {Error} */ (error).message })))
    }
  }
  return { open, dialog }
}
