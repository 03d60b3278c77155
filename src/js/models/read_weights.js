import { openSource } from '../files/source.js'
import { CHUNK_BYTES, readInto, readRowsInto } from '../files/values.js'
import { convertInto } from '../ops/convert.js'
import { findBlock } from '../tensor/blocks.js'
import { DTYPES, isBlockType } from '../tensor/dtype.js'

/**
 * Reading the weights of a model from its files.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./index.js').LoadOptions} LoadOptions
 */

/**
 * Whether values have to be put into blocks that the file does not have.
 * @param {Tensor} to @param {Entry} entry
 */
const needsPacking = (to, entry) =>
  isBlockType(to.dtype) && (to.dtype === 'int8' || DTYPES[to.dtype].block !== findBlock(entry.dtype))

/**
 * Reads a slice of whole rows into a tensor.
 * @param {Tensor} to @param {number} row the first one @param {Entry} slice @param {string} name
 * @returns {Generator<any, void, any>}
 */
function* readRows(to, row, slice, name) {
  if (needsPacking(to, slice)) yield* readRowsInto(to, row, slice, name)
  else yield* readInto(to, row * to.numel() / to.shape[0], slice, name)
}

/**
 * Reorders rows from adjacent pairs to pairs half a head apart.
 * @param {Uint8Array} bytes @param {number} width bytes per row @param {number} headDim rows per head
 */
function deinterleaveRows(bytes, width, headDim) {
  const out = new Uint8Array(bytes.length)
  for (let i = 0; i < bytes.length / width; i++) {
    const at = i % headDim, to = i - at + (at % 2) * headDim / 2 + Math.floor(at / 2)
    out.set(bytes.subarray(i * width, (i + 1) * width), to * width)
  }
  return out
}

/**
 * Reads the rows of queries or keys, some heads at a time, whose rotary pairs are adjacent in the file.
 * @param {Tensor} to @param {Entry} entry @param {string} name @param {number} headDim
 * @returns {Generator<any, void, any>}
 */
function* readInterleaved(to, entry, name, headDim) {
  const [rows, ...rest] = to.shape, width = (entry.to - entry.from) / rows
  const step = headDim * Math.max(1, Math.floor(CHUNK_BYTES / (headDim * width)))
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row), from = entry.from + row * width
    const bytes = deinterleaveRows(yield entry.source.readChunk(from, from + count * width), width, headDim)
    const source = yield* openSource('models', name, bytes)
    yield* readRows(to, row, { ...entry, source, shape: [count, ...rest], from: 0, to: bytes.length }, name)
  }
}

/**
 * Reads the rows of a tensor of the file that a tensor of the model consists of.
 * @param {Tensor} to @param {Entry} entry @param {string} name @param {import('./plan.js').Part} part
 * @returns {Generator<any, void, any>}
 */
function* readPart(to, entry, name, { groups, total, from, rows }) {
  const [, ...rest] = entry.shape
  const bytes = (entry.to - entry.from) / (groups * total)
  for (let g = 0; g < groups; g++) {
    const start = entry.from + (g * total + from) * bytes
    yield* readRows(to, g * rows, { ...entry, shape: [rows, ...rest], from: start, to: start + rows * bytes }, name)
  }
}

/**
 * Reads one tensor of a file into a tensor of the model, or into a chunk of its rows.
 * @param {Engine} engine @param {Tensor} to @param {import('./plan.js').Read} read
 * @returns {Generator<any, void, any>}
 */
export function* readParameter(engine, to, { name, entry, isTransposed, chunk, part, interleavedHeadDim }) {
  if (interleavedHeadDim) return yield* readInterleaved(to, entry, name, interleavedHeadDim)
  if (part) return yield* readPart(to, entry, name, part)
  const [rows, ...rest] = to.shape, [i, n] = chunk ?? [0, 1], at = i * to.numel() / n, count = rows / n
  if (!isTransposed) return yield* readRows(to, i * count, entry, name)
  const [inputs] = rest, isStored = to.dtype !== 'float32', transposed = engine.keep(engine.empty([inputs, count]))
  const target = isStored ? engine.keep(engine.empty([count, inputs])) : to
  try {
    yield* readInto(transposed, 0, entry, name)
    const address = target.dataPtr()
    engine.c.gf_transpose_forward(isStored ? address : address + 4 * at, transposed.dataPtr(), 1, inputs, 1, count, 1)
    if (isStored) convertInto(to, target)
  } finally {
    transposed.dispose()
    if (isStored) target.dispose()
  }
}

/**
 * The reads, with progress reports and a check of the signal at every chunk.
 * @param {import('./plan.js').Read[]} reads @param {LoadOptions} options
 */
export function withProgress(reads, { onProgress, signal }) {
  const total = reads.reduce((sum, { entry: { from, to } }) => sum + to - from, 0)
  let done = 0
  /** @param {import('../files/source.js').Source} source */
  const withProgressOf = source => ({ ...source, readChunk: (/** @type {number} */ from, /** @type {number} */ to) => {
    signal?.throwIfAborted()
    const pending = onProgress?.({ done, total })
    done += to - from
    return pending instanceof Promise ? pending.then(() => source.readChunk(from, to)) : source.readChunk(from, to)
  } })
  return {
    reads: reads.map(read => ({ ...read, entry: { ...read.entry, source: withProgressOf(read.entry.source) } })),
    finish: () => onProgress?.({ done, total })
  }
}
