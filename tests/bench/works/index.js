// All works (benchmarks), in the order of the table. A file exports cases:
//   name        of the case, with its size
//   claims      comparisons with targets: see lib/claims.js
//   twoThreads  the target of the speed-up by two threads (run.js --threads 2)
//   patience    factor of the usual time of measurement (default 1)
//   prepare     returns { sides, expected?, tolerance?, work? }: the sides that take turns (see lib/harness.js), the
//               first values of the right result, and the operations or bytes of one run, for claims about the limit
import { kernels } from './kernels.js'
import load from './load.js'
import size from './size.js'
import text from './text.js'
import tokenizer from './tokenizer.js'

/** All cases. Browsers measure only `kernels`, since the others use files, processes and packages of Node. */
export const cases = [kernels, load, size, text, tokenizer].flat()

/** @param {string} name */
export const findCase = name => cases.find(work => work.name === name)
