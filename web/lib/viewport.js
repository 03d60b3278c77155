/** What is in sight, and scrolling to what has changed outside the window. */

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

/**
 * What can be seen of an element, and some way around it, in pixels from its upper left corner.
 * @param {Element} element @param {number} margin
 */
export function sightOf(element, margin) {
  const box = element.getBoundingClientRect(), frame = element.closest('.frame')?.getBoundingClientRect()
  return {
    left: Math.max(0, frame?.left ?? 0) - margin - box.left, top: -margin - box.top,
    right: Math.min(innerWidth, frame?.right ?? innerWidth) + margin - box.left, bottom: innerHeight + margin - box.top
  }
}

/**
 * Does something once a frame while anything scrolls or the window changes, as long as an element is in the page.
 * @param {Element} element @param {(isNew?: boolean) => void} act
 * @returns {() => void} does it at the next frame, and from then on
 */
export function whileSeen(element, act) {
  let isListening = false, isNew = false, waiting = 0
  const go = () => {
    waiting = 0
    if (element.isConnected) act(isNew)
    isNew = false
  }
  const soon = () => {
    if (!element.isConnected) stop()
    else waiting ||= requestAnimationFrame(go)
  }
  function stop() {
    isListening = false
    removeEventListener('scroll', soon, true)
    removeEventListener('resize', soon)
  }
  return () => {
    isNew = true
    waiting ||= requestAnimationFrame(go)
    if (isListening) return
    isListening = true
    addEventListener('scroll', soon, { capture: true, passive: true })
    addEventListener('resize', soon)
  }
}
