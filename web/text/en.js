/** All English words: those of the page, and those of a model that stand in their place. */

import { page as first } from './first/en.js'
import rooms from './en.json' with { type: 'json' }

export { models } from '../models/words/en.js'
export const page = { ...first, ...rooms }
