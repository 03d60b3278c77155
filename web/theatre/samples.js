/** A sentence for each task to begin with. */

import { DATES } from '../models/dates/index.js'
import { BEGINNINGS } from '../models/stories/index.js'

/** @type {Record<string, string>} */
export const samples = { dates: DATES[0], particles: '유리[?] 창을 닦아요.', stories: BEGINNINGS[0][1], text: '하준은 ', sums: '17 + 25' }
