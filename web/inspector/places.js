/** Where a cell is, axis by axis, with a step to its neighbours for fingers that cannot hit a single cell. */

import { h } from '../lib/dom.js'
import { labelsOf, tensorOf } from '../lib/run.js'

const AXES = ['sentence', 'token', 'dim', 'head', 'query', 'key', 'word', 'position', 'row']

/** What the figure shows one of at a time. */
const SHOWN = ['sentence', 'head']

/** What an index along an axis stands for: a token where there is one. */
function label(run, tensor, index, axis) {
  const sentence = index[tensor.axes.indexOf('sentence')] ?? 0
  return labelsOf(run, tensor, axis, sentence)?.[index[axis]] ?? String(index[axis])
}

/**
 * A list of the places of a cell.
 * @param {object} run
 * @param {{ name: string, index: number[] }} cell
 * @param {{ t: Function, set(patch: object): void, press(cell: object): void }} context
 */
export function places(run, cell, { t, set, press }) {
  const tensor = tensorOf(run, cell.name)
  return h('ul', { className: 'places' }, tensor.axes.map((axis, i) => {
    const name = AXES.includes(axis) ? t(`inspector.axes.${axis}`) : axis
    const step = (by, sign, word) => {
      const to = cell.index[i] + by
      const go = () => {
        if (SHOWN.includes(axis)) set({ [axis]: to })
        press({ ...cell, index: cell.index.with(i, to) })
      }
      return h('button', {
        type: 'button', className: 'place-step', 'data-keep': `${word}-${i}`, disabled: to < 0 || to >= tensor.shape[i],
        'aria-label': t(`inspector.step.${word}`, { axis: name }), onclick: go
      }, sign)
    }
    const isAlone = tensor.shape[i] === 1
    const here = h('b', {}, label(run, tensor, cell.index, i))
    return h('li', {}, h('span', {}, name), isAlone ? here : [step(-1, '‹', 'back'), here, step(1, '›', 'on')])
  }))
}
