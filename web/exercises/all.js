/** All exercises, for the worker and the tests; the page loads them one by one. */

import { exercise as attention } from './attention.js'
import { exercise as dot } from './dot.js'
import { exercise as mask } from './mask.js'
import { exercise as softmax } from './softmax.js'

/** @type {Record<string, import('./index.js').Exercise>} */
export const all = { dot, softmax, attention, mask }
