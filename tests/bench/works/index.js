// All works, in the order of the table. A work exports cases:
//   name      of the case, with its size
//   claims    what is claimed of it: see lib/claims.js
//   twoThreads  how many times as fast as one thread it should be (run.js --threads 2)
//   patience  how many times longer than usual it is measured (default 1)
//   prepare   makes { sides, expected?, tolerance?, work? }: the sides that take turns (see lib/harness.js), the first
//             values of the right result, and how much one run does (operations or bytes) for shares of the limit
import { kernels } from './kernels.js'
import load from './load.js'
import size from './size.js'
import text from './text.js'
import tokenizer from './tokenizer.js'

/** In a browser only the kernels: files, processes and packages are Node's. */
export const cases = [kernels, load, size, text, tokenizer].flat()

/** @param {string} name */
export const caseNamed = name => cases.find(one => one.name === name)
