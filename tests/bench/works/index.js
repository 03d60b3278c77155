// All works, in the order of the table. A work exports cases:
//   name      of the case, with its size
//   claims    what is claimed of it: see lib/claims.js
//   twoThreads  how many times as fast as one thread it should be (run.js --threads 2)
//   patience  how many times longer than usual it is measured (default 1)
//   prepare   makes { sides, expected?, tolerance?, work? }: the sides that take turns (see lib/harness.js), the first
//             values of the right result, and how much one run does (operations or bytes) for shares of the limit
import attention from './attention.js'
import blocks from './blocks.js'
import decoding from './decoding.js'
import growth from './growth.js'
import keep from './keep.js'
import load from './load.js'
import matmul from './matmul.js'
import matmulTransposed from './matmul_transposed.js'
import multihead from './multihead.js'
import rows from './rows.js'
import size from './size.js'
import text from './text.js'
import tokenizer from './tokenizer.js'
import trace from './trace.js'
import training from './training.js'
import vectorMatrix from './vector_matrix.js'

export const cases = [
  matmul, matmulTransposed, vectorMatrix, attention, multihead, rows, blocks, decoding, training, load, size,
  trace, keep, growth, text, tokenizer
].flat()

/** @param {string} name */
export const caseNamed = name => cases.find(one => one.name === name)
