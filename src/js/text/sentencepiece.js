import { readFields } from './protobuf.js'
import { encodeBase64 } from './spm_normalizer.js'
import { parseByteToken } from './decoders.js'
import { bpeModel, specialToken, templateProcessor, tokenizerJson } from './tokenizer_json.js'
import { decodeUtf8, decodeValidUtf8 } from './utf8.js'
import { expectFormat, formatError } from './json_fields.js'

/** A piece of a .model. @typedef {{ piece: string, score: number, type: number }} Piece */

const UNKNOWN = 2, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5, BYTE = 6
const UNIGRAM = 1, BPE = 2

/**
 * Reads a message; returns functions that read a field or a default.
 * @param {string} where @param {Uint8Array} bytes
 */
function readMessage(where, bytes) {
  const fields = readFields(where, bytes)
  const last = (/** @type {number} */ number) => fields.get(number)?.at(-1)
  return {
    /** @param {number} number */
    messages: number => (fields.get(number) ?? []).filter(value => value instanceof Uint8Array),
    /** @param {number} number @param {number} fallback */
    number: (number, fallback) => {
      const value = last(number)
      return typeof value === 'number' ? value : fallback
    },
    /** @param {number} number @param {boolean} fallback */
    flag: (number, fallback) => {
      const value = last(number)
      return typeof value === 'number' ? value !== 0 : fallback
    },
    /** @param {number} number */
    float: number => {
      const value = last(number)
      return value instanceof Uint8Array && value.length === 4 ?
          new DataView(value.buffer, value.byteOffset).getFloat32(0, true) : 0
    },
    /** @param {number} number @param {Uint8Array} [fallback] */
    bytes: (number, fallback = new Uint8Array()) => {
      const value = last(number)
      return value instanceof Uint8Array ? value : fallback
    },
    /** @param {number} number @param {string} fallback */
    text: (number, fallback) => {
      const value = last(number)
      return value instanceof Uint8Array ? decodeText(where, value) : fallback
    }
  }
}

/** @param {string} where @param {Uint8Array} bytes */
function decodeText(where, bytes) {
  const text = decodeValidUtf8(bytes)
  expectFormat(text !== undefined, () => `${where} has a string that is not UTF-8`)
  return text
}

/**
 * Converts a SentencePiece .model to a tokenizer.json, extended by fields that Hugging Face's format lacks.
 * @param {string} name of the file @param {Uint8Array} bytes
 * @throws {GlassformerError} 'format'
 */
export function fromSentencePiece(name, bytes) {
  const where = `tokenizer: ${name}`
  const model = readMessage(where, bytes)
  const trainer = readMessage(where, model.bytes(2)), spec = readMessage(where, model.bytes(3))
  const pieces = model.messages(1).map(pieceBytes => {
    const piece = readMessage(where, pieceBytes)
    return { piece: piece.text(1, ''), score: piece.float(2), type: piece.number(3, 1) }
  })
  expectFormat(pieces.length > 0, () => `${where} has no pieces; is it a SentencePiece model?`)
  const type = trainer.number(3, UNIGRAM)
  const ends = { bos: trainer.number(41, 1), eos: trainer.number(42, 2) }
  return toTokenizerJson(where, pieces, {
    type,
    charsmap: encodeBase64(spec.bytes(2)),
    addDummyPrefix: spec.flag(3, true),
    removeExtraSpaces: spec.flag(4, true),
    escape: spec.flag(5, true),
    suffix: trainer.flag(24, false),
    byteFallback: trainer.flag(35, false),
    unknownSurface: trainer.text(44, ' \u2047 '),
    before: type === BPE ? [ends.bos] : [],
    after: type === BPE ? [] : [ends.eos]
  })
}

/**
 * @typedef {object} Settings
 * @property {number} type @property {string} charsmap base64
 * @property {boolean} addDummyPrefix @property {boolean} removeExtraSpaces
 * @property {boolean} escape @property {boolean} suffix @property {boolean} byteFallback @property {string}
 *   unknownSurface
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
    normalizer: {
      type: 'SentencePiece',
      charsmap: settings.charsmap,
      add_dummy_prefix: settings.addDummyPrefix,
      remove_extra_whitespaces: settings.removeExtraSpaces,
      escape_whitespaces: settings.escape,
      treat_whitespace_as_suffix: settings.suffix,
      user_defined: userDefined
    },
    pre_tokenizer: null,
    post_processor: templateProcessor(specials(settings.before), specials(settings.after)),
    decoder: {
      type: 'SentencePiece',
      add_dummy_prefix: settings.addDummyPrefix,
      remove_extra_whitespaces: settings.removeExtraSpaces,
      unknown: { piece: pieces[unknown].piece, surface: settings.unknownSurface }
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
  const vocab = Object.fromEntries(pieces.map(({ piece }, id) => [piece, id]))
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
function mergesFromScores(pieces) {
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
  const where = `tokenizer: ${name}`
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  /** @type {Piece[]} */ const pieces = []
  for (let at = 4; at < bytes.length;) {
    expectFormat(at + 8 <= bytes.length, () => `${where} ends inside token ${pieces.length}`)
    const score = view.getFloat32(at, true), length = view.getInt32(at + 4, true)
    expectFormat(length >= 0 && length <= bytes.length - at - 8, () => `${where}: token ${pieces.length} cannot have ${length} bytes; is it llama2.c's tokenizer.bin?`)
    const text = decodeUtf8(bytes.subarray(at + 8, at + 8 + length))
    pieces.push({ piece: text.replaceAll(' ', '▁'), score, type: 1 })
    at += 8 + length
  }
  expectFormat(pieces.length >= 259 && pieces.slice(3, 259).every(({ piece }, byte) => parseByteToken(piece) === byte), () => `${where} must begin with three special tokens and the 256 bytes; is it llama2.c's tokenizer.bin?`)
  pieces.slice(0, 3).forEach((piece, id) =>
    Object.assign(piece, { piece: ['<unk>', '<s>', '</s>'][id], type: id ? CONTROL : UNKNOWN }))
  pieces.slice(3, 259).forEach(piece => Object.assign(piece, { type: BYTE }))
  return toTokenizerJson(where, pieces, {
    type: BPE, charsmap: '', addDummyPrefix: true, removeExtraSpaces: false, escape: true, suffix: false, byteFallback: true,
    unknownSurface: ' \u2047 ', before: [1], after: []
  })
}

/**
 * Converts pieces with their scores, as GGUF files have them.
 * @param {string} where @param {readonly Piece[]} pieces
 * @param {{ isUnigram: boolean, charsmap: ArrayLike<number>, addDummyPrefix: boolean, removeExtraSpaces: boolean,
 *   before: number[], after: number[] }} settings
 * @throws {GlassformerError} 'format'
 */
export const fromPieces = (where, pieces, { isUnigram, charsmap, ...settings }) => toTokenizerJson(where, pieces, {
  ...settings, type: isUnigram ? UNIGRAM : BPE, charsmap: encodeBase64(Uint8Array.from(charsmap)), escape: true,
  suffix: false, byteFallback: !isUnigram, unknownSurface: ' \u2047 '
})
