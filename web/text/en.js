/** All English words: those of the page, and those of a model that stand in their place. */

import dates from '../models/dates/text/en.json' with { type: 'json' }
import own from '../models/own/text/en.json' with { type: 'json' }
import particles from '../models/particles/text/en.json' with { type: 'json' }
import positions from '../models/positions/text/en.json' with { type: 'json' }
import sentences from '../models/sentences/text/en.json' with { type: 'json' }
import stories from '../models/stories/text/en.json' with { type: 'json' }
import page from './en.json' with { type: 'json' }

export const models = { dates, own, particles, positions, sentences, stories }
export { page }
