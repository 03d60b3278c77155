/** Lines of a step's arithmetic. */

import { formatExact } from '../../lib/number.js'

const DIGITS = 4

/** A number with few enough digits to read and enough to verify a formula. @param {number} value */
export const formatShort = value => formatExact(Number(value.toPrecision(DIGITS)))

/**
 * A line between gradient and weight: a formula in symbols, the same with numbers, and the result.
 * @param {string} name @param {string} letters @param {string} numbers @param {number} result
 */
export const createLine = (name, letters, numbers, result) => ({ name, letters, numbers, result })
