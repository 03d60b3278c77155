import { readBoolean } from './config.js'

/**
 * Whether a model's head is tied to its token embedding. A file may store the matrix twice. If the configuration says
 * that the head is tied and the file has a different head, Hugging Face uses the head of the file.
 *
 * @typedef {import('../files/header.js').Entry} Entry
 */

export const LM_HEAD = 'lm_head.weight'

/** Number of bytes compared at a time. */
const CHUNK_BYTES = 2 ** 22
/** Number of bytes that inspect compares, since it reads no weights. */
const PREFIX_BYTES = 2 ** 16

/**
 * Whether two tensors of files have the same bytes.
 * @param {Entry} a @param {Entry} b @param {boolean} isFull false compares the first PREFIX_BYTES
 * @returns {Generator<any, boolean, any>}
 */
export function* hasSameBytes(a, b, isFull) {
  const size = a.to - a.from
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join()) return false
  const end = isFull ? size : Math.min(size, PREFIX_BYTES)
  for (let at = 0; at < end; at += CHUNK_BYTES) {
    const to = Math.min(end, at + CHUNK_BYTES)
    const first = yield a.source.read(a.from + at, a.from + to), second = yield b.source.read(b.from + at, b.from + to)
    if (!first.every((/** @type {number} */ byte, /** @type {number} */ i) => byte === second[i])) return false
  }
  return true
}

/**
 * Whether the head is tied, by the configuration and the file.
 * @param {import('./config.js').Config} config @param {(key: string) => readonly number[] | undefined} shapeOf a tensor
 *   of the file; undefined for a head that is a copy of the token embedding @param {string} [head] its key
 */
export const isTied = (config, shapeOf, head = LM_HEAD) =>
  readBoolean(config, 'tie_word_embeddings', !shapeOf(head)) && !shapeOf(head)
