import { scan } from './scan.js'

/**
 * The pieces of a text between white space, as Python's `str.split()` gives them: Unicode white space, with
 * U+001C to U+001F and U+0085, without U+FEFF and U+200B.
 * @param {import('../kernels.js').Kernels} engine
 * @param {string | Uint8Array} text bytes are read as UTF-8; what is malformed, or a lone surrogate, becomes U+FFFD
 * @returns {string[]}
 * @throws {GlassformerError} 'type' when the text is neither; 'memory'
 * @example
 * gf.text.whitespace('나는 최근')                    // ['나는', '최근']
 */
export function whitespace(engine, text) {
  return scan(engine, 'gf_whitespace', 'text.whitespace', text)
}
