/**
 * The key-value cache during generation: a column of keys and values for every token, and the cost of a step with and
 * without it.
 */

import { createScale } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { mountGrid } from '../lib/grid.js'
import { formatFixed, formatInteger } from '../lib/number.js'
import { commonDomain } from '../lib/picture.js'
import { getDescription, getAxisLabels, kvHeadIndex, sliceTransposedHead } from '../lib/run.js'
import { mountScrubber, scrubberLabels } from '../lib/scrubber.js'
import { sliceColumns } from '../lib/slice.js'
import { mountProgress as progressOf } from '../lib/progress.js'

/** @import { CacheComparison, Decoding, Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'cache'
/** @type {string[]} */ export const controls = []
export const pickers = ['layer', 'head']

/** @typedef {{ k: string, v: string, heads: number, kvHeads: number }} Layer */

/** The selected layer. @param {View<'cache'>} view @returns {Layer} */
const layerOf = ({ layer, room: { parts } }) => parts.layers[Math.min(layer ?? 0, parts.layers.length - 1)]

/** The head of the cache that the selected head reads. @param {View<'cache'>} view */
const cachedHead = view => kvHeadIndex({ ...view, room: { parts: layerOf(view) } })

/**
 * The heads that read the same keys and values as the selected one, if several do; else null.
 * @param {View<'cache'>} view
 */
function sharingHeads(view) {
  const { heads, kvHeads } = layerOf(view), count = heads / kvHeads, first = cachedHead(view) * count
  return count === 1 ? null : { first, last: first + count - 1, count: kvHeads }
}

/**
 * The keys or values of one head, transposed: a column for each token.
 * @param {Run} run @param {View<'cache'>} view @param {string} name
 */
function columnsOf(run, view, name) {
  const { kvHeads } = layerOf(view)
  return sliceTransposedHead(run, name, kvHeads, { ...view, head: cachedHead(view) })
}

/**
 * Keys and values up to a step, and the row of the newest token of each step.
 * @param {Run} run @param {View<'cache'>} view
 */
export function data(run, view) {
  const { rows: scored, first = 0, steps } = /** @type {Decoding} */ (run.decoding), { k, v } = layerOf(view)
  const rows = scored.map(row => row + first)
  const step = view.step < 0 ? steps.length - 1 : view.step
  const description = getDescription(run, k), tokens = getAxisLabels(run, description, description.axes.findIndex(({ name }) => name === 'token'))
  const count = rows[step] + 1
  const [keys, values] = [k, v].map(name => sliceColumns(columnsOf(run, view, name), 0, count))
  return {
    run, keys, values, sharing: sharingHeads(view), step, now: view.step,
    rows, tokens: tokens ?? [], columns: rows[rows.length - 1] + 1,
    added: step ? 1 : count, edits: run.settings.edits,
    domain: commonDomain(run, k, v)
  }
}

/** All keys of the head. @type {Stage<'cache'>['picture']} */
export const picture = (run, view) => {
  const { k } = layerOf(view)
  return { part: columnsOf(run, view, k), domain: commonDomain(run, k) }
}

/** @param {(CacheComparison | null)[]} list @param {(one: CacheComparison) => number} of */
const sum = (list, of) => list.reduce((total, item) => total + (item ? of(item) : 0), 0)

/** The rows of the table. @type {Record<string, (one: CacheComparison) => number>} */
const ROWS = {
  kept: ({ multiplyAdds }) => multiplyAdds.cached, whole: ({ multiplyAdds }) => multiplyAdds.full,
  bytes: ({ bytes }) => bytes.generated + bytes.source
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, theme, reportError } = context
  const walk = h('div')
  const newest = h('h2', { 'aria-live': 'polite' })
  const shared = h('p', { className: 'note' })
  container.append(h('section', {}, walk, newest, shared))
  const steps = mountScrubber(walk, scrubberLabels(t), step => context.set(step < 0 ? { step } : { step, row: step }))
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  const [keys, values] = ['k', 'v'].map(() => {
    // Every slot has the final width, so that nothing moves when columns are added.
    const slot = h('div', { className: 'cache-slot' })
    fig.body.append(slot)
    return fig.matrix(slot)
  })
  const verdict = h('p', { className: 'note', role: 'status' })
  const costs = h('section', { className: 'cache-costs' }, h('h2', {}, t('stages.cache.costs')))
  const saved = h('p', { className: 'note' })
  container.append(verdict, costs)
  const progress = progressOf(costs, t)
  const table = mountGrid(costs, t('stages.cache.costs'), t, (_, step) => context.set({ step, row: step }))
  costs.append(saved)
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  /** The comparison of each step of the run, once computed. @type {(CacheComparison | null)[]} */ let comparisons = []
  let job = {}

  /** @param {ReturnType<typeof data>} now */
  function drawTable({ rows, tokens, step }) {
    const colors = createScale({ kind: 'probability', min: 0, max: Math.max(1, ...comparisons.map(comparison => comparison?.multiplyAdds.full ?? 0)) },
      theme().mode)
    const heads = rows.map((row, i) => (i === 0 && row > 0 ? t('stages.cache.beginning') : tokens[row]))
    table.update(t('stages.cache.corner'), heads, Object.entries(ROWS).map(([key, of]) => ({
      key, head: t(`stages.cache.${key}`), cells: rows.map((_, i) => {
        const comparison = comparisons[i]
        if (!comparison) return { text: '' }
        return { text: formatInteger(of(comparison)), isMarked: i === step, color: key === 'bytes' ? null : colors.at(of(comparison)) }
      })
    })))
    const cell = table.element.querySelector('td.is-marked')
    if (cell instanceof HTMLElement) table.element.scrollLeft = cell.offsetLeft - table.element.clientWidth / 2
  }
  /** @param {ReturnType<typeof data>} now */
  function drawVerdict({ step }) {
    const comparison = comparisons[step], soFar = comparisons.slice(0, step + 1)
    const isSame = comparison && comparison.identical === comparison.compared
    setText(verdict, comparison ? t(`stages.cache.${isSame ? 'same' : 'differs'}`,
      { count: formatInteger(comparison.compared), other: formatInteger(comparison.compared - comparison.identical) }) : '')
    const [cached, whole] = [ROWS.kept, ROWS.whole].map(of => sum(soFar, of))
    // The prompt has no earlier step, so nothing is saved.
    const isAll = step > 0 && soFar.length === step + 1 && soFar.every(Boolean)
    setText(saved, isAll ? t('stages.cache.saved',
      { kept: formatInteger(cached), whole: formatInteger(whole), times: formatFixed(whole / cached, 1), bytes: formatInteger(ROWS.bytes(/** @type {CacheComparison} */ (comparison))) }) : '')
  }
  function draw() {
    if (!latest) return
    drawTable(latest)
    drawVerdict(latest)
  }
  /**
   * Compares each step with and without the cache, the selected one first; another run stops it.
   * @param {ReturnType<typeof data>} now
   */
  async function compute({ rows, step }) {
    const ownJob = job = {}
    const order = [...new Set([step, ...rows.keys()].filter(i => !comparisons[i]))]
    for (const [done, i] of order.entries()) {
      progress.update(done, order.length)
      const comparison = await runQuery('compareCache', { read: rows[0] + 1, row: rows[i], isTwin: context.isTwin ?? false })
      if (job !== ownJob) return
      comparisons[i] = comparison
      if (!comparison) break
      draw()
    }
    progress.update(order.length, order.length)
    costs.hidden = comparisons.every(comparison => !comparison)
    table.element.setAttribute('aria-busy', 'false')
  }
  return {
    update(next) {
      const isNew = next.run !== latest?.run, isMoved = next.step !== latest?.step
      if (isNew) comparisons = []
      latest = next
      const { step, now, rows, columns, added, tokens, domain } = next
      steps.update(now, rows.length)
      walk.hidden = rows.length < 2
      const token = tokens[rows[step]], { cols } = next.keys
      setText(newest, step ? t('stages.cache.newest', { token, count: cols - 1 }) : t('stages.cache.first', { count: added }))
      setText(shared, next.sharing ? t('stages.cache.shared', next.sharing) : '')
      shared.hidden = !next.sharing
      const look = { domain, dense: true, pair: true, columns, ...(step && { group: cols - 1 }) }
      keys.update(next.keys, { ...look, title: 'K^T' })
      values.update(next.values, { ...look, title: 'V^T' })
      fig.legend([{ domain, text: 'K, V' }])
      fig.numbers(t('frame.numbers'), [{ title: 'K^T', part: next.keys }, { title: 'V^T', part: next.values }])
      draw()
      if (!isNew && (!isMoved || comparisons[step])) return
      table.element.setAttribute('aria-busy', 'true')
      compute(next).catch(reportError)
    },
    mark: fig.mark,
    destroy() {
      job = {}
      steps.destroy()
    }
  }
}
