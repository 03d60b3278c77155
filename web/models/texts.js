/** What models say of themselves: texts that stand in place of the page's own where they are about one model. */

import datesEn from './dates/text/en.json' with { type: 'json' }
import datesKo from './dates/text/ko.json' with { type: 'json' }
import particlesEn from './particles/text/en.json' with { type: 'json' }
import particlesKo from './particles/text/ko.json' with { type: 'json' }
import sentencesEn from './sentences/text/en.json' with { type: 'json' }
import sentencesKo from './sentences/text/ko.json' with { type: 'json' }
import storiesEn from './stories/text/en.json' with { type: 'json' }
import storiesKo from './stories/text/ko.json' with { type: 'json' }

/** @type {Record<string, Record<string, object>>} by model and language */
export const MODEL_TEXTS = {
  dates: { en: datesEn, ko: datesKo }, particles: { en: particlesEn, ko: particlesKo },
  sentences: { en: sentencesEn, ko: sentencesKo }, stories: { en: storiesEn, ko: storiesKo }
}
