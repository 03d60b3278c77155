/**
 * The search by which a model segments a word.
 *
 * A lookup of WordPiece: the piece for units [from, to) of the word, as the vocabulary spells it.
 * @typedef {object} Try
 * @property {string} piece
 * @property {number} from
 * @property {number} to
 * @property {number} [id] undefined if the piece is not in the vocabulary
 *
 * An arc of a unigram model's lattice: a piece, or an unknown character, for units [from, to) of the word.
 * @typedef {object} Arc
 * @property {string} piece
 * @property {number} [id] undefined for an unknown character
 * @property {number} from
 * @property {number} to
 * @property {number} score its log-probability
 *
 * The best segmentation up to position `at`: its score, which is the sum of its arcs' scores, and its last arc, -1 at
 * the start.
 * @typedef {{ at: number, score: number, arc: number }} Best
 *
 * The search in one word.
 * @typedef {object} Search
 * @property {string} text the word after normalization and pre-tokenization
 * @property {number[]} ids
 * @property {Try[][]} [tries] WordPiece: the lookups for each piece, the longest first; the last one of each list was
 *   found, unless the word is unknown
 * @property {'long' | 'missing'} [unknown] WordPiece: why the word is [UNK]: it is too long, or no piece matches
 * @property {Arc[]} [arcs] unigram: all arcs of the lattice, in search order
 * @property {Best[]} [best] unigram: the best segmentation up to each position where one ends, in order
 * @property {number[]} [path] unigram: the arcs of the best segmentation of the word
 *
 * @typedef {Search & { from: number, to: number }} ExplainedWord from, to: the word's UTF-16 units in the source text
 */

/**
 * Returns a reader that collects the explanation of each word of a text. Added tokens, which no model segments, are
 * left out.
 * @param {(word: string) => Search} explain
 * @returns {import('./tokenizer.js').Reader & { words: ExplainedWord[] }}
 */
export function createExplanations(explain) {
  /** @type {ExplainedWord[]} */ const words = []
  return {
    words,
    encode({ string }, ends, emit) {
      const firstIndex = words.length
      /** @type {number[]} */ const spans = []
      let from = 0
      for (const to of ends ?? [string.length]) {
        words.push({ ...explain(string.slice(from, to)), from, to })
        spans.push(from, to)
        from = to
      }
      emit(Int32Array.from({ length: words.length - firstIndex }, (_, i) => firstIndex + i), Int32Array.from(spans), 0)
    },
    add(indices, spans, base = 0) {
      for (let i = 0; i < indices.length; i++) {
        Object.assign(words[indices[i]], { from: base + spans[2 * i], to: base + spans[2 * i + 1] })
      }
    },
    addToken() {}
  }
}
