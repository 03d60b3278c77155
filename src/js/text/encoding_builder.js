import { expect } from '../errors.js'
import { endOfSpaces, startOfSpaces } from './spaces.js'

/**
 * Trims the spaces of a token from its offsets, as Hugging Face's ByteLevel and RobertaProcessing do.
 * @param {string} token @param {[number, number]} offsets @param {boolean} isFirst
 * @param {{ hasSpace: boolean }} trim hasSpace: whether the pre-tokenizer added a space before the text
 * @param {string} string the text
 * @returns {[number, number]}
 */
function trimOffsets(token, [from, to], isFirst, { hasSpace }, string) {
  // The text of an added token has the spaces that lstrip and rstrip take; others are as byte-level vocabularies write.
  const own = string.slice(from, to), text = own.trim() === token ? own : token.replaceAll('Ġ', ' ')
  const before = endOfSpaces(text, 0), after = text.length - startOfSpaces(text, text.length)
  // No space is added before a text that begins with one.
  const isAdded = hasSpace && before === 1 && (isFirst || !from)
  // A single space may stand for a character of two units, which is not cut in half.
  const isWide = before && /** @type {number} */ (string.codePointAt(from)) > 0xffff
  const start = isAdded ? from : Math.min(to, from + (isWide ? 2 : before))
  return [start, after && to >= after ? Math.max(start, to - (text[1] ? after : 2)) : to]
}

/** Collects the tokens of a text. */
export class EncodingBuilder {
  /** @type {{ ids: ArrayLike<number>, spans: ArrayLike<number>, base: number }[]} */ #parts = []

  #string

  /** @param {import('./tokenizer.js').Model} model @param {string} string the text */
  constructor(model, string) {
    this.#string = string
    this.encode = model.encode.bind(model)
  }

  /**
   * Adds pieces.
   * @param {ArrayLike<number>} ids @param {ArrayLike<number>} spans @param {number} [base] added to the spans
   */
  add(ids, spans, base = 0) {
    this.#parts.push({ ids, spans, base })
  }

  /** @param {number} id @param {number} from @param {number} to */
  addToken(id, from, to) {
    this.add([id], [from, to])
  }

  /** The ids of the text. */
  get ids() {
    const parts = this.#parts
    /** @type {number[]} */ const all = new Array(parts.reduce((sum, part) => sum + part.ids.length, 0))
    let at = 0
    for (const { ids } of parts) for (let i = 0; i < ids.length; i++) all[at++] = ids[i]
    return all
  }

  /**
   * The offsets of the tokens. @param {readonly string[]} tokens @param {{ hasSpace: boolean }} [trim] trims them
   */
  offsets(tokens, trim) {
    const offsets = this.#parts.flatMap(({ ids, spans, base }) => Array.from(ids,
      (_, i) => /** @type {[number, number]} */ ([base + spans[2 * i], base + spans[2 * i + 1]])))
    return trim ? offsets.map((span, i) => trimOffsets(tokens[i], span, i === 0, trim, this.#string)) : offsets
  }
}

/**
 * A part of an encoding: the tokens of a text from `from` to `to`, or special tokens or padding at a position `at` of
 * the text.
 * @typedef {{ ids: number[], typeId: number, at: number, isPadding?: boolean, builder?: EncodingBuilder, from: number,
 *   to: number }} Piece
 */

/**
 * Joins pieces to an encoding. All but the ids is computed on first access, because often only the ids are needed.
 * @param {readonly Piece[]} pieces @param {readonly (string | undefined)[]} vocabulary
 * @param {{ hasSpace: boolean }} [trim] trims offsets
 * @returns {import('./tokenizer.js').Encoding}
 */
export function joinPieces(pieces, vocabulary, trim) {
  const ids = pieces.length === 1 ? pieces[0].ids : pieces.flatMap(piece => piece.ids)
  const tokensOf = (/** @type {readonly number[]} */ list) => list.map(id => /** @type {string} */ (vocabulary[id]))
  /** @template T @param {(piece: Piece) => T[]} read @returns {() => T[]} */
  const once = read => {
    /** @type {T[] | undefined} */ let values
    return () => (values ??= pieces.flatMap(read))
  }
  const fill = (/** @type {(piece: Piece) => any} */ read) =>
    once(piece => new Array(piece.ids.length).fill(read(piece)))
  const tokens = once(piece => tokensOf(piece.ids)), typeIds = fill(piece => piece.typeId)
  const attentionMask = fill(piece => Number(!piece.isPadding))
  /** @type {() => [number, number][]} */
  const offsets = once(({ ids: { length }, at, builder, from, to }) => (builder
    ? builder.offsets(tokensOf(builder.ids), trim).slice(from, to) : Array.from({ length }, () => [at, at])))
  return {
    ids,
    get tokens() {
      return tokens()
    },
    get offsets() {
      return offsets()
    },
    get typeIds() {
      return typeIds()
    },
    get attentionMask() {
      return attentionMask()
    }
  }
}

/**
 * How many tokens of each text remain, as in Hugging Face's library.
 * @param {readonly number[]} lengths of one or two texts @param {number} max @param {string} strategy
 * @returns {number[]}
 * @throws {GlassformerError} 'range' if the text that may be truncated is too short
 */
export function truncatedLengths(lengths, max, strategy) {
  const [a, b = 0] = lengths, excess = a + b - max
  if (excess <= 0) return [...lengths]
  if (strategy === 'longest_first') {
    if (lengths.length === 1) return [max]
    const shorter = Math.min(a, b), longer = Math.max(shorter, max - shorter)
    const small = shorter + longer <= max ? shorter : max >> 1
    return a > b ? [max - small, small] : [small, max - small]
  }
  const index = Number(strategy === 'only_second')
  expect(lengths[index] > excess, 'range', () =>
    `tokenizer.encode: ${strategy} cannot remove ${excess} tokens`)
  return lengths.map((length, i) => (i === index ? length - excess : length))
}
