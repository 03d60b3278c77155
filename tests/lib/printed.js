// Compares numbers with those that Python printed: a value is right if it prints the same text.
import assert from 'node:assert/strict'
import { unravel } from './compare.js'

const formats = {
  fixed: (value, decimals) => value.toFixed(decimals),
  // Python writes at least two digits of exponent.
  sci: (value, decimals) => value.toExponential(decimals).replace(/e([+-])(\d)$/, 'e$10$2'),
  trim: (value, decimals) => value.toFixed(decimals).replace(/0+$/, ''),
  int: value => String(value)
}

export const format = (value, { style, decimals }) => formats[style](value, decimals)

export const printedNumbers = ({ printed }) => printed.map(Number)

/** Asserts that every number prints as in the golden item. */
export function assertPrinted(actual, item) {
  assert.equal(actual.length, item.printed.length, `${item.id}: number of values`)
  const trim = text => (item.style === 'trim' && text.includes('.') ? text.replace(/0+$/, '') : text)
  const wrong = item.printed.flatMap((text, i) => (format(actual[i], item) === trim(text) ? [] : [i]))
  const lines = wrong
    .slice(0, 5)
    .map(i => `  [${unravel(i, item.shape)}] ${format(actual[i], item)} (${actual[i]}), printed ${item.printed[i]}`)
  assert.equal(wrong.length, 0, [`${item.id}: ${wrong.length} of ${actual.length} differ`, ...lines].join('\n'))
}
