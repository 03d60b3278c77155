/** How a line of a step's arithmetic is written. */

import { exact } from '../../lib/number.js'

const DIGITS = 4

/** A number with enough digits to follow a formula, few enough to read. @param {number} value */
export const written = value => exact(Number(value.toPrecision(DIGITS)))

/**
 * A line of the way from gradient to weight: a formula in letters, the same in numbers, what comes out.
 * @param {string} name @param {string} letters @param {string} numbers @param {number} result
 */
export const line = (name, letters, numbers, result) => ({ name, letters, numbers, result })
