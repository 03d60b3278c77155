/** One cell over time: its value at every snapshot, as a curve. */

import { mountLines } from '../../lib/chart.js'
import { h, setText, uniqueId } from '../../lib/dom.js'
import { formatShape, formatExact } from '../../lib/number.js'
import { readIndex } from '../../../src/training/cells.js'

/** @import { Context, Translate } from '../../types.d.ts' */
/** @import { CellHistory, Pin } from '../../../src/training/cell_history.js' */

/** @typedef {{ name: string, shape: number[] }} Place */

/**
 * @param {HTMLElement} container
 * @param {{ t: Translate, theme: Context['theme'], seek(step: number): void,
 *   ask(type: string, details?: object): Promise<any> }} context
 */
export function mountPinned(container, { t, theme, seek, ask }) {
  const id = uniqueId('pinned'), wrong = uniqueId('problem')
  /** @type {Place[]} */ let pinnable = []
  let isListed = false
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, 'data-action': 'pinned', 'onfocus': listPinnable, 'onchange': () => {
    const place = pinnable.find(({ name }) => name === select.value)
    if (place) pin({ name: place.name, index: place.shape.map(() => 0) })
  } })
  /** @type {HTMLInputElement} */
  const index = h('input', { 'type': 'text', 'inputmode': 'numeric', 'autocomplete': 'off', 'data-field': 'pinned',
    'aria-label': t('theatre.index'), 'aria-describedby': wrong,
    'onchange': () => pin({ name: select.value, index: readIndex(index.value) ?? [] }) })
  const shape = h('span', { className: 'shape' })
  const problem = h('p', { className: 'problem', role: 'alert', id: wrong })
  const slot = h('div', { 'className': 'chart-slot', 'data-chart': 'pinned' })
  const label = h('output', { className: 'theatre-token' })
  const explanation = h('p', { className: 'theatre-why' })
  container.append(h('h2', {}, t('theatre.pinned')), h('div', { className: 'theatre-choices' },
    h('div', { className: 'theatre-choice' }, h('label', { for: id }, t('theatre.cell')), select, index, shape)),
  problem, slot, label, explanation)
  const chart = mountLines(slot, seek)

  /** What can be pinned is requested on demand. */
  async function listPinnable() {
    if (isListed) return
    isListed = true
    const lists = await ask('places')
    if (lists) fill(lists)
  }
  /** @param {{ weights: Place[], computed: Place[] }} known */
  function fill({ weights, computed }) {
    const { value } = select
    pinnable = [...weights, ...computed]
    /** @param {string} label @param {Place[]} all */
    const group = (label, all) => h('optgroup', { label: t(`theatre.${label}`) },
      all.map(({ name }) => h('option', { value: name }, name)))
    select.replaceChildren(group('weights', weights), group('computed', computed))
    select.value = value
  }
  /** @param {Pin} cell */
  const pin = cell => ask('pin', { cell })
  /** @param {CellHistory} followed */
  function name({ name: tensorName, index: at, shape: sides }) {
    if (![...select.options].some(({ value }) => value === tensorName)) select.append(h('option', { value: tensorName }, tensorName))
    if (document.activeElement !== select) select.value = tensorName
    if (document.activeElement !== index) index.value = at.join(', ')
    setText(shape, formatShape(sides))
  }
  return {
    pin,
    /** With another training or sentence, what can be pinned is requested again. */
    forget() {
      isListed = false
    },
    destroy: chart.destroy,
    /** @param {CellHistory | null | undefined} followed @param {{ step: number, total: number }} facts */
    update(followed, { step, total }) {
      setText(problem, followed ? '' : t('theatre.noCell'))
      index.setAttribute('aria-invalid', followed ? 'false' : 'true')
      if (!followed) return
      name(followed)
      const { steps, values, missing, currentValue, readAt } = followed
      const points = steps.map((x, i) => ({ x, y: values[i] }))
      const cell = `${followed.name}[${followed.index.join(', ')}]`
      const description = t('theatre.pinnedAt', { cell, step, value: formatExact(currentValue) })
      chart.update({
        lines: [{ points, color: 'accent', dots: true }], maxStep: total, title: t('theatre.stepAxis'), at: step, digits: 3,
        label: description, palette: theme().palette
      })
      setText(label, description)
      const stepList = steps.length < 3 ? steps.join(', ') : `${steps.slice(0, 3).join(', ')}, …, ${steps[steps.length - 1]}`
      setText(explanation, [t('theatre.pinnedKept', { count: steps.length, which: stepList }), missing && t('theatre.pinnedMissing', { missing }),
        readAt !== null && t('theatre.pinnedRead', { step: readAt })].filter(Boolean).join(' '))
    }
  }
}
