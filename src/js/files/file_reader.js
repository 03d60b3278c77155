import { expect } from '../errors.js'

/**
 * Reads the bytes from `from` to `to` of a file, if possible into `buffer`, which is at least as large.
 * @typedef {(from: number, to: number, buffer: ArrayBuffer) => Promise<Uint8Array<ArrayBuffer>>} Fill
 */

/** @param {string} name @param {any} handle of `fs.promises.open` @returns {Fill} */
const fillFromHandle = (name, handle) => async (from, to, buffer) => {
  const bytes = new Uint8Array(buffer, 0, to - from)
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done)
    expect(bytesRead > 0, 'format', () => `${name}: the file ended at byte ${from + done}, expected ${to}`)
    done += bytesRead
  }
  return bytes
}

/** Readers at work: Chromium's garbage collector takes those that nothing refers to, and their reads never end. */
const readers = new Set()

/** @param {Blob} blob @param {ArrayBuffer} buffer */
async function readStream(blob, buffer) {
  const reader = blob.stream().getReader({ mode: 'byob' })
  let bytes = new Uint8Array(buffer, 0, 0)
  readers.add(reader)
  try {
    for (let isOver = false; !isOver && bytes.length < blob.size;) {
      const { value, done } = await reader.read(new Uint8Array(bytes.buffer, bytes.length, blob.size - bytes.length))
      if (value) bytes = new Uint8Array(value.buffer, 0, value.byteOffset + value.length)
      isOver = done
    }
  } finally {
    readers.delete(reader)
  }
  return bytes
}

/**
 * Streams of Safari fill no buffers, and Chromium's say "network error" for a file that has changed; the error of
 * `arrayBuffer` says what is wrong.
 * @param {Blob} blob @param {ArrayBuffer} buffer
 */
const readBlob = (blob, buffer) => (
  readStream(blob, buffer).catch(async () => new Uint8Array(await blob.arrayBuffer())))

/** @param {string} name @param {Blob} blob @returns {Fill} */
const fillFromBlob = (name, blob) => async (from, to, buffer) => {
  const bytes = await readBlob(blob.slice(from, to), buffer)
  expect(bytes.length === to - from, 'format',
    () => `${name}: expected ${to - from} bytes from ${from} to ${to}, got ${bytes.length}`)
  return bytes
}

/**
 * Reads one chunk after another into one buffer, as large as the largest of them. A chunk that is requested before the
 * last one has come gets a buffer of its own.
 * @param {Fill} fill
 */
function reuseBuffer(fill) {
  let free = new ArrayBuffer(0)
  return async (/** @type {number} */ from, /** @type {number} */ to) => {
    const buffer = free.byteLength < to - from ? new ArrayBuffer(to - from) : free
    free = new ArrayBuffer(0)
    const bytes = await fill(from, to, buffer)
    free = bytes.buffer
    return bytes
  }
}

/** @param {string} name @param {number} size @param {Fill} fill @returns {import('./source.js').Source} */
const createSource = (name, size, fill) => ({
  name, size, read: (from, to) => fill(from, to, new ArrayBuffer(to - from)), readChunk: reuseBuffer(fill)
})

/** @param {string} name @param {Blob} blob */
export const openBlob = (name, blob) => createSource(name, blob.size, fillFromBlob(name, blob))

/** @param {string} name @param {any} handle of `fs.promises.open` */
export const openHandle = async (name, handle) => (
  createSource(name, (await handle.stat()).size, fillFromHandle(name, handle)))
