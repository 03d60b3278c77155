import { encodeUtf8 } from './utf8.js'

/**
 * GPT-2's byte-level alphabet (`bytes_to_unicode`): one printable character for each byte, so that a vocabulary can be
 * a text file. A byte whose Latin-1 character is printable is that character; the others (controls, the space, 0x7f to
 * 0xa0, 0xad) are U+0100, U+0101 ... in order. A space is Ġ, a line feed Ċ.
 */

/** @param {number} byte */
const isPrintable = byte => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)

/** The character of each byte. @type {readonly string[]} */
export const BYTE_CHARACTERS = (() => {
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++))
})()

/** The characters that byte-level text spells as others. */
export const NOT_PRINTABLE = /[^!-~]/gu

const BYTE_OF_CHARACTER = new Map(BYTE_CHARACTERS.map((character, byte) => [character, byte]))

/** The characters in order of code points, the order of their ids in GPT-2's vocabulary. */
export const ALPHABET = BYTE_CHARACTERS.toSorted ? BYTE_CHARACTERS.toSorted() : [...BYTE_CHARACTERS].sort()

/** Decodes a byte-level token; undefined if it has a character outside of the alphabet. @param {string} token */
export function decodeByteLevel(token) {
  const bytes = new Uint8Array(token.length)
  for (let i = 0; i < token.length; i++) {
    const byte = BYTE_OF_CHARACTER.get(token[i])
    if (byte === undefined) return undefined
    bytes[i] = byte
  }
  return bytes
}

/** Encodes bytes as byte-level characters. @param {Uint8Array} bytes */
export const encodeByteLevel = bytes => Array.from(bytes, byte => BYTE_CHARACTERS[byte]).join('')

/** Spells a text as byte-level characters. @param {string} text */
export const spellBytes = text => encodeByteLevel(encodeUtf8(text))
