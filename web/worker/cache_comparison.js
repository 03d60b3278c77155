/**
 * Computes one generation step twice: with the cached keys and values of earlier steps, and with everything recomputed.
 */

/** @import { CacheComparison, Continuation, Library, LibraryTensor, ModelRun } from '../types.d.ts' */
/** @import { Cache } from '../../src/js/ops/attention_cache.js' */
/** @import { Trace } from '../../src/js/trace/trace.js' */

const BYTES = 4

/**
 * Calls a function with dropout off, as in generation, and restores the mode of every module.
 * @template T @param {Continuation['model']} model @param {() => T} fn
 */
export function inEvalMode(model, fn) {
  const modules = Array.from(model.namedModules(), ([, module]) => module)
  const before = modules.map(({ training }) => training)
  for (const module of modules) module.training = false
  try {
    return fn()
  } finally {
    modules.forEach((module, i) => { module.training = before[i] })
  }
}

/** The keys and values that every attention of a pass reads, in order. @param {Trace} trace */
const keysAndValues = trace => trace.nodes.filter(({ op }) => op.name === 'attention').map(({ inputs: { k, v } }) => (
  [k, v].map(item => /** @type {LibraryTensor} */ (item))))

/** The last row of logits. @param {LibraryTensor} logits */
const lastRow = ({ shape, values }) => /** @type {Float32Array} */ (values.slice(-shape[2]))

/**
 * @param {Library} gf @param {() => LibraryTensor} forward
 * @param {(read: LibraryTensor[][], trace: Trace) => T} use @returns {T & { row: Float32Array, multiplyAdds: number }}
 * @template {object} T
 */
function traced(gf, forward, use) {
  const { output, trace } = gf.trace(forward, { keepAttention: [] })
  const multiplyAdds = trace.stages().reduce((sum, stage) => sum + stage.multiplyAdds *
    // To choose a token, the logits of the last position are enough.
    (stage.name === trace.nameOf(output) ? 1 / output.shape[1] : 1), 0)
  const result = { ...use(keysAndValues(trace), trace), row: lastRow(output), multiplyAdds }
  trace.dispose()
  return result
}

/**
 * Bytes of the cached keys and values: of this text, and of a source text that was encoded once.
 * @param {LibraryTensor[][]} read @param {Trace} trace
 */
function bytesOf(read, trace) {
  const bytes = { generated: 0, source: 0 }
  for (const tensor of read.flat()) {
    bytes[trace.producerOf(tensor)?.saved.isMemory ? 'source' : 'generated'] += tensor.numel() * BYTES
  }
  return bytes
}

/**
 * Counts the values of two lists and those with identical bits.
 * @param {Float32Array} cached @param {Float32Array} full
 */
function compareBits(cached, full) {
  const [a, b] = [cached, full].map(({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, length))
  return { count: b.length, same: a.reduce((sum, bits, i) => sum + (bits === b[i] ? 1 : 0), 0) }
}

/**
 * Fills a cache as generation does: the prompt in one pass, then token by token.
 * @param {Library} gf @param {ReturnType<Continuation['begin']>} logitsOf @param {number[]} ids @param {number} read
 * @param {Cache} cache
 */
function fill(gf, logitsOf, ids, read, cache) {
  for (let at = 0, end = read; at < ids.length; at = end, end += 1) {
    gf.tidy(() => void logitsOf(ids.slice(at, end), cache))
  }
}

/**
 * @param {Library} gf @param {Pick<ModelRun, 'continuation'>} modelRun
 * @param {{ read: number, row: number }} step how many tokens are read at once at the first step, and the newest row
 * @returns {CacheComparison | null}
 */
export function compareCache(gf, { continuation }, { read, row }) {
  if (!continuation) return null
  const { model, ids, begin } = continuation
  const length = row + 1, from = length > read ? row : 0, newest = ids.slice(from, length)
  const cache = new gf.decoding.Cache(length)
  const compute = () => {
    const logitsOf = begin()
    fill(gf, logitsOf, ids.slice(0, from), read, cache)
    const cached = traced(gf, () => logitsOf(newest, cache), (tensors, trace) => ({
      tensors: tensors.flat().map(({ values }) => /** @type {Float32Array} */ (values.slice())),
      bytes: bytesOf(tensors, trace)
    }))
    // A traced attention reads a copy of the cache, so the logits to compare come from an untraced pass.
    cache.truncate(from)
    const cachedRow = lastRow(logitsOf(newest, cache))
    return traced(gf, () => logitsOf(ids.slice(0, length), null), tensors => {
      const pairs = tensors.flat().map(({ values }, i) => (
        compareBits(cached.tensors[i], /** @type {Float32Array} */ (values))))
      return { cached, written: cachedRow, pairs }
    })
  }
  try {
    const result = inEvalMode(model, () => gf.tidy(() => gf.noGrad(compute)))
    const { cached, written, pairs, row: fullRow, multiplyAdds } = result
    const all = [...pairs, compareBits(written, fullRow)]
    return {
      multiplyAdds: { cached: cached.multiplyAdds, full: multiplyAdds }, bytes: cached.bytes,
      compared: all.reduce((sum, { count }) => sum + count, 0), identical: all.reduce((sum, item) => sum + item.same, 0)
    }
  } finally {
    cache.dispose()
  }
}
