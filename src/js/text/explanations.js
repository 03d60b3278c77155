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

/** Collects the explanation of each word of a text. */
export class Explanations {
  #explain
  /** @type {ExplainedWord[]} */ words = []

  /** @param {(word: string) => Search} explain */
  constructor(explain) {
    this.#explain = explain
  }

  /** @type {import('./tokenizer.js').Encode} */
  encode({ string }, ends, emit) {
    const firstIndex = this.words.length
    /** @type {number[]} */ const spans = []
    let from = 0
    for (const to of ends ?? [string.length]) {
      this.words.push({ ...this.#explain(string.slice(from, to)), from, to })
      spans.push(from, to)
      from = to
    }
    const indices = Int32Array.from({ length: this.words.length - firstIndex }, (_, i) => firstIndex + i)
    emit(indices, Int32Array.from(spans), 0)
  }

  /**
   * Sets the offsets of words in the source text.
   * @param {ArrayLike<number>} indices into `words` @param {ArrayLike<number>} spans @param {number} [base]
   */
  add(indices, spans, base = 0) {
    for (let i = 0; i < indices.length; i++) {
      Object.assign(this.words[indices[i]], { from: base + spans[2 * i], to: base + spans[2 * i + 1] })
    }
  }

  /** Ignores added tokens, which no model segments. */
  addToken() {}
}
