import { scan } from './scan.js'

/**
 * Splits a text at white space, as Python's `str.split()` does: Unicode white space including U+001C to U+001F and
 * U+0085, but not U+FEFF and U+200B.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {string | Uint8Array} text bytes are read as UTF-8; invalid bytes and lone surrogates become U+FFFD
 * @returns {string[]}
 * @throws {GlassformerError} 'type' if the text is neither; 'memory'
 * @example
 * gf.text.whitespace('나는 최근')                    // ['나는', '최근']
 */
export function whitespace(engine, text) {
  return scan(engine, 'gf_whitespace', 'text.whitespace', text)
}
