/** The reader's own text: the stories' architecture with another vocabulary, trained on the training page. */

import { stories } from '../stories/index.js'
import { BEGINNINGS } from '../../../src/training/models/stories/beginnings.js'
import { pickSettings } from '../../../src/training/model_settings.js'

/** @import { PageModel } from '../../types.d.ts' */

const { hints, problems, written } = stories

/** The first word of a story in each language, which a text of the reader's own may contain too. */
const WORDS = ['ko', 'en'].map(language => {
  const [, story] = BEGINNINGS.find(([lang]) => lang === language) ?? BEGINNINGS[0]
  return { lang: language, text: story.split(' ')[0] }
})

/** @type {PageModel} */
export const text = {
  id: 'text',
  needsText: true,
  files: [],
  settings: {
    ...stories.settings,
    ...pickSettings({ weights: { default: 'untrained', options: { untrained: 'untrained', theatre: 'theatre' } } })
  },
  fields: {
    beginning: { default: WORDS[0].text, notes: ['known'] },
    target: { default: '', notes: ['known'], isAnswer: true }
  },
  examples: WORDS.map(({ lang, text: word }) => ({ text: word, lang, patch: { beginning: word, target: '' } })),
  hints, problems, written,
  kind: state => state.weights,
  training: state => (state.weights === 'untrained' ? 'text' : null)
}
