import { GlassformerError, describe, expect } from '../errors.js'

/**
 * A file that can be read in chunks: bytes or text in memory, a Blob, or a file handle of Node.
 * @typedef {object} Source
 * @property {string} name for error messages
 * @property {number} size in bytes
 * @property {(from: number, to: number) => Uint8Array | Promise<Uint8Array>} read
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

/** @param {string} name @param {any} handle @param {number} from @param {number} to */
async function readHandle(name, handle, from, to) {
  const bytes = new Uint8Array(to - from)
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done)
    expect(bytesRead > 0, 'format', () => `${name}: the file ended at byte ${from + done}, expected ${to}`)
    done += bytesRead
  }
  return bytes
}

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
    return { name, size: bytes.length, read: (from, to) => bytes.subarray(from, to) }
  }
  if (isBlob(value)) {
    const read = async (/** @type {number} */ from, /** @type {number} */ to) => {
      const bytes = new Uint8Array(await value.slice(from, to).arrayBuffer())
      expect(bytes.length === to - from, 'format',
        () => `${name}: expected ${to - from} bytes from ${from} to ${to}, got ${bytes.length}`)
      return bytes
    }
    return { name, size: value.size, read }
  }
  expect(isHandle(value), 'type',
    () => `${where}: ${name} must be bytes, text, a Blob or an open file, got ${describe(value)}`)
  const { size } = yield /** @type {any} */ (value).stat()
  return { name, size, read: (from, to) => readHandle(name, value, from, to) }
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
