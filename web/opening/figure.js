/** The opening's figure: source, answer, and between them the attention of each step. */

import { h, readZoom, syncChildren, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { mountScrubber } from '../lib/scrubber.js'
import { isSpecialToken } from './data.js'

/** @import { data } from './data.js' */
/** @import { BuiltElement, Context } from '../types.d.ts' */

const SCRUBBER_LABELS = /** @type {const} */ (['label', 'back', 'on', 'play', 'pause', 'whole'])
/** Pixels between the lines of several heads. */
const HEAD_DISTANCE = 5
const MAX_LINE_WIDTH = 7

/** How strong the lines of the other steps are where all steps are displayed. */
const FAINT = 0.35

/**
 * Lines from the source tokens to those that read them, as wide as their weights.
 * @param {Element} picture @param {Element[]} source
 * @param {{ target: Element, headWeights: number[][], strength: number }[]} readings strength: 1, or less to be faint
 */
function drawLines(picture, source, readings) {
  const box = picture.getBoundingClientRect(), zoom = readZoom(picture), bottom = box.height / zoom
  /** @param {Element} element */
  const centerOf = element => {
    const { left, width } = element.getBoundingClientRect()
    return (left + width / 2 - box.left) / zoom
  }
  const starts = source.map(centerOf)
  const all = readings.flatMap(({ target, headWeights, strength }) => {
    const to = centerOf(target), middle = (headWeights.length - 1) / 2
    return headWeights.flatMap((row, head) => row.map((weight, position) => (
      { weight: weight * strength, to, from: starts[position] + (head - middle) * HEAD_DISTANCE })))
  })
  syncChildren(picture, all, () => svg('path'), (path, { weight, from, to }) => {
    path.setAttribute('d', `M${from} 0C${from} ${bottom / 2} ${to} ${bottom / 2} ${to} ${bottom}`)
    path.style.setProperty('stroke-width', String(Math.max(0.5, weight * MAX_LINE_WIDTH)))
    path.style.setProperty('opacity', String(weight))
  })
}

const createOption = () => h('li', {}, h('b'), h('span', { className: 'share-track' }, h('span')), h('span', {}))

/**
 * @param {HTMLElement} container
 * @param {Pick<Context, 't' | 'written' | 'get' | 'set'>} context its state has the step that the reader has chosen
 */
export function mountOpeningFigure(container, { t, written, get, set }) {
  const source = h('ol', { 'className': 'living-row', 'aria-label': t('opening.read') })
  const target = h('ol', { 'className': 'living-row is-written', 'aria-label': t('opening.written') })
  const picture = svg('svg', { 'class': 'living-lines', 'aria-hidden': 'true' })
  const caption = h('p', { className: 'living-now' })
  const probabilities = h('ol', { 'className': 'living-shares', 'aria-label': t('opening.shares') })
  const scrubberSlot = h('div')
  container.append(h('div', { className: 'living' },
    h('p', { 'className': 'living-name', 'aria-hidden': 'true' }, t('opening.read')), source, picture, target,
    h('p', { 'className': 'living-name', 'aria-hidden': 'true' }, t('opening.written')),
    scrubberSlot, h('div', { className: 'living-caption' }, caption, probabilities)))
  const words = /** @type {Record<typeof SCRUBBER_LABELS[number], string>} */ (
    Object.fromEntries(SCRUBBER_LABELS.map(name => [name, t(`scrub.${name}`)])))
  const steps = mountScrubber(scrubberSlot, words, goToStep, { endsWithAll: true })
  /** @type {ReturnType<typeof data>} */ let current
  let selectedStep = 0

  /** @param {number} step @param {boolean} [isPlayed] whether playback goes there, which does not change the address */
  function goToStep(step, isPlayed = false) {
    selectedStep = step
    draw()
    if (!isPlayed) set({ step, row: Math.max(step, 0) })
  }
  const createToken = () => h('li', {}, h('button', { type: 'button' }))

  /** @param {BuiltElement<HTMLElement>} item @param {{ token: string }} written @param {number} step */
  function fillToken(item, { token }, step) {
    const button = item.firstChild
    const isFuture = selectedStep >= 0 && step > selectedStep
    setText(button, isFuture ? '' : token)
    const label = t('opening.go', { number: step + 1 })
    button.setAttribute('aria-label', isFuture ? label : `${token} · ${label}`)
    item.classList.toggle('is-now', step === explainedStep())
    item.classList.toggle('is-faint', isSpecialToken(token))
    button.onclick = () => {
      steps.stop()
      goToStep(step)
    }
  }
  /** The selected step; if all steps are displayed, the one that says most. */
  const explainedStep = () => (selectedStep >= 0 ? selectedStep : current.point)

  function draw() {
    steps.update(selectedStep, current.steps.length)
    syncChildren(source, current.source, () => h('li', {}, h('span')), (item, token) => setText(item.firstChild, token))
    syncChildren(target, current.steps, createToken, fillToken)
    const { token, best, options, rest } = current.steps[explainedStep()]
    ;[...source.children].forEach((item, position) => item.classList.toggle('is-now', position === best.position))
    setText(caption, t('opening.now', {
      token, head: best.head, place: current.source[best.position], position: best.position, weight: `${Math.round(best.weight * 100)}%`
    }))
    syncChildren(probabilities, [...options, { token: t('opening.rest'), share: rest, isChosen: false }], createOption, (item, option) => {
      setText(item.children[0], option.token)
      item.children[1].firstChild.style.setProperty('width', `${option.share * 100}%`)
      setText(item.children[2], formatFixed(option.share))
      item.classList.toggle('is-chosen', option.isChosen)
    })
    drawLines(picture, [...source.children], current.steps.map((step, i) => (
      { target: target.children[i], headWeights: step.headWeights, strength: i === explainedStep() ? 1 : FAINT }))
      .filter((_, i) => selectedStep < 0 || i === selectedStep))
  }
  const observer = new ResizeObserver(() => current && draw())
  observer.observe(container)
  return {
    /**
     * A new answer is animated from its start, unless motion is reduced or the address has a step.
     * @param {ReturnType<typeof data>} next
     */
    update(next) {
      if (current === next) return
      /** @param {ReturnType<typeof data> | undefined} option */
      const describeAnswer = option => option && JSON.stringify([option.source, option.steps.map(({ token }) => token)])
      const isNew = describeAnswer(current) !== describeAnswer(next), isStepGiven = !current && get().step >= 0
      current = next
      selectedStep = Math.min(isStepGiven ? get().step : selectedStep, next.steps.length - 1)
      const isStill = isStepGiven || matchMedia('(prefers-reduced-motion: reduce)').matches
      if (isNew && !isStepGiven) {
        selectedStep = isStill ? -1 : 0
        if (get().step >= 0) set({ step: -1, row: 0 })
      }
      draw()
      const answer = written(next.steps.map(({ token }) => token))
      container.setAttribute('aria-label', t('opening.answer', { answer }))
      if (isNew && !isStill) steps.start()
    },
    destroy() {
      observer.disconnect()
      steps.destroy()
    }
  }
}
