/** The Korean words of the models, which stand in place of the page's own. */

import dates from '../dates/text/ko.json' with { type: 'json' }
import own from '../imported/text/ko.json' with { type: 'json' }
import particles from '../particles/text/ko.json' with { type: 'json' }
import positions from '../positions/text/ko.json' with { type: 'json' }
import sentences from '../sentences/text/ko.json' with { type: 'json' }
import stories from '../stories/text/ko.json' with { type: 'json' }
import text from '../text/text/ko.json' with { type: 'json' }

export const models = { dates, own, particles, positions, sentences, stories, text }
