/** Lines of a step's arithmetic. */

/**
 * A line between gradient and weight: a formula in symbols, the same with numbers, and the result.
 * @param {string} name @param {string} letters @param {string} numbers @param {number} result
 */
export const createLine = (name, letters, numbers, result) => ({ name, letters, numbers, result })
