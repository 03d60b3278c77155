/** A figure of labeled numbers and matrices below them, for experiments without a drawing of their own. */

import { h } from './dom.js'
import { mountFacts } from './facts.js'
import { mountFigure } from './figure.js'

/** @import { Cell, Context, Domain, Slice } from '../types.d.ts' */
/** @import { Follow } from './matrix.js' */

/**
 * @typedef {Slice & { word: string, domain: Domain, isWide?: boolean }} Panel
 *   word: the last part of the key of its title; isWide: whether it takes a line of its own
 * @typedef {{ word: string, text: string, cell?: Cell }} LabeledNumber
 */

/** The legends of a few panels, one per scale. @param {Panel[]} panels */
function listLegends(panels) {
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
export function mountPanels(container, context, words) {
  const { t } = context
  const numbers = h('div', { className: 'panel-facts' })
  container.append(numbers)
  const list = mountFacts(numbers, context)
  const fig = mountFigure(container, context)
  fig.body.classList.add('is-pair')
  /** @type {Map<string, ReturnType<typeof fig.matrix>>} */ const slots = new Map()
  /** @param {string} key */
  function getSlot(key) {
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
    /** @param {{ panels: Panel[], numbers?: LabeledNumber[] }} next */
    update({ panels: displayedPanels, numbers: labeledNumbers = [] }) {
      list.update(labeledNumbers.map(({ word, ...one }) => ({ name: t(`${words}.${word}`), ...one })))
      const titledParts = displayedPanels.map(part => ({ title: t(`${words}.${part.word}`), part }))
      const names = displayedPanels.map(({ name }) => name)
      /** @type {Follow} */
      const follow = ({ name, index }) => (names.includes(name) ? { row: index.at(-2), col: index.at(-1) } : null)
      titledParts.forEach(({ title, part }) => {
        const hasSameShape = displayedPanels.every(({ rows, cols }) => rows === displayedPanels[0].rows &&
          cols === displayedPanels[0].cols)
        getSlot(part.word).update(part, {
          title, domain: part.domain, dense: true, pair: !part.isWide, ...(hasSameShape && { follow })
        })
      })
      fig.legend(listLegends(displayedPanels))
      fig.numbers(t('frame.numbers'), titledParts)
    },
    mark: fig.mark,
    destroy() {}
  }
}
