import { describe } from '../errors.js'
import { noTokenError } from './bpe_model.js'

/** A table of whole words. */
export class WordLevelModel {
  #vocab
  #unknown

  /** @param {any} json the `model` of a tokenizer.json @param {Map<string, number>} vocab */
  constructor(json, vocab) {
    this.#vocab = vocab
    this.#unknown = vocab.get(json.unk_token ?? '<unk>')
  }

  /**
   * Encodes words.
   * @param {import('./text_source.js').Source} source
   * @param {Int32Array | undefined} ends of words, in UTF-16 units; undefined: the text is one word
   * @param {import('./batch_encoder.js').Emit} emit
   */
  encode({ string }, ends = Int32Array.of(string.length), emit) {
    ends.forEach((end, i) => {
      const start = ends[i - 1] ?? 0, word = string.slice(start, end), id = this.#vocab.get(word) ?? this.#unknown
      if (id === undefined) throw noTokenError(describe(word))
      emit(Int32Array.of(id), Int32Array.of(start, end), 0)
    })
  }
}
