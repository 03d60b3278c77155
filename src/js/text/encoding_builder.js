import { expect } from '../errors.js'
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

/** Collects the tokens of a text. */
export class EncodingBuilder {
  /** @type {{ ids: ArrayLike<number>, spans: ArrayLike<number>, base: number }[]} */ #parts = []

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
    return trim ? offsets.map((span, i) => trimOffsets(tokens[i], span, i === 0, trim)) : offsets
  }
}

/**
 * A text in an encoding: its tokens from `from` to `to`, or the special tokens `ids` at a position `at` of the text.
 * @typedef {{ ids: number[], typeId: number, at: number, builder?: EncodingBuilder, from: number, to: number }} Piece
 */

/**
 * Joins pieces to an encoding. All but the ids is computed on first access, because often only the ids are needed.
 * @param {readonly Piece[]} pieces @param {readonly (string | undefined)[]} vocabulary
 * @param {{ hasSpace: boolean }} [trim] trims offsets @param {Padding & { length: number }} [padding]
 * @returns {import('./tokenizer.js').Encoding}
 */
export function joinPieces(pieces, vocabulary, trim, padding) {
  const texts = pieces.length === 1 ? pieces[0].ids : pieces.flatMap(({ ids }) => ids)
  const missing = padding ? Math.max(0, padding.length - texts.length) : 0
  /** @template T @param {T[]} values @param {T} value @returns {T[]} */
  const pad = (values, value) => {
    if (!missing) return values
    const filler = new Array(missing).fill(value)
    return padding?.side === 'left' ? [...filler, ...values] : [...values, ...filler]
  }
  const ids = pad(texts, padding?.id ?? 0)
  const tokensOf = (/** @type {readonly number[]} */ list) => list.map(id => /** @type {string} */ (vocabulary[id]))
  /** @template T @param {(piece: Piece) => T[]} read @param {T} filler */
  const column = (read, filler) => {
    /** @type {T[] | undefined} */ let values
    return () => (values ??= pad(pieces.flatMap(read), filler))
  }
  /** @type {[number, number]} */ const empty = [0, 0]
  const tokens = column(({ ids }) => tokensOf(ids), vocabulary[padding?.id ?? 0] ?? '')
  const typeIds = column(({ ids, typeId }) => ids.map(() => typeId), padding?.typeId ?? 0)
  const attentionMask = column(({ ids }) => ids.map(() => 1), 0)
  const offsets = column(({ ids, at, builder, from, to }) => (builder
    ? builder.offsets(tokensOf(builder.ids), trim).slice(from, to) : ids.map(() => /** @type {[number, number]} */ ([at, at]))), empty)
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

/** @typedef {{ id: number, typeId: number, side: 'left' | 'right' }} Padding */
/**
 * How many tokens of each text remain, as in Hugging Face's library.
 * @param {readonly number[]} lengths of one or two texts @param {number} max
 * @param {'longest_first' | 'only_first' | 'only_second'} strategy
 * @returns {number[]}
 * @throws {GlassformerError} 'range' if the text that may be truncated is too short
 */
export function truncatedLengths(lengths, max, strategy) {
  const [a, b = 0] = lengths, excess = a + b - max
  if (excess <= 0) return [...lengths]
  if (strategy === 'longest_first') {
    if (lengths.length === 1) return [max]
    const shorter = Math.min(a, b), longer = shorter > max ? shorter : Math.max(shorter, max - shorter)
    const fits = shorter + longer <= max, small = fits ? shorter : max >> 1, large = fits ? longer : max - small
    return a > b ? [large, small] : [small, large]
  }
  const index = strategy === 'only_first' ? 0 : 1
  expect(lengths[index] > excess, 'range', () =>
    `tokenizer.encode: ${strategy} cannot remove ${excess} tokens of ${lengths[index] ?? 0} to reach truncation's length`)
  return lengths.map((length, i) => (i === index ? length - excess : length))
}
