import { readInto, readRowsInto } from '../files/values.js'
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
 * Reads the rows of a tensor of the file that a tensor of the model consists of.
 * @param {Tensor} to @param {Entry} entry @param {string} name @param {import('./plan.js').Part} part
 * @returns {Generator<any, void, any>}
 */
function* readPart(to, entry, name, { groups, total, from, rows }) {
  const [, ...rest] = entry.shape
  const bytes = (entry.to - entry.from) / (groups * total), width = to.numel() / (groups * rows)
  for (let g = 0; g < groups; g++) {
    const start = entry.from + (g * total + from) * bytes
    const slice = { ...entry, shape: [rows, ...rest], from: start, to: start + rows * bytes }
    if (needsPacking(to, entry)) yield* readRowsInto(to, g * rows, slice, name)
    else yield* readInto(to, g * rows * width, slice, name)
  }
}

/**
 * Reads one tensor of a file into a tensor of the model, or into a chunk of its rows.
 * @param {Engine} engine @param {Tensor} to @param {import('./plan.js').Read} read
 * @returns {Generator<any, void, any>}
 */
export function* readParameter(engine, to, { name, entry, isTransposed, chunk, part }) {
  if (part) return yield* readPart(to, entry, name, part)
  const [rows, ...rest] = to.shape, [i, n] = chunk ?? [0, 1], at = i * to.numel() / n, count = rows / n
  if (!isTransposed && needsPacking(to, entry)) return yield* readRowsInto(to, i * count, entry, name)
  if (!isTransposed) return yield* readInto(to, at, entry, name)
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
