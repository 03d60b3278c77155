import { expect } from '../errors.js'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * SentencePiece's table of rewritings, read as SentencePiece reads it: at each place the longest entry that the text
 * goes on with. (Hugging Face's tokenizers take the shortest and drop what is left.)
 *
 * The file: the bytes of a double-array trie (4, little endian), the trie, and the texts it points to, each ended by 0.
 */
export class Charsmap {
  #units
  #texts
  /** @type {Map<number, string>} */ #known = new Map()

  /** @param {Uint8Array} bytes @throws {GlassformerError} 'format' */
  constructor(bytes) {
    const size = bytes.length >= 4 ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) : 0
    expect(size > 0 && size % 4 === 0 && 4 + size < bytes.length, 'format',
      () => `tokenizer: precompiled_charsmap of ${bytes.length} bytes cannot hold a trie of ${size} bytes`)
    const trie = new DataView(bytes.buffer, bytes.byteOffset + 4, size)
    this.#units = Uint32Array.from({ length: size / 4 }, (_, i) => trie.getUint32(4 * i, true))
    this.#texts = bytes.subarray(4 + size)
  }

  /**
   * The longest entry at a place.
   * @param {Uint8Array} text @param {number} start
   * @returns {{ length: number, by: string } | undefined} its bytes, and what they become
   */
  find(text, start) {
    const units = this.#units
    let node = offsetOf(units[0]), length = 0, value = 0
    for (let i = start; i < text.length; i++) {
      node ^= text[i]
      const unit = units[node]
      if (unit === undefined || (unit & 0x800000ff) !== text[i]) break
      node ^= offsetOf(unit)
      if (unit & 0x100) {
        length = i + 1 - start
        value = units[node] & 0x7fffffff
      }
    }
    return length ? { length, by: this.#text(value) } : undefined
  }

  /** @param {number} at */
  #text(at) {
    const known = this.#known.get(at)
    if (known !== undefined) return known
    const end = this.#texts.indexOf(0, at)
    const text = decoder.decode(this.#texts.subarray(at, end < 0 ? undefined : end))
    this.#known.set(at, text)
    return text
  }
}

/** How far a unit's children are. @param {number} unit */
const offsetOf = unit => (unit >>> 10) << ((unit & 0x200) >>> 6)
