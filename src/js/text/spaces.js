import { lazyRegExp } from './lazy_regexp.js'

/**
 * Finds white space around a position, in linear time: a pattern such as /\s+$/ would be tried again at every space.
 */

/** Runs of white space. */
export const SPACES = lazyRegExp(String.raw`\p{space}+`, 'gu')
const SPACE = lazyRegExp(String.raw`\p{space}`, 'u')

/** The end of the white space that starts at a position. @param {string} text @param {number} at */
export function endOfSpaces(text, at) {
  let end = at
  while (end < text.length && SPACE().test(text[end])) end++
  return end
}

/** The start of the white space that ends at a position. @param {string} text @param {number} at */
export function startOfSpaces(text, at) {
  let start = at
  while (start > 0 && SPACE().test(text[start - 1])) start--
  return start
}
