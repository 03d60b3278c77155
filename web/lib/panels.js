/** Matrices below single numbers: the figure of an experiment that needs no drawing of its own. */

import { h } from './dom.js'
import { facts } from './facts.js'
import { figure } from './figure.js'

/** @import { Cell, Context, Domain, Slice } from '../types.d.ts' */
/** @import { Follow } from './matrix.js' */

/**
 * @typedef {Slice & { word: string, domain: Domain, isWide?: boolean }} Panel
 *   word: the last part of the key of its title; isWide: it takes a line of its own
 * @typedef {{ word: string, text: string, cell?: Cell }} Single
 */

/** The legends of a few panels, one per scale. @param {Panel[]} panels */
function legendsOf(panels) {
  const scales = new Map()
  for (const { domain } of panels) {
    const key = `${domain.kind}${domain.min}${domain.max}`
    if (!scales.has(key)) scales.set(key, { domain })
  }
  return [...scales.values()]
}

/**
 * Mounts an empty figure.
 * @param {HTMLElement} container @param {Context} context of the stage
 * @param {string} words the prefix of the keys of its titles
 */
export function panels(container, context, words) {
  const { t } = context
  const numbers = h('div', { className: 'panel-facts' })
  container.append(numbers)
  const list = facts(numbers, context)
  const fig = figure(container, context)
  fig.body.classList.add('is-pair')
  /** @type {Map<string, ReturnType<typeof fig.matrix>>} */ const slots = new Map()
  /** @param {string} key */
  function slotOf(key) {
    const existing = slots.get(key)
    if (existing) return existing
    const element = h('div', { className: 'panel' })
    fig.body.append(element)
    const slot = fig.matrix(element)
    slots.set(key, slot)
    return slot
  }
  return {
    figure: fig,
    /** @param {{ panels: Panel[], numbers?: Single[] }} next */
    update({ panels: shown, numbers: single = [] }) {
      list.update(single.map(({ word, ...one }) => ({ name: t(`${words}.${word}`), ...one })))
      const named = shown.map(part => ({ title: t(`${words}.${part.word}`), part }))
      const names = shown.map(({ name }) => name)
      /** @type {Follow} */
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
