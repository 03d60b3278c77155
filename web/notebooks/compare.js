/** Whether a value is the one that a source has printed: numbers by their text, everything else as it is. */

import { printed as written } from './print.js'

/** Rounding that is left where a mean should be 0; its digits are nobody's. */
const NOISE = 1e-6

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
 * @property {any} [value] in their place, what is no tensor
 * @property {boolean | null} reproduced null for what is rounding and nothing else
 */

/** The numbers in lists and dictionaries, in order. @param {any} value @returns {number[]} */
const leaves = value => (typeof value === 'number' ? [value]
  : value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [])

/**
 * Every number that the source printed, with whether the one computed is the same; of rounding alone, whether both are.
 * @param {Item} item @param {{ numbers: number[], value?: any }} made
 * @returns {{ text: string, agrees: boolean, count: number, same: number }[]} count: how many numbers stand in it, none
 *   where it is words; same: how many of them the page has, too
 */
export function compared({ printed, style, decimals, value, reproduced }, made) {
  if (!printed) {
    const isSame = JSON.stringify(made.value) === JSON.stringify(value)
    const [numbers, own] = [leaves(value), leaves(made.value)]
    const same = numbers.filter((number, i) => number === own[i]).length
    return [{ text: written(value).text, agrees: isSame, count: numbers.length, same }]
  }
  /** @param {string} text */
  const bare = text => (style === 'trim' && text.includes('.') ? text.replace(/0+$/, '') : text)
  return printed.map((text, i) => {
    const number = made.numbers[i]
    if (number === undefined) return { text, agrees: false, count: 1, same: 0 }
    const isSame = FORMATS[style ?? 'int'](number, decimals) === bare(text)
    const isNoise = reproduced === null && [number, Number(text)].every(one => Math.abs(one) < NOISE)
    const agrees = isNoise || isSame
    return { text, agrees, count: 1, same: Number(agrees) }
  })
}

/** Whether what a source printed is rounding and nothing else. @param {Item} item */
export const isNoise = ({ printed: list, reproduced }) => (
  reproduced === null && Boolean(list?.every(text => Math.abs(Number(text)) < NOISE)))

/** What a source printed, a line for each row. @param {Item} item @returns {number} how many numbers stand in a line */
export const perLine = ({ shape }) => Math.min(shape?.at(-1) ?? 1, 8)
