/** The embedding: every id looks up its row of the table. */

import { formatInteger } from '../lib/number.js'
import { signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { mountTokenSearch } from '../lib/token_search.js'
import { findTokens, isLargeCount } from '../lib/large_tables.js'
import { commonDomain } from '../lib/picture.js'
import { mountPcaPlot } from '../lib/pca_plot.js'
import { getDescription, getAxisLabels, sliceMatrix, getTableRows, getTensor } from '../lib/run.js'
import { peak, sliceGatheredRows, slice } from '../lib/slice.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'embedding'
export const controls = ['dModel', 'seed']
export const pickers = ['sentence']

/** The maximum number of rows that are looked up at a time. */
const MAX_FOUND = 12

/**
 * The label of a row: its token, if it has one, and its index, which is a position or the id of the token.
 * @param {readonly string[]} words @param {number} index @param {string} [by]
 */
const labelOf = (words, index, by) => (
  words[index] === undefined ? String(index) : by ? `${words[index]} (${index})` : `${words[index]} · ${index}`)

/**
 * The looked-up rows: those of the tokens, of the positions, or of the only token type.
 * @param {Run} run @param {View<'embedding'>} view @param {number} count
 */
function idsOf(run, { sentence, room: { parts: { stream, by } } }, count) {
  if (by) return Array.from({ length: count }, (_, place) => (by === 'position' ? place : 0))
  const all = run.streams[stream ?? '']?.ids ?? [[]]
  return all[sentence] ?? all[0]
}

/**
 * The labels of a table's rows: tokens, or the tokens at its positions; none for token types.
 * @param {Run} run @param {View<'embedding'>} view @returns {readonly string[]}
 */
function wordsOf(run, { sentence, room: { parts: { weight, stream, by } } }) {
  if (!by) return getAxisLabels(run, getDescription(run, weight), 0) ?? []
  const tokens = by === 'position' ? run.streams[stream ?? '']?.tokens ?? [[]] : [[]]
  return tokens[sentence] ?? tokens[0]
}

/**
 * The rows of a large table that a text looks up.
 * @param {Run} run @param {string} name @param {number[]} ids @param {readonly string[]} words @param {string} [by]
 */
function usedRows(run, name, ids, words, by) {
  const { shape } = getDescription(run, name)
  const rows = [...new Set(ids)].filter(id => id < shape[0]).sort((a, b) => a - b)
  const some = getTableRows(run, name, rows), labels = rows.map(id => labelOf(words, id, by))
  return {
    table: sliceGatheredRows(some, shape, rows, labels), domain: signedDomain(some.peak),
    many: { words, total: shape[0], largest: some.largest }
  }
}

/** The table, the rows that one sentence looks up, and their ids. @param {Run} run @param {View<'embedding'>} view */
export function data(run, view) {
  const { weight: name, out, by } = view.room.parts, words = wordsOf(run, view)
  const result = sliceMatrix(run, out, view), ids = idsOf(run, view, result.rows), rest = { run, ids, result, by }
  if (isLargeCount(getDescription(run, name).shape[0])) return { ...usedRows(run, name, ids, words, by), ...rest }
  const weight = getTensor(run, name)
  const rowLabels = words.length
    ? Array.from({ length: weight.shape[0] }, (_, id) => labelOf(words, id, by)) : undefined
  return { table: slice(weight, { row: 0, col: 1, rowLabels }), domain: signedDomain(peak(weight)), many: null,
    ...rest }
}

/** @type {Stage<'embedding'>['picture']} */
export function picture(run, view) {
  const { weight, out } = view.room.parts, scaled = isLargeCount(getDescription(run, weight).shape[0]) ? out : weight
  return { part: sliceMatrix(run, out, view), domain: commonDomain(run, scaled) }
}

/**
 * Rows found by search, below those that the text looks up.
 * @param {Slice} part @param {Slice | null} more @returns {Slice}
 */
function appendRows(part, more) {
  if (!more) return part
  const values = new Float32Array(part.values.length + more.values.length)
  values.set(part.values)
  values.set(more.values, part.values.length)
  return {
    ...part, rows: part.rows + more.rows, values, rowLabels: [...part.rowLabels, ...more.rowLabels],
    rowOrder: [...part.rowOrder ?? [], ...more.rowOrder ?? []]
  }
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, reportError } = context
  const lookUp = h('section', {})
  container.append(lookUp)
  const search = mountTokenSearch(lookUp, t,
    text => loadRows(findTokens(latest.many?.words ?? [], text, MAX_FOUND)).catch(reportError))
  const largestButton = h('button', { type: 'button', className: 'quiet', onclick: () => loadRows(latest.many?.largest ?? []).catch(reportError) }, t('stages.embedding.largest'))
  search.element.append(largestButton)
  const fig = mountFigure(container, context)
  const table = fig.matrix()
  const result = fig.matrix()
  const projection = mountPcaPlot(container, context)
  /** @type {ReturnType<typeof data>} */ let latest
  /** @type {Slice | null} */ let foundRows = null
  let serial = 0

  /** Loads and displays some rows of a large table. @param {number[]} ids */
  async function loadRows(ids) {
    serial += 1
    const ownSerial = serial, { run, table: { name, shape, rowOrder = [] }, many } = latest
    const rows = ids.filter(id => !rowOrder.includes(id))
    if (!many) return
    const some = rows.length ? await runQuery('rows', { name, rows, isTwin: context.isTwin ?? false }) : null
    if (ownSerial !== serial || latest.run !== run) return
    foundRows = some && sliceGatheredRows({ name, shape: [rows.length, shape[1]], data: some.rows }, shape, rows,
      rows.map(id => labelOf(many.words, id, latest.by)))
    draw()
  }
  const draw = () => {
    const { table: own, result: lookedUp, ids, domain, many } = latest, all = appendRows(own, foundRows)
    search.update(many ? t('stages.embedding.drawn', { count: all.rows, total: formatInteger(many.total) }) : '')
    /** The row of the table for an id. @param {number} id */
    const rowOf = id => (all.rowOrder ? all.rowOrder.indexOf(id) : id)
    const titles = { table: t('stages.embedding.table'), result: t('stages.embedding.result') }
    const labels = [...all.rowLabels, ...lookedUp.rowLabels]
    /** @type {Follow} */
    const tableRowOf = ({ name, index }) => (name === lookedUp.name ? { row: rowOf(ids[index[1]]) } : null)
    /** @type {Follow} */
    const resultRowOf = ({ name, index }) => {
      const row = name === all.name ? ids.indexOf(index[0]) : -1
      return row < 0 ? null : { row }
    }
    table.update(all, { title: titles.table, domain, dense: true, alignTo: labels, follow: tableRowOf })
    result.update(lookedUp, { title: titles.result, domain, dense: true, alignTo: labels, follow: resultRowOf })
    const words = latest.by ? all.rowLabels : all.rowLabels.map(label => label.replace(/ · \d+$/, ''))
    projection.update({ run: latest.run, name: all.name, rows: all.rowOrder ?? null, words })
    fig.legend([{ domain }])
    fig.numbers(t('frame.numbers'), [{ title: titles.table, part: all }, { title: titles.result, part: lookedUp }])
  }
  return {
    update(next) {
      if (next.run !== latest?.run) foundRows = null
      latest = next
      draw()
    },
    mark: fig.mark,
    destroy() {
      serial += 1
      projection.destroy()
      search.destroy()
    }
  }
}
