/** UTF-8. A byte order mark is decoded as a character. */

const encoder = new TextEncoder()
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** Encodes a string. @param {string} text */
export const encodeUtf8 = text => encoder.encode(text)

/**
 * Encodes a string into a buffer that is large enough. Chromium's own encodeInto rejects shared memory.
 * @param {string} text @param {Uint8Array} into
 * @returns {number} the number of bytes written
 */
export function encodeInto(text, into) {
  if (into.buffer instanceof ArrayBuffer) return encoder.encodeInto(text, into).written
  const bytes = encoder.encode(text)
  into.set(bytes)
  return bytes.length
}

/** Decodes bytes; invalid ones become U+FFFD. @param {Uint8Array | ArrayBuffer} bytes */
export const decodeUtf8 = bytes => lenient.decode(bytes)

/** Decodes bytes; undefined if they are invalid. @param {Uint8Array} bytes @returns {string | undefined} */
export function decodeValidUtf8(bytes) {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** The length in bytes of a character, by its first byte. @param {number} lead */
export const characterLength = lead => lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
