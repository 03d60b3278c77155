import { GlassformerError, describe } from '../errors.js'
import { BatchEncoder } from './batch_encoder.js'
import { BYTE_CHARACTERS, decodeByteLevel, encodeByteLevel } from './byte_level.js'
import { expectPart, formatError, readArray, readIntegers, readString } from './json_fields.js'
import { createPieces, freeWithOwner, memoryError, withBuffers } from './kernel_memory.js'
import { encodeUtf8 } from './utf8.js'

const WHERE = 'tokenizer: model'

/** @typedef {import('./batch_encoder.js').Emit} Emit */

/** Byte-pair encoding over bytes (GPT-2) or characters (Llama). */
export class BpeModel {
  #engine
  #handle
  #batches
  /** Whether the kernel reads bytes, and splits a text as GPT-2 does without ends. @type {boolean} */ splitsText
  /** Undefined if the symbols are bytes, which the kernel reads. @type {SymbolReader | undefined} */ #symbolReader
  /** [n,4]: the left id, right id, rank and merged id of each merge. @type {Int32Array} */ merges

  /**
   * @param {import('../engine/kernels.js').Kernels} engine
   * @param {any} json the `model` of a tokenizer.json
   * @param {Map<string, number>} vocab
   * @param {'read' | 'spelled' | undefined} [byteMode] how bytes are treated, see pretokenizers.js
   * @throws {GlassformerError} 'format' if the result of a merge is not in the vocabulary
   */
  constructor(engine, json, vocab, byteMode) {
    this.#engine = engine
    const unknown = json.unk_token == null ? -1 : vocab.get(json.unk_token) ?? -1
    const byteIds = Int32Array.from(BYTE_CHARACTERS, character => vocab.get(character) ?? unknown)
    // The kernel keeps bytes without a token apart, but the library drops them and merges what is left.
    this.splitsText = byteMode === 'read' && !hasAffixes(json) && !byteIds.includes(-1)
    this.#symbolReader = this.splitsText ? undefined : new SymbolReader(json, vocab, unknown, byteMode)
    this.merges = readMerges(json, vocab)
    const wholeWords = this.splitsText && json.ignore_merges ? createWordPieces(engine, this, vocab) : 0
    const address = withBuffers(engine.memory, [byteIds, this.merges],
      (bytes, merges) => engine.c.gf_bpe_new(bytes, merges, this.merges.length / 4, wholeWords, engine.seed))
    const handle = this.#handle = freeWithOwner(engine, this, address, 'gf_bpe_free', 'tokenizer')
    this.#batches = new BatchEncoder(engine,
      (ids, ends, text, words, n) => engine.c.gf_bpe_bytes(ids, ends, handle, text, words, n))
  }

  /**
   * Encodes words.
   * @param {import('./text_source.js').Source} source
   * @param {Int32Array | undefined} ends of words, in UTF-16 units; undefined: split by GPT-2's pre-tokenizer
   * @param {Emit} emit
   */
  encode(source, ends, emit) {
    if (this.#symbolReader) this.#encodeCharacters(source, ends ?? Int32Array.of(source.string.length), emit)
    else if (ends) this.#batches.encodeWords(source, ends, emit)
    else this.#batches.encodeText(source, emit)
  }

  /** @param {import('./text_source.js').Source} source @param {Int32Array} words @param {Emit} emit */
  #encodeCharacters(source, words, emit) {
    const { c, memory } = this.#engine
    const reader = /** @type {SymbolReader} */ (this.#symbolReader)
    for (let k = 0, start = 0; k < words.length; start = words[k++]) {
      const wordId = reader.wholeWordToken(source, start, words[k])
      if (wordId !== undefined) {
        emit(Int32Array.of(wordId), Int32Array.of(start, words[k]), 0)
        continue
      }
      const { symbols, from, to } = reader.read(source, start, words[k])
      const n = symbols.length
      if (!n) continue
      withBuffers(memory, [new Int32Array(2 * n), symbols, Int32Array.of(n)], (ids, symbolIds, ends) => {
        const count = c.gf_bpe_symbols(ids, ids + 4 * n, this.#handle, symbolIds, ends, 1)
        if (count < 0) throw memoryError('tokenizer.encode')
        const mergedIds = memory.ints(ids, count).slice(), last = memory.ints(ids + 4 * n, count)
        const spans = new Int32Array(2 * count)
        for (let i = 0; i < count; i++) {
          spans[2 * i] = from[i ? last[i - 1] : 0]
          spans[2 * i + 1] = to[last[i] - 1]
        }
        reader.fuse(mergedIds, spans, emit)
      })
    }
  }
}

/**
 * Whether pieces have a prefix inside of a word or a suffix at its end.
 * @param {any} json the `model` of a tokenizer.json
 */
export const hasAffixes = json => Boolean(json.continuing_subword_prefix || json.end_of_word_suffix)

/** Reads the symbols that merges start from: the characters of a word, or its byte-level characters. */
class SymbolReader {
  #vocab
  #unknown
  #prefix
  #suffix
  #json
  #byteMode
  /** With byte fallback, the id of each byte or -1. @type {number[] | undefined} */ #bytes

  /**
   * @param {any} json @param {Map<string, number>} vocab @param {number} unknown
   * @param {'read' | 'spelled' | undefined} byteMode
   */
  constructor(json, vocab, unknown, byteMode) {
    this.#byteMode = byteMode
    this.#vocab = vocab
    this.#unknown = unknown
    this.#prefix = readString(WHERE, json, 'continuing_subword_prefix', '')
    this.#suffix = readString(WHERE, json, 'end_of_word_suffix', '')
    this.#json = json
    this.#bytes = json.byte_fallback ? byteTokenIds(vocab) : undefined
  }

  /**
   * Returns the id of a word that is a token itself, with `ignore_merges`, else undefined.
   * @param {import('./text_source.js').Source} source @param {number} start @param {number} end
   */
  wholeWordToken(source, start, end) {
    return this.#json.ignore_merges === true ? this.#vocab.get(this.#spell(source, start, end)) : undefined
  }

  /**
   * Returns a part of a text as the vocabulary spells it. @param {import('./text_source.js').Source} source
   * @param {number} start @param {number} end
   */
  #spell({ string, copy }, start, end) {
    if (this.#byteMode !== 'read') return string.slice(start, end)
    const bytes = new Uint8Array(3 * (end - start))
    return encodeByteLevel(bytes.subarray(0, copy(bytes, start, end)))
  }

  /**
   * Returns the symbols of a word, and the range of UTF-16 units of each.
   * @param {import('./text_source.js').Source} source @param {number} start @param {number} end
   */
  read(source, start, end) {
    /** @type {number[]} */ const symbols = []
    /** @type {number[]} */ const from = []
    /** @type {number[]} */ const to = []
    for (let at = start; at < end;) {
      const next = at + (/** @type {number} */ (source.string.codePointAt(at)) > 0xffff ? 2 : 1)
      const spelling = this.#spell(source, at, next), characters = this.#byteMode === 'read' ? [...spelling] : [spelling]
      characters.forEach((character, i) => {
        const isLast = next === end && i === characters.length - 1
        for (const symbol of this.#symbolsOf(character, at === start && i === 0, isLast)) {
          symbols.push(symbol)
          from.push(at)
          to.push(next)
        }
      })
      at = next
    }
    return { symbols: Int32Array.from(symbols), from, to }
  }

  /** @param {string} character @param {boolean} first @param {boolean} last @returns {number[]} */
  #symbolsOf(character, first, last) {
    const id = this.#vocab.get((first ? '' : this.#prefix) + character + (last ? this.#suffix : ''))
    if (id !== undefined) return [id]
    const bytes = this.#bytes, spelling = bytes ? Array.from(encodeUtf8(character), byte => bytes[byte]) : [-1]
    if (!spelling.includes(-1)) return spelling
    if (this.#unknown >= 0) return [this.#unknown]
    if (this.#byteMode && this.#json.unk_token == null) return [] // as Hugging Face's library
    const byte = this.#byteMode && decodeByteLevel(character)
    throw noTokenError(byte ? `the byte ${formatByte(byte[0])}` : describe(character))
  }

  /**
   * Emits tokens; with `fuse_unk`, consecutive unknown tokens as one.
   * @param {Int32Array} ids @param {Int32Array} spans @param {Emit} emit
   */
  fuse(ids, spans, emit) {
    let count = 0
    for (let i = 0; i < ids.length; i++) {
      const isRepeated = this.#json.fuse_unk === true && ids[i] === this.#unknown && ids[i - 1] === this.#unknown
      if (!isRepeated) {
        ids[count] = ids[i]
        spans[2 * count++] = spans[2 * i]
      }
      spans[2 * count - 1] = spans[2 * i + 1]
    }
    emit(ids.subarray(0, count), spans.subarray(0, 2 * count), 0)
  }
}

/** @param {number} byte */
const formatByte = byte => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** @param {string} what has no token */
export const noTokenError = what => new GlassformerError('text',
  `tokenizer.encode: text has ${what}, which has no token, and there is no unknown token`)

/** The ids of the tokens <0x00> to <0xFF>, -1 for missing ones. @param {Map<string, number>} vocab */
const byteTokenIds = vocab => Array.from({ length: 256 }, (_, byte) => vocab.get(`<${formatByte(byte)}>`) ?? -1)

/** The ids of the tokens <0x00> to <0xFF>; undefined if any is missing. @param {Map<string, number>} vocab */
export function byteTokens(vocab) {
  const ids = byteTokenIds(vocab)
  return ids.includes(-1) ? undefined : ids
}

/**
 * Reads merges as [n,4]: left id, right id, rank, merged id.
 * @param {any} json @param {Map<string, number>} vocab
 */
function readMerges(json, vocab) {
  const merges = readArray(WHERE, json, 'merges'), prefix = json.continuing_subword_prefix || ''
  const ranks = json.ranks == null ? undefined : readIntegers(WHERE, json, 'ranks')
  const table = new Int32Array(4 * merges.length)
  merges.forEach((merge, rank) => {
    const pair = parsePair(merge, vocab)
    expectPart(pair.length <= 2 && pair.every(token => typeof token === 'string'), () => `model.merges[${rank}] must be two tokens, got ${JSON.stringify(merge)}`)
    const [left, right] = pair.map(token => vocab.get(token))
    const merged = vocab.get(pair[0] + (pair[1]?.startsWith(prefix) ? pair[1].slice(prefix.length) : pair[1]))
    if (left === undefined || right === undefined || merged === undefined) {
      throw formatError(`tokenizer: model.merges[${rank}] is ${JSON.stringify(merge)}, ` +
        'which does not join two tokens of the vocabulary to a third')
    }
    table.set([left, right, ranks?.[rank] ?? rank, merged], 4 * rank)
  })
  return table
}

/**
 * Parses a merge: "left right", where a token may contain spaces, or [left, right].
 * @param {unknown} merge @param {Map<string, number>} vocab @returns {string[]}
 */
function parsePair(merge, vocab) {
  if (Array.isArray(merge)) return merge
  if (typeof merge !== 'string') return /** @type {any} */ ([merge])
  for (let at = merge.indexOf(' '); at >= 0; at = merge.indexOf(' ', at + 1)) {
    const pair = [merge.slice(0, at), merge.slice(at + 1)]
    if (pair.every(token => vocab.has(token))) return pair
  }
  return [merge]
}

/** @param {import('../engine/kernels.js').Kernels} engine @param {object} owner @param {Map<string, number>} vocab */
const createWordPieces = (engine, owner, vocab) => createPieces(engine, owner, [...vocab].flatMap(([token, id]) => {
  const bytes = decodeByteLevel(token)
  return bytes ? [{ bytes, id, continuing: false }] : []
}))
