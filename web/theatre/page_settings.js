/** The settings of the page while it displays the weights of a training. */

import { modelOf } from '../models/index.js'
import { defaults } from '../models/state.js'
import { HOUSE } from '../rooms/house.js'
import { examplesFor } from '../words/examples.js'
import { TASK_INFO, houseOf } from '../../src/training/tasks/task_info.js'

/** @import { Language, Patch } from '../types.d.ts' */
/** @import { TrainingState } from '../../src/training/settings.js' */

/**
 * The first sentence of a training: an example for the reader, where a model of the page has the same task, else the
 * task's own.
 * @param {string} task @param {Language} language
 */
export function sampleFor(task, language) {
  const house = houseOf(task), { examples, fields } = modelOf(house)
  const [example] = house === task ? examplesFor(examples, language) : []
  return String(example?.patch[Object.keys(fields)[0]] ?? TASK_INFO[task].sample)
}

/**
 * The settings for a sentence and the training's architecture.
 * @param {TrainingState} training @param {string} sentence if empty, the first one of the training instead
 * @param {Language} language @returns {Patch}
 */
export function pageSettings(training, sentence, language) {
  const { task, normFirst, activation, positions, norm, kvHeads, heads, scale } = training
  const { fields, settings } = modelOf(houseOf(task))
  const architecture = { normFirst, activation, positions, norm, scale, kvHeads: kvHeads || heads, positional: positions !== 'none' }
  /** @param {[string, unknown]} entry */
  const isKnown = ([name, value]) => name in settings &&
    (!settings[name].options || Object.values(settings[name].options).includes(value))
  const knownSettings = Object.entries(architecture).filter(isKnown)
  const initial = sentence.trim() ? sentence : sampleFor(task, language)
  const text = TASK_INFO[task].asked?.(initial) ?? initial
  return {
    ...defaults(houseOf(task)), room: HOUSE.id, edits: [], [Object.keys(fields)[0]]: text,
    ...Object.fromEntries(knownSettings), weights: 'theatre', theatre: ''
  }
}
