/** All Korean words: those of the page, and those of a model that stand in their place. */

import dates from '../models/dates/text/ko.json' with { type: 'json' }
import own from '../models/own/text/ko.json' with { type: 'json' }
import particles from '../models/particles/text/ko.json' with { type: 'json' }
import positions from '../models/positions/text/ko.json' with { type: 'json' }
import sentences from '../models/sentences/text/ko.json' with { type: 'json' }
import stories from '../models/stories/text/ko.json' with { type: 'json' }
import page from './ko.json' with { type: 'json' }

export const models = { dates, own, particles, positions, sentences, stories }
export { page }
