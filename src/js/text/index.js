/**
 * Text by itself: `import { load } from 'glassformer/text'` brings kernels and tokenizers, and none of tensors,
 * gradients and modules. With everything else it is `gf.text`.
 */

import { bindClass } from '../bind_engine.js'
import { GlassformerError, guardPromise } from '../errors.js'
import { Kernels } from '../kernels.js'
import { loadKernels } from '../load.js'
import { tokenizer } from './files.js'
import { trainBPE, trainWordPiece } from './train_merges.js'
import { trainUnigram } from './train_unigram.js'
import { Vocab } from './vocab.js'
import { whitespace } from './whitespace.js'
import { words } from './words.js'

/** What is asked first of it. */
const ASKED = ['tokenizer', 'words', 'whitespace', 'Vocab', 'trainBPE', 'trainWordPiece', 'trainUnigram']

/** @param {Kernels} engine */
export const bindText = engine => ({
  /** Words between spaces: Python's str.split. @param {string | Uint8Array} text */
  whitespace: text => whitespace(engine, text),
  /**
   * Words and punctuation marks: NLTK's word_tokenize.
   * @param {string | Uint8Array} text @param {Parameters<typeof words>[2]} [options]
   */
  words: (text, options) => words(engine, text, options),
  Vocab: bindClass(engine, Vocab, 'Vocab', 'gf.text'),
  /**
   * The tokenizer of a model's folder: { 'tokenizer.json' }, { 'vocab.json', 'merges.txt' }, { 'vocab.txt' },
   * { 'any.model' } (SentencePiece) or { 'any.bin' } (llama2.c).
   * @param {Parameters<typeof tokenizer>[1]} files name -> text or bytes
   */
  tokenizer: files => tokenizer(engine, files),
  /**
   * Learns byte-level byte-pair encoding from a text.
   * @param {string | string[]} text
   * @param {Parameters<typeof trainBPE>[2]} options vocabSize, specials, minFrequency
   */
  trainBPE: (text, options) => trainBPE(engine, text, options),
  /**
   * Learns WordPiece from a text.
   * @param {string | string[]} text
   * @param {Parameters<typeof trainWordPiece>[2]} options vocabSize, specials, minFrequency, lowercase
   */
  trainWordPiece: (text, options) => trainWordPiece(engine, text, options),
  /**
   * Learns a unigram language model from a text.
   * @param {string | string[]} text @param {Parameters<typeof trainUnigram>[2]} options vocabSize, specials
   */
  trainUnigram: (text, options) => trainUnigram(engine, text, options)
})

/**
 * Starts the kernels for text alone.
 * @param {Parameters<typeof loadKernels>[0]} [options] wasm: where the kernels are, if not beside the package
 */
export const load = options => guardPromise(
  loadKernels(options).then(exports => bindText(new Kernels(exports))), ASKED, 'const text = await load()')

export { GlassformerError }
