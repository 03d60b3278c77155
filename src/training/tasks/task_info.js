/** What is needed of each task before a worker prepares it. */

import { DATES } from '../models/dates/data.js'
import { BEGINNINGS as REPEATED } from '../models/induction/data.js'
import { BEGINNINGS } from '../models/stories/beginnings.js'
import { fileOf } from '../models/stories/variants.js'

/** @import { TrainingState } from '../settings.js' */

/**
 * @typedef {object} About
 * @property {Partial<TrainingState>} own what differs from the table of settings; of models that the page has trained,
 *   as `npm run train` has them
 * @property {string} sample an example sentence
 * @property {(sentence: string) => string} [asked] a sentence in the format of the page model's field
 * @property {string} house the page model that displays the trained weights
 * @property {(settings: TrainingState) => string | undefined} [weightsFile] the file of the page's weights for these
 *   settings
 * @property {boolean} [isTaughtOnly] whether the page has no trained weights of its own for it
 * @property {boolean} [hasParts] whether its models can have newer parts
 * @property {boolean} [isAttentionOnly] whether its layers have no feed-forward network
 * @property {boolean} [takesText] whether it learns from the reader's own text
 * @property {number} [longest] the length of a batch's rows; the setting `length` by default
 * @property {number} [towers] the relative cost of a second stack that also reads the first
 * @property {number | ((state: TrainingState) => number)} words the approximate vocabulary size
 */

/** @type {Record<string, About>} */
export const TASK_INFO = {
  dates: { house: 'dates', sample: DATES[0], longest: 12, towers: 2.5, words: 150, own: { smoothing: 0.05 },
    weightsFile: () => 'date_translator.safetensors' },
  particles: {
    house: 'particles', sample: '유리[?] 창을 닦아요.', longest: 72, words: 150, weightsFile: () => 'particles.safetensors',
    own: { rate: 6e-3, schedule: 'linear', steps: 1500 }
  },
  stories: {
    house: 'stories', sample: BEGINNINGS[0][1], longest: 72, words: 1024, hasParts: true, weightsFile: fileOf,
    own: {
      schedule: 'linear', steps: 1500, batch: 32, dModel: 40, dimFeedforward: 96, normFirst: true, activation: 'gelu'
    }
  },
  induction: {
    house: 'induction', sample: REPEATED[0][1], longest: 48, words: 100, isAttentionOnly: true,
    weightsFile: () => 'induction.safetensors',
    own: {
      rate: 6e-3, schedule: 'linear', warmUp: 100, steps: 2400, batch: 32, dModel: 64, normFirst: true, positions: 'learned'
    }
  },
  text: {
    house: 'text', sample: BEGINNINGS[0][1].split(' ')[0], words: ({ unit, size }) => (unit === 'pairs' ? size : 1000),
    hasParts: true, takesText: true, isTaughtOnly: true,
    own: {
      schedule: 'cosine', warmUp: 50, steps: 1000, batch: 32, dModel: 48, dimFeedforward: 128, normFirst: true,
      activation: 'gelu', rate: 6e-3
    }
  },
  sums: {
    house: 'text', sample: '17 + 25', asked: sentence => `${sentence.replaceAll('+', ' ')} =`, longest: 3, words: 150,
    hasParts: true, isTaughtOnly: true,
    own: {
      rate: 3e-3, schedule: 'constant', warmUp: 20, steps: 3000, batch: 128, clip: 0, decay: 1, layers: 1, dModel: 48,
      dimFeedforward: 96, normFirst: true, positions: 'learned'
    }
  }
}

/** The page model that displays what a task has trained. @param {string} task */
export const houseOf = task => TASK_INFO[task].house

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
