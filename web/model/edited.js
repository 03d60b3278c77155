/** Which of a reader's edits a run has a place for, and what they become where the trace knows no such tensor. */

import { isEditable } from '../edits.js'
import { axesOf } from './axes.js'
import { LONGEST, TARGET_TOKENS } from './dates.js'
import { START_ID } from './decode.js'

/** @typedef {{ name: string, index: number[], value: number }} Edit */

export const isWithin = (shape, index) => (
  Boolean(shape) && shape.length === index.length && index.every((i, axis) => i < shape[axis]))

/** A cell's place in the values of its tensor. */
export const offset = (shape, index) => index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)

const ROWS = [1, LONGEST.target, TARGET_TOKENS.length]

/** Shapes of what is computed from the logits, at the longest. */
const AFTER = {
  log_probs: ROWS.slice(1), 'softmax.inverse_temperature': [1], 'softmax.tempered': ROWS, 'softmax.output': ROWS,
  'choice.mask': ROWS, 'choice.cut': ROWS, 'choice.output': ROWS
}

const DOTS = /dots$/

/** Whether an edit is made on the way to the logits. @param {Edit} edit */
export const isInModel = ({ name }) => !Object.hasOwn(AFTER, name)

/** Whether an edit takes part in choosing a token from its logits. @param {Edit} edit */
export const isInChoice = ({ name }) => /^(softmax|choice)\./.test(name)

/** Whether a place of the decoder would look at a later one, so that the answer depends on how far it is written. */
export const looksAhead = ({ name, index }) => (
  /decoder\..*self_attn\.(masked_scores|weights)$/.test(name) && index[3] > index[2])

/** The shapes of everything a pass of this model makes, by name; lengths are those of the example. */
function shapesOf(gf, { model, shapes }, source, training) {
  if (!shapes.has(training)) {
    const { output, trace } = gf.trace(() => gf.noGrad(() => model.forward([source], [[START_ID]])))
    shapes.set(training, new Map(trace.names.map((name) => [name, [...trace.get(name).shape]])))
    trace.dispose()
    output.dispose()
  }
  return shapes.get(training)
}

/** Whether a pass over a source and a target of these lengths has the cell of an edit. */
function isMade({ name, index }, known, lengths) {
  const shape = known.get(name.replace(DOTS, 'scores')) ?? AFTER[name]
  if (!shape || !isEditable({ name, index })) return false
  const { along } = axesOf(name, shape)
  return isWithin(shape.map((side, axis) => lengths[along[axis]] ?? side), index)
}

/** What attention multiplies its products by. @param {{ scale: boolean, dModel: number, heads: number }} settings */
export const scaleOf = ({ scale, dModel, heads }) => (scale ? Math.fround(1 / Math.sqrt(dModel / heads)) : 1)

/** A product before it is scaled is no tensor of the trace: the score made from it is set instead. */
export const scored = ({ name, index, value }, settings) => (
  { name: name.replace(DOTS, 'scores'), index, value: Math.fround(value * scaleOf(settings)) })

/**
 * The edits of a run by the length of its target: those that have a cell there, and those that have none now.
 * @param {any} gf @param {object} made the model @param {object} settings @param {number[]} source
 * @param {Edit[]} edits
 * @returns {{ at(length: number): Edit[], idle(length: number): Edit[] }}
 */
export function fitting(gf, made, settings, source, edits) {
  if (edits.length === 0) return { at: () => [], idle: () => [] }
  const known = shapesOf(gf, made, source, settings.training)
  const fits = (length) => (edit) => isMade(edit, known, { source: source.length, target: length })
  return {
    at(length) {
      const list = edits.filter(fits(length))
      const dots = list.filter(({ name }) => DOTS.test(name))
      return [...dots.map((edit) => scored(edit, settings)), ...list.filter((edit) => !dots.includes(edit))]
    },
    idle: (length) => edits.filter((edit) => !fits(length)(edit))
  }
}
