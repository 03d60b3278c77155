/** The opening's figure: source, answer, and between them the attention of each step. */

import { h, syncChildren, setText, svg } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'
import { mountScrubber } from '../lib/scrubber.js'

/** @import { data } from './data.js' */
/** @import { BuiltElement, Context } from '../types.d.ts' */

const SCRUB = /** @type {const} */ (['label', 'back', 'on', 'play', 'pause', 'whole'])
/** Pixels between the lines of several heads. */
const APART = 5
const WIDEST = 7

/** @param {string} token */
const isEdge = token => /^<.*>$/.test(token)

/**
 * A line from a source token to the current one, as wide as its weight.
 * @param {Element} picture @param {{ source: Element[], target: Element, looks: number[][] }} ends
 */
function lines(picture, { source, target, looks }) {
  const box = picture.getBoundingClientRect()
  /** @param {Element} element */
  const middle = element => {
    const { left, width } = element.getBoundingClientRect()
    return left + width / 2 - box.left
  }
  const all = looks.flatMap((row, head) => row.map((weight, place) => ({
    weight, from: middle(source[place]) + (head - (looks.length - 1) / 2) * APART, to: middle(target)
  })))
  syncChildren(picture, all, () => svg('path'), (path, { weight, from, to }) => {
    path.setAttribute('d', `M${from} 0C${from} ${box.height / 2} ${to} ${box.height / 2} ${to} ${box.height}`)
    path.style.setProperty('stroke-width', String(Math.max(0.5, weight * WIDEST)))
    path.style.setProperty('opacity', String(weight))
  })
}

const createShare = () => h('li', {}, h('b'), h('span', { className: 'share-track' }, h('span')), h('span', {}))

/**
 * @param {HTMLElement} container
 * @param {Pick<Context, 't' | 'written'>} context
 */
export function openingFigure(container, { t, written }) {
  const source = h('ol', { 'className': 'living-row', 'aria-label': t('opening.read') })
  const target = h('ol', { 'className': 'living-row is-written', 'aria-label': t('opening.written') })
  const picture = svg('svg', { 'class': 'living-lines', 'aria-hidden': 'true' })
  const caption = h('p', { className: 'living-now' })
  const probabilities = h('ol', { 'className': 'living-shares', 'aria-label': t('opening.shares') })
  const walk = h('div')
  container.append(h('div', { className: 'living' },
    h('p', { 'className': 'living-name', 'aria-hidden': 'true' }, t('opening.read')), source, picture, target,
    h('p', { 'className': 'living-name', 'aria-hidden': 'true' }, t('opening.written')),
    walk, h('div', { className: 'living-told' }, caption, probabilities)))
  const words = /** @type {Record<typeof SCRUB[number], string>} */ (
    Object.fromEntries(SCRUB.map(name => [name, t(`scrub.${name}`)])))
  const steps = mountScrubber(walk, words, step => go(step))
  /** @type {ReturnType<typeof data>} */ let current
  let at = 0

  /** @param {number} step */
  function go(step) {
    at = step
    draw()
  }
  const createToken = () => h('li', {}, h('button', { type: 'button' }))

  /** @param {BuiltElement<HTMLElement>} item @param {{ token: string }} written @param {number} step */
  function fillWritten(item, { token }, step) {
    const button = item.firstChild
    const isAhead = at >= 0 && step > at
    setText(button, isAhead ? '' : token)
    const place = t('opening.go', { number: step + 1 })
    button.setAttribute('aria-label', isAhead ? place : `${token} · ${place}`)
    item.classList.toggle('is-now', step === here())
    item.classList.toggle('is-faint', isEdge(token))
    button.onclick = () => {
      steps.stop()
      go(step)
    }
  }
  /** With all steps visible, the last one is explained. */
  const here = () => (at >= 0 ? at : current.steps.findLastIndex(({ token }) => !isEdge(token)))

  function draw() {
    steps.update(at, current.steps.length)
    syncChildren(source, current.source, () => h('li', {}, h('span')), (item, token) => setText(item.firstChild, token))
    syncChildren(target, current.steps, createToken, fillWritten)
    const { token, looks, best, options } = current.steps[here()]
    ;[...source.children].forEach((item, place) => item.classList.toggle('is-now', place === best.place))
    setText(caption, t('opening.now', {
      token, head: best.head, place: current.source[best.place], weight: `${Math.round(best.weight * 100)}%`
    }))
    syncChildren(probabilities, options, createShare, (item, one) => {
      setText(item.children[0], one.token)
      item.children[1].firstChild.style.setProperty('width', `${one.share * 100}%`)
      setText(item.children[2], formatFixed(one.share))
      item.classList.toggle('is-chosen', one.isChosen)
    })
    lines(picture, { source: [...source.children], target: target.children[here()], looks })
  }
  const observer = new ResizeObserver(() => current && draw())
  observer.observe(container)
  return {
    /**
     * A new answer is animated from its start, unless motion is reduced.
     * @param {ReturnType<typeof data>} next
     */
    update(next) {
      if (current === next) return
      /** @param {ReturnType<typeof data> | undefined} one */
      const text = one => one && JSON.stringify([one.source, one.steps.map(({ token }) => token)])
      const isNew = text(current) !== text(next)
      current = next
      at = Math.min(at, next.steps.length - 1)
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
      if (isNew) at = isStill ? -1 : 0
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
