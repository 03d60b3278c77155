/**
 * On a lesson’s slide a figure that is taller than the window becomes smaller, as long as its texts can be read, and
 * matrices that leave room become larger.
 */

import { isPresenting } from '../lib/present.js'

/** The smallest factor: labels of 13 pixels stay above 9. */
const MIN_FIT = 0.7
/** The largest factor: beyond it the figure would outgrow the words. */
const MAX_FIT = 1.6
/** Nobody sees less. */
const MIN_ENLARGED = 1.05
/** After so long without another factor the figure has settled. */
const SETTLE_MS = 500
const PARTS = '.matrix, .product, .equation > *, .legend'

/**
 * The factor at which the parts of the figure are as wide as the slide; 1 where other parts follow its width, and
 * beside a second run.
 * @param {HTMLElement} stage
 */
function findWidthFit(stage) {
  const [figure, twin] = [...stage.querySelectorAll('.stage-figure')].filter(part => part.checkVisibility())
  if (!figure || twin) return 1
  const isFluid = [...figure.children].some(child => child.checkVisibility() && !child.matches('.figure, .equation'))
  if (isFluid) return 1
  const { left, width } = figure.getBoundingClientRect()
  const ends = [...figure.querySelectorAll(PARTS)].filter(part => part.checkVisibility())
    .map(part => part.getBoundingClientRect().right - left)
  return ends.length ? Math.max(1, width / Math.max(...ends)) : 1
}

/** @param {HTMLElement} stage */
function findFit(stage) {
  const figure = stage.querySelector(':scope > :is(.twins, .stage-figure)')
  if (!isPresenting() || !document.documentElement.hasAttribute('data-lesson') || !figure) return 1
  const { top, height } = stage.getBoundingClientRect(), figureHeight = figure.getBoundingClientRect().height
  const available = innerHeight - (top + scrollY) - (height - figureHeight)
  const current = Number(stage.style.getPropertyValue('--fit')) || 1
  const fit = Math.floor((available / figureHeight) * current * 100) / 100
  if (fit < 1) return Math.max(MIN_FIT, fit)
  const enlarged = Math.min(fit, MAX_FIT, Math.floor(findWidthFit(stage) * 100) / 100)
  return enlarged < MIN_ENLARGED ? 1 : enlarged
}

/**
 * Keeps the figure of a stage as large as its slide allows.
 * @param {HTMLElement} stage @param {() => void} redraw called when the factor is another, so that canvases stay sharp
 */
export function fitSlides(stage, redraw) {
  /** The former factors of this moment: a figure whose lines break otherwise at another factor would alternate. */
  /** @type {number[]} */ let recent = []
  let timeout = 0
  const update = () => {
    const current = Number(stage.style.getPropertyValue('--fit')) || 1, fit = findFit(stage)
    if (fit === current || (fit > current && recent.filter(factor => factor === fit).length > 1)) return
    recent.push(current)
    clearTimeout(timeout)
    timeout = window.setTimeout(() => { recent = [] }, SETTLE_MS)
    stage.style.setProperty('--fit', fit === 1 ? '' : String(fit))
    redraw()
    // The size that the stage has now is not reported: it changed while a change was.
    requestAnimationFrame(update)
  }
  new ResizeObserver(update).observe(stage)
  addEventListener('resize', update)
}
