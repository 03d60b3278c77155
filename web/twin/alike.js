/** How far two decoders have read the same. */

/** @import { Run } from '../types.d.ts' */

/** The tokens that an answer's steps were chosen after. @param {Run} run */
function readBy({ decoding, streams }) {
  const { tokens } = Object.values(streams).findLast(stream => stream.isAnswer) ?? Object.values(streams)[0]
  return tokens[0].slice(decoding?.rows[0])
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
