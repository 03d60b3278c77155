/** All Korean words: those of the page, and those of a model that stand in their place. */

import page from './ko.json' with { type: 'json' }

export { models } from '../models/words/ko.js'
export { page }
