/**
 * Text processing: `gf.text`, or by itself `import { load } from 'glassformer/text'`, which loads kernels and
 * tokenizers without tensors, gradients and modules.
 */

import { expectArgumentCount } from '../interface/arity.js'
import { GlassformerError, guardPromise } from '../errors.js'
import { Kernels } from '../engine/kernels.js'
import { loadKernels } from '../engine/load.js'
import { createPublicClass } from '../interface/public_class.js'
import { loadTokenizer } from './files.js'
import { loadScripts } from './pretokenizers.js'
import { trainBPE, trainWordPiece } from './train_merges.js'
import { trainUnigram } from './train_unigram.js'
import { Vocab } from './vocab.js'
import { whitespace } from './whitespace.js'
import { words } from './words.js'

/** Properties whose access on the promise gets a helpful error. */
const PROPERTIES = ['tokenizer', 'tiktoken', 'loadScripts', 'words', 'whitespace', 'Vocab', 'trainBPE', 'trainWordPiece', 'trainUnigram']

/** @param {Kernels} engine */
export const bindText = engine => ({
  /** Splits a text at white space, as Python's str.split() does. @param {string | Uint8Array} text */
  whitespace: text => whitespace(engine, text),
  /**
   * Splits a text into words and punctuation marks, as NLTK's word_tokenize does.
   * @param {string | Uint8Array} text @param {Parameters<typeof words>[2]} [options]
   */
  words: (text, options) => words(engine, text, options),
  /** @type {import('../interface/bind_engine.js').Bound<typeof Vocab>} */
  Vocab: /** @type {any} */ (createPublicClass(Vocab, class extends Vocab {
    /** @param {any[]} args */
    constructor(...args) {
      expectArgumentCount('Vocab', 2, args)
      super(engine, args[0], args[1])
    }
  }, 'Vocab', 'gf.text')),
  /**
   * Loads the tokenizer of a model's folder: { 'tokenizer.json' }, { 'vocab.json', 'merges.txt' }, { 'vocab.txt' },
   * { 'any.model' } (SentencePiece) or { 'any.bin' } (llama2.c).
   * @param {Parameters<typeof loadTokenizer>[1]} files name -> text or bytes
   */
  tokenizer: files => loadTokenizer(engine, files),
  /**
   * Loads the tokenizer of a tiktoken file: { 'any.tiktoken' }, or Llama 3's { 'tokenizer.model' }. Fetches the code
   * for it when it is called for the first time.
   * @param {Parameters<typeof loadTokenizer>[1]} files name -> text or bytes
   * @param {import('./tiktoken.js').TiktokenOptions} [options] patStr and specialTokens, for an encoding that is none
   *   of gpt2, r50k_base, p50k_base, cl100k_base, o200k_base, Qwen's and Llama 3's
   * @example
   * const tokens = [...Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)), 'ab']
   * const lines = tokens.map((token, rank) => `${btoa(token)} ${rank}`).join('\n')
   * const tokenizer = await gf.text.tiktoken({ 'tiny.tiktoken': lines }, { patStr: '[ab]+' })
   * tokenizer.encode('abb').ids                     // [256, 98]
   */
  tiktoken: (files, options) => guardPromise(import('./tiktoken.js').then(code => code.loadTiktoken(engine, files, options)),
    ['encode', 'decode'], 'await gf.text.tiktoken(files)'),
  /**
   * Fetches the table of scripts that a tokenizer.json with the pre-tokenizer UnicodeScripts needs. After it,
   * `tokenizer` opens such files. `gf.models.load` fetches it by itself.
   */
  loadScripts,
  /**
   * Trains byte-level byte-pair encoding (BPE) on a text.
   * @param {string | string[]} text
   * @param {Parameters<typeof trainBPE>[2]} options vocabSize, specials, minFrequency
   */
  trainBPE: (text, options) => trainBPE(engine, text, options),
  /**
   * Trains WordPiece on a text.
   * @param {string | string[]} text
   * @param {Parameters<typeof trainWordPiece>[2]} options vocabSize, specials, minFrequency, lowercase
   */
  trainWordPiece: (text, options) => trainWordPiece(engine, text, options),
  /**
   * Trains a unigram language model on a text.
   * @param {string | string[]} text @param {Parameters<typeof trainUnigram>[2]} options vocabSize, specials
   */
  trainUnigram: (text, options) => trainUnigram(engine, text, options)
})

/**
 * Loads the kernels and returns the text functions.
 * @param {Parameters<typeof loadKernels>[0]} [options] wasm: where the kernels are, if not in the package
 */
export const load = options => guardPromise(
  loadKernels(options).then(exports => bindText(new Kernels(exports))), PROPERTIES, 'const text = await load()')

export { GlassformerError }
