import { truth } from './config.js'

/**
 * Whether a model's head is its word table once more. A file may hold the table twice, and a configuration may say that
 * the head is tied though the file has another one: then Hugging Face reads the one of the file.
 *
 * @typedef {import('../files/header.js').Entry} Entry
 */

export const HEAD = 'lm_head.weight'

/** Bytes that are compared at a time. */
const PIECE = 2 ** 22
/** Bytes by which inspect, which reads no weights, tells two tables from one. */
const FIRST = 2 ** 16

/**
 * Whether two tensors of files hold the same bytes, or begin with the same.
 * @param {Entry} a @param {Entry} b @param {boolean} isWhole
 * @returns {Generator<any, boolean, any>}
 */
export function* isCopy(a, b, isWhole) {
  const size = a.to - a.from
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join()) return false
  const end = isWhole ? size : Math.min(size, FIRST)
  for (let at = 0; at < end; at += PIECE) {
    const to = Math.min(end, at + PIECE)
    const first = yield a.source.read(a.from + at, a.from + to), second = yield b.source.read(b.from + at, b.from + to)
    if (!first.every((/** @type {number} */ byte, /** @type {number} */ i) => byte === second[i])) return false
  }
  return true
}

/**
 * @param {import('./config.js').Config} config @param {(key: string) => readonly number[] | undefined} shapeOf a tensor
 *   of the file; of a copy of the word table undefined
 */
export const isTied = (config, shapeOf) => truth(config, 'tie_word_embeddings', !shapeOf(HEAD)) && !shapeOf(HEAD)
