/** Initial weights other than random ones: the page's trained ones, or those of a step. */

import { TASK_INFO } from './tasks/task_info.js'

/** @import { TrainingState } from './settings.js' */

/** The prefix of initial weights in a training's file. */
export const PREFIX = 'start.'

/**
 * The file name of the page's trained weights for a task; undefined where no such model was trained.
 * @param {TrainingState} settings @returns {string | undefined}
 */
export const pageWeightsFile = settings => TASK_INFO[settings.task].weightsFile?.({
  ...settings, kvHeads: settings.kvHeads || settings.heads
})

/**
 * Why trainings, one or the two of a race, cannot start from the page's weights.
 * @param {(TrainingState | null)[]} trainings
 */
export const startProblem = trainings => (
  trainings.some(training => training?.start === 'page' && !pageWeightsFile(training)) ? { key: 'theatre.errors.untrained', values: {} } : null)

/**
 * Replaces the random weights by those of a file; of a training's own file by its initial ones.
 * @param {any} gf the library @param {[string, any][]} named @param {Uint8Array | undefined} file
 */
export function loadInitialWeights(gf, named, file) {
  const { tensors } = file ? gf.loadSafetensors(file) : { tensors: {} }
  try {
    for (const [name, parameter] of named) {
      const tensor = tensors[PREFIX + name] ?? tensors[name]
      if (String(tensor?.shape) !== String(parameter.shape)) throw Object.assign(new Error(name), { code: 'start' })
      parameter.data.set(tensor.values)
    }
  } finally {
    for (const tensor of Object.values(tensors)) tensor.dispose()
  }
}
