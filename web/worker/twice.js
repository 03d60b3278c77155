/**
 * A step of an answer computed twice: with the keys and values that earlier steps have left in a cache, as generating
 * does it, and with everything from the beginning again.
 */

/** @import { Going, Library, LibraryTensor, Made, Twice } from '../types.d.ts' */
/** @import { Cache } from '../../src/js/ops/attention_cache.js' */
/** @import { Trace } from '../../src/js/trace.js' */

const BYTES = 4

/** With dropout off, as answers are written. @template T @param {Going['model']} model @param {() => T} fn */
export function unlearning(model, fn) {
  const modules = Array.from(model.namedModules(), ([, module]) => module)
  const before = modules.map(({ training }) => training)
  for (const module of modules) module.training = false
  try {
    return fn()
  } finally {
    modules.forEach((module, i) => { module.training = before[i] })
  }
}

/** What every attention of a pass has read, in their order. @param {Trace} trace */
const attentions = trace => trace.nodes.filter(({ op }) => op.name === 'attention').map(({ inputs: { k, v } }) => (
  [k, v].map(one => /** @type {LibraryTensor} */ (one))))

/** The last row of logits. @param {LibraryTensor} logits */
const lastRow = ({ shape, values }) => /** @type {Float32Array} */ (values.slice(-shape[2]))

/**
 * @param {Library} gf @param {() => LibraryTensor} forward
 * @param {(read: LibraryTensor[][], trace: Trace) => T} use @returns {T & { row: Float32Array, multiplyAdds: number }}
 * @template {object} T
 */
function traced(gf, forward, use) {
  const { output, trace } = gf.trace(forward, { keepAttention: [] })
  const multiplyAdds = trace.stages().reduce((sum, one) => sum + one.multiplyAdds, 0)
  const found = { ...use(attentions(trace), trace), row: lastRow(output), multiplyAdds }
  trace.dispose()
  return found
}

/**
 * Bytes of what a cache holds: of this text, and of another that was read once.
 * @param {LibraryTensor[][]} read @param {Trace} trace
 */
function bytesOf(read, trace) {
  const bytes = { own: 0, read: 0 }
  for (const tensor of read.flat()) {
    bytes[trace.producerOf(tensor)?.saved.isMemory ? 'read' : 'own'] += tensor.size * BYTES
  }
  return bytes
}

/**
 * How many numbers two lists have, and how many of them have the same bits.
 * @param {Float32Array} one @param {Float32Array} other
 */
function compared(one, other) {
  const [a, b] = [one, other].map(({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, length))
  return { count: b.length, same: a.reduce((sum, bits, i) => sum + (bits === b[i] ? 1 : 0), 0) }
}

/**
 * Fills a cache as writing does: the beginning at once, then token by token.
 * @param {Library} gf @param {ReturnType<Going['begin']>} logitsOf @param {number[]} ids @param {number} read
 * @param {Cache} cache
 */
function fill(gf, logitsOf, ids, read, cache) {
  for (let at = 0, end = read; at < ids.length; at = end, end += 1) {
    gf.tidy(() => void logitsOf(ids.slice(at, end), cache))
  }
}

/**
 * @param {Library} gf @param {Pick<Made, 'going'>} made
 * @param {{ read: number, row: number }} step how many tokens are read at once at the first step, and the newest row
 * @returns {Twice | null}
 */
export function twice(gf, { going }, { read, row }) {
  if (!going) return null
  const { model, ids, begin } = going
  const length = row + 1, from = length > read ? row : 0, newest = ids.slice(from, length)
  const cache = new gf.decoding.Cache(length)
  const compute = () => {
    const logitsOf = begin()
    fill(gf, logitsOf, ids.slice(0, from), read, cache)
    const kept = traced(gf, () => logitsOf(newest, cache), (tensors, trace) => ({
      tensors: tensors.flat().map(({ values }) => /** @type {Float32Array} */ (values.slice())),
      bytes: bytesOf(tensors, trace)
    }))
    // Under a trace the attention reads a copy of the cache; what is compared is made by reading the cache itself.
    cache.truncate(from)
    const written = lastRow(logitsOf(newest, cache))
    return traced(gf, () => logitsOf(ids.slice(0, length), null), tensors => {
      const pairs = tensors.flat().map(({ values }, i) => (
        compared(kept.tensors[i], /** @type {Float32Array} */ (values))))
      return { kept, written, pairs }
    })
  }
  try {
    const found = unlearning(model, () => gf.tidy(() => gf.noGrad(compute)))
    const { kept, written, pairs, row: whole, multiplyAdds } = found
    const all = [...pairs, compared(written, whole)]
    return {
      multiplyAdds: { kept: kept.multiplyAdds, whole: multiplyAdds }, bytes: kept.bytes,
      compared: all.reduce((sum, { count }) => sum + count, 0), same: all.reduce((sum, one) => sum + one.same, 0)
    }
  } finally {
    cache.dispose()
  }
}
