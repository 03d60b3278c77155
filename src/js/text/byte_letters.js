/**
 * GPT-2's way of writing bytes as letters, so that a vocabulary can be a text file: a byte whose Latin-1 character can
 * be seen is that character; the others (controls, the space, 0x7f to 0xa0, 0xad) are U+0100, U+0101 ... in turn. A
 * space is Ġ, a line feed Ċ.
 */

/** @param {number} byte */
const isVisible = byte => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)

/** The letter of each byte. @type {readonly string[]} */
export const LETTERS = (() => {
  let hidden = 0x100
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isVisible(byte) ? byte : hidden++))
})()

/** The byte of each letter. */
export const BYTE_OF = new Map(LETTERS.map((letter, byte) => [letter, byte]))

/** All letters in the order of their code points, in which GPT-2 numbers them. */
export const ALPHABET = LETTERS.toSorted ? LETTERS.toSorted() : [...LETTERS].sort()

/**
 * The bytes of a token in letters, or undefined when it has a character that stands for no byte. @param {string} token
 */
export function bytesOfLetters(token) {
  const bytes = new Uint8Array(token.length)
  for (let i = 0; i < token.length; i++) {
    const byte = BYTE_OF.get(token[i])
    if (byte === undefined) return undefined
    bytes[i] = byte
  }
  return bytes
}

/** @param {Uint8Array} bytes */
export const lettersOfBytes = bytes => Array.from(bytes, byte => LETTERS[byte]).join('')
