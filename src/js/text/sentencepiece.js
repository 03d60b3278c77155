import { GlassformerError, expect } from '../errors.js'
import { fieldsOf } from './protobuf.js'
import { base64OfBytes } from './spm_normalizer.js'
import { byteOfToken } from './decoders.js'
import { bpe, special } from './merges_files.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A piece of a .model and what it is. @typedef {{ piece: string, score: number, type: number }} Piece */

const UNKNOWN = 2, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5, BYTE = 6
const UNIGRAM = 1, BPE = 2

/** A message's fields with defaults. @param {string} where @param {Uint8Array} bytes */
function message(where, bytes) {
  const fields = fieldsOf(where, bytes)
  const last = (/** @type {number} */ number) => fields.get(number)?.at(-1)
  return {
    /** @param {number} number */
    messages: number => (fields.get(number) ?? []).filter(value => value instanceof Uint8Array),
    /** @param {number} number @param {number} otherwise */
    number: (number, otherwise) => {
      const value = last(number)
      return typeof value === 'number' ? value : otherwise
    },
    /** @param {number} number @param {boolean} otherwise */
    flag: (number, otherwise) => {
      const value = last(number)
      return typeof value === 'number' ? value !== 0 : otherwise
    },
    /** @param {number} number */
    float: number => {
      const value = last(number)
      return value instanceof Uint8Array && value.length === 4 ?
          new DataView(value.buffer, value.byteOffset).getFloat32(0, true) : 0
    },
    /** @param {number} number @param {Uint8Array} [otherwise] */
    bytes: (number, otherwise = new Uint8Array()) => {
      const value = last(number)
      return value instanceof Uint8Array ? value : otherwise
    },
    /** @param {number} number @param {string} otherwise */
    text: (number, otherwise) => {
      const value = last(number)
      return value instanceof Uint8Array ? textOf(where, value) : otherwise
    }
  }
}

/** @param {string} where @param {Uint8Array} bytes */
function textOf(where, bytes) {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new GlassformerError('format', `${where} has a text that is not UTF-8`)
  }
}

/**
 * A SentencePiece .model as the parts of a tokenizer.json, with what those cannot say.
 * @param {string} name of the file @param {Uint8Array} bytes
 * @throws {GlassformerError} 'format'
 */
export function fromSentencePiece(name, bytes) {
  const where = `tokenizer: ${name}`
  const model = message(where, bytes)
  const trainer = message(where, model.bytes(2)), spec = message(where, model.bytes(3))
  const pieces = model.messages(1).map(one => {
    const piece = message(where, one)
    return { piece: piece.text(1, ''), score: piece.float(2), type: piece.number(3, 1) }
  })
  expect(pieces.length > 0, 'format', () => `${where} has no pieces; is it a SentencePiece model?`)
  const type = trainer.number(3, UNIGRAM)
  const ends = { bos: trainer.number(41, 1), eos: trainer.number(42, 2) }
  return partsOf(where, pieces, {
    type,
    charsmap: base64OfBytes(spec.bytes(2)),
    dummyPrefix: spec.flag(3, true),
    tidy: spec.flag(4, true),
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
 * @property {number} type @property {string} charsmap base64 @property {boolean} dummyPrefix @property {boolean} tidy
 * @property {boolean} escape @property {boolean} suffix @property {boolean} byteFallback @property {string}
 *   unknownSurface
 * @property {number[]} before ids around a text @property {number[]} after
 */

/** @param {string} where @param {readonly Piece[]} pieces @param {Settings} settings */
function partsOf(where, pieces, settings) {
  const ofType = (/** @type {number} */ type) => pieces.flatMap((piece, id) => piece.type === type ? [id] : [])
  const [unknown, more] = ofType(UNKNOWN)
  expect(unknown !== undefined && more === undefined, 'format', () => `${where} must have one unknown piece`)
  const kinds = { control: ofType(CONTROL), unused: ofType(UNUSED), userDefined: ofType(USER_DEFINED),
    bytes: ofType(BYTE) }
  const own = kinds.userDefined.map(id => pieces[id].piece)
  // An id of -1, by which none is meant, is a number far beyond the pieces here.
  const known = (/** @type {number} */ id) => pieces[id]?.type === CONTROL
  const template = (/** @type {number[]} */ ids) =>
    ids.filter(known).map(id => ({ SpecialToken: { id: pieces[id].piece, type_id: 0 } }))
  const specials = [...settings.before, ...settings.after].filter(known)
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    // Byte-pair encoding leaves the user's symbols alone; the unigram model weighs them with the other pieces.
    added_tokens: settings.type === BPE ?
        kinds.userDefined.map(id => ({ ...special(pieces[id].piece, id), normalized: true, special: false })) : [],
    normalizer: {
      type: 'SentencePiece',
      charsmap: settings.charsmap,
      add_dummy_prefix: settings.dummyPrefix,
      remove_extra_whitespaces: settings.tidy,
      escape_whitespaces: settings.escape,
      treat_whitespace_as_suffix: settings.suffix,
      user_defined: own
    },
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [...template(settings.before), { Sequence: { id: 'A', type_id: 0 } }, ...template(settings.after)],
      pair: [],
      special_tokens: Object.fromEntries(specials.map(id =>
        [pieces[id].piece, { id: pieces[id].piece, ids: [id], tokens: [pieces[id].piece] }]))
    },
    decoder: {
      type: 'SentencePiece',
      add_dummy_prefix: settings.dummyPrefix,
      remove_extra_whitespaces: settings.tidy,
      unknown: { piece: pieces[unknown].piece, surface: settings.unknownSurface }
    },
    model: modelOf(where, pieces, unknown, kinds, settings)
  }
}

/**
 * @param {string} where @param {readonly Piece[]} pieces @param {number} unknown
 * @param {import('./unigram_model.js').PieceKinds} kinds @param {Settings} settings
 */
function modelOf(where, pieces, unknown, kinds, { type, byteFallback }) {
  if (type === UNIGRAM) {
    return { type: 'Unigram', unk_id: unknown, vocab: pieces.map(({ piece, score }) => [piece, score]),
      byte_fallback: byteFallback, kinds }
  }
  if (type !== BPE) {
    throw new GlassformerError('format', `${where} has a model of type ${type}; known are 1, unigram, and 2, BPE`)
  }
  expect(kinds.unused.length === 0, 'format', () => `${where} has unused pieces, which BPE here cannot pass over`)
  const { merges, ranks } = mergesByScore(pieces)
  const { ignore_merges: _, ...usual } = bpe(Object.fromEntries(pieces.map(({ piece }, id) => [piece, id])), merges)
  return {
    ...usual,
    unk_token: pieces[unknown].piece,
    fuse_unk: true,
    byte_fallback: byteFallback,
    ranks,
    kinds
  }
}

/**
 * SentencePiece has no list of merges: any two pieces are joined to a third, the one with the highest score first; of
 * equals the leftmost, so equal scores share a rank.
 * @param {readonly Piece[]} pieces
 */
function mergesByScore(pieces) {
  const normal = pieces.filter(({ type }) => type === 1)
  const known = new Set(normal.map(({ piece }) => piece))
  const order = [...new Set(normal.map(({ score }) => score))].sort((a, b) => b - a)
  const rankOf = new Map(order.map((score, rank) => [score, rank]))
  /** @type {[string, string][]} */ const merges = []
  /** @type {number[]} */ const ranks = []
  for (const { piece, score } of normal) {
    let cut = 0
    for (const character of piece) {
      cut += character.length
      const left = piece.slice(0, cut), right = piece.slice(cut)
      if (!right || !known.has(left) || !known.has(right)) continue
      merges.push([left, right])
      ranks.push(/** @type {number} */ (rankOf.get(score)))
    }
  }
  return { merges, ranks }
}

/**
 * llama2.c's tokenizer: the longest token's bytes, then score, length and bytes of each; the unknown piece, <s>, </s>
 * and the 256 bytes come first. It has spaces where SentencePiece has ▁.
 * @param {string} name of the file @param {Uint8Array} bytes
 * @throws {GlassformerError} 'format'
 */
export function fromLlama2c(name, bytes) {
  const where = `tokenizer: ${name}`
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  /** @type {Piece[]} */ const pieces = []
  for (let at = 4; at < bytes.length;) {
    expect(at + 8 <= bytes.length, 'format', () => `${where} ends inside token ${pieces.length}`)
    const score = view.getFloat32(at, true), length = view.getInt32(at + 4, true)
    expect(length >= 0 && length <= bytes.length - at - 8, 'format',
      () => `${where}: token ${pieces.length} cannot have ${length} bytes; is it llama2.c's tokenizer.bin?`)
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at + 8, at + 8 + length))
    pieces.push({ piece: text.replaceAll(' ', '▁'), score, type: 1 })
    at += 8 + length
  }
  expect(pieces.length >= 259 && pieces.slice(3, 259).every(({ piece }, byte) => byteOfToken(piece) === byte), 'format',
    () => `${where} must begin with three marks and the 256 bytes; is it llama2.c's tokenizer.bin?`)
  pieces.slice(0, 3).forEach((piece, id) =>
    Object.assign(piece, { piece: ['<unk>', '<s>', '</s>'][id], type: id ? CONTROL : UNKNOWN }))
  pieces.slice(3, 259).forEach(piece => Object.assign(piece, { type: BYTE }))
  return partsOf(where, pieces, {
    type: BPE, charsmap: '', dummyPrefix: true, tidy: false, escape: true, suffix: false, byteFallback: true,
    unknownSurface: ' \u2047 ', before: [1], after: []
  })
}
