/** The pieces of a text that have been found so far. */
export class Pieces {
  /** @type {{ ids: ArrayLike<number>, spans: ArrayLike<number>, base: number }[]} */ #parts = []
  #count = 0

  /** @param {import('./tokenizer.js').Model} model */
  constructor(model) {
    this.encode = model.encode.bind(model)
  }

  /** @param {ArrayLike<number>} ids @param {ArrayLike<number>} spans @param {number} [base] added to the spans */
  add(ids, spans, base = 0) {
    this.#parts.push({ ids, spans, base })
    this.#count += ids.length
  }

  /** @param {number} id @param {number} from @param {number} to */
  addToken(id, from, to) {
    this.add([id], [from, to])
  }

  /** @param {readonly number[]} ids @param {number} at */
  addMarks(ids, at) {
    this.add(ids, ids.flatMap(() => [at, at]))
  }

  /**
   * Tokens and offsets are made when they are asked for: often only the ids are wanted.
   * @param {readonly (string | undefined)[]} names @returns {import('./tokenizer.js').Encoding}
   */
  encoding(names) {
    const parts = this.#parts
    /** @type {number[]} */ const ids = new Array(this.#count)
    let at = 0
    for (const part of parts) for (let i = 0; i < part.ids.length; i++) ids[at++] = part.ids[i]
    /** @type {string[] | undefined} */ let tokens
    /** @type {[number, number][] | undefined} */ let offsets
    return {
      ids,
      get tokens() {
        return tokens ??= parts.flatMap(part => Array.from(part.ids, id => /** @type {string} */ (names[id])))
      },
      get offsets() {
        return offsets ??= parts.flatMap(({ ids, spans, base }) => Array.from(ids,
          (_, i) => /** @type {[number, number]} */ ([base + spans[2 * i], base + spans[2 * i + 1]])))
      }
    }
  }
}
