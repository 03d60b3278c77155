import { describe } from '../errors.js'
import { noTokenError } from './bpe_model.js'

/**
 * Encodes whole words by a table, without splitting them.
 * @param {any} json the `model` of a tokenizer.json @param {Map<string, number>} vocab
 * @returns {import('./tokenizer.js').Model}
 */
export function wordLevelModel(json, vocab) {
  const unknown = vocab.get(json.unk_token ?? '<unk>')
  return {
    encode({ string }, ends = Int32Array.of(string.length), emit) {
      ends.forEach((end, i) => {
        const start = ends[i - 1] ?? 0, word = string.slice(start, end), id = vocab.get(word) ?? unknown
        if (id === undefined) throw noTokenError(describe(word))
        emit(Int32Array.of(id), Int32Array.of(start, end), 0)
      })
    }
  }
}
