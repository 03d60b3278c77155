import { readFields } from './protobuf.js'
import { encodeBase64 } from './spm_normalizer.js'
import { parseByteToken } from './decoders.js'
import { bpeModel, specialToken, templateProcessor, toVocab, tokenizerJson } from './tokenizer_json.js'
import { decodeUtf8, decodeValidUtf8 } from './utf8.js'
import { expectFormat, formatError } from './json_fields.js'

/** A piece of a .model. @typedef {{ piece: string, score: number, type: number }} Piece */

const UNKNOWN = 2, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5, BYTE = 6
const UNIGRAM = 1, BPE = 2
/** The text of an unknown token. */
const UNKNOWN_SURFACE = ' \u2047 '

/** The fields of SentencePiece's normalizer. */
const SPEC = ['add_dummy_prefix', 'remove_extra_whitespaces', 'escape_whitespaces']

/**
 * Reads a message; returns its fields by number, and functions that read the last value of a field or a default.
 * @param {string} where @param {number | Uint8Array | undefined} bytes
 */
function readMessage(where, bytes) {
  const fields = bytes instanceof Uint8Array ? readFields(where, bytes) : new Map()
  const last = (/** @type {number} */ number) => fields.get(number)?.at(-1)
  return {
    fields,
    last,
    /** @param {number} number @param {number} fallback @returns {number} */
    number: (number, fallback) => (typeof last(number) === 'number' ? last(number) : fallback),
    /** @param {number} number @param {string} fallback */
    text: (number, fallback) => {
      const value = last(number), text = value instanceof Uint8Array ? decodeValidUtf8(value) : fallback
      expectFormat(text !== undefined, () => `${where} has a string that is not UTF-8`)
      return text
    }
  }
}

/** Converts a NormalizerSpec. @param {string} where @param {number | Uint8Array | undefined} bytes */
function normalizerOf(where, bytes) {
  const spec = readMessage(where, bytes), charsmap = spec.last(2)
  return { type: 'SentencePiece', charsmap: encodeBase64(charsmap instanceof Uint8Array ? charsmap : []),
    ...Object.fromEntries(SPEC.map((field, i) => [field, spec.number(3 + i, 1) !== 0])) }
}

/**
 * Converts a SentencePiece .model to a tokenizer.json, extended by fields that Hugging Face's format lacks.
 * @param {string} name of the file @param {Uint8Array} bytes
 * @throws {GlassformerError} 'format'
 */
export function fromSentencePiece(name, bytes) {
  const where = `tokenizer: ${name}`
  const model = readMessage(where, bytes)
  const trainer = readMessage(where, model.last(2))
  const pieces = (model.fields.get(1) ?? []).map((/** @type {Uint8Array} */ content) => {
    const piece = readMessage(where, content), score = piece.last(2)
    return { piece: piece.text(1, ''), type: piece.number(3, 1),
      score: score?.length === 4 ? new DataView(score.buffer, score.byteOffset).getFloat32(0, true) : 0 }
  })
  expectFormat(pieces.length > 0, () => `${where} has no pieces; is it a SentencePiece model?`)
  const type = trainer.number(3, UNIGRAM), isBpe = type === BPE, denormalizer = normalizerOf(where, model.last(5))
  return toTokenizerJson(where, pieces, {
    type,
    spec: { ...normalizerOf(where, model.last(3)), treat_whitespace_as_suffix: trainer.number(24, 0) !== 0 },
    ...(denormalizer.charsmap && { denormalizer: { ...denormalizer, user_defined: [] } }),
    byteFallback: trainer.number(35, 0) !== 0,
    unknownSurface: trainer.text(44, UNKNOWN_SURFACE),
    before: isBpe ? [trainer.number(41, 1)] : [],
    after: isBpe ? [] : [trainer.number(42, 2)]
  })
}

/**
 * @typedef {object} Settings
 * @property {number} type @property {Record<string, any>} spec fields of the normalizer
 * @property {Record<string, any>} [denormalizer] what rewrites a decoded text
 * @property {boolean} byteFallback @property {string} [unknownSurface]
 * @property {number[]} before ids of the special tokens before a text @property {number[]} after
 */

/** @param {string} where @param {readonly Piece[]} pieces @param {Settings} settings */
function toTokenizerJson(where, pieces, settings) {
  const ofType = (/** @type {number} */ type) => pieces.flatMap((piece, id) => piece.type === type ? [id] : [])
  const [unknown, anotherUnknown] = ofType(UNKNOWN)
  expectFormat(unknown !== undefined && anotherUnknown === undefined, () => `${where} must have one unknown piece`)
  const kinds = { control: ofType(CONTROL), unused: ofType(UNUSED), userDefined: ofType(USER_DEFINED),
    bytes: ofType(BYTE) }
  const userDefined = kinds.userDefined.map(id => pieces[id].piece)
  // An id of -1 means none; as an unsigned varint it is far beyond the pieces.
  const isControl = (/** @type {number} */ id) => pieces[id]?.type === CONTROL
  const specials = (/** @type {number[]} */ ids) =>
    ids.filter(isControl).map(id => /** @type {[string, number]} */ ([pieces[id].piece, id]))
  return tokenizerJson({
    // Byte-pair encoding never splits user-defined symbols; the unigram model scores them like other pieces.
    added_tokens: settings.type === BPE ?
        kinds.userDefined.map(id => ({ ...specialToken(pieces[id].piece, id), normalized: true, special: false })) : [],
    normalizer: { type: 'SentencePiece', ...settings.spec, user_defined: userDefined },
    pre_tokenizer: null,
    post_processor: templateProcessor(specials(settings.before), specials(settings.after)),
    decoder: {
      type: 'SentencePiece',
      add_dummy_prefix: settings.spec.add_dummy_prefix,
      remove_extra_whitespaces: settings.spec.remove_extra_whitespaces,
      unknown: { piece: pieces[unknown].piece, surface: settings.unknownSurface ?? UNKNOWN_SURFACE },
      denormalizer: settings.denormalizer
    },
    model: toModel(where, pieces, unknown, kinds, settings)
  })
}

/**
 * @param {string} where @param {readonly Piece[]} pieces @param {number} unknown
 * @param {import('./unigram_model.js').PieceKinds} kinds @param {Settings} settings
 */
function toModel(where, pieces, unknown, kinds, { type, byteFallback }) {
  if (type === UNIGRAM) {
    return { type: 'Unigram', unk_id: unknown, vocab: pieces.map(({ piece, score }) => [piece, score]),
      byte_fallback: byteFallback, kinds }
  }
  if (type !== BPE) {
    throw formatError(`${where} has a model of type ${type}; supported are 1, unigram, and 2, BPE`)
  }
  expectFormat(kinds.unused.length === 0, () => `${where} has unused pieces, which are not supported in BPE`)
  const { merges, ranks } = mergesFromScores(pieces)
  const vocab = toVocab(pieces.map(({ piece }) => piece))
  const { ignore_merges: _, ...model } = bpeModel(vocab, merges)
  return {
    ...model,
    unk_token: pieces[unknown].piece,
    fuse_unk: true,
    byte_fallback: byteFallback,
    ranks,
    kinds
  }
}

/**
 * Lists the merges of a SentencePiece BPE model, which has only pieces and scores: any two pieces that form a third are
 * merged, the highest score first. Of equal scores the leftmost pair is merged first, so equal scores share a rank.
 * @param {readonly Piece[]} pieces
 */
export function mergesFromScores(pieces) {
  const normal = pieces.filter(({ type }) => type === 1)
  const isControl = new Set(normal.map(({ piece }) => piece))
  const order = [...new Set(normal.map(({ score }) => score))].sort((a, b) => b - a)
  const rankOf = new Map(order.map((score, rank) => [score, rank]))
  /** @type {[string, string][]} */ const merges = []
  /** @type {number[]} */ const ranks = []
  for (const { piece, score } of normal) {
    let length = 0
    for (const character of piece) {
      length += character.length
      const left = piece.slice(0, length), right = piece.slice(length)
      if (!right || !isControl.has(left) || !isControl.has(right)) continue
      merges.push([left, right])
      ranks.push(/** @type {number} */ (rankOf.get(score)))
    }
  }
  return { merges, ranks }
}

/**
 * Converts llama2.c's tokenizer: the maximum length of a token, then score, length and bytes of each token. The unknown
 * piece, <s>, </s> and the 256 bytes come first. It has spaces where SentencePiece has ▁.
 * @param {string} name of the file @param {Uint8Array} bytes
 * @throws {GlassformerError} 'format'
 */
export function fromLlama2c(name, bytes) {
  const where = `tokenizer: ${name}`, question = "is it llama2.c's tokenizer.bin?"
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  /** @type {Piece[]} */ const pieces = []
  for (let at = 4; at < bytes.length;) {
    expectFormat(at + 8 <= bytes.length, () => `${where} ends inside token ${pieces.length}`)
    const score = view.getFloat32(at, true), length = view.getInt32(at + 4, true)
    expectFormat(length >= 0 && length <= bytes.length - at - 8, () => `${where}: token ${pieces.length} cannot have ${length} bytes; ${question}`)
    const text = decodeUtf8(bytes.subarray(at + 8, at + 8 + length))
    pieces.push({ piece: text.replaceAll(' ', '▁'), score, type: 1 })
    at += 8 + length
  }
  expectFormat(pieces.length >= 259 && pieces.slice(3, 259).every(({ piece }, byte) => parseByteToken(piece) === byte), () => `${where} must begin with three special tokens and the 256 bytes; ${question}`)
  const specials = ['<unk>', '<s>', '</s>']
  pieces.slice(0, 259).forEach((piece, id) => Object.assign(piece,
    id < 3 ? { piece: specials[id], type: id ? CONTROL : UNKNOWN } : { type: BYTE }))
  return toTokenizerJson(where, pieces, {
    type: BPE, spec: spmSpec('', true, false), byteFallback: true, before: [1], after: []
  })
}

/**
 * The fields of a normalizer whose other settings are SentencePiece's defaults.
 * @param {string} charsmap @param {boolean} addDummyPrefix @param {boolean} removeExtraSpaces
 */
const spmSpec = (charsmap, addDummyPrefix, removeExtraSpaces) => ({ charsmap, add_dummy_prefix: addDummyPrefix,
  remove_extra_whitespaces: removeExtraSpaces, escape_whitespaces: true, treat_whitespace_as_suffix: false })

/**
 * Converts pieces with their scores, as GGUF files have them.
 * @param {string} where @param {readonly Piece[]} pieces
 * @param {{ isUnigram: boolean, charsmap: ArrayLike<number>, addDummyPrefix: boolean, removeExtraSpaces: boolean,
 *   before: number[], after: number[] }} settings
 * @throws {GlassformerError} 'format'
 */
export const fromPieces = (where, pieces, { isUnigram, charsmap, addDummyPrefix, removeExtraSpaces, ...ends }) =>
  toTokenizerJson(where, pieces, {
    ...ends, type: isUnigram ? UNIGRAM : BPE, byteFallback: !isUnigram,
    spec: spmSpec(encodeBase64(Uint8Array.from(charsmap)), addDummyPrefix, removeExtraSpaces)
  })
