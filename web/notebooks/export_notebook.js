/** Exports notebooks: as .ipynb for PyTorch, and as a module for Node and the npm package. */

import { formatAll, formatPrinted } from './print.js'

/** @param {string} text */
const toLines = text => text.split('\n').map((line, i, all) => (i < all.length - 1 ? `${line}\n` : line))

/**
 * A notebook for Jupyter.
 * @param {{ name: string, text?: string, code?: string }[]} cells in order: text in Markdown, or code in Python
 * @returns {string}
 */
export function writeNotebook(cells) {
  const python = { display_name: 'Python 3', language: 'python', name: 'python3' }
  return `${JSON.stringify({
    cells: cells.map(({ name, text, code = '' }) => (text === undefined
      ? { cell_type: 'code', execution_count: null, id: name, metadata: {}, outputs: [], source: toLines(code) }
      : { cell_type: 'markdown', id: name, metadata: {}, source: toLines(text) })),
    metadata: { kernelspec: python, language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5
  }, null, 1)}\n`
}

/**
 * A notebook for Jupyter whose code prints with PyTorch what the page prints.
 * @param {import('./documents/index.js').Document} document @param {import('./documents/index.js').DocumentTexts} texts
 * @returns {string}
 */
export const toJupyter = ({ id, cells }, { title, cells: words }) => writeNotebook([
  { name: 'title', text: `# ${id} · ${title}` },
  ...cells.flatMap((cell, i) => [{ name: `words-${i}`, text: words[i] }, { name: `code-${i}`, code: cell.py }])])

/** @param {string} text */
const toComment = text => text.split('\n').map(line => `// ${line}`).join('\n')

/** The globals of a cell on the page. */
const MODULE_HEADER = `// npm install glassformer; then node and the name of this file.
import { load } from 'glassformer'

const gf = await load()
// Writes tensors as PyTorch prints them.
const formatPrinted = ${formatPrinted}
const formatAll = ${formatAll}
const print = (...values) => console.log(formatAll(values).text)
const plot = points => print(points.shape ?? points)`

/** Renames variables that a later cell declares again. @param {{ js: string }[]} cells */
const matchDeclarations = cells => cells.map(({ js }) => js).join('\n').matchAll(/^(?:const|let|class) (\w+)/gm)

/**
 * A module for Node: the cells of the page in one scope.
 * @param {import('./documents/index.js').Document} document @param {import('./documents/index.js').DocumentTexts} texts
 * @returns {string}
 */
export function toModule({ id, cells }, { title, cells: words }) {
  const names = [...matchDeclarations(cells)].map(match => match[1])
  const duplicate = names.find((name, i) => names.indexOf(name) !== i)
  if (duplicate) throw new Error(`${duplicate} is declared in two cells`)
  return [toComment(`${id} · ${title}`), MODULE_HEADER,
    ...cells.map((cell, i) => `${toComment(words[i])}\n${cell.js}`)].join('\n\n') + '\n'
}
