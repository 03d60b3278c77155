/** What a training begins with in place of weights drawn from the seed: the page's trained ones, or those of a step. */

import { filesFor, modelOf } from '../models/index.js'

/** @import { Settings } from '../types.d.ts' */
/** @import { TrainingState } from './settings.js' */

/** Before the names of the weights that a training began with, in its file. */
export const BEGUN = 'start.'

/**
 * The file of the page's trained weights for a task, by name; none where no such model was trained.
 * @param {TrainingState} settings @returns {string | undefined}
 */
export const pageFile = ({ task, kvHeads, heads, ...settings }) => (
  filesFor(/** @type {Settings} */ ({
    ...settings, model: task, heads, kvHeads: kvHeads || heads, weights: modelOf(task).settings.weights.default
  }))[0])

/**
 * Why trainings, one or the two of a race, cannot begin with weights of the page.
 * @param {(TrainingState | null)[]} trainings
 */
export const startProblem = trainings => (
  trainings.some(one => one?.start === 'page' && !pageFile(one)) ? { key: 'theatre.errors.untrained', values: {} } : null)

/**
 * Puts the weights of a file in place of those drawn: of a training's own file what it began with.
 * @param {any} gf the library @param {[string, any][]} named @param {Uint8Array | undefined} file
 */
export function startFrom(gf, named, file) {
  const { tensors } = file ? gf.loadSafetensors(file) : { tensors: {} }
  try {
    for (const [name, parameter] of named) {
      const found = tensors[BEGUN + name] ?? tensors[name]
      if (String(found?.shape) !== String(parameter.shape)) throw Object.assign(new Error(name), { code: 'start' })
      parameter.data.set(found.values)
    }
  } finally {
    for (const tensor of Object.values(tensors)) tensor.dispose()
  }
}
