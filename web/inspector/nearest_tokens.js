/** The tokens whose embeddings have the largest cosine similarity to the vector of a cell. */

import { isSameCell } from '../lib/cell.js'
import { h, setText } from '../lib/dom.js'
import { formatBrief } from '../lib/number.js'
import { getDescription, getAxisLabels } from '../lib/run.js'
import { roomsOf } from '../rooms/index.js'

/** @import { Cell, Child, Context, Described, Run } from '../types.d.ts' */

/** @typedef {{ table: Described, words: { word: string, cosine: number }[] }} NearestTokens */

const COUNT = 5

/** Vectors in a space of their own, whether or not it is as wide as the embeddings. */
const OTHER_ROLES = ['heads', 'parameter']

/**
 * The embedding tables that the vector of a cell can be compared with: it has to be part of the residual stream or a
 * row of such a table. Queries, keys and values are in spaces of their own.
 * @param {Run} run @param {Cell} cell @returns {Described[]}
 */
export function comparableTables(run, { name, isGradient }) {
  const tensor = getDescription(run, name), width = tensor?.shape.at(-1), rooms = roomsOf(run)
  if (!tensor || isGradient || tensor.shape.length < 2 || tensor.axes.at(-1)?.name !== 'channel') return []
  const names = [...new Set(rooms.filter(({ stage }) => stage === 'embedding').map(({ parts }) => parts.weight))]
  const projectionNames = rooms.filter(({ stage }) => stage === 'qkv').flatMap(({ parts: { q, k, v } }) => [q, k, v])
  const isOtherSpace = OTHER_ROLES.includes(tensor.role ?? '') || projectionNames.includes(name)
  if (isOtherSpace && !names.includes(name)) return []
  const tables = names.map(name => getDescription(run, name))
  return /** @type {Described[]} */ (tables.filter(table => table?.shape[1] === width))
}

/**
 * @param {Pick<Context, 't' | 'runQuery'> & { redraw: () => void, live: Element }} context live: a live region that
 *   outlasts the sections
 * @returns {(run: Run, cell: Cell) => Child} the section for a cell
 */
export function createNearestTokens({ t, runQuery, redraw, live }) {
  /** @type {{ run: Run | null, cell: Cell | null, found: NearestTokens[] | null }} */
  let measured = { run: null, cell: null, found: null }
  /** @param {Run} run @param {Cell} cell */
  const isMeasured = (run, cell) => measured.run === run && isSameCell(measured.cell, cell)

  /** @param {Run} run @param {Cell} cell @param {Described} table @returns {Promise<NearestTokens>} */
  async function findNearest(run, { name, index, isTwin }, table) {
    const rows = await runQuery('nearest', { name, index, table: table.name, isTwin })
    const words = getAxisLabels(run, table, 0)
    const tokens = rows.map((/** @type {{ row: number, cosine: number }} */ { row, cosine }) => (
      { word: words?.[row] ?? String(row), cosine }))
    return { table, words: tokens.slice(0, COUNT) }
  }
  /** @param {Run} run @param {Cell} cell @param {Described[]} tables */
  async function measure(run, cell, tables) {
    measured = { run, cell, found: null }
    const results = await Promise.all(tables.map(table => findNearest(run, cell, table)))
    if (!isMeasured(run, cell)) return
    measured.found = results
    redraw()
    const lists = results.map(({ words }) => words.map(({ word }) => word).join(', '))
    setText(live, t('inspector.near.said', { words: lists.join('; ') }))
  }
  /** @param {NearestTokens} one */
  const renderTable = ({ table, words }) => [
    h('p', { className: 'note' }, t('inspector.near.in', { table: table.name })),
    h('dl', { className: 'steps' }, words.map(({ word, cosine }) => [h('dt', {}, word), h('dd', {}, formatBrief(cosine))]))
  ]
  return (run, cell) => {
    const tables = comparableTables(run, cell)
    if (tables.length === 0) return ''
    return h('section', { className: 'nudge' },
      h('button', {
        'type': 'button', 'className': 'quiet', 'data-keep': 'near', 'onclick': () => measure(run, cell, tables)
      }, t('inspector.near.do')),
      isMeasured(run, cell) && measured.found
        ? [measured.found.map(renderTable), h('p', { className: 'note' }, t('inspector.near.why'))] : '')
  }
}
