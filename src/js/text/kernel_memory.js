import { GlassformerError } from '../errors.js'

/** Frees the memory of owners that were garbage-collected. */
const registry = new FinalizationRegistry(/** @param {() => void} free */ free => free())

/** @param {string} where */
export const memoryError = where => new GlassformerError('memory', `${where}: out of memory`)

/**
 * Frees an object of the kernels when its JavaScript owner is garbage-collected. Returns its address.
 * @param {import('../engine/kernels.js').Kernels} engine @param {object} owner @param {number} address
 * @param {'gf_bpe_free' | 'gf_pieces_free' | 'gf_free'} free @param {string} where for the message
 */
export function freeWithOwner({ c }, owner, address, free, where) {
  if (!address) throw memoryError(where)
  registry.register(owner, () => c[free](address))
  return address
}

/**
 * Concatenates byte strings for a kernel: all bytes, and the end of each string.
 * @param {readonly Uint8Array[]} parts
 */
export function packBytes(parts) {
  const ends = new Int32Array(parts.length)
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const [i, part] of parts.entries()) {
    bytes.set(part, at)
    ends[i] = at += part.length
  }
  return { bytes, ends }
}

/**
 * Copies arrays to memory of the kernels for the duration of a call.
 * @template T
 * @param {import('../engine/memory.js').Memory} memory
 * @param {readonly (Int32Array | Uint8Array | Float64Array)[]} arrays
 * @param {(...addresses: number[]) => T} use
 * @returns {T}
 */
export function withBuffers(memory, arrays, use) {
  const roundUp = (/** @type {number} */ bytes) => (bytes + 7) & ~7
  return memory.borrow(arrays.reduce((sum, array) => sum + roundUp(array.byteLength), 0), start => {
    let at = start
    const addresses = arrays.map(array => {
      const address = at
      memory.bytes(address, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
      at += roundUp(array.byteLength)
      return address
    })
    return use(...addresses)
  })
}

/**
 * Creates a trie of pieces for the kernels, which lives as long as its owner.
 * @param {import('../engine/kernels.js').Kernels} engine @param {object} owner
 * @param {readonly { bytes: Uint8Array, id: number, continuing: boolean }[]} pieces
 * @returns {number} its address
 */
export function createPieces(engine, owner, pieces) {
  const where = 'tokenizer'
  const handle = freeWithOwner(engine, owner, engine.c.gf_pieces_new(engine.seed), 'gf_pieces_free', where)
  addPieces(engine, handle, where, pieces.filter(piece => !piece.continuing), 0)
  addPieces(engine, handle, where, pieces.filter(piece => piece.continuing), 1)
  return handle
}

/**
 * Adds pieces to a trie.
 * @param {import('../engine/kernels.js').Kernels} engine @param {number} handle the address of the trie
 * @param {string} where for error messages @param {readonly { bytes: Uint8Array, id: number }[]} pieces
 * @param {0 | 1} continuing whether they continue a word, in WordPiece
 */
export function addPieces({ c, memory }, handle, where, pieces, continuing) {
  const { bytes, ends } = packBytes(pieces.map(piece => piece.bytes))
  const numbers = Int32Array.from(pieces, piece => piece.id)
  const status = withBuffers(memory, [ends, numbers, bytes], (pieceEnds, ids, text) =>
    c.gf_pieces_add(handle, text, pieceEnds, ids, pieces.length, continuing))
  if (status < 0) throw memoryError(where)
}
