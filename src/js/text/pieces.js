import { endOfSpaces, startOfSpaces } from './spaces.js'

/**
 * Offsets without the spaces of a token, as Hugging Face's ByteLevel and RobertaProcessing have them.
 * @param {string} token @param {[number, number]} offsets @param {boolean} isFirst
 * @param {{ hasSpace: boolean }} trim hasSpace: whether a space was put before the first token, which is in no text
 * @returns {[number, number]}
 */
function trimmed(token, [from, to], isFirst, { hasSpace }) {
  const text = token.replaceAll('Ġ', ' ') // as byte-level vocabularies write it
  const before = endOfSpaces(text, 0), after = text.length - startOfSpaces(text, text.length)
  // Before several spaces none was put.
  const isPut = hasSpace && before === 1 && (isFirst || from === 0), start = Math.min(to, from + before - Number(isPut))
  return [start, after && to >= after ? Math.max(start, to - after) : to]
}

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
   * @param {readonly (string | undefined)[]} names @param {{ hasSpace: boolean }} [trim] whether offsets are trimmed
   * @returns {import('./tokenizer.js').Encoding}
   */
  encoding(names, trim) {
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
        if (offsets) return offsets
        offsets = parts.flatMap(({ ids, spans, base }) => Array.from(ids,
          (_, i) => /** @type {[number, number]} */ ([base + spans[2 * i], base + spans[2 * i + 1]])))
        if (trim) offsets = offsets.map((one, i) => trimmed(/** @type {string} */ (names[ids[i]]), one, i === 0, trim))
        return offsets
      }
    }
  }
}
