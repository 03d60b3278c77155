/** Formats the stages of a run as tables or JSON, piece by piece, because they may be very long. */
import { range } from '../js/tensor/shape.js'
import { leadingIndices } from './stages.js'
import { table, width, wrapList } from './table.js'

/**
 * @typedef {import('./stages.js').Stage} Stage
 * @typedef {ReturnType<typeof import('../js/pipeline.js').prepare>} Prepared
 */

/** Formats a number with four decimals. @param {number} value */
const formatNumber = value => (Number.isFinite(value) ? value.toFixed(4) : String(value).replace('Infinity', 'inf'))

/** @param {number} n */
const indexNames = n => range(n).map(String)

/**
 * A function that gives the width of a column: that of its smallest, largest or non-finite number.
 * @param {Float32Array[]} rows
 */
const numberWidth = rows => (/** @type {number} */ j) => {
  let low = Infinity, high = -Infinity, nonFiniteWidth = 0
  for (const { [j]: value } of rows) {
    if (!Number.isFinite(value)) nonFiniteWidth = Math.max(nonFiniteWidth, formatNumber(value).length)
    else if (value < low || value > high) [low, high] = [Math.min(low, value), Math.max(high, value)]
  }
  return Math.max(nonFiniteWidth, low <= high ? Math.max(formatNumber(low).length, formatNumber(high).length) : 0)
}

/** @param {readonly string[]} rowNames @param {readonly string[]} columnNames @param {Float32Array[]} rows */
const numberTable = (rowNames, columnNames, rows) => ({
  rowNames, columnNames, cellWidth: numberWidth(rows),
  cell: (/** @type {number} */ i, /** @type {number} */ j) => formatNumber(rows[i][j])
})

/**
 * @param {readonly string[]} rowNames @param {readonly string[]} columnNames
 * @param {readonly (readonly unknown[])[]} rows
 */
const textTable = (rowNames, columnNames, rows) => ({
  rowNames, columnNames, cell: (/** @type {number} */ i, /** @type {number} */ j) => String(rows[i][j]),
  cellWidth: (/** @type {number} */ j) => rows.reduce((n, row) => Math.max(n, width(String(row[j]))), 0)
})

/** @param {Stage} stage @param {number} terminalWidth @returns {Iterable<string>} */
function textLines({ name, values }, terminalWidth) {
  if (name === 'tokens') return values.flatMap((/** @type {string[]} */ list, /** @type {number} */ b) =>
    wrapList(`  ${b}  `, list, ' | ', terminalWidth))
  if (name === 'vocabulary') return table(textTable(['id'], values, [indexNames(values.length)]), terminalWidth)
  return table(textTable(indexNames(values.length), indexNames(values[0].length), values), terminalWidth)
}

/** @param {Prepared['text']} text @param {Stage} stage @param {number} terminalWidth @returns {Generator<string>} */
function* numberLines({ tokens }, { shape, pieces }, terminalWidth) {
  const [rows, columns] = shape.slice(-2)
  for (const lead of leadingIndices(shape)) {
    const matrix = [...pieces?.(lead) ?? []].flatMap(piece => piece.rows), [b, h] = lead
    const isPerHead = h !== undefined
    if (lead.length) yield `  sentence ${b}${isPerHead ? `, head ${h}` : ''}`
    const columnNames = isPerHead ? tokens[b] : indexNames(columns)
    yield* table(numberTable(tokens[b] ?? indexNames(rows), columnNames, matrix), terminalWidth)
  }
}

/**
 * Formats stages as text: a title with the shape, then a table for each sentence (and head).
 * @param {Prepared} prepared @param {Stage[]} stages @param {number} terminalWidth in columns
 * @returns {Generator<string>}
 */
export function* asText({ text }, stages, terminalWidth) {
  for (const [i, stage] of stages.entries()) {
    yield `${i ? '\n' : ''}${stage.name} [${stage.shape.join(', ')}]\n`
    if (stage.isLeftOut) yield '  left out\n'
    else for (const line of stage.pieces ? numberLines(text, stage, terminalWidth) : textLines(stage, terminalWidth)) yield `${line}\n`
  }
}

/** −Infinity and NaN become strings, because JSON has no numbers for them. @param {Float32Array} row */
const rowJson = row => JSON.stringify(Array.from(row, value => (Number.isFinite(value) ? value : String(value))))

/**
 * Formats the numbers of a stage as nested JSON arrays, row by row.
 * @param {Stage} stage @returns {Generator<string>}
 */
function* nested({ shape, pieces }) {
  for (const lead of leadingIndices(shape)) {
    // One bracket opens for each trailing index that is 0.
    const zeros = lead.length - (lead.findLastIndex(i => i > 0) + 1)
    yield `${lead.some(i => i > 0) ? ',' : ''}${'['.repeat(zeros + 1)}`
    for (const piece of pieces?.(lead) ?? []) yield `${piece.from ? ',' : ''}${piece.rows.map(rowJson).join()}`
    const ends = lead.length - (lead.findLastIndex((i, axis) => i < shape[axis] - 1) + 1)
    yield ']'.repeat(ends + 1)
  }
}

/**
 * Formats stages as JSON, at full precision.
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
