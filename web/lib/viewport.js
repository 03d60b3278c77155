/** Finds the visible part of an element, and scrolls to elements outside the window. */

/** The minimum visible height of an element at the lower edge, in pixels; less goes unnoticed. */
const MIN_VISIBLE = 120

/**
 * Scrolls an element that starts outside the window into view, without animation where motion is reduced.
 * @param {Element} element
 * @param {number} at the target position in the window, from 0, the top, to 1
 */
export function scrollIntoView(element, at) {
  const { top } = element.getBoundingClientRect()
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
  if (top < 0 || top > innerHeight - MIN_VISIBLE) scrollBy({ top: top - innerHeight * at, behavior })
}

/**
 * The visible rectangle of an element plus a margin, in pixels from its upper left corner.
 * @param {Element} element @param {number} margin
 */
export function visibleRect(element, margin) {
  const box = element.getBoundingClientRect(), frame = element.closest('.frame')?.getBoundingClientRect()
  return {
    left: Math.max(0, frame?.left ?? 0) - margin - box.left, top: -margin - box.top,
    right: Math.min(innerWidth, frame?.right ?? innerWidth) + margin - box.left, bottom: innerHeight + margin - box.top
  }
}

/**
 * Calls a function at most once a frame while anything scrolls or the window is resized, as long as an element
 * is connected.
 * @param {Element} element @param {(isNew?: boolean) => void} action
 * @returns {() => void} schedules a call for the next frame and starts listening
 */
export function onViewportChange(element, action) {
  let isListening = false, isNew = false, waiting = 0
  const callAction = () => {
    waiting = 0
    if (element.isConnected) action(isNew)
    isNew = false
  }
  const scheduleCall = () => {
    if (!element.isConnected) stop()
    else waiting ||= requestAnimationFrame(callAction)
  }
  function stop() {
    isListening = false
    removeEventListener('scroll', scheduleCall, true)
    removeEventListener('resize', scheduleCall)
  }
  return () => {
    isNew = true
    waiting ||= requestAnimationFrame(callAction)
    if (isListening) return
    isListening = true
    addEventListener('scroll', scheduleCall, { capture: true, passive: true })
    addEventListener('resize', scheduleCall)
  }
}
