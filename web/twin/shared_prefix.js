/** How many tokens two decoders have read in common. */

/** @import { Decoding, Run } from '../types.d.ts' */

/** The token before the first step. @param {Decoding | undefined} decoding */
const placeOf = decoding => decoding && decoding.rows[0] + (decoding.first ?? 0)

/** The tokens that an answer's steps read. @param {Run} run */
function readBy({ decoding, streams }) {
  const { tokens } = Object.values(streams).findLast(stream => stream.isAnswer) ?? Object.values(streams)[0]
  return tokens[0].slice(placeOf(decoding))
}

/**
 * The number of rows for which two decoders have read the same tokens; later rows have different inputs.
 * @param {Run} one @param {Run} other
 */
export function sharedPrefix(one, other) {
  const [ids, others] = [readBy(one), readBy(other)]
  const apart = ids.findIndex((id, i) => id !== others[i])
  return apart < 0 ? ids.length : apart
}
