import { describe, expect, expectBoolean, expectInteger, expectOptions, expectType, guardPromise, isPlain } from '../errors.js'
import { createTokenFinder } from './added_tokens.js'
import { NormalizedString } from './normalized_string.js'
import { BpeModel, hasAffixes } from './bpe_model.js'
import { encodeByteLevel } from './byte_level.js'
import { createDecoder, parseByteToken } from './decoders.js'
import { readLimits } from './encode_options.js'
import { createExplanations } from './explanations.js'
import { expectDepth, expectPart, formatError } from './json_fields.js'
import { addedTokens, controlIds, createModel, decodeWord, modelType, replaceSuffixes, vocabEntries } from './json_model.js'
import { createMergeFinder } from './merge_steps.js'
import { createNormalizer } from './normalizers.js'
import { EncodingBuilder, joinPieces, truncatedLengths } from './encoding_builder.js'
import { createPostProcessor } from './postprocessors.js'
import { byteMode, createPreTokenizer, isGpt2, preTokenize } from './pretokenizers.js'
import { replayMerges } from './replay.js'
import { toWellFormed } from './scan.js'
import { createSource, stringSource } from './text_source.js'
import { roundTwice } from './unigram_model.js'
import { expectIds } from './views.js'
import { encodeUtf8 } from './utf8.js'
import { createWordSplitter } from './word_splitter.js'

/** @typedef {import('./text_source.js').Source} Source */

/**
 * The tokens of a text.
 * @typedef {object} Encoding
 * @property {number[]} ids
 * @property {string[]} tokens as the vocabulary spells them; `bytesOf` gives the bytes that a token stands for
 * @property {[number, number][]} offsets [start, end) of each token in UTF-16 units of the text. A token that is part
 *   of a character has the offsets of the whole character; a special token that was added has an empty range
 * @property {number[]} typeIds 1 for tokens of the second text of a pair, as the post-processor defines
 * @property {number[]} attentionMask 0 for padding, else 1
 */

/**
 * @typedef {object} EncodeOptions
 * @property {boolean} [special] whether to add the special tokens of the post-processor, such as [CLS] and [SEP];
 *   default false
 * @property {string | Uint8Array | (string | Uint8Array)[]} [pair] a second text; with a list of texts, a list as
 *   long. Offsets of its tokens are positions in it
 * @property {boolean} [allowSpecial] whether special tokens that occur in the text become their ids; false reads them
 *   as plain text, which is safe for texts of others; default true
 * @property {number | { maxLength: number, strategy?: 'longest_first' | 'only_first' | 'only_second', side?: 'left' |
 *   'right' }} [truncation] the maximum number of tokens, added ones included, which text of a pair is truncated
 *   ('longest_first'), and where ('right'); default none, whatever tokenizer.json says
 * @property {boolean | number | { length?: number, multipleOf?: number, side?: 'left' | 'right', id?: number }}
 *   [padding] true pads to the longest text of a list, a number to this length. The token is that of tokenizer.json's
 *   `padding`, or [PAD], <pad> or <|pad|>; default none
 */

/**
 * A merge of byte-pair encoding (BPE).
 * @typedef {object} Merge
 * @property {[string, string]} pair the left and the right token
 * @property {string} token the merged token
 * @property {[number, number, number]} ids the ids of the left, right and merged token
 * @property {number} [count] how often the pair occurred in the training text; only after training, not in a file
 */

/**
 * @typedef {(source: Source, ends: Int32Array | undefined, emit: import('./batch_encoder.js').Emit) => void} Encode
 *   encodes words of a text, which end at `ends`
 *
 * @typedef {{ encode: Encode, explain?: (word: string) => import('./explanations.js').Search }} Model
 *
 * The consumer of a pre-tokenized text: `encode` gets the words, `add` their ids and spans, `addToken` the added tokens
 * that occur in the text.
 * @typedef {object} Reader
 * @property {Encode} encode
 * @property {(ids: ArrayLike<number>, spans: ArrayLike<number>, base?: number) => void} add
 * @property {(id: number, from: number, to: number) => void} addToken
 */

/** Converts text to tokens and back as a tokenizer.json describes, with the results of Hugging Face's `tokenizers`. */
export class Tokenizer {
  #engine
  #json
  /** @type {Map<string, number>} */ #vocab = new Map()
  /** The token of each id. @type {(string | undefined)[]} */ #tokens = []
  /** @type {Set<number>} */ #specialIds
  /** @type {Set<number>} */ #addedIds
  /** @type {Model} */ #model
  /** @type {'read' | 'spelled' | undefined} */ #byteMode
  #usesGpt2Split
  #findAdded
  #findNormalized
  #normalize
  #preTokenizers
  #postProcessor
  #decode
  #trainedMerges
  /**
   * The files with chat templates and their special tokens, of which tokenizer.json has none.
   * @type {Record<string, string | Uint8Array>} @internal
   */
  chatFiles
  /** @type {((token: string) => import('./merge_steps.js').MergeStep[]) | undefined} */ #findMerges

  /**
   * @param {import('../engine/kernels.js').Kernels} engine
   * @param {any} json the content of a tokenizer.json
   * @param {Merge[]} [trainedMerges] the merges of the training, with their counts
   * @param {Record<string, string | Uint8Array>} [chatFiles]
   * @throws {GlassformerError} 'format' if a part is missing, malformed or of an unknown type
   */
  constructor(engine, json, trainedMerges, chatFiles = {}) {
    if (![json, json?.model].every(isPlain)) {
      throw formatError(`tokenizer: tokenizer.json must be an object with a model, got ${describe(json?.model ?? json)}`)
    }
    for (const part of ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder']) {
      expectDepth(`tokenizer: ${part}`, json[part])
    }
    this.#engine = engine
    this.#json = json
    this.#trainedMerges = trainedMerges
    this.chatFiles = chatFiles
    this.#byteMode = byteMode(json)
    for (const [token, id] of vocabEntries(json.model)) this.#setToken(token, id)
    this.#model = createModel(engine, json.model, this.#vocab, this.#byteMode)
    this.#usesGpt2Split = this.#model instanceof BpeModel && this.#model.splitsText && isGpt2(json.pre_tokenizer)
    const added = addedTokens(json)
    for (const { content, id } of added) this.#setToken(content, id)
    this.#addedIds = new Set(added.map(token => token.id))
    const specials = added.filter(token => token.special)
    this.#specialIds = new Set([...specials.map(token => token.id), ...controlIds(json.model)])
    this.#normalize = createNormalizer(json.normalizer)
    this.#preTokenizers = createPreTokenizer(json.pre_tokenizer, this.#byteMode === 'spelled')
    this.#postProcessor = createPostProcessor(json.post_processor)
    for (const id of [...this.#postProcessor.single, ...this.#postProcessor.pair].flatMap(({ ids }) => ids ?? [])) {
      expectPart(this.#tokens[id] !== undefined, () => `post_processor: ${id} is not the id of a token; there are ${this.size}`)
    }
    const decode = createDecoder(json.decoder)
    this.#decode = this.#byteMode ? replaceSuffixes(decode, json.model) : decode
    this.#findAdded = createTokenFinder(added.filter(token => !token.normalized))
    this.#findNormalized = createTokenFinder(added.filter(token => token.normalized),
      content => json.normalizer?.type === 'SentencePiece' ? content : this.#normalize(new NormalizedString(content)).string)
  }

  /** @param {string} token @param {number} id */
  #setToken(token, id) {
    expectPart(Number.isInteger(id) && id >= 0 && id < 2 ** 24, () => `the id of ${describe(token)} must be an integer below 2^24`, id)
    this.#vocab.set(token, id)
    this.#tokens[id] = token
  }

  /** The number of ids: the highest id plus 1. */
  get size() {
    return this.#tokens.length
  }

  /** The type of the model: 'BPE', 'WordPiece', 'WordLevel' or 'Unigram'. @returns {string} */
  get type() {
    return modelType(this.#json.model)
  }

  /**
   * The merges of byte-pair encoding in order of rank. After `trainWordPiece`, the merges of the training. Empty for
   * other models.
   * @returns {Merge[]}
   */
  get merges() {
    if (this.#trainedMerges) return this.#trainedMerges
    if (!(this.#model instanceof BpeModel)) return []
    const { merges } = this.#model, token = (/** @type {number} */ id) => /** @type {string} */ (this.#tokens[id])
    return Array.from({ length: merges.length / 4 }, (_, i) => {
      const [left, right, , merged] = merges.subarray(4 * i, 4 * i + 4)
      return { pair: [token(left), token(right)], token: token(merged), ids: [left, right, merged] }
    })
  }

  /**
   * The merges that build a token in byte-pair encoding, in order. Empty for a token that no merge produces, and for
   * other models.
   * @param {number} id
   * @returns {import('./merge_steps.js').MergeStep[]}
   * @throws {GlassformerError} 'index' and 'type'
   */
  mergesInto(id) {
    const token = this.#expectToken('tokenizer.mergesInto', 'id', id)
    if (this.type !== 'BPE') return []
    this.#findMerges ??= createMergeFinder(this.merges, this.#json.model)
    return this.#findMerges(token)
  }

  /**
   * Applies the first n merges of byte-level byte-pair encoding to a text and counts its adjacent pairs. With the
   * training text, these are the counts from which the trainer chose merge n. Empty for other models.
   * @param {string} text @param {number} n
   * @returns {import('./replay.js').Replay}
   * @throws {GlassformerError} 'type' and 'range'
   */
  replay(text, n) {
    const where = 'tokenizer.replay', { merges } = this
    expectType(typeof text === 'string', `${where}: text must be a string`, text)
    expectInteger(where, 'n', n, 0, merges.length)
    if (this.#byteMode !== 'read' || this.type !== 'BPE' || hasAffixes(this.#json.model)) return { words: [], pairs: [] }
    const string = toWellFormed(text), segments = this.#findAdded(string).filter(({ id }) => id === undefined)
    const splitWords = createWordSplitter(this.#normalize, this.#preTokenizers)
    const words = segments.flatMap(({ start, end }) => [...splitWords(string.slice(start, end))])
    return replayMerges(words.map(word => encodeByteLevel(encodeUtf8(word))), merges.slice(0, n))
  }

  /**
   * Returns the token of an id, as the vocabulary spells it. @param {number} id
   * @throws {GlassformerError} 'index' and 'type'
   */
  tokenOf(id) {
    return this.#expectToken('tokenizer.tokenOf', 'id', id)
  }

  /**
   * Returns the log-probability of a token in a unigram model, else undefined. @param {number} id
   * @returns {number | undefined}
   */
  scoreOf(id) {
    this.#expectToken('tokenizer.scoreOf', 'id', id)
    const { vocab, ids, kinds } = this.#json.model, score = this.type === 'Unigram' && !ids ? vocab[id]?.[1] : undefined
    return score === undefined || kinds ? score : roundTwice(score)
  }

  /** Returns the id of a token as the vocabulary spells it, or undefined. @param {string} token */
  idOf(token) {
    return this.#vocab.get(token)
  }

  /**
   * Returns the UTF-8 bytes that a token stands for. They may be part of a character.
   * @param {number} id
   * @returns {Uint8Array}
   * @throws {GlassformerError} 'index' and 'type'
   */
  bytesOf(id) {
    const token = this.#expectToken('tokenizer.bytesOf', 'id', id)
    if (this.#addedIds.has(id) || this.#specialIds.has(id)) return encodeUtf8(token)
    if (this.#byteMode) return decodeWord(token, this.#json.model) ?? encodeUtf8(token)
    const byte = parseByteToken(token)
    if (byte !== undefined) return Uint8Array.of(byte)
    const { model } = this.#json, prefix = model.continuing_subword_prefix ?? '##'
    return encodeUtf8(model.type === 'WordPiece' && token.startsWith(prefix) ? token.slice(prefix.length)
      : token.replaceAll('▁', ' '))
  }

  /** @param {string} where @param {string} name @param {unknown} id @returns {string} */
  #expectToken(where, name, id) {
    const token = Number.isInteger(id) ? this.#tokens[/** @type {number} */ (id)] : undefined
    expect(token !== undefined, typeof id === 'number' ? 'index' : 'type',
      () => `${where}: ${name} must be the id of a token, an integer from 0 to ${this.size - 1}, got ${describe(id)}`)
    return token
  }

  /**
   * Encodes a text as tokens.
   * @template {string | Uint8Array | readonly (string | Uint8Array)[]} T
   * @param {T} text bytes are read as UTF-8. A lone surrogate is read as U+FFFD. So are invalid
   *   bytes, except that byte-level tokenizers encode them unchanged. A list of texts gives a list
   * @param {EncodeOptions} [options]
   * @returns {T extends readonly any[] ? Encoding[] : Encoding}
   * @throws {GlassformerError} 'type'; 'text' if a character has no token and there is no unknown token; 'range' if a
   *   text cannot be truncated as the options ask; 'memory'
   * @example
   * const tokenizer = gf.text.trainBPE('low lower lowest', { vocabSize: 260 })
   * tokenizer.encode('low', { pair: 'lower' }).typeIds   // [0, 1, 1, 1]
   */
  encode(text, options) {
    const where = 'tokenizer.encode', isList = Array.isArray(text)
    const { special = false, allowSpecial = true, pair, truncation, padding } = /** @type {EncodeOptions} */ (
      expectOptions(where, options, ['special', 'pair', 'allowSpecial', 'truncation', 'padding']))
    expectBoolean(where, 'special', special)
    expectBoolean(where, 'allowSpecial', allowSpecial)
    expectType(pair === undefined || (isList ? Array.isArray(pair) && pair.length === text.length : !Array.isArray(pair)), `${where}: pair must be like text, a text or a list as long`, pair)
    const isPair = pair !== undefined, template = this.#postProcessor[isPair ? 'pair' : 'single'].filter(part => special || !part.ids)
    const added = countIds(template), limit = truncation === undefined ? undefined : readLimits('truncation', truncation,
      'maxLength', { maxLength: undefined, strategy: 'longest_first', side: 'right' }, added)
    const lists = /** @type {any[]} */ (isList ? text : [text]).map((first, k) => {
      const texts = (isPair ? [first, isList ? pair[k] : pair] : [first]).map(part => {
        const source = createSource(this.#engine, where, part)
        const builder = new EncodingBuilder(this.#model, source.string)
        this.#read(source, builder, allowSpecial)
        return { builder, ids: builder.ids, length: source.string.length }
      })
      const lengths = texts.map(({ ids }) => ids.length)
      const kept = limit
        ? truncatedLengths(lengths, limit.maxLength - added, limit.strategy) : lengths
      let at = 0
      return template.map(({ ids, text: index = 0, typeId }) => {
        if (ids) return { ids, typeId, at, from: 0, to: 0 }
        const { builder, ids: all, length } = texts[index], from = limit?.side === 'left' ? all.length - kept[index] : 0
        const to = from + kept[index]
        at = length
        return { ids: kept[index] < all.length ? all.slice(from, to) : all, typeId, at, builder, from, to }
      })
    })
    const filler = padding === undefined || padding === false ? undefined
      : this.#readPadding(padding, lists.reduce((max, pieces) => Math.max(max, countIds(pieces)), 0))
    const encodings = lists.map(pieces =>
      joinPieces(filler ? filler(pieces) : pieces, this.#tokens, this.#postProcessor.trim))
    return /** @type {any} */ (isList ? encodings : encodings[0])
  }

  /**
   * Writes a conversation as the text that a chat model was trained on, by the template of its `tokenizer_config.json`
   * or `chat_template.jinja`, and encodes it. The text has the special tokens already: none is added. Fetches the
   * interpreter of templates when it is called for the first time.
   * @template {import('./chat_template.js').Message[] | import('./chat_template.js').Message[][]} M
   * @template {boolean} [T=true]
   * @param {M} messages objects with a role, such as 'user', and a content; a list of conversations gives a list
   * @param {import('./chat_template.js').ChatOptions & { tokenize?: T }} [options]
   * @returns {Promise<
   *   M extends any[][] ? (T extends false ? string : Encoding)[] : T extends false ? string : Encoding>}
   * @throws {GlassformerError} 'state' without a template; 'text' if the template rejects the conversation; 'type',
   *   'format'
   */
  applyChatTemplate(messages, options) {
    return /** @type {any} */ (guardPromise(import('./chat_template.js').then(({ applyChatTemplate }) =>
      applyChatTemplate(this, this.chatFiles, messages, options)), ['ids'], 'await tokenizer.applyChatTemplate(messages)'))
  }

  /**
   * Returns a function that pads pieces. @param {unknown} value the option @param {number} longest the length of the
   * longest text
   * @returns {(pieces: import('./encoding_builder.js').Piece[]) => import('./encoding_builder.js').Piece[]}
   */
  #readPadding(value, longest) {
    const { direction, pad_id: padId, pad_type_id: typeId = 0 } = this.#json.padding ?? {}
    const known = ['[PAD]', '<pad>', '<|pad|>'].find(token => this.#vocab.has(token))
    const { length, multipleOf, side, id } = readLimits('padding', value, 'length', { length: longest, multipleOf: 1,
      side: direction === 'Left' ? 'left' : 'right', id: padId ?? this.#vocab.get(/** @type {string} */ (known)) })
    this.#expectToken('tokenizer.encode', 'padding.id', id)
    const full = Math.ceil(length / (multipleOf || 1)) * multipleOf
    return pieces => {
      const missing = Math.max(0, full - countIds(pieces))
      const filler = { ids: new Array(missing).fill(id), typeId, at: 0, isPadding: true, from: 0, to: 0 }
      return side === 'left' ? [filler, ...pieces] : [...pieces, filler]
    }
  }

  /**
   * Explains how each word of a text is segmented: the pieces that WordPiece tries, or the lattice of a unigram model.
   * Empty for byte-pair encoding; use `mergesInto` there. Added tokens in the text, such as [MASK], are left out.
   * @param {string | Uint8Array} text as for `encode`
   * @returns {import('./explanations.js').ExplainedWord[]}
   * @throws {GlassformerError} 'type' and 'memory'
   */
  explain(text) {
    const source = createSource(this.#engine, 'tokenizer.explain', text)
    if (!this.#model.explain) return []
    const explanations = createExplanations(this.#model.explain.bind(this.#model))
    this.#read(source, explanations)
    return explanations.words
  }

  /** @param {Source} source @param {Reader} reader @param {boolean} [allowSpecial] */
  #read(source, reader, allowSpecial = true) {
    for (const { start, end, id } of this.#findAdded(source.string, allowSpecial)) {
      if (id !== undefined) reader.addToken(id, start, end)
      else this.#readSegment(source, start, end, reader, allowSpecial)
    }
  }

  /**
   * @param {Source} source
   * @param {number} start
   * @param {number} end
   * @param {Reader} reader
   * @param {boolean} allowSpecial
   */
  #readSegment(source, start, end, reader, allowSpecial) {
    const { string } = source
    const text = this.#normalize(new NormalizedString(string.slice(start, end)), source.raw?.(start, end))
    for (const segment of this.#findNormalized(text.string, allowSpecial)) {
      if (segment.id !== undefined) {
        const [from, to] = text.originalOffsets(segment.start, segment.end)
        reader.addToken(segment.id, start + from, start + to)
      } else if (text.from) this.#readWords(text.slice(segment.start, segment.end), start, reader)
      else this.#readSlice(source, start + segment.start, start + segment.end, reader)
    }
  }

  /**
   * Reads text that the normalizer left unchanged: its original bytes are encoded, valid or not.
   * @param {Source} source @param {number} start @param {number} end @param {Reader} reader
   */
  #readSlice(source, start, end, reader) {
    const string = source.string.slice(start, end)
    if (!this.#usesGpt2Split) {
      this.#readWords(new NormalizedString(string), start, reader, source)
      return
    }
    const part = { string, copy: shiftCopy(source, start) }
    reader.encode(part, undefined, (ids, spans, from) => reader.add(ids, spans, start + from))
  }

  /**
   * @param {NormalizedString} text @param {number} base its start in the source @param {Reader} reader
   * @param {Source} [source] the source, whose bytes are encoded if the pre-tokenizers do not change the text
   */
  #readWords(text, base, reader, source) {
    const words = preTokenize(this.#preTokenizers, text, base)
    const { from, string } = words.text
    const part = source && !from ? { string, copy: shiftCopy(source, base) } : stringSource(string)
    reader.encode(part, Int32Array.from(words.ends), (ids, spans, first) => {
      if (from) for (let i = 0; i < spans.length; i += 2) {
        [spans[i], spans[i + 1]] = words.text.originalOffsets(first + spans[i], first + spans[i + 1])
      }
      reader.add(ids, spans, from ? base : base + first)
    })
  }

  /**
   * Decodes ids to text. Bytes that are not UTF-8 become U+FFFD; `bytesOf` returns them.
   * @param {ArrayLike<number>} ids
   * @param {{ special?: boolean }} [options] special (default false): whether the text includes special tokens
   * @returns {string}
   * @throws {GlassformerError} 'index' if an id is outside the vocabulary; 'type'
   */
  decode(ids, options) {
    const { special = false } = /** @type {{ special?: boolean }} */ (
      expectOptions('tokenizer.decode', options, ['special']))
    expectBoolean('tokenizer.decode', 'special', special)
    expectIds('tokenizer.decode', ids)
    const tokens = Array.from(ids, (id, i) => this.#expectToken('tokenizer.decode', `ids[${i}]`, id))
    return this.#decode(special ? tokens : tokens.filter((_, i) => !this.#specialIds.has(ids[i]))).join('')
  }

  /** Returns the content of a tokenizer.json: JSON.stringify(tokenizer) is the file. */
  toJSON() {
    return this.#json
  }
}

/**
 * The `copy` of a part of a source that begins at `base`.
 * @param {Source} source @param {number} base @returns {Source['copy']}
 */
const shiftCopy = (source, base) => (into, from, to) => source.copy(into, base + from, base + to)

/** The number of tokens. @param {readonly { ids?: number[] }[]} pieces */
const countIds = pieces => pieces.reduce((sum, { ids = [] }) => sum + ids.length, 0)
