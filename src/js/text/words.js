import { TEXT_DROP_PUNCTUATION } from '../engine/constants.js'
import { expectBoolean, expectOptions } from '../errors.js'
import { scan } from './scan.js'

/**
 * Splits a text into words and punctuation marks, as NLTK 3.8's `word_tokenize(text, preserve_line=True)` does.
 * Quotation marks (") become `` and ''; every other token is a substring of the text.
 * @param {import('../engine/kernels.js').Kernels} engine
 * @param {string | Uint8Array} text bytes are read as UTF-8; invalid bytes and lone surrogates become U+FFFD
 * @param {{ punctuation?: boolean }} [options] punctuation (default true): whether to include the tokens , ? ! and .
 * @returns {string[]}
 * @throws {GlassformerError} 'type' if the text or the option is of another type; 'memory'
 * @example
 * gf.text.words('Hello, world!')                  // ['Hello', ',', 'world', '!']
 */
export function words(engine, text, options) {
  const { punctuation = true } = expectOptions('text.words', options, ['punctuation'])
  expectBoolean('text.words', 'punctuation', punctuation)
  return scan(engine, 'gf_words', 'text.words', text, punctuation ? 0 : TEXT_DROP_PUNCTUATION)
}
