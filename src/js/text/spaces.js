import { onDemand } from './on_demand.js'

/** White space at a place of a text, step by step: a pattern with an end in it begins anew at every space. */

const SPACE = onDemand(String.raw`\p{White_Space}`, 'u')

/** Where the white space ends that begins at a place. @param {string} text @param {number} at */
export function endOfSpaces(text, at) {
  let end = at
  while (end < text.length && SPACE().test(text[end])) end++
  return end
}

/** Where the white space begins that ends at a place. @param {string} text @param {number} at */
export function startOfSpaces(text, at) {
  let start = at
  while (start > 0 && SPACE().test(text[start - 1])) start--
  return start
}
