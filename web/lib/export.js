/** Writes a matrix as CSV, or as an array in Python or JavaScript, with every digit. */

import { formatExact } from './number.js'

/** @import { Slice } from '../types.d.ts' */

const SPELLING = {
  csv: { nan: 'nan', infinity: 'inf' }, numpy: { nan: 'np.nan', infinity: 'np.inf' },
  torch: { nan: 'torch.nan', infinity: 'torch.inf' }, js: { nan: 'NaN', infinity: 'Infinity' }
}

/**
 * The shortest digits that round-trip, in a language's spelling.
 * @param {number} value
 * @param {'csv' | 'numpy' | 'torch' | 'js'} language
 */
export function numberLiteral(value, language) {
  const { nan, infinity } = SPELLING[language]
  if (Number.isNaN(value)) return nan
  if (!Number.isFinite(value)) return value < 0 ? `-${infinity}` : infinity
  return formatExact(value).replace('−', '-').replace('e−', 'e-')
}

/** Text that a spreadsheet would run as a formula, and numbers, which are exempt. */
const FORMULA = /^[=+\-@\t\r]/, NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A label as a CSV cell. One that looks like a formula gets an apostrophe, so that no spreadsheet runs it. */
const toCsvCell = (/** @type {string} */ text) => {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
/** @param {Slice} part */
const listRows = ({ rows, cols, values }) => (
  Array.from({ length: rows }, (_, r) => Array.from(values.slice(r * cols, (r + 1) * cols))))

/** A matrix as CSV with row and column labels. @param {Slice} part */
export function toCsv(part) {
  const lines = listRows(part).map((row, r) => [toCsvCell(part.rowLabels[r]), ...row.map(value => numberLiteral(value, 'csv'))])
  return [['', ...part.colLabels.map(toCsvCell)], ...lines].map(line => line.join(',')).join('\n') + '\n'
}

/** The indices along the axes that are not sliced, such as sentence and head. @param {Slice} part */
const fixedIndices = ({ fixed, axis }) => fixed.filter((_, i) => !axis.includes(i))

/** The name of the variable in the exported program. @param {Slice} part */
export const variableName = ({ name }) => name.replace(/\W+/g, '_').replace(/^(?=\d)/, '_')

/**
 * The name of an exported file.
 * @param {Slice} part @param {string} extension
 * @param {string} [suffix] distinguishes figures with the same name
 */
export const fileName = (part, extension, suffix) => (
  `${[part.name.replaceAll(':', '-'), ...fixedIndices(part), ...(suffix ? [suffix] : [])].join('-')}.${extension}`)

/**
 * A program that defines the matrix as an array.
 * @param {Slice} part
 * @param {'numpy' | 'torch' | 'js'} language
 */
export function toArray(part, language) {
  const isInteger = part.values instanceof Int32Array
  const indent = language === 'js' ? '  ' : '    '
  const rows = listRows(part).map(row => `${indent}[${row.map(value => numberLiteral(value, language)).join(', ')}]`)
  const body = `[\n${rows.join(',\n')}\n]`
  const name = variableName(part)
  if (language === 'js') return `const ${name} = ${body}\n`
  const type = isInteger ? 'int64' : 'float32'
  if (language === 'numpy') return `import numpy as np\n${name} = np.array(${body}, dtype=np.${type})\n`
  return `import torch\n${name} = torch.tensor(${body}, dtype=torch.${type})\n`
}
