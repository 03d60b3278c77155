import { describe, expect } from '../errors.js'
import { DTYPES } from './dtype.js'

/**
 * Matrices whose values lie in blocks that share a scale: int8 in the layout of src/c/ops/int8.c, and the formats of
 * GGUF as they are in the file (src/c/blocks/blocks.c).
 *
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {import('./dtype.js').DType} DType
 */

const PANEL = 8, BLOCK = 32, BLOCK_BYTES = 272
/** The formats that float32 is converted to. @type {DType[]} */
const PACKABLE = ['int8', 'q8_0', 'q4_0', 'q4_k']

/**
 * The bytes of some rows of K values in GGUF's blocks.
 * @param {DType} dtype @param {number} rows @param {number} K
 */
const rowBytes = (dtype, rows, K) => rows * K * DTYPES[dtype].bytes

/**
 * The size of a matrix in blocks.
 * @param {DType} dtype @param {readonly number[]} shape
 * @throws {import('../errors.js').GlassformerError} 'shape' for a tensor that is no matrix of whole blocks
 */
export function blockBytes(dtype, shape) {
  expect(shape.length === 2, 'shape', () => `${dtype}: only a matrix can be stored as ${dtype}, got the shape [${shape.join(', ')}]`)
  const [rows, K] = shape, { block } = DTYPES[dtype]
  if (!block) return Math.ceil(rows / PANEL) * Math.ceil(K / BLOCK) * BLOCK_BYTES
  expect(K % block.values === 0, 'shape',
    () => `${dtype}: the rows of a matrix must be whole blocks of ${block.values} values, got the shape [${shape.join(', ')}]`)
  return rowBytes(dtype, rows, K)
}

/**
 * The dtype in which a matrix is stored where one is wanted: rows that are not whole blocks of it are stored in q8_0 or
 * else as bfloat16.
 * @param {readonly number[]} shape @param {DType} dtype
 */
export const storableType = ([, K], dtype) => /** @type {DType} */ (
  /** @type {DType[]} */ ([dtype, 'q8_0', 'bfloat16']).find(type => K % (DTYPES[type].block?.values ?? 1) === 0))

/**
 * The dtypes in which matrices are stored where one is wanted, see storableType.
 * @template {Tensor} T
 * @param {string} where the function, for messages @param {readonly [string, T][]} matrices with their names
 * @param {DType} dtype
 * @returns {Map<T, DType>}
 * @throws {import('../errors.js').GlassformerError} 'shape' if no matrix can have that dtype
 */
export function chooseTypes(where, matrices, dtype) {
  const types = new Map(matrices.map(([, matrix]) => [matrix, storableType(matrix.shape, dtype)]))
  const [first] = matrices
  expect(!first || [...types.values()].includes(dtype), 'shape', () => `${where}: ${first[0]}: ${dtype}: the rows of a matrix must ` +
    `be whole blocks of ${DTYPES[dtype].block?.values} values, got the shape [${first[1].shape.join(', ')}]` +
    `${matrices.length > 1 ? ', and no other matrix has such rows either' : ''}`)
  return types
}

/**
 * The address of a matrix in blocks, or of a row of one in GGUF's.
 * @param {Tensor} tensor @param {number} [row]
 */
export function blockAddress({ engine, dtype, storage, shape: [, K] }, row = 0) {
  const block = /** @type {import('./storage.js').Storage} */ (storage)
  engine.recording?.use(block)
  return row ? block.address + rowBytes(dtype, row, K) : block.address
}

/** The value of a cell. @param {Tensor} tensor @param {number} offset row-major @returns {number} */
export function readBlockValue(tensor, offset) {
  const { engine, dtype, shape: [, K] } = tensor, { block, code } = DTYPES[dtype]
  if (!block) return engine.c.gf_int8_read(blockAddress(tensor), Math.floor(offset / K), offset % K, K)
  const { values, bytes } = block, address = blockAddress(tensor) + Math.floor(offset / values) * bytes
  return engine.memory.borrow(4 * values, out => {
    engine.c.gf_blocks_rows(out, engine.scratch(engine.c.gf_blocks_workspace(0, values)), address, 0, 1, values, code)
    return engine.memory.floats(out, values)[offset % values]
  })
}

/**
 * Converts rows to float32.
 * @param {number} out address of float32 values @param {Tensor} tensor @param {number} [first] row
 * @param {number} [count]
 */
export function unpackBlocks(out, tensor, first = 0, count = tensor.shape[0]) {
  const { engine: { c }, engine, dtype, shape: [, K] } = tensor, { block, code } = DTYPES[dtype]
  if (!block) return c.gf_int8_rows(out, blockAddress(tensor), first, count, K)
  const workspace = engine.scratch(c.gf_blocks_workspace(0, K))
  c.gf_blocks_rows(out, workspace, blockAddress(tensor), first, count, K, code)
}

/**
 * Converts rows from float32.
 * @param {Tensor} to of int8, q8_0, q4_0 or q4_k @param {number} rows address of float32 values @param {number} [first]
 * @param {number} [count]
 * @throws {import('../errors.js').GlassformerError} 'range' for values that are not finite, 'type' for GGUF's blocks
 */
export function packBlocks(to, rows, first = 0, count = to.shape[0]) {
  const { engine: { c }, engine, dtype, shape: [, K] } = to, address = blockAddress(to)
  expect(PACKABLE.includes(dtype), 'type', () => `${describe(to)} keeps the blocks of a GGUF file, and nothing else can be ` +
    "written into them; models.load(files, { dtype: 'float32' }) or to('float32') makes weights that can be changed")
  const bad = dtype === 'int8' ? c.gf_int8_pack(address, rows, first, count, K)
    : c.gf_blocks_pack(address, engine.scratch(c.gf_blocks_workspace(0, K)), rows, first, count, K, DTYPES[dtype].code)
  expect(bad < 0, 'range', () => `${describe(to)} must hold finite numbers` +
    `${dtype === 'int8' ? '' : ' below 262144'}, got some in row ${first + bad} that are not`)
}
