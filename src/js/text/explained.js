/**
 * How words came to be cut as they are, for those who want to see the search and not only what it found.
 *
 * A piece that was looked up, as the vocabulary spells it; it stands for units [from, to) of the word.
 * @typedef {object} Try
 * @property {string} piece
 * @property {number} from
 * @property {number} to
 * @property {number} [id] none when the vocabulary lacks it
 *
 * A piece of a unigram model that covers units [from, to) of the word, or a character that is no piece.
 * @typedef {object} Arc
 * @property {string} piece
 * @property {number} [id] none of what is unknown
 * @property {number} from
 * @property {number} to
 * @property {number} score the logarithm of its probability
 *
 * The best cut up to a place: its score, the sum of its pieces', and the arc that it ends with; -1 at the beginning.
 * @typedef {{ at: number, score: number, arc: number }} Best
 *
 * What a model tells of one word.
 * @typedef {object} Search
 * @property {string} text the word as the model gets it: rewritten, if the tokenizer rewrites
 * @property {number[]} ids
 * @property {Try[][]} [tries] of WordPiece: for each piece what was tried, the longest first; the last one was found,
 *   unless the word is unknown
 * @property {'long' | 'missing'} [unknown] of WordPiece: why the word is [UNK]: it is too long, or no piece goes on
 * @property {Arc[]} [arcs] of a unigram model: all pieces that were looked at
 * @property {Best[]} [best] by place, in order
 * @property {number[]} [path] the arcs of the best cut of the whole word
 *
 * @typedef {Search & { from: number, to: number }} ExplainedWord from and to: units of the text that was given
 */

/** Reads a text as a tokenizer does, word by word, and keeps what its model tells. */
export class Explained {
  #explain
  /** @type {ExplainedWord[]} */ words = []

  /** @param {(word: string) => Search} explain */
  constructor(explain) {
    this.#explain = explain
  }

  /** @type {import('./tokenizer.js').Encode} */
  encode({ string }, ends, emit) {
    const first = this.words.length
    /** @type {number[]} */ const spans = []
    let from = 0
    for (const to of ends ?? [string.length]) {
      this.words.push({ ...this.#explain(string.slice(from, to)), from, to })
      spans.push(from, to)
      from = to
    }
    const places = Int32Array.from({ length: this.words.length - first }, (_, i) => first + i)
    emit(places, Int32Array.from(spans), 0)
  }

  /**
   * Where words stand in the text that was given.
   * @param {ArrayLike<number>} places in the list of words @param {ArrayLike<number>} spans @param {number} [base]
   */
  add(places, spans, base = 0) {
    for (let i = 0; i < places.length; i++) {
      Object.assign(this.words[places[i]], { from: base + spans[2 * i], to: base + spans[2 * i + 1] })
    }
  }

  /** What stands in a text as it is was not cut. */
  addToken() {}
}
