/** The reader's own text: the stories' architecture with another vocabulary, trained on the training page. */

import { stories } from '../stories/index.js'
import { pickSettings } from '../../../src/training/model_settings.js'

/** @import { PageModel } from '../../types.d.ts' */

const { hints, problems, written } = stories

/** @type {PageModel} */
export const text = {
  id: 'text',
  files: [],
  settings: {
    ...stories.settings,
    ...pickSettings({ weights: { default: 'untrained', options: { untrained: 'untrained', theatre: 'theatre' } } })
  },
  fields: {
    beginning: { default: '하준은 ', notes: ['known'] },
    target: { default: '', notes: ['known'], isAnswer: true }
  },
  examples: [],
  hints, problems, written,
  kind: state => state.weights,
  training: state => (state.weights === 'untrained' ? 'text' : null)
}
