/** Tables and lists that fit a terminal. */

/** Combining marks and the joiner of emoji: they take no column of a terminal. */
const NARROW = /\p{M}|\u200d/u
/** Korean, Chinese and Japanese letters and emoji: they take two. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u

/** @param {string} character */
const widthOf = character => (NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** Columns a terminal needs. @param {string} text */
export const width = text => [...text].reduce((n, character) => n + widthOf(character), 0)

/** @param {string} text @param {number} columns */
const left = (text, columns) => text + ' '.repeat(Math.max(0, columns - width(text)))
/** @param {string} text @param {number} columns */
const right = (text, columns) => ' '.repeat(Math.max(0, columns - width(text))) + text

/** As much of a text as fits. @param {string} text @param {number} columns */
function cut(text, columns) {
  if (width(text) <= columns) return text
  let kept = '', used = 1
  for (const character of text) {
    used += widthOf(character)
    if (used > columns) break
    kept += character
  }
  return `${kept}…`
}

/**
 * What of a terminal's width a name may take, and how few columns it is taken to have: a narrower one cannot be served.
 */
const NAMES = 1 / 3, LEAST = 20
/** Before every row, and between columns. */
const INDENT = 2, GAP = 2

/**
 * Which columns stand side by side: from each place to before the next.
 * @param {readonly number[]} widths @param {number} room
 */
function blocksOf(widths, room) {
  const starts = [0]
  let used = 0
  widths.forEach((columns, j) => {
    used += GAP + columns
    if (used > room && j > starts[starts.length - 1]) {
      starts.push(j)
      used = GAP + columns
    }
  })
  return starts.map((from, i) => [from, starts[i + 1] ?? widths.length])
}

/**
 * A table, in blocks one below the other where it is wider than the terminal.
 * @param {object} of
 * @param {readonly string[]} of.rowNames @param {readonly string[]} of.columnNames
 * @param {(row: number, column: number) => string} of.cell
 * @param {(column: number) => number} of.widthOf the widest cell of a column
 * @param {number} columns of the terminal
 * @returns {Generator<string>} line by line
 */
export function* table({ rowNames, columnNames, cell, widthOf: widest }, columns) {
  const all = Math.max(LEAST, columns), most = Math.floor(all * NAMES)
  const short = (/** @type {string} */ name) => cut(name, most)
  const rows = rowNames.map(short), names = columnNames.map(short)
  const first = rows.reduce((n, name) => Math.max(n, width(name)), 0)
  const widths = names.map((name, j) => Math.max(width(name), widest(j)))
  const line = (/** @type {string} */ name, /** @type {string[]} */ cells) =>
    `${' '.repeat(INDENT)}${left(name, first)}${cells.map(one => ' '.repeat(GAP) + one).join('')}`.trimEnd()
  for (const [from, to] of blocksOf(widths, all - INDENT - first)) {
    const block = names.slice(from, to)
    yield line('', block.map((name, j) => right(name, widths[from + j])))
    for (let i = 0; i < rows.length; i++) {
      yield line(rows[i], block.map((_, j) => right(cell(i, from + j), widths[from + j])))
    }
  }
}

/**
 * Words one after the other, on as many lines as they need.
 * @param {string} head before the first @param {readonly string[]} words @param {string} between
 * @param {number} columns of the terminal @returns {string[]} lines
 */
export function wrapped(head, words, between, columns) {
  const indent = ' '.repeat(width(head)), lines = [head]
  let used = width(head)
  words.forEach((word, i) => {
    const more = width(word) + (i ? width(between) : 0)
    const mark = i < words.length - 1 ? width(between.trimEnd()) : 0
    if (i && used + more + mark > Math.max(LEAST, columns)) {
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
