import { GlassformerError } from '../errors.js'

/** Gives the memory of what is forgotten back. */
const forgotten = new FinalizationRegistry(/** @param {() => void} free */ free => free())

/** @param {string} where */
export const noMemory = where => new GlassformerError('memory', `${where}: out of memory`)

/**
 * A kernel's object that lives as long as its owner does.
 * @param {import('../engine.js').Engine} engine @param {object} owner @param {number} address
 * @param {'gf_bpe_free' | 'gf_pieces_free'} free @param {string} where for the message
 */
export function owned({ c }, owner, address, free, where) {
  if (!address) throw noMemory(where)
  forgotten.register(owner, () => c[free](address))
  return address
}

/**
 * Strings as a kernel reads them: their bytes one after the other, and where each ends.
 * @param {readonly Uint8Array[]} parts
 */
export function packed(parts) {
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
 * Lends blocks that hold these arrays, and takes them back.
 * @template T
 * @param {import('../memory.js').Memory} memory
 * @param {readonly (Int32Array | Uint8Array | Float32Array)[]} arrays
 * @param {(...addresses: number[]) => T} use
 * @returns {T}
 */
export function passing(memory, arrays, use) {
  const round = (/** @type {number} */ bytes) => (bytes + 7) & ~7
  return memory.borrow(arrays.reduce((sum, one) => sum + round(one.byteLength), 0), start => {
    let at = start
    const addresses = arrays.map(one => {
      const address = at
      memory.bytes(address, one.byteLength).set(new Uint8Array(one.buffer, one.byteOffset, one.byteLength))
      at += round(one.byteLength)
      return address
    })
    return use(...addresses)
  })
}
