/** How far two decoders have read the same. */

/** @import { Decoding, Run } from '../types.d.ts' */

/** The token that the first step was chosen after. @param {Decoding | undefined} decoding */
const placeOf = decoding => decoding && decoding.rows[0] + (decoding.first ?? 0)

/** The tokens that an answer's steps were chosen after. @param {Run} run */
function readBy({ decoding, streams }) {
  const { tokens } = Object.values(streams).findLast(stream => stream.isAnswer) ?? Object.values(streams)[0]
  return tokens[0].slice(placeOf(decoding))
}

/**
 * How many rows of two decoders have read the same; what stands in later rows answers different questions.
 * @param {Run} one @param {Run} other
 */
export function readAlike(one, other) {
  const [ids, others] = [readBy(one), readBy(other)]
  const apart = ids.findIndex((id, i) => id !== others[i])
  return apart < 0 ? ids.length : apart
}
