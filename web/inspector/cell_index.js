/**
 * The index of a cell, axis by axis, with buttons that step to its neighbors, since a finger may not hit a single cell.
 */

import { h } from '../lib/dom.js'
import { getDescription, getAxisLabels } from '../lib/run.js'
import { modelOf } from '../models/index.js'

/** @import { Cell, Context, Described, Run } from '../types.d.ts' */

/**
 * The axes that a figure displays one index of, and the part of the state that selects it.
 * @type {Record<string, string>}
 */
const SELECTORS = { batch: 'sentence', head: 'head' }

/**
 * The label of an index along an axis, a token for example; undefined where it is only a number.
 * @param {Run} run @param {Described} tensor @param {number[]} index @param {number} axis
 */
function label(run, tensor, index, axis) {
  const sentence = index[tensor.axes.findIndex(({ name }) => name === 'batch')] ?? 0
  return getAxisLabels(run, tensor, axis, sentence)?.[index[axis]]
}

/**
 * The model's label for an index along an axis without tokens.
 * @param {Cell} cell @param {number} axis @param {Pick<Context, 't' | 'get'>} context
 */
function named({ name, index }, axis, { t, get }) {
  const place = modelOf(get().model).meanings?.[name]?.places?.[axis]?.[index[axis]]
  if (!place) return undefined
  return 'text' in place ? place.text : t(place.key, place.values)
}

/** The axes that are listed: a batch of one sentence is left out. @param {Described} tensor */
export const listedAxes = ({ axes, shape }) => (
  axes.flatMap(({ name }, i) => (name === 'batch' && shape[i] === 1 ? [] : [i])))

/**
 * Lists the indices of a cell.
 * @param {Run} run
 * @param {Cell} cell
 * @param {Pick<Context, 't' | 'set' | 'pinCell' | 'get'>} context
 */
export function cellIndex(run, cell, { t, set, pinCell: press, get }) {
  const tensor = getDescription(run, cell.name)
  return h('ul', { className: 'places' }, listedAxes(tensor).map(i => {
    const [{ name: axis }, at] = [tensor.axes[i], cell.index[i]]
    const name = t(`inspector.axes.${axis}`)
    /** @param {number} by @param {string} sign @param {string} word */
    const step = (by, sign, word) => {
      const go = () => {
        if (SELECTORS[axis]) set({ [SELECTORS[axis]]: at + by })
        press({ ...cell, index: cell.index.with(i, at + by) })
      }
      const isEnd = at + by < 0 || at + by >= tensor.shape[i]
      return h('button', {
        'type': 'button', 'className': 'place-step', 'data-keep': `${word}-${i}`, 'disabled': isEnd,
        'aria-label': t(`inspector.step.${word}`, { axis: name }), 'onclick': go
      }, sign)
    }
    const steps = tensor.shape[i] === 1 ? [] : [step(-1, '‹', 'back'), step(1, '›', 'on')]
    const token = label(run, tensor, cell.index, i) ?? named(cell, i, { t, get })
    return h('li', {}, h('span', {}, name), steps, h('b', {}, token ?? String(at)),
      token === undefined ? '' : h('small', {}, t('inspector.place', { place: at })))
  }))
}
