import { ByWords } from './by_words.js'
import { describe, expect } from '../errors.js'
import { textIn } from './fields.js'
import { pieces } from './handles.js'

const encoder = new TextEncoder()

/** WordPiece: the longest piece each time (BERT). */
export class WordPieceModel {
  #byWords
  /** @type {Record<string, number>} */ #vocab
  #prefix
  #longest
  #unknown

  /**
   * @param {import('../kernels.js').Kernels} engine
   * @param {any} json the `model` of a tokenizer.json
   * @param {Map<string, number>} vocab
   * @throws {GlassformerError} 'format' when the unknown token is not in the vocabulary
   */
  constructor(engine, json, vocab) {
    const { unk_token: name = '[UNK]', max_input_chars_per_word: longest = 100 } = json
    const prefix = textIn('tokenizer: model', json, 'continuing_subword_prefix', '##')
    const unknown = vocab.get(name)
    expect(Number.isInteger(longest) && longest >= 0, 'format',
      () => `tokenizer: model.max_input_chars_per_word must be a whole number, got ${describe(longest)}`)
    expect(unknown !== undefined, 'format',
      () => `tokenizer: model.unk_token ${JSON.stringify(name)} is not in the vocabulary`)
    this.#vocab = json.vocab
    this.#prefix = prefix
    this.#longest = longest
    this.#unknown = unknown
    // A piece that begins with the prefix continues a word; it can also be a word that is written so.
    const list = [...vocab].flatMap(([token, id]) => [
      { bytes: encoder.encode(token), id, continuing: false },
      ...token.startsWith(prefix) && token !== prefix ?
          [{ bytes: encoder.encode(token.slice(prefix.length)), id, continuing: true }] : []
    ])
    const handle = pieces(engine, this, list)
    this.#byWords = new ByWords(engine, (ids, ends, text, words, n) =>
      engine.c.gf_wordpiece(ids, ends, handle, text, words, n, unknown, Math.min(longest, 2 ** 31 - 1)))
  }

  /**
   * @param {import('./source.js').Source} source
   * @param {Int32Array | undefined} ends where each word ends, in UTF-16 units
   * @param {import('./by_words.js').Emit} emit
   */
  encode(source, ends, emit) {
    this.#byWords.encodeWords(source, ends ?? Int32Array.of(source.string.length), emit)
  }

  /**
   * The search as it is usually told, from the whole rest of a word down to its first character. The kernel finds the
   * same piece by going forward from character to character.
   * @param {string} word
   * @returns {import('./explained.js').Search}
   */
  explain(word) {
    const ends = endsOf(word)
    /** @type {import('./explained.js').Try[][]} */ const tries = []
    if (ends.length > this.#longest) return { text: word, ids: [this.#unknown], tries, unknown: 'long' }
    for (let from = 0; from < word.length;) {
      const some = this.#triesAt(word, from, ends)
      const { to, id } = some[some.length - 1]
      tries.push(some)
      if (id === undefined) return { text: word, ids: [this.#unknown], tries, unknown: 'missing' }
      from = to
    }
    return { text: word, ids: tries.map(some => /** @type {number} */ (some[some.length - 1].id)), tries }
  }

  /**
   * What is tried at a place of a word, until a piece is found.
   * @param {string} word @param {number} from @param {number[]} ends of its characters
   */
  #triesAt(word, from, ends) {
    /** @type {import('./explained.js').Try[]} */ const tries = []
    for (let k = ends.length - 1; ends[k] > from; k--) {
      const piece = (from ? this.#prefix : '') + word.slice(from, ends[k])
      const id = Object.hasOwn(this.#vocab, piece) ? this.#vocab[piece] : undefined
      tries.push({ piece, from, to: ends[k], ...(id !== undefined && { id }) })
      if (id !== undefined) break
    }
    return tries
  }
}

/** Where each character of a word ends, in UTF-16 units. @param {string} word */
function endsOf(word) {
  let end = 0
  return Array.from(word, character => end += character.length)
}
