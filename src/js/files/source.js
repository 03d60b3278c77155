import { GlassformerError, describe, expect } from '../errors.js'

/**
 * A file that can be read in chunks: bytes or text in memory, a Blob, or a file handle of Node.
 * @typedef {object} Source
 * @property {string} name for error messages
 * @property {number} size in bytes
 * @property {(from: number, to: number) => Uint8Array | Promise<Uint8Array>} read
 * @property {(from: number, to: number) => Uint8Array | Promise<Uint8Array>} readChunk the same into a buffer that the
 *   next chunk reuses: new buffers wait for the garbage collector, which frees those of a large file too late
 */

/**
 * Runs a generator that yields values or promises: synchronously while it yields no promise, then asynchronously. So
 * the same code reads from memory synchronously and from files asynchronously.
 * @template T
 * @param {Generator<any, T, any>} steps
 * @param {IteratorResult<any, T>} [first]
 * @returns {any} the return value of the generator, or a promise of it
 */
export function settle(steps, first = steps.next()) {
  let step = first
  while (!step.done) {
    const { value } = step
    if (value instanceof Promise) {
      return value.then(v => settle(steps, steps.next(v)), error => settle(steps, steps.throw(error)))
    }
    step = steps.next(value)
  }
  return step.value
}

/** Duck typing, since a Blob may come from another realm. @param {any} value @returns {value is Blob} */
const isBlob = value => typeof value?.slice === 'function' && typeof value.arrayBuffer === 'function'

/** Whether a value is a handle of `fs.promises.open`. @param {any} value */
const isHandle = value => typeof value?.read === 'function' && typeof value.stat === 'function'

/** @param {ArrayBuffer | ArrayBufferView} value */
const bytesOf = value => value instanceof ArrayBuffer
  ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)

/**
 * Opens bytes, text, a Blob or a file handle.
 * @param {string} where @param {string} name @param {unknown} value
 * @returns {Generator<any, Source, any>}
 * @throws {GlassformerError} 'type' for a value that is not a file
 */
export function* openSource(where, name, value) {
  if (typeof value === 'string') return yield* openSource(where, name, new TextEncoder().encode(value))
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    const bytes = bytesOf(value)
    const read = (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to)
    return { name, size: bytes.length, read, readChunk: read }
  }
  expect(isBlob(value) || isHandle(value), 'type',
    () => `${where}: ${name} must be bytes, text, a Blob or an open file, got ${describe(value)}`)
  const { openBlob, openHandle } = yield import('./file_reader.js')
  return isBlob(value) ? openBlob(name, value) : yield openHandle(name, value)
}

/** @param {Source} source @returns {Generator<any, string, any>} */
export function* readText({ name, size, read }) {
  const bytes = yield read(0, size)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new GlassformerError('format', `${name} is not text: ${/** @type {Error} */ (error).message}`)
  }
}
