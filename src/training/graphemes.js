/** Grapheme clusters (Unicode UAX #29). */

/** Created for the first text that needs it, since its data takes 25 ms to load. @type {Intl.Segmenter | undefined} */
let segmenter

/**
 * The characters that a reader perceives; an emoji may consist of many code points.
 * @param {string} text @returns {string[]}
 */
export function splitGraphemes(text) {
  if (/^[ -~가-힣]*$/.test(text)) return text.split('')
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}
