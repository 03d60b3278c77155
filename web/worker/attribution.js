/** Direct logit attribution of an answer's token, as data for the page. */

import { largestIndices } from '../lib/large_tables.js'

/** @import { Attribution, Library, LibraryRun, QueryTypes } from '../types.d.ts' */
/** @typedef {Awaited<ReturnType<Library['interpret']['logitAttribution']>>['parts'][0]} LibraryPart */

/**
 * The cell of a part that added or took away most; null for a part that no tensor has.
 * @param {LibraryRun} run @param {LibraryPart} part
 */
function largestCell(run, { name, index, direction }) {
  if (index.length === 0) return null
  const { shape, values } = run.tensor(name)
  const sides = index.map(range => (typeof range === 'number' ? 1 : range[1] - range[0]))
  const starts = index.map(range => (typeof range === 'number' ? range : range[0]))
  let best = starts, max = -1
  direction.forEach((factor, i) => {
    const at = [...starts]
    for (let axis = sides.length - 1, rest = i; axis >= 0; axis--) {
      at[axis] += rest % sides[axis]
      rest = Math.floor(rest / sides[axis])
    }
    const size = Math.abs(factor * Number(values[at.reduce((sum, k, axis) => sum * shape[axis] + k, 0)]))
    if (size > max) [best, max] = [at, size]
  })
  return best
}

/**
 * What each part of the model added to a logit, or to its distance from the best other one.
 * @param {Library} gf @param {LibraryRun} run @param {QueryTypes['attribution'][0]} query
 * @returns {Promise<Attribution>}
 */
export async function attributeLogit(gf, run, { logits, position, token: chosen, isDifference }) {
  const { values, shape } = run.tensor(logits), V = shape[shape.length - 1]
  const [best, second] = largestIndices(/** @type {Float32Array} */ (values), position * V, V, 2)
  const token = chosen ?? best, other = token === best ? second : best
  const against = isDifference && V > 1 ? other : undefined
  // On the page this function is fetched when it is first called.
  const { total, rounding, parts } = await gf.interpret.logitAttribution(run,
    { logits, position, token, against, bySource: true })
  return {
    total, rounding, token, against: against ?? null, parts: parts.map(part => {
      const { name, layer, head, role, value, sources = null } = part
      return { name, layer, head, role, value, sources, cell: largestCell(run, part) }
    })
  }
}
