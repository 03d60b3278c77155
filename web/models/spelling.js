/** How tokens that stand for bytes are shown, and made text again. */

/** A space that begins a token, as it is shown. */
export const SPACE = '␣'

/** Bytes that nobody could see or that are no whole character, as they are shown. @param {Uint8Array} bytes */
export const asBytes = bytes => (
  `⟨${Array.from(bytes, byte => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ')}⟩`)

const utf8 = new TextDecoder()
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A token as it is shown: its text, a space as a sign, what nobody could see or is no whole character as its bytes.
 * @param {Uint8Array} bytes
 */
export function spelled(bytes) {
  try {
    const text = strict.decode(bytes)
    return /\p{Cc}/u.test(text) ? asBytes(bytes) : text.replaceAll(' ', SPACE)
  } catch {
    return asBytes(bytes)
  }
}

/** Tokens as text: bytes that stand side by side make characters again. @param {string[]} tokens */
export function written(tokens) {
  const text = tokens.filter(token => !/^<.*>$/.test(token)).join('').replaceAll('⟩⟨', ' ')
  const whole = text.replace(/⟨([0-9A-F ]+)⟩/g, (_, bytes) => (
    utf8.decode(Uint8Array.from(bytes.split(' '), byte => Number.parseInt(byte, 16)))))
  return whole.replaceAll(SPACE, ' ').trim()
}
