/** A matrix as text: CSV, or an array in Python and JavaScript. Every digit is retained. */

import { exact } from './number.js'

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
export function spell(value, language) {
  const { nan, infinity } = SPELLING[language]
  if (Number.isNaN(value)) return nan
  if (!Number.isFinite(value)) return value < 0 ? `-${infinity}` : infinity
  return exact(value).replace('−', '-').replace('e−', 'e-')
}

/** What a spreadsheet would take for a formula, unless it is a number. */
const FORMULA = /^[=+\-@\t\r]/, NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A label as a cell: one that looks like a formula gets an apostrophe, so that no spreadsheet runs it. */
const quoted = (/** @type {string} */ text) => {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
/** @param {Slice} part */
const rowsOf = ({ rows, cols, values }) => (
  Array.from({ length: rows }, (_, r) => Array.from(values.slice(r * cols, (r + 1) * cols))))

/** A matrix as CSV with row and column labels. @param {Slice} part */
export function toCsv(part) {
  const lines = rowsOf(part).map((row, r) => [quoted(part.rowLabels[r]), ...row.map(value => spell(value, 'csv'))])
  return [['', ...part.colLabels.map(quoted)], ...lines].map(line => line.join(',')).join('\n') + '\n'
}

/** Indices along the fixed axes: which sentence, which head. @param {Slice} part */
const place = ({ fixed, axis }) => fixed.filter((_, i) => !axis.includes(i))

/** A variable name. @param {Slice} part */
export const variable = ({ name }) => name.replace(/\W+/g, '_').replace(/^(?=\d)/, '_')

/**
 * A file name.
 * @param {Slice} part @param {string} extension
 * @param {string} [which] distinguishes figures with the same name
 */
export const fileName = (part, extension, which) => (
  `${[part.name.replaceAll(':', '-'), ...place(part), ...(which ? [which] : [])].join('-')}.${extension}`)

/**
 * An array as the start of a program.
 * @param {Slice} part
 * @param {'numpy' | 'torch' | 'js'} language
 */
export function toArray(part, language) {
  const whole = part.values instanceof Int32Array
  const indent = language === 'js' ? '  ' : '    '
  const rows = rowsOf(part).map(row => `${indent}[${row.map(value => spell(value, language)).join(', ')}]`)
  const body = `[\n${rows.join(',\n')}\n]`
  const name = variable(part)
  if (language === 'js') return `const ${name} = ${body}\n`
  const type = whole ? 'int64' : 'float32'
  if (language === 'numpy') return `import numpy as np\n${name} = np.array(${body}, dtype=np.${type})\n`
  return `import torch\n${name} = torch.tensor(${body}, dtype=torch.${type})\n`
}
