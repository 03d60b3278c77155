const encoder = new TextEncoder()

/**
 * Writes a text as UTF-8, for which there is room. Chromium's own encodeInto refuses a memory that threads share.
 * @param {string} text @param {Uint8Array} into
 * @returns {number} how many bytes
 */
export function encodeInto(text, into) {
  if (into.buffer instanceof ArrayBuffer) return encoder.encodeInto(text, into).written
  const bytes = encoder.encode(text)
  into.set(bytes)
  return bytes.length
}
