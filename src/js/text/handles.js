import { GlassformerError } from '../errors.js'

/** Gives the memory of what is forgotten back. */
const forgotten = new FinalizationRegistry(/** @param {() => void} free */ free => free())

/** @param {string} where */
export const noMemory = where => new GlassformerError('memory', `${where}: out of memory`)

/**
 * A kernel's object that lives as long as its owner does.
 * @param {import('../kernels.js').Kernels} engine @param {object} owner @param {number} address
 * @param {'gf_bpe_free' | 'gf_pieces_free' | 'gf_free'} free @param {string} where for the message
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
 * @param {readonly (Int32Array | Uint8Array | Float64Array)[]} arrays
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

/**
 * A set of pieces for the kernels, which lives as long as its owner.
 * @param {import('../kernels.js').Kernels} engine @param {object} owner
 * @param {readonly { bytes: Uint8Array, id: number, continuing: boolean }[]} list
 * @returns {number} its address
 */
export function pieces(engine, owner, list) {
  const { c, memory } = engine
  const handle = owned(engine, owner, c.gf_pieces_new(engine.seed), 'gf_pieces_free', 'tokenizer')
  for (const continuing of [false, true]) {
    const some = list.filter(one => one.continuing === continuing)
    const { bytes, ends } = packed(some.map(one => one.bytes))
    const status = passing(memory, [ends, Int32Array.from(some, one => one.id), bytes], (places, ids, text) =>
      c.gf_pieces_add(handle, text, places, ids, some.length, continuing ? 1 : 0))
    if (status < 0) throw noMemory('tokenizer')
  }
  return handle
}
