import { decodeUtf8 } from './utf8.js'
import { expectPart } from './json_fields.js'

/**
 * SentencePiece's normalization map. As in SentencePiece, the longest key that matches at a position is replaced.
 * (Hugging Face's `tokenizers` replaces the shortest key and drops the rest.)
 *
 * Format: the size of a double-array trie in bytes (uint32, little endian), the trie, and the zero-terminated
 * replacements that it points to.
 */
export class Charsmap {
  #units
  #replacements
  /** @type {Map<number, string>} */ #cache = new Map()

  /** @param {Uint8Array} bytes @throws {GlassformerError} 'format' */
  constructor(bytes) {
    const size = bytes.length >= 4 ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) : 0
    expectPart(size > 0 && size % 4 === 0 && 4 + size < bytes.length, () => `precompiled_charsmap of ${bytes.length} bytes cannot hold a trie of ${size} bytes`)
    const trie = new DataView(bytes.buffer, bytes.byteOffset + 4, size)
    this.#units = Uint32Array.from({ length: size / 4 }, (_, i) => trie.getUint32(4 * i, true))
    this.#replacements = bytes.subarray(4 + size)
  }

  /**
   * Finds the longest key at a position.
   * @param {Uint8Array} text @param {number} start
   * @returns {{ length: number, content: string } | undefined} the length of the key in bytes, and its replacement
   */
  find(text, start) {
    const units = this.#units
    let node = childOffset(units[0]), length = 0, value = 0
    for (let i = start; i < text.length; i++) {
      node ^= text[i]
      const unit = units[node]
      if (unit === undefined || (unit & 0x800000ff) !== text[i]) break
      node ^= childOffset(unit)
      if (unit & 0x100) {
        length = i + 1 - start
        value = units[node] & 0x7fffffff
      }
    }
    return length ? { length, content: this.#text(value) } : undefined
  }

  /** @param {number} at */
  #text(at) {
    const cached = this.#cache.get(at)
    if (cached !== undefined) return cached
    const end = this.#replacements.indexOf(0, at)
    const text = decodeUtf8(this.#replacements.subarray(at, end < 0 ? undefined : end))
    this.#cache.set(at, text)
    return text
  }
}

/** The offset from a unit of the double array to its children. @param {number} unit */
const childOffset = unit => (unit >>> 10) << ((unit & 0x200) >>> 6)
