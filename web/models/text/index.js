/** The reader's own text: the stories' architecture with another vocabulary, trained on the training page. */

import { stories } from '../stories/index.js'
import { take } from '../settings.js'

/** @import { PageModel } from '../../types.d.ts' */

const { hints, problems, written } = stories

/** @type {PageModel} */
export const text = {
  id: 'text',
  files: [],
  settings: {
    ...stories.settings,
    ...take({ weights: { default: 'untrained', options: { untrained: 'untrained', theatre: 'theatre' } } })
  },
  fields: {
    beginning: { default: '하준은 ', notes: ['known'] },
    target: { default: '', notes: ['known'], isAnswer: true }
  },
  examples: [],
  hints, problems, written,
  kind: state => state.weights,
  offer: state => (state.weights === 'untrained' ? 'text' : null)
}
