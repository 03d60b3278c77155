/** Tokens of bytes as displayed text, and back. */

/** The visible form of a space at the start of a token. */
export const SPACE = '␣'

/** The displayed form of bytes that are invisible or no whole character. @param {Uint8Array} bytes */
export const hexBytes = bytes => (
  `⟨${Array.from(bytes, byte => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ')}⟩`)

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A token as displayed: its text with visible spaces, or its bytes where they are invisible or no whole character.
 * @param {Uint8Array} bytes
 */
export function spelled(bytes) {
  try {
    const text = strict.decode(bytes)
    return /\p{Cc}/u.test(text) ? hexBytes(bytes) : text.replaceAll(' ', SPACE)
  } catch {
    return hexBytes(bytes)
  }
}

/**
 * The length of a UTF-8 character in bytes, from its first byte; 0 for a byte that cannot be first.
 * @param {number} byte
 */
const characterLength = byte => (byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)

/** @param {Uint8Array} bytes the bytes of one character @returns {string | null} null where they are none */
function characterOf(bytes) {
  try {
    return strict.decode(bytes) || null
  } catch {
    return null
  }
}

/**
 * Decodes bytes.
 * @param {Uint8Array} bytes @param {(byte: number) => string} odd writes a byte of no whole character
 */
export function decodeBytes(bytes, odd) {
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes[at]), character = characterOf(bytes.subarray(at, at + length))
    text += character ?? odd(bytes[at])
    at += character ? length : 1
  }
  return text
}

/** Joins tokens to text: adjacent bytes are decoded to characters where possible. @param {string[]} tokens */
export function joinTokens(tokens) {
  const text = tokens.filter(token => !/^<.*>$/.test(token)).join('').replaceAll('⟩⟨', ' ')
  /** @param {number} byte */
  const odd = byte => hexBytes(Uint8Array.of(byte))
  const whole = text.replace(/⟨([0-9A-F ]+)⟩/g, (_, bytes) => (
    decodeBytes(Uint8Array.from(bytes.split(' '), byte => Number.parseInt(byte, 16)), odd)))
  return whole.replaceAll('⟩⟨', ' ').replaceAll(SPACE, ' ').trim()
}
