/** Token ids of stories as text. */

import { decodeBytes } from '../token_text.js'

/** The token before and after every story. */
export const END = '<end>'

/**
 * The text of ids, without <end> and the space before it; a byte of no whole character becomes <0xEB>.
 * @param {any} tokenizer @param {readonly number[]} ids
 */
export function decode(tokenizer, ids) {
  const textIds = ids.filter(id => id !== tokenizer.idOf(END))
  const bytes = Uint8Array.from(textIds.flatMap(id => [...tokenizer.bytesOf(id)]))
  const text = decodeBytes(bytes, byte => `<0x${byte.toString(16).toUpperCase()}>`)
  return ids[0] === tokenizer.idOf(END) ? text.replace(/^ /, '') : text
}
