/** Matrices in order under single numbers: the figure of an experiment that needs no drawing of its own. */

import { h } from './dom.js'
import { facts } from './facts.js'
import { figure } from './figure.js'

/**
 * @typedef {import('./slice.js').Slice & { word: string, domain: import('./color.js').Domain, isWide?: boolean }} Panel
 *   word: the last part of the key of its title; isWide: it takes a line of its own
 * @typedef {{ word: string, text: string, cell?: import('./cell.js').Cell }} Number
 */

/** The legends of a few panels: one for each scale. @param {Panel[]} panels */
function legendsOf(panels) {
  const known = new Map()
  for (const { domain } of panels) {
    const key = `${domain.kind}${domain.min}${domain.max}`
    if (!known.has(key)) known.set(key, { domain })
  }
  return [...known.values()]
}

/**
 * Mounts an empty figure.
 * @param {Element} container @param {any} context of the stage
 * @param {string} words what the keys of its titles begin with
 */
export function panels(container, context, words) {
  const { t } = context
  const numbers = h('div', { className: 'panel-facts' })
  container.append(numbers)
  const list = facts(numbers, context)
  const fig = figure(container, context)
  fig.body.classList.add('is-pair')
  const slots = new Map()
  function slotOf(key) {
    if (!slots.has(key)) {
      const element = h('div', { className: 'panel' })
      fig.body.append(element)
      slots.set(key, fig.matrix(element))
    }
    return slots.get(key)
  }
  return {
    figure: fig,
    /** @param {{ panels: Panel[], numbers?: Number[] }} next */
    update({ panels: shown, numbers: single = [] }) {
      list.update(single.map(({ word, ...one }) => ({ name: t(`${words}.${word}`), ...one })))
      const named = shown.map(part => ({ title: t(`${words}.${part.word}`), part }))
      const names = shown.map(({ name }) => name)
      const follow = ({ name, index }) => (names.includes(name) ? { row: index.at(-2), col: index.at(-1) } : null)
      named.forEach(({ title, part }) => {
        const hasSameShape = shown.every(({ rows, cols }) => rows === shown[0].rows && cols === shown[0].cols)
        slotOf(part.word).update(part, {
          title, domain: part.domain, dense: true, pair: !part.isWide, ...(hasSameShape && { follow })
        })
      })
      fig.legend(legendsOf(shown))
      fig.numbers(t('frame.numbers'), named)
    },
    mark: fig.mark,
    destroy() {}
  }
}
