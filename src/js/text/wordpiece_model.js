import { ByWords } from './by_words.js'
import { expect } from '../errors.js'
import { pieces } from './handles.js'

const encoder = new TextEncoder()

/** WordPiece: the longest piece each time (BERT). */
export class WordPieceModel {
  #byWords

  /**
   * @param {import('../kernels.js').Kernels} engine
   * @param {any} json the `model` of a tokenizer.json
   * @param {Map<string, number>} vocab
   * @throws {GlassformerError} 'format' when the unknown token is not in the vocabulary
   */
  constructor(engine, json, vocab) {
    const { unk_token: name = '[UNK]', continuing_subword_prefix: prefix = '##',
      max_input_chars_per_word: longest = 100 } = json
    const unknown = vocab.get(name)
    expect(unknown !== undefined, 'format',
      () => `tokenizer: model.unk_token ${JSON.stringify(name)} is not in the vocabulary`)
    // A piece that begins with the prefix continues a word; it can also be a word that is written so.
    const list = [...vocab].flatMap(([token, id]) => [
      { bytes: encoder.encode(token), id, continuing: false },
      ...token.startsWith(prefix) && token !== prefix ?
          [{ bytes: encoder.encode(token.slice(prefix.length)), id, continuing: true }] : []
    ])
    const handle = pieces(engine, this, list)
    this.#byWords = new ByWords(engine, (ids, ends, text, words, n) =>
      engine.c.gf_wordpiece(ids, ends, handle, text, words, n, unknown, longest))
  }

  /**
   * @param {import('./source.js').Source} source
   * @param {Int32Array | undefined} ends where each word ends, in UTF-16 units
   * @param {import('./by_words.js').Emit} emit
   */
  encode(source, ends, emit) {
    this.#byWords.encodeWords(source, ends ?? Int32Array.of(source.string.length), emit)
  }
}
