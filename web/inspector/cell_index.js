/**
 * The index of a cell, axis by axis, with buttons to neighboring cells, which may be too small to tap.
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
function tokenLabel(run, tensor, index, axis) {
  const sentence = index[tensor.axes.findIndex(({ name }) => name === 'batch')] ?? 0
  return getAxisLabels(run, tensor, axis, sentence)?.[index[axis]]
}

/**
 * The model's label for an index along an axis without tokens.
 * @param {Cell} cell @param {number} axis @param {Pick<Context, 't' | 'get'>} context
 */
function modelLabel({ name, index }, axis, { t, get }) {
  const meaning = modelOf(get().model).meanings?.[name]?.places?.[axis]?.[index[axis]]
  if (!meaning) return undefined
  return 'text' in meaning ? meaning.text : t(meaning.key, meaning.values)
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
export function renderCellIndex(run, cell, { t, set, pinCell, get }) {
  const tensor = getDescription(run, cell.name)
  return h('ul', { className: 'places' }, listedAxes(tensor).map(i => {
    const [{ name: axis }, index] = [tensor.axes[i], cell.index[i]]
    const name = t(`inspector.axes.${axis}`)
    /** @param {number} offset @param {string} sign @param {string} word */
    const step = (offset, sign, word) => {
      const move = () => {
        if (SELECTORS[axis]) set({ [SELECTORS[axis]]: index + offset })
        pinCell({ ...cell, index: cell.index.with(i, index + offset) })
      }
      const isEnd = index + offset < 0 || index + offset >= tensor.shape[i]
      return h('button', {
        'type': 'button', 'className': 'place-step', 'data-keep': `${word}-${i}`, 'disabled': isEnd,
        'aria-label': t(`inspector.step.${word}`, { axis: name }), 'onclick': move
      }, sign)
    }
    const steps = tensor.shape[i] === 1 ? [] : [step(-1, '‹', 'back'), step(1, '›', 'on')]
    const token = tokenLabel(run, tensor, cell.index, i) ?? modelLabel(cell, i, { t, get })
    return h('li', {}, h('span', {}, name), steps, h('b', {}, token ?? String(index)),
      token === undefined ? '' : h('small', {}, t('inspector.place', { place: index })))
  }))
}
