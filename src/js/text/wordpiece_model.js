import { BatchEncoder } from './batch_encoder.js'
import { expectPart, readInteger, readString } from './json_fields.js'
import { createPieces } from './kernel_memory.js'
import { encodeUtf8 } from './utf8.js'

/** WordPiece: greedy longest match (BERT). */
export class WordPieceModel {
  #batches
  /** @type {Record<string, number>} */ #vocab
  #prefix
  #maxCharacters
  #unknown

  /**
   * @param {import('../engine/kernels.js').Kernels} engine
   * @param {any} json the `model` of a tokenizer.json
   * @param {Map<string, number>} vocab
   * @throws {GlassformerError} 'format' if the unknown token is not in the vocabulary
   */
  constructor(engine, json, vocab) {
    const { unk_token: name = '[UNK]' } = json
    const maxCharacters = readInteger('tokenizer: model', json, 'max_input_chars_per_word', 100)
    const prefix = readString('tokenizer: model', json, 'continuing_subword_prefix', '##')
    const unknown = vocab.get(name)
    expectPart(unknown !== undefined, () => `model.unk_token ${JSON.stringify(name)} is not in the vocabulary`)
    this.#vocab = json.vocab
    this.#prefix = prefix
    this.#maxCharacters = maxCharacters
    this.#unknown = unknown
    // A piece with the prefix continues a word; it also matches literally at the start of a word.
    const pieces = [...vocab].flatMap(([token, id]) => [
      { bytes: encodeUtf8(token), id, continuing: false },
      ...token.startsWith(prefix) && token !== prefix ?
          [{ bytes: encodeUtf8(token.slice(prefix.length)), id, continuing: true }] : []
    ])
    const handle = createPieces(engine, this, pieces)
    this.#batches = new BatchEncoder(engine, (ids, ends, text, words, n) =>
      engine.c.gf_wordpiece(ids, ends, handle, text, words, n, unknown, Math.min(maxCharacters, 2 ** 31 - 1)))
  }

  /**
   * Encodes words.
   * @param {import('./text_source.js').Source} source
   * @param {Int32Array | undefined} ends of words, in UTF-16 units; undefined: the text is one word
   * @param {import('./batch_encoder.js').Emit} emit
   */
  encode(source, ends, emit) {
    this.#batches.encodeWords(source, ends ?? Int32Array.of(source.string.length), emit)
  }

  /**
   * Returns the search in a word as the paper describes it: from the longest candidate to the shortest. The kernel
   * finds the same piece by walking a trie from character to character.
   * @param {string} word
   * @returns {import('./explanations.js').Search}
   */
  explain(word) {
    const ends = characterEnds(word)
    /** @type {import('./explanations.js').Try[][]} */ const tries = []
    if (ends.length > this.#maxCharacters) return { text: word, ids: [this.#unknown], tries, unknown: 'long' }
    for (let from = 0; from < word.length;) {
      const tried = this.#tryPieces(word, from, ends)
      const { to, id } = tried[tried.length - 1]
      tries.push(tried)
      if (id === undefined) return { text: word, ids: [this.#unknown], tries, unknown: 'missing' }
      from = to
    }
    return { text: word, ids: tries.map(tried => /** @type {number} */ (tried[tried.length - 1].id)), tries }
  }

  /**
   * Looks up pieces at a position of a word until one is found.
   * @param {string} word @param {number} from @param {number[]} ends of its characters
   */
  #tryPieces(word, from, ends) {
    /** @type {import('./explanations.js').Try[]} */ const tries = []
    for (let k = ends.length - 1; ends[k] > from; k--) {
      const piece = (from ? this.#prefix : '') + word.slice(from, ends[k])
      const id = Object.hasOwn(this.#vocab, piece) ? this.#vocab[piece] : undefined
      tries.push({ piece, from, to: ends[k], ...(id !== undefined && { id }) })
      if (id !== undefined) break
    }
    return tries
  }
}

/** The end of each character of a word, in UTF-16 units. @param {string} word */
function characterEnds(word) {
  let end = 0
  return Array.from(word, character => end += character.length)
}
