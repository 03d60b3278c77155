import { GlassformerError, describe, expect } from '../errors.js'
import { LETTERS, bytesOfLetters, lettersOfBytes } from './byte_letters.js'
import { ByWords } from './by_words.js'
import { idsIn, textIn } from './fields.js'
import { noMemory, owned, passing, pieces } from './handles.js'

const encoder = new TextEncoder()
const WHERE = 'tokenizer: model'

/** @typedef {import('./by_words.js').Emit} Emit */

/** Byte-pair encoding over bytes (GPT-2) or characters (Llama). */
export class BpeModel {
  #engine
  #handle
  #byWords
  /** The symbols of a word's characters; none for bytes. @type {Characters | undefined} */ #characters
  /** Left, right, rank and made of each merge, as ids. @type {Int32Array} */ merges

  /**
   * @param {import('../kernels.js').Kernels} engine
   * @param {any} json the `model` of a tokenizer.json
   * @param {Map<string, number>} vocab
   * @param {boolean} byteLevel whether tokens are bytes written as letters
   * @throws {GlassformerError} 'format' when a merge makes no token
   */
  constructor(engine, json, vocab, byteLevel) {
    this.#engine = engine
    const unknown = json.unk_token == null ? -1 : vocab.get(json.unk_token) ?? -1
    const ofByte = Int32Array.from(LETTERS, letter => vocab.get(letter) ?? unknown)
    this.#characters = byteLevel && !marksWords(json) ? undefined : new Characters(json, vocab, unknown, byteLevel)
    this.merges = mergesOf(json, vocab)
    const whole = byteLevel && json.ignore_merges ? piecesOf(engine, this, vocab) : 0
    const address = passing(engine.memory, [ofByte, this.merges],
      (bytes, merges) => engine.c.gf_bpe_new(bytes, merges, this.merges.length / 4, whole, engine.seed))
    const handle = this.#handle = owned(engine, this, address, 'gf_bpe_free', 'tokenizer')
    this.#byWords = new ByWords(engine,
      (ids, ends, text, words, n) => engine.c.gf_bpe_bytes(ids, ends, handle, text, words, n),
      ofByte.includes(-1) ? checkAllKnown : undefined)
  }

  /**
   * @param {import('./source.js').Source} source
   * @param {Int32Array | undefined} ends where each word ends, in UTF-16 units; none: GPT-2's rule says
   * @param {Emit} emit
   */
  encode(source, ends, emit) {
    if (this.#characters) this.#encodeCharacters(source, ends ?? Int32Array.of(source.string.length), emit)
    else if (ends) this.#byWords.encodeWords(source, ends, emit)
    else this.#byWords.encodeText(source, emit)
  }

  /** @param {import('./source.js').Source} source @param {Int32Array} words @param {Emit} emit */
  #encodeCharacters(source, words, emit) {
    const { c, memory } = this.#engine
    const characters = /** @type {Characters} */ (this.#characters)
    for (let k = 0, start = 0; k < words.length; start = words[k++]) {
      const whole = characters.wholeAt(source, start, words[k])
      if (whole !== undefined) {
        emit(Int32Array.of(whole), Int32Array.of(start, words[k]), 0)
        continue
      }
      const { symbols, from, to } = characters.read(source, start, words[k])
      const n = symbols.length
      passing(memory, [new Int32Array(2 * n), symbols, Int32Array.of(n)], (ids, given, ends) => {
        const count = c.gf_bpe_symbols(ids, ids + 4 * n, this.#handle, given, ends, 1)
        if (count < 0) throw noMemory('tokenizer.encode')
        const joined = memory.ints(ids, count).slice(), last = memory.ints(ids + 4 * n, count)
        const spans = new Int32Array(2 * count)
        for (let i = 0; i < count; i++) {
          spans[2 * i] = from[i ? last[i - 1] : 0]
          spans[2 * i + 1] = to[last[i] - 1]
        }
        characters.fuse(joined, spans, emit)
      })
    }
  }
}

/**
 * Whether the pieces of a word are written differently at its end, or everywhere but at its beginning.
 * @param {any} json the `model` of a tokenizer.json
 */
export const marksWords = json => Boolean(json.continuing_subword_prefix || json.end_of_word_suffix)

/** The symbols that byte-pair encoding begins with: the characters of a word, or its bytes written as letters. */
class Characters {
  #vocab
  #unknown
  #prefix
  #suffix
  #fuse
  #ignoresMerges
  #byteLevel
  /** The token of each byte or -1, for characters that have none. @type {number[] | undefined} */ #bytes

  /** @param {any} json @param {Map<string, number>} vocab @param {number} unknown @param {boolean} byteLevel */
  constructor(json, vocab, unknown, byteLevel) {
    this.#byteLevel = byteLevel
    this.#vocab = vocab
    this.#unknown = unknown
    this.#prefix = textIn(WHERE, json, 'continuing_subword_prefix', '')
    this.#suffix = textIn(WHERE, json, 'end_of_word_suffix', '')
    this.#fuse = json.fuse_unk === true
    this.#ignoresMerges = json.ignore_merges === true
    this.#bytes = json.byte_fallback ? tokensOfBytes(vocab) : undefined
  }

  /**
   * The token that a word is, where merges are not asked for such.
   * @param {import('./source.js').Source} source @param {number} start @param {number} end
   */
  wholeAt(source, start, end) {
    return this.#ignoresMerges ? this.#vocab.get(this.#spelled(source, start, end)) : undefined
  }

  /**
   * A part of a text as the vocabulary spells it. @param {import('./source.js').Source} source
   * @param {number} start @param {number} end
   */
  #spelled({ string, copy }, start, end) {
    if (!this.#byteLevel) return string.slice(start, end)
    const bytes = new Uint8Array(3 * (end - start))
    return lettersOfBytes(bytes.subarray(0, copy(bytes, start, end)))
  }

  /**
   * The symbols of a word, and the UTF-16 units that each stands for.
   * @param {import('./source.js').Source} source @param {number} start @param {number} end
   */
  read(source, start, end) {
    /** @type {number[]} */ const symbols = []
    /** @type {number[]} */ const from = []
    /** @type {number[]} */ const to = []
    for (let at = start; at < end;) {
      const next = at + (/** @type {number} */ (source.string.codePointAt(at)) > 0xffff ? 2 : 1)
      const spelled = this.#spelled(source, at, next), characters = this.#byteLevel ? [...spelled] : [spelled]
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
    const bytes = this.#bytes, spelled = bytes ? Array.from(encoder.encode(character), byte => bytes[byte]) : [-1]
    if (!spelled.includes(-1)) return spelled
    if (this.#unknown < 0) throw lacks(describe(character))
    return [this.#unknown]
  }

  /**
   * Makes one of unknown tokens in a row, if that is asked for. @param {Int32Array} ids @param {Int32Array} spans
   * @param {Emit} emit
   */
  fuse(ids, spans, emit) {
    let kept = 0
    for (let i = 0; i < ids.length; i++) {
      const more = this.#fuse && ids[i] === this.#unknown && ids[i - 1] === this.#unknown
      if (!more) {
        ids[kept] = ids[i]
        spans[2 * kept++] = spans[2 * i]
      }
      spans[2 * kept - 1] = spans[2 * i + 1]
    }
    emit(ids.subarray(0, kept), spans.subarray(0, 2 * kept), 0)
  }
}

/** @param {number} byte */
const byteText = byte => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** @param {string} what */
const lacks = what => new GlassformerError('text',
  `tokenizer.encode: text has ${what}, which has no token, and no unknown token stands for it`)

/** @param {Int32Array} ids @param {(i: number) => number} byteBefore */
function checkAllKnown(ids, byteBefore) {
  const at = ids.indexOf(-1)
  if (at >= 0) throw lacks(`the byte ${byteText(byteBefore(at))}`)
}

/** The tokens <0x00> to <0xFF>, -1 for one that is not there. @param {Map<string, number>} vocab */
const tokensOfBytes = vocab => Array.from({ length: 256 }, (_, byte) => vocab.get(`<${byteText(byte)}>`) ?? -1)

/** The tokens <0x00> to <0xFF>, if all are there. @param {Map<string, number>} vocab */
export function byteTokens(vocab) {
  const ids = tokensOfBytes(vocab)
  return ids.includes(-1) ? undefined : ids
}

/**
 * The merges of a file as left, right, rank and made.
 * @param {any} json @param {Map<string, number>} vocab
 */
function mergesOf(json, vocab) {
  const { merges } = json, prefix = json.continuing_subword_prefix || ''
  expect(Array.isArray(merges), 'format', () => `tokenizer: model.merges must be a list, got ${describe(merges)}`)
  const ranks = json.ranks == null ? undefined : idsIn(WHERE, json, 'ranks')
  const all = new Int32Array(4 * merges.length)
  merges.forEach((merge, rank) => {
    const pair = pairOf(merge, vocab)
    expect(pair.length <= 2 && pair.every(token => typeof token === 'string'), 'format',
      () => `tokenizer: model.merges[${rank}] must be two tokens, got ${JSON.stringify(merge)}`)
    const [left, right] = pair.map(token => vocab.get(token))
    const made = vocab.get(pair[0] + (pair[1]?.startsWith(prefix) ? pair[1].slice(prefix.length) : pair[1]))
    if (left === undefined || right === undefined || made === undefined) {
      throw new GlassformerError('format', `tokenizer: model.merges[${rank}] is ${JSON.stringify(merge)}, ` +
        'which does not join two tokens of the vocabulary to a third')
    }
    all.set([left, right, ranks?.[rank] ?? rank, made], 4 * rank)
  })
  return all
}

/**
 * "left right", where a token may have spaces of its own, or [left, right].
 * @param {unknown} merge @param {Map<string, number>} vocab @returns {string[]}
 */
function pairOf(merge, vocab) {
  if (Array.isArray(merge)) return merge
  if (typeof merge !== 'string') return /** @type {any} */ ([merge])
  for (let at = merge.indexOf(' '); at >= 0; at = merge.indexOf(' ', at + 1)) {
    const pair = [merge.slice(0, at), merge.slice(at + 1)]
    if (pair.every(token => vocab.has(token))) return pair
  }
  return [merge]
}

/** @param {import('../kernels.js').Kernels} engine @param {object} owner @param {Map<string, number>} vocab */
const piecesOf = (engine, owner, vocab) => pieces(engine, owner, [...vocab].flatMap(([token, id]) => {
  const bytes = bytesOfLetters(token)
  return bytes ? [{ bytes, id, continuing: false }] : []
}))
