/** How many tokens two decoders have read in common. */

/** @import { Decoding, Run } from '../types.d.ts' */

/** The token before the first step. @param {Decoding | undefined} decoding */
const firstPosition = decoding => decoding && decoding.rows[0] + (decoding.first ?? 0)

/** The tokens that an answer's steps read. @param {Run} run */
function readTokens({ decoding, streams }) {
  const { tokens } = Object.values(streams).findLast(stream => stream.isAnswer) ?? Object.values(streams)[0]
  return tokens[0].slice(firstPosition(decoding))
}

/**
 * The number of rows for which two decoders have read the same tokens; later rows have different inputs.
 * @param {Run} a @param {Run} b
 */
export function countSharedRows(a, b) {
  const [ids, others] = [readTokens(a), readTokens(b)]
  const firstDifference = ids.findIndex((id, i) => id !== others[i])
  return firstDifference < 0 ? ids.length : firstDifference
}
