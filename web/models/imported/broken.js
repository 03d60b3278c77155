/** Weights of an imported model that are NaN or infinite. */

import { eachPart } from '../float_rows.js'

/** @import { Library, LibraryTensor } from '../../types.d.ts' */

/**
 * How many weights are NaN or infinite, and the first tensor that contains any.
 * @typedef {{ count: number, first: string }} Broken
 */

/**
 * Whether the sums of a stored matrix's rows are finite, which takes much less time than reading its values.
 * @param {Library} gf @param {LibraryTensor} weight
 */
const hasFiniteSums = (gf, weight) => gf.tidy(() => gf.noGrad(() => (
  gf.functional.linear(gf.ones([1, weight.shape[1]]), weight).values.every(Number.isFinite))))

/** @param {Library} gf @param {any} model @returns {Broken | null} */
export function findBroken(gf, model) {
  let count = 0, first = ''
  for (const [name, weight] of Object.entries(/** @type {Record<string, LibraryTensor>} */ (model.stateDict()))) {
    if (weight.dtype !== 'float32' && hasFiniteSums(gf, weight)) continue
    for (const { values } of eachPart(weight)) for (let i = 0; i < values.length; i++) {
      if (Number.isFinite(values[i])) continue
      first ||= name
      count += 1
    }
  }
  return count ? { count, first } : null
}
