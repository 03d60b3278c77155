/** Compares values with those that the source notebook printed: numbers by their text, everything else directly. */

import { formatPrinted } from './print.js'

/** The maximum of pure rounding errors, as where a mean should be 0; their digits are arbitrary. */
const MAX_NOISE = 1e-6

/** @type {Record<string, (value: number, decimals?: number) => string>} */
const FORMATS = {
  fixed: (value, decimals) => value.toFixed(decimals),
  sci: (value, decimals) => value.toExponential(decimals).replace(/e([+-])(\d)$/, 'e$10$2'),
  trim: (value, decimals) => value.toFixed(decimals).replace(/0+$/, ''),
  int: value => String(value)
}

/**
 * @typedef {object} Item
 * @property {string} id
 * @property {string[]} [printed] the numbers as the source has them
 * @property {number[]} [shape]
 * @property {'fixed' | 'sci' | 'trim' | 'int'} [style]
 * @property {number} [decimals]
 * @property {any} [value] instead, a value that is no tensor
 * @property {boolean | null} reproduced null for pure rounding noise
 */

/** The numbers in nested lists and dictionaries, in order. @param {any} value @returns {number[]} */
const listNumbers = value => (typeof value === 'number' ? [value]
  : value !== null && typeof value === 'object' ? Object.values(value).flatMap(listNumbers) : [])

/**
 * Compares every printed number with the computed one; for rounding noise, whether both are noise.
 * @param {Item} item @param {{ numbers: number[], value?: any }} output
 * @returns {{ text: string, agrees: boolean, count: number, same: number }[]} count: how many numbers it contains, 0
 *   for words; same: how many of them the page reproduces
 */
export function compareOutput({ printed, style, decimals, value, reproduced }, output) {
  if (!printed) {
    const isSame = JSON.stringify(output.value) === JSON.stringify(value)
    const [numbers, ownNumbers] = [listNumbers(value), listNumbers(output.value)]
    const same = numbers.filter((number, i) => number === ownNumbers[i]).length
    return [{ text: formatPrinted(value).text, agrees: isSame, count: numbers.length, same }]
  }
  /** @param {string} text */
  const trimZeros = text => (style === 'trim' && text.includes('.') ? text.replace(/0+$/, '') : text)
  return printed.map((text, i) => {
    const number = output.numbers[i]
    if (number === undefined) return { text, agrees: false, count: 1, same: 0 }
    const isSame = FORMATS[style ?? 'int'](number, decimals) === trimZeros(text)
    const isNoise = reproduced === null && [number, Number(text)].every(value => Math.abs(value) < MAX_NOISE)
    const agrees = isNoise || isSame
    return { text, agrees, count: 1, same: Number(agrees) }
  })
}

/** Whether the source printed only rounding noise. @param {Item} item */
export const isNoise = ({ printed: list, reproduced }) => (
  reproduced === null && Boolean(list?.every(text => Math.abs(Number(text)) < MAX_NOISE)))

/**
 * How many numbers the source printed per line.
 * @param {Item} item @returns {number}
 */
export const numbersPerLine = ({ shape }) => Math.min(shape?.at(-1) ?? 1, 8)
