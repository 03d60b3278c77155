/** On a lesson’s slide a figure that is taller than the window becomes smaller, as long as its texts can be read. */

import { isPresenting } from '../lib/present.js'

/** The smallest factor: labels of 13 pixels stay above 9. */
const MIN_FIT = 0.7

/** @param {HTMLElement} stage */
function findFit(stage) {
  const figure = stage.querySelector(':scope > :is(.twins, .stage-figure)')
  if (!isPresenting() || !document.documentElement.hasAttribute('data-lesson') || !figure) return 1
  const { top, height } = stage.getBoundingClientRect(), figureHeight = figure.getBoundingClientRect().height
  const available = innerHeight - (top + scrollY) - (height - figureHeight)
  const current = Number(stage.style.getPropertyValue('--fit')) || 1
  return Math.min(1, Math.max(MIN_FIT, Math.floor((available / figureHeight) * current * 100) / 100))
}

/** Keeps the figure of a stage as small as its slide needs. @param {HTMLElement} stage */
export function fitSlides(stage) {
  const update = () => {
    const fit = findFit(stage)
    if (fit < 1) stage.style.setProperty('--fit', String(fit))
    else stage.style.removeProperty('--fit')
  }
  new ResizeObserver(update).observe(stage)
  addEventListener('resize', update)
}
