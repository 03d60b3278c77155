// The works that run in every engine, in the order of the table; index.js describes works.
import attention from './attention.js'
import blocks from './blocks.js'
import decoding from './decoding.js'
import gguf from './gguf.js'
import growth from './growth.js'
import keep from './keep.js'
import matmul from './matmul.js'
import matmulTransposed from './matmul_transposed.js'
import memory from './memory.js'
import multihead from './multihead.js'
import rows from './rows.js'
import trace from './trace.js'
import training from './training.js'
import vectorMatrix from './vector_matrix.js'

export const kernels = [
  matmul, matmulTransposed, vectorMatrix, attention, multihead, rows, memory, blocks, decoding, training,
  trace, keep, growth
].flat()
/** The works of pages: those, and what has a peer only there. */
export const inPages = [...kernels, ...gguf]
