/** The stages of a run as tables for people or JSON for programs, piece by piece: together they may be very long. */
import { range } from '../shape.js'
import { leadsOf } from './stages.js'
import { table, width, wrapped } from './table.js'

/**
 * @typedef {import('./stages.js').Stage} Stage
 * @typedef {ReturnType<typeof import('../pipeline.js').prepare>} Prepared
 */

/** Four decimals. @param {number} value */
const number = value => (Number.isFinite(value) ? value.toFixed(4) : String(value).replace('Infinity', 'inf'))

/** @param {number} n */
const numbered = n => range(n).map(String)

/**
 * The widest of the numbers of a column: the smallest, the largest or one that is none. @param {Float32Array[]} rows
 */
const widest = rows => (/** @type {number} */ j) => {
  let low = Infinity, high = -Infinity, other = 0
  for (const { [j]: value } of rows) {
    if (!Number.isFinite(value)) other = Math.max(other, number(value).length)
    else if (value < low || value > high) [low, high] = [Math.min(low, value), Math.max(high, value)]
  }
  return Math.max(other, low <= high ? Math.max(number(low).length, number(high).length) : 0)
}

/** @param {readonly string[]} rowNames @param {readonly string[]} columnNames @param {Float32Array[]} rows */
const numbers = (rowNames, columnNames, rows) => ({
  rowNames, columnNames, widthOf: widest(rows),
  cell: (/** @type {number} */ i, /** @type {number} */ j) => number(rows[i][j])
})

/**
 * @param {readonly string[]} rowNames @param {readonly string[]} columnNames
 * @param {readonly (readonly unknown[])[]} rows
 */
const words = (rowNames, columnNames, rows) => ({
  rowNames, columnNames, cell: (/** @type {number} */ i, /** @type {number} */ j) => String(rows[i][j]),
  widthOf: (/** @type {number} */ j) => rows.reduce((n, row) => Math.max(n, width(String(row[j]))), 0)
})

/** @param {Stage} stage @param {number} columns @returns {Iterable<string>} */
function wordLines({ name, values }, columns) {
  if (name === 'tokens') return values.flatMap((/** @type {string[]} */ list, /** @type {number} */ b) =>
    wrapped(`  ${b}  `, list, ' | ', columns))
  if (name === 'vocabulary') return table(words(['id'], values, [numbered(values.length)]), columns)
  return table(words(numbered(values.length), numbered(values[0].length), values), columns)
}

/** @param {Prepared['text']} text @param {Stage} stage @param {number} columns @returns {Generator<string>} */
function* numberLines({ tokens }, { shape, pieces }, columns) {
  const [rows, across] = shape.slice(-2)
  for (const lead of leadsOf(shape)) {
    const matrix = [...pieces?.(lead) ?? []].flatMap(piece => piece.rows), [b, h] = lead, isSquare = h !== undefined
    if (lead.length) yield `  sentence ${b}${isSquare ? `, head ${h}` : ''}`
    yield* table(numbers(tokens[b] ?? numbered(rows), isSquare ? tokens[b] : numbered(across), matrix), columns)
  }
}

/**
 * A title with the shape, then a table for each sentence (and head).
 * @param {Prepared} prepared @param {Stage[]} stages @param {number} columns of the terminal
 * @returns {Generator<string>}
 */
export function* asText({ text }, stages, columns) {
  for (const [i, stage] of stages.entries()) {
    yield `${i ? '\n' : ''}${stage.name} [${stage.shape.join(', ')}]\n`
    if (stage.isLeftOut) yield '  left out\n'
    else for (const line of stage.pieces ? numberLines(text, stage, columns) : wordLines(stage, columns)) yield `${line}\n`
  }
}

/** −Infinity and NaN as strings: JSON has no words for them. @param {Float32Array} row */
const rowJson = row => JSON.stringify(Array.from(row, value => (Number.isFinite(value) ? value : String(value))))

/** The numbers of a stage, row by row. @param {Stage} stage @returns {Generator<string>} */
function* nested({ shape, pieces }) {
  for (const lead of leadsOf(shape)) {
    // As many brackets open as indices begin anew.
    const zeros = lead.length - (lead.findLastIndex(i => i > 0) + 1)
    yield `${lead.some(i => i > 0) ? ',' : ''}${'['.repeat(zeros + 1)}`
    for (const piece of pieces?.(lead) ?? []) yield `${piece.from ? ',' : ''}${piece.rows.map(rowJson).join()}`
    const ends = lead.length - (lead.findLastIndex((i, axis) => i < shape[axis] - 1) + 1)
    yield ']'.repeat(ends + 1)
  }
}

/**
 * Everything at full precision.
 * @param {Prepared} prepared @param {Stage[]} stages @returns {Generator<string>}
 */
export function* asJson({ settings, text: { texts, lengths } }, stages) {
  yield `${JSON.stringify({ settings, texts, lengths }).slice(0, -1)},"stages":[`
  for (const [i, { name, shape, ...stage }] of stages.entries()) {
    yield `${i ? ',' : ''}{"name":"${name}","shape":${JSON.stringify(shape)},"values":`
    if (stage.pieces) yield* nested({ name, shape, ...stage })
    else yield JSON.stringify(stage.values)
    yield '}'
  }
  yield ']}\n'
}
