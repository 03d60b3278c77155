import { GlassformerError, describe, expect, expectBoolean, isPlain, expectOptions, expectInteger } from '../errors.js'
import { finder } from './added_tokens.js'
import { Aligned } from './aligned.js'
import { BpeModel, marksWords } from './bpe_model.js'
import { bytesOfLetters, lettersOfBytes } from './byte_letters.js'
import { byteOfToken, decoderOf } from './decoders.js'
import { Explained } from './explained.js'
import { expectShallow, idsIn } from './fields.js'
import { mergesInto } from './merging.js'
import { normalizer } from './normalizers.js'
import { Pieces } from './pieces.js'
import { postprocessor } from './postprocessors.js'
import { isByteLevel, isGpt2, pretokenizer } from './pretokenizers.js'
import { replay } from './replay.js'
import { wellFormed } from './scan.js'
import { sourceOf, sourceOfString } from './source.js'
import { UnigramModel } from './unigram_model.js'
import { expectIds } from './views.js'
import { WordPieceModel } from './wordpiece_model.js'
import { wordsOf } from './words_of.js'

/** @typedef {import('./source.js').Source} Source */

/**
 * A text in tokens.
 * @typedef {object} Encoding
 * @property {number[]} ids
 * @property {string[]} tokens as the vocabulary spells them; `bytesOf` says what a token stands for
 * @property {[number, number][]} offsets [from, to) of each in UTF-16 units of the text; a piece of a character has the
 *   whole character, a special token that was put there has nothing
 */

/**
 * A merge of byte-pair encoding.
 * @typedef {object} Merge
 * @property {[string, string]} pair the tokens that are joined
 * @property {string} token what they become
 * @property {[number, number, number]} ids of the three
 * @property {number} [count] how often the pair occurred when it was joined; known to the tokenizer that was trained
 */

/**
 * @typedef {(source: Source, ends: Int32Array | undefined, emit: import('./by_words.js').Emit) => void} Encode cuts the
 *   words of a part of a text
 *
 * @typedef {{ encode: Encode, explain?: (word: string) => import('./explained.js').Search }} Model
 *
 * What reads a text: how its words are cut, and what is done with what that gives and with tokens that stand in it.
 * @typedef {object} Reader
 * @property {Encode} encode
 * @property {(ids: ArrayLike<number>, spans: ArrayLike<number>, base?: number) => void} add
 * @property {(id: number, from: number, to: number) => void} addToken
 */

const encoder = new TextEncoder()

/** Cuts text into tokens and puts it together again, as the parts of a tokenizer.json say. */
export class Tokenizer {
  #engine
  #json
  /** @type {Map<string, number>} */ #vocab = new Map()
  /** The token of each id. @type {(string | undefined)[]} */ #tokens = []
  /** Ids of marks that are no text. @type {Set<number>} */ #special
  /** @type {Set<number>} */ #added
  /** @type {Model} */ #model
  #byteLevel
  #gpt2
  #find
  #findRewritten
  #normalize
  #cuts
  #around
  #decode
  #learned
  /** @type {((token: string) => import('./merging.js').MergeStep[]) | undefined} */ #into

  /**
   * @param {import('../kernels.js').Kernels} engine
   * @param {any} json the content of a tokenizer.json
   * @param {Merge[]} [learned] the merges that were made when it was trained
   * @throws {GlassformerError} 'format' when a part is missing or not known
   */
  constructor(engine, json, learned) {
    if (![json, json?.model].every(isPlain)) {
      throw new GlassformerError('format',
        `tokenizer: tokenizer.json must be an object with a model, got ${describe(json?.model ?? json)}`)
    }
    for (const part of ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder']) {
      expectShallow(`tokenizer: ${part}`, json[part])
    }
    this.#engine = engine
    this.#json = json
    this.#learned = learned
    this.#byteLevel = isByteLevel(json.pre_tokenizer)
    this.#gpt2 = isGpt2(json.pre_tokenizer) && !marksWords(json.model)
    for (const [token, id] of vocabOf(json.model)) this.#name(token, id)
    this.#model = modelOf(engine, json.model, this.#vocab, this.#byteLevel)
    const added = addedTokens(json)
    for (const { content, id } of added) this.#name(content, id)
    this.#added = new Set(added.map(token => token.id))
    this.#special = new Set([...added.filter(token => token.special).map(token => token.id), ...marksOf(json.model)])
    this.#normalize = normalizer(json.normalizer)
    this.#cuts = pretokenizer(json.pre_tokenizer)
    this.#around = postprocessor(json.post_processor)
    for (const id of [...this.#around.before, ...this.#around.after]) {
      expect(this.#tokens[id] !== undefined, 'format',
        () => `tokenizer: post_processor: ${id} is the id of no token; there are ${this.size}`)
    }
    this.#decode = this.#byteLevel ? withoutSuffix(decoderOf(json.decoder), json.model) : decoderOf(json.decoder)
    this.#find = finder(added.filter(token => !token.normalized))
    this.#findRewritten = finder(added.filter(token => token.normalized),
      content => json.normalizer?.type === 'SentencePiece' ? content : this.#normalize(new Aligned(content)).string)
  }

  /** @param {string} token @param {number} id */
  #name(token, id) {
    expect(Number.isInteger(id) && id >= 0 && id < 2 ** 24, 'format',
      () => `tokenizer: the id of ${describe(token)} must be a whole number below 2^24, got ${describe(id)}`)
    this.#vocab.set(token, id)
    this.#tokens[id] = token
  }

  /** How many ids there are: one more than the highest. */
  get size() {
    return this.#tokens.length
  }

  /** 'BPE', 'WordPiece' or 'Unigram'. @returns {string} */
  get type() {
    return typeOf(this.#json.model)
  }

  /**
   * The merges of byte-pair encoding in the order in which they were made, also those by which WordPiece was trained;
   * none for other models.
   * @returns {Merge[]}
   */
  get merges() {
    if (this.#learned) return this.#learned
    if (!(this.#model instanceof BpeModel)) return []
    const { merges } = this.#model, token = (/** @type {number} */ id) => /** @type {string} */ (this.#tokens[id])
    return Array.from({ length: merges.length / 4 }, (_, i) => {
      const [left, right, , made] = merges.subarray(4 * i, 4 * i + 4)
      return { pair: [token(left), token(right)], token: token(made), ids: [left, right, made] }
    })
  }

  /**
   * How byte-pair encoding comes to a token, merge by merge; none for one that is whole from the start, and for other
   * models.
   * @param {number} id
   * @returns {import('./merging.js').MergeStep[]}
   * @throws {GlassformerError} 'index' and 'type'
   */
  mergesInto(id) {
    const token = this.#token('tokenizer.mergesInto', 'id', id)
    if (this.type !== 'BPE') return []
    this.#into ??= mergesInto(this.merges, this.#json.model)
    return this.#into(token)
  }

  /**
   * A text as byte-level byte-pair encoding has it after its first n merges, and how often each pair stands side by
   * side then: with the text that it was trained on, what the trainer saw before merge n. None for other models.
   * @param {string} text @param {number} n
   * @returns {import('./replay.js').Replay}
   * @throws {GlassformerError} 'type' and 'range'
   */
  replay(text, n) {
    const where = 'tokenizer.replay', { merges } = this
    expect(typeof text === 'string', 'type', () => `${where}: text must be a string, got ${describe(text)}`)
    expectInteger(where, 'n', n, 0, merges.length)
    if (!this.#byteLevel || this.type !== 'BPE' || marksWords(this.#json.model)) return { words: [], pairs: [] }
    const whole = wellFormed(text), parts = this.#find(whole).filter(({ id }) => id === undefined)
    const wordsIn = wordsOf(this.#normalize, this.#cuts)
    const words = parts.flatMap(({ start, end }) => [...wordsIn(whole.slice(start, end))])
    return replay(words.map(word => lettersOfBytes(encoder.encode(word))), merges.slice(0, n))
  }

  /**
   * The token of an id, as the vocabulary spells it. @param {number} id
   * @throws {GlassformerError} 'index' and 'type'
   */
  tokenOf(id) {
    return this.#token('tokenizer.tokenOf', 'id', id)
  }

  /**
   * The logarithm of a token's probability, where the model has such: in a unigram model. @param {number} id
   * @returns {number | undefined}
   */
  scoreOf(id) {
    this.#token('tokenizer.scoreOf', 'id', id)
    return this.type === 'Unigram' && !this.#json.model.ids ? this.#json.model.vocab[id]?.[1] : undefined
  }

  /** The id of a token as the vocabulary spells it, or undefined. @param {string} token */
  idOf(token) {
    return this.#vocab.get(token)
  }

  /**
   * What a token stands for in a text. Bytes, because it may be a part of a character.
   * @param {number} id
   * @returns {Uint8Array}
   * @throws {GlassformerError} 'index' and 'type'
   */
  bytesOf(id) {
    const token = this.#token('tokenizer.bytesOf', 'id', id)
    if (this.#added.has(id) || this.#special.has(id)) return encoder.encode(token)
    if (this.#byteLevel) return bytesOfWord(token, this.#json.model) ?? encoder.encode(token)
    const byte = byteOfToken(token)
    if (byte !== undefined) return Uint8Array.of(byte)
    const { continuing_subword_prefix: prefix, type } = this.#json.model
    if (type === 'WordPiece' && token.startsWith(prefix ?? '##')) return encoder.encode(
      token.slice((prefix ?? '##').length))
    return encoder.encode(token.replaceAll('▁', ' '))
  }

  /** @param {string} where @param {string} name @param {unknown} id @returns {string} */
  #token(where, name, id) {
    const token = Number.isInteger(id) ? this.#tokens[/** @type {number} */ (id)] : undefined
    expect(token !== undefined, typeof id === 'number' ? 'index' : 'type',
      () => `${where}: ${name} must be the id of a token, a whole number from 0 to ${this.size - 1}, got ${describe(
        id)}`)
    return token
  }

  /**
   * @param {string | Uint8Array} text bytes are read as UTF-8. A lone surrogate counts as U+FFFD; so do bytes that are
   *   not UTF-8, except that byte-level tokenizers keep them as they are
   * @param {{ special?: boolean }} [options] special (default false): true puts the special tokens around the text that
   *   the model was trained with, such as [CLS] and [SEP]
   * @returns {Encoding}
   * @throws {GlassformerError} 'type'; 'text' when something has no token and no unknown token stands for it; 'memory'
   */
  encode(text, options) {
    const { special = false } = /** @type {{ special?: boolean }} */ (
      expectOptions('tokenizer.encode', options, ['special']))
    expectBoolean('tokenizer.encode', 'special', special)
    const source = sourceOf(this.#engine, 'tokenizer.encode', text)
    const pieces = new Pieces(this.#model)
    if (special) pieces.addMarks(this.#around.before, 0)
    this.#read(source, pieces)
    if (special) pieces.addMarks(this.#around.after, source.string.length)
    return pieces.encoding(this.#tokens, this.#around.trim)
  }

  /**
   * How the words of a text come to be cut as they are: what WordPiece has tried, the lattice of a unigram model. None
   * for byte-pair encoding, of which `mergesInto` tells. Tokens that stand in a text as they are, such as [MASK], are
   * not cut and not told of.
   * @param {string | Uint8Array} text as for `encode`
   * @returns {import('./explained.js').ExplainedWord[]}
   * @throws {GlassformerError} 'type' and 'memory'
   */
  explain(text) {
    const source = sourceOf(this.#engine, 'tokenizer.explain', text)
    if (!this.#model.explain) return []
    const explained = new Explained(this.#model.explain.bind(this.#model))
    this.#read(source, explained)
    return explained.words
  }

  /** @param {Source} source @param {Reader} reader */
  #read(source, reader) {
    for (const { start, end, id } of this.#find(source.string)) {
      if (id !== undefined) reader.addToken(id, start, end)
      else this.#readStretch(source, start, end, reader)
    }
  }

  /** @param {Source} source @param {number} start @param {number} end @param {Reader} reader */
  #readStretch(source, start, end, reader) {
    const { string } = source
    const text = this.#normalize(new Aligned(string.slice(start, end)), source.raw?.(start, end))
    for (const stretch of this.#findRewritten(text.string)) {
      if (stretch.id !== undefined) {
        const [from, to] = text.origin(stretch.start, stretch.end)
        reader.addToken(stretch.id, start + from, start + to)
      } else if (text.from) this.#readWords(text.slice(stretch.start, stretch.end), start, reader)
      else this.#readPart(source, start + stretch.start, start + stretch.end, reader)
    }
  }

  /**
   * What was not rewritten keeps its bytes. @param {Source} source @param {number} start @param {number} end
   * @param {Reader} reader
   */
  #readPart(source, start, end, reader) {
    const string = source.string.slice(start, end)
    if (!this.#gpt2) {
      this.#readWords(new Aligned(string), start, reader, source)
      return
    }
    const part = { string, copy: shifted(source, start) }
    reader.encode(part, undefined, (ids, spans, from) => reader.add(ids, spans, start + from))
  }

  /**
   * @param {Aligned} text @param {number} base where it begins @param {Reader} reader
   * @param {Source} [source] the whole, whose bytes are kept where cutting does not rewrite the text
   */
  #readWords(text, base, reader, source) {
    const whole = { text, ends: text.string ? [text.string.length] : [], base }
    const words = this.#cuts.reduce((current, cut) => cut(current), whole)
    const { from, string } = words.text
    const part = source && !from ? { string, copy: shifted(source, base) } : sourceOfString(string)
    reader.encode(part, Int32Array.from(words.ends), (ids, spans, first) => {
      if (from) for (let i = 0; i < spans.length; i += 2) {
        [spans[i], spans[i + 1]] = words.text.origin(first + spans[i], first + spans[i + 1])
      }
      reader.add(ids, spans, from ? base : base + first)
    })
  }

  /**
   * The text of tokens. Bytes that do not make a whole character become U+FFFD; `bytesOf` has them.
   * @param {ArrayLike<number>} ids
   * @param {{ special?: boolean }} [options] special (default false): true writes special tokens, too
   * @returns {string}
   * @throws {GlassformerError} 'index' when an id is outside the vocabulary; 'type'
   */
  decode(ids, options) {
    const { special = false } = /** @type {{ special?: boolean }} */ (
      expectOptions('tokenizer.decode', options, ['special']))
    expectBoolean('tokenizer.decode', 'special', special)
    expectIds('tokenizer.decode', ids)
    const tokens = Array.from(ids, (id, i) => this.#token('tokenizer.decode', `ids[${i}]`, id))
    return this.#decode(special ? tokens : tokens.filter((_, i) => !this.#special.has(ids[i]))).join('')
  }

  /** The content of a tokenizer.json: JSON.stringify(tokenizer) is the file. */
  toJSON() {
    return this.#json
  }
}

/**
 * The bytes of a token in letters; the end of a word is a space. @param {string} token
 * @param {{ end_of_word_suffix?: string | null }} model
 */
function bytesOfWord(token, { end_of_word_suffix: suffix }) {
  if (!suffix || !token.endsWith(suffix)) return bytesOfLetters(token)
  const bytes = bytesOfLetters(token.slice(0, -suffix.length))
  return bytes && Uint8Array.of(...bytes, 0x20)
}

/**
 * A text in which the ends of words are spaces, as Hugging Face's CLIPTokenizer has it.
 * @param {import('./decoders.js').Decode} decode @param {{ end_of_word_suffix?: string | null }} model
 * @returns {import('./decoders.js').Decode}
 */
const withoutSuffix = (decode, { end_of_word_suffix: suffix }) => (suffix
  ? tokens => [decode(tokens).join('').replaceAll(suffix, ' ').trim()] : decode)

/** The bytes of a part of a source. @param {Source} source @param {number} base @returns {Source['copy']} */
const shifted = (source, base) => (into, from, to) => source.copy(into, base + from, base + to)

/** @param {any} json @returns {import('./added_tokens.js').AddedToken[]} */
function addedTokens({ added_tokens: added = [] }) {
  expect(Array.isArray(added), 'format', () => `tokenizer: added_tokens must be a list, got ${describe(added)}`)
  added.forEach((token, i) => expect(Number.isInteger(token?.id) && typeof token.content === 'string', 'format',
    () => `tokenizer: added_tokens[${i}] must have an id and a content, got ${JSON.stringify(token)}`))
  return added
}

/** The marks of a model that is not Hugging Face's. @param {any} model */
const marksOf = ({ special, kinds }) => idsIn('tokenizer: model', { marks: special ?? kinds?.control ?? [] }, 'marks')

/** @param {any} model @returns {Iterable<[string, number]>} */
function vocabOf({ vocab, names }) {
  if (isPlain(names)) return Object.entries(names)
  if (Array.isArray(vocab)) return vocab.map((piece, id) => [piece?.[0], id])
  expect(isPlain(vocab), 'format', () => `tokenizer: model.vocab must be an object, got ${describe(vocab)}`)
  return Object.entries(vocab)
}

/**
 * @param {import('../kernels.js').Kernels} engine @param {any} model @param {Map<string, number>} vocab
 * @param {boolean} byteLevel
 * @returns {Model}
 */
function modelOf(engine, model, vocab, byteLevel) {
  expect(!model.dropout, 'format', () => `tokenizer: model.dropout must be none, got ${describe(model.dropout)}`)
  expect(!byteLevel || !['WordPiece', 'Unigram'].includes(typeOf(model)), 'format',
    () => `tokenizer: pre_tokenizer ByteLevel goes with a model of type 'BPE', got ${describe(typeOf(model))}`)
  switch (typeOf(model)) {
    case 'BPE': return new BpeModel(engine, model, vocab, byteLevel)
    case 'WordPiece': return new WordPieceModel(engine, model, vocab)
    case 'Unigram': return new UnigramModel(engine, model, vocab)
    default: throw new GlassformerError('format',
      `tokenizer: model.type must be 'BPE', 'WordPiece' or 'Unigram', got ${describe(model.type)}`)
  }
}

/** The type of a model; old files do not say it. @param {any} model */
function typeOf({ type, merges, vocab }) {
  return type ?? (merges ? 'BPE' : Array.isArray(vocab) ? 'Unigram' : 'WordPiece')
}
