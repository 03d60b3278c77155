import { TEXT_DROP_PUNCTUATION } from '../constants.js'
import { expectBoolean, expectOptions } from '../errors.js'
import { scan } from './scan.js'

/**
 * The words and punctuation marks of a text, as NLTK 3.8's `word_tokenize(text, preserve_line=True)` gives them.
 * Quotation marks (") come back as `` and ''; everything else is a piece of the text.
 * @param {import('../kernels.js').Kernels} engine
 * @param {string | Uint8Array} text bytes are read as UTF-8; what is malformed, or a lone surrogate, becomes U+FFFD
 * @param {{ punctuation?: boolean }} [options] punctuation (default true): false leaves out the tokens , ? ! and .
 * @returns {string[]}
 * @throws {GlassformerError} 'type' when the text or the option is of another type; 'memory'
 * @example
 * gf.text.words('Hello, world!')                  // ['Hello', ',', 'world', '!']
 */
export function words(engine, text, options) {
  const { punctuation = true } = expectOptions('text.words', options, ['punctuation'])
  expectBoolean('text.words', 'punctuation', punctuation)
  return scan(engine, 'gf_words', 'text.words', text, punctuation ? 0 : TEXT_DROP_PUNCTUATION)
}
