/** Tables and lists that fit a terminal. */

/** Characters without width: combining marks and the zero-width joiner. */
const ZERO_WIDTH = /\p{M}|\u200d/u
/** Characters of two columns: Korean, Chinese and Japanese characters, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u

/** @param {string} character */
const widthOf = character => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** The width of a text in columns of a terminal. @param {string} text */
export const width = text => [...text].reduce((n, character) => n + widthOf(character), 0)

/** @param {string} text @param {number} minWidth */
const padEnd = (text, minWidth) => text + ' '.repeat(Math.max(0, minWidth - width(text)))
/** @param {string} text @param {number} minWidth */
const padStart = (text, minWidth) => ' '.repeat(Math.max(0, minWidth - width(text))) + text

/** Truncates a text to a width, with an ellipsis. @param {string} text @param {number} maxWidth */
function truncate(text, maxWidth) {
  if (width(text) <= maxWidth) return text
  let result = '', used = 1
  for (const character of text) {
    used += widthOf(character)
    if (used > maxWidth) break
    result += character
  }
  return `${result}…`
}

/** The maximum width of a name as a fraction of the terminal, and the minimum width that is assumed for a terminal. */
const MAX_NAME_FRACTION = 1 / 3, MIN_TERMINAL_WIDTH = 20
/** Spaces before each row, and between columns. */
const INDENT = 2, GAP = 2

/**
 * Splits columns into blocks that fit the width: [from, to) of each.
 * @param {readonly number[]} widths @param {number} room
 */
function splitColumns(widths, room) {
  const starts = [0]
  let used = 0
  widths.forEach((columnWidth, j) => {
    used += GAP + columnWidth
    if (used > room && j > starts[starts.length - 1]) {
      starts.push(j)
      used = GAP + columnWidth
    }
  })
  return starts.map((from, i) => [from, starts[i + 1] ?? widths.length])
}

/**
 * Formats a table, in several blocks if it is wider than the terminal.
 * @param {object} of
 * @param {readonly string[]} of.rowNames @param {readonly string[]} of.columnNames
 * @param {(row: number, column: number) => string} of.cell
 * @param {(column: number) => number} of.cellWidth the width of the widest cell of a column
 * @param {number} terminalWidth in columns
 * @returns {Generator<string>} line by line
 */
export function* table({ rowNames, columnNames, cell, cellWidth }, terminalWidth) {
  const totalWidth = Math.max(MIN_TERMINAL_WIDTH, terminalWidth)
  const maxNameWidth = Math.floor(totalWidth * MAX_NAME_FRACTION)
  const truncateName = (/** @type {string} */ name) => truncate(name, maxNameWidth)
  const rows = rowNames.map(truncateName), names = columnNames.map(truncateName)
  const rowNameWidth = rows.reduce((n, name) => Math.max(n, width(name)), 0)
  const widths = names.map((name, j) => Math.max(width(name), cellWidth(j)))
  const line = (/** @type {string} */ name, /** @type {string[]} */ cells) =>
    `${' '.repeat(INDENT)}${padEnd(name, rowNameWidth)}${cells.map(text => ' '.repeat(GAP) + text).join('')}`.trimEnd()
  for (const [from, to] of splitColumns(widths, totalWidth - INDENT - rowNameWidth)) {
    const block = names.slice(from, to)
    yield line('', block.map((name, j) => padStart(name, widths[from + j])))
    for (let i = 0; i < rows.length; i++) {
      yield line(rows[i], block.map((_, j) => padStart(cell(i, from + j), widths[from + j])))
    }
  }
}

/**
 * Wraps a list of words into lines.
 * @param {string} head before the first @param {readonly string[]} words @param {string} between
 * @param {number} terminalWidth in columns @returns {string[]} lines
 */
export function wrapList(head, words, between, terminalWidth) {
  const indent = ' '.repeat(width(head)), lines = [head]
  let used = width(head)
  words.forEach((word, i) => {
    const more = width(word) + (i ? width(between) : 0)
    const trailingWidth = i < words.length - 1 ? width(between.trimEnd()) : 0
    if (i && used + more + trailingWidth > Math.max(MIN_TERMINAL_WIDTH, terminalWidth)) {
      lines[lines.length - 1] += between.trimEnd()
      lines.push(indent + word)
      used = width(indent) + width(word)
    } else {
      lines[lines.length - 1] += (i ? between : '') + word
      used += more
    }
  })
  return lines
}
