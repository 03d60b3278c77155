import { describe, expect } from './errors.js'

/**
 * Matrices of 8 bits with a scale for each block of 32 values of a row; src/c/ops/int8.c describes the layout.
 * @typedef {import('./tensor.js').Tensor} Tensor
 */

const PANEL = 8, BLOCK = 32, BLOCK_BYTES = 272

/** @param {readonly number[]} shape */
export function int8Bytes(shape) {
  expect(shape.length === 2, 'shape', () => `int8: only a matrix can be stored as int8, got the shape [${shape.join(', ')}]`)
  return Math.ceil(shape[0] / PANEL) * Math.ceil(shape[1] / BLOCK) * BLOCK_BYTES
}

/** The address of an int8 matrix. @param {Tensor} tensor */
export function int8Address({ engine, storage }) {
  const block = /** @type {import('./storage.js').Storage} */ (storage)
  engine.recording?.use(block)
  return block.address
}

/** The value of a cell. @param {Tensor} tensor @param {number} offset row-major @returns {number} */
export function readInt8(tensor, offset) {
  const { engine, shape: [, K] } = tensor
  return engine.c.gf_int8_read(int8Address(tensor), Math.floor(offset / K), offset % K, K)
}

/**
 * Converts rows to float32.
 * @param {number} out address of float32 values @param {Tensor} tensor @param {number} [first] row
 * @param {number} [count]
 */
export function unpackInt8(out, tensor, first = 0, count = tensor.shape[0]) {
  tensor.engine.c.gf_int8_rows(out, int8Address(tensor), first, count, tensor.shape[1])
}

/**
 * Converts rows from float32.
 * @param {Tensor} to @param {number} rows address of float32 values @param {number} [first] @param {number} [count]
 * @throws {import('./errors.js').GlassformerError} 'range' for values that are not finite
 */
export function packInt8(to, rows, first = 0, count = to.shape[0]) {
  const bad = to.engine.c.gf_int8_pack(int8Address(to), rows, first, count, to.shape[1])
  expect(bad < 0, 'range',
    () => `${describe(to)} must hold finite numbers, got some in row ${first + bad} that are not`)
}
