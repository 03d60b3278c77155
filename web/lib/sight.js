/** Scrolling to what has changed outside the window. */

/** Less of an element than this goes unnoticed at the lower edge. */
const PEEK = 120

/**
 * Scrolls an element that begins outside the window to a part of its height, at once where motion is not wanted.
 * @param {Element} element
 * @param {number} at from 0, the top, to 1
 */
export function bringInSight(element, at) {
  const { top } = element.getBoundingClientRect()
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
  if (top < 0 || top > innerHeight - PEEK) scrollBy({ top: top - innerHeight * at, behavior })
}
