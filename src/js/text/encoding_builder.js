import { endOfSpaces, startOfSpaces } from './spaces.js'

/**
 * Trims the spaces of a token from its offsets, as Hugging Face's ByteLevel and RobertaProcessing do.
 * @param {string} token @param {[number, number]} offsets @param {boolean} isFirst
 * @param {{ hasSpace: boolean }} trim hasSpace: whether the pre-tokenizer added a space before the text
 * @returns {[number, number]}
 */
function trimOffsets(token, [from, to], isFirst, { hasSpace }) {
  const text = token.replaceAll('Ġ', ' ') // as byte-level vocabularies write it
  const before = endOfSpaces(text, 0), after = text.length - startOfSpaces(text, text.length)
  // No space is added before a text that begins with one.
  const isAdded = hasSpace && before === 1 && (isFirst || from === 0)
  const start = Math.min(to, from + before - Number(isAdded))
  return [start, after && to >= after ? Math.max(start, to - after) : to]
}

/** Collects the pieces of a text and builds its encoding. */
export class EncodingBuilder {
  /** @type {{ ids: ArrayLike<number>, spans: ArrayLike<number>, base: number }[]} */ #parts = []
  #count = 0

  /** @param {import('./tokenizer.js').Model} model */
  constructor(model) {
    this.encode = model.encode.bind(model)
  }

  /**
   * Adds pieces.
   * @param {ArrayLike<number>} ids @param {ArrayLike<number>} spans @param {number} [base] added to the spans
   */
  add(ids, spans, base = 0) {
    this.#parts.push({ ids, spans, base })
    this.#count += ids.length
  }

  /** @param {number} id @param {number} from @param {number} to */
  addToken(id, from, to) {
    this.add([id], [from, to])
  }

  /** @param {readonly number[]} ids @param {number} at */
  addSpecialTokens(ids, at) {
    this.add(ids, ids.flatMap(() => [at, at]))
  }

  /**
   * Returns the encoding. Tokens and offsets are computed on first access, because often only the ids are needed.
   * @param {readonly (string | undefined)[]} vocabulary @param {{ hasSpace: boolean }} [trim] trims offsets
   * @returns {import('./tokenizer.js').Encoding}
   */
  encoding(vocabulary, trim) {
    const parts = this.#parts
    /** @type {number[]} */ const ids = new Array(this.#count)
    let at = 0
    for (const part of parts) for (let i = 0; i < part.ids.length; i++) ids[at++] = part.ids[i]
    /** @type {string[] | undefined} */ let tokens
    /** @type {[number, number][] | undefined} */ let offsets
    return {
      ids,
      get tokens() {
        return tokens ??= parts.flatMap(part => Array.from(part.ids, id => /** @type {string} */ (vocabulary[id])))
      },
      get offsets() {
        if (offsets) return offsets
        offsets = parts.flatMap(({ ids, spans, base }) => Array.from(ids,
          (_, i) => /** @type {[number, number]} */ ([base + spans[2 * i], base + spans[2 * i + 1]])))
        if (trim) offsets = offsets.map((span, i) => trimOffsets(this.tokens[i], span, i === 0, trim))
        return offsets
      }
    }
  }
}
