/** The English words of the models, which stand in place of the page's own. */

import dates from '../dates/text/en.json' with { type: 'json' }
import own from '../imported/text/en.json' with { type: 'json' }
import particles from '../particles/text/en.json' with { type: 'json' }
import positions from '../positions/text/en.json' with { type: 'json' }
import sentences from '../sentences/text/en.json' with { type: 'json' }
import stories from '../stories/text/en.json' with { type: 'json' }
import text from '../text/text/en.json' with { type: 'json' }

export const models = { dates, own, particles, positions, sentences, stories, text }
