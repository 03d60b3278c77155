import { NO_MEMORY } from '../constants.js'
import { GlassformerError, describe, expect, expectBoolean, expectOneOf, expectOptions, expectInteger } from '../errors.js'

import { toWellFormed } from './scan.js'
import { encodeInto } from './utf8.js'
import { expectIds } from './views.js'

/** Maximum number of tokens counted in one call, and of their UTF-16 units: large enough to make the call cheap. */
const BATCH_TOKENS = 4096
const BATCH_UNITS = 32768

/**
 * @typedef {object} VocabOptions
 * @property {'frequency' | 'first-seen'} [order] 'frequency' (default): by count, highest first, then by code points,
 *   as torchtext's build_vocab_from_iterator; 'first-seen': by first appearance
 * @property {string[]} [specials] special tokens, which get ids whether they occur or not; default none
 * @property {boolean} [specialsFirst] whether the specials come first (default) or last
 * @property {number} [minFrequency] the minimum count of a token; default 1
 * @property {number} [maxTokens] the maximum size; default undefined, no limit. It is applied before minFrequency and
 *   before specials are removed from the counted tokens, as in torchtext, so the result may be smaller
 * @property {string} [unknown] the token that replaces tokens outside the vocabulary; default none: they throw
 */

const OPTIONS = ['order', 'specials', 'specialsFirst', 'minFrequency', 'maxTokens', 'unknown']

/**
 * A vocabulary: maps tokens to ids and back, as torchtext's Vocab.
 * @example
 * const vocab = new gf.text.Vocab([['a', 'b', 'a']], { specials: ['<pad>'] })
 * vocab.itos                                      // ['<pad>', 'a', 'b']
 * vocab.encode(['b', 'a'])                        // [2, 1]
 */
export class Vocab {
  /** The token of each id. @type {string[]} */ itos
  /** The id of each token. @type {Map<string, number>} */ stoi
  /** The id of the unknown token, if it is in the vocabulary. @type {number | undefined} */ #unknown
  /** @type {string | undefined} */ #unknownToken

  /**
   * @param {import('../kernels.js').Kernels} engine
   * @param {string[][]} lists lists of tokens, such as one per sentence
   * @param {VocabOptions} [options]
   * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described; 'memory'
   */
  constructor(engine, lists, options) {
    const { order = 'frequency', specials = [], specialsFirst = true, minFrequency = 1, maxTokens, unknown } =
      /** @type {VocabOptions} */ (expectOptions('Vocab', options, OPTIONS))
    checkLists(lists)
    expectOneOf('Vocab', 'order', order, ['frequency', 'first-seen'])
    checkSpecials(specials, maxTokens)
    expectBoolean('Vocab', 'specialsFirst', specialsFirst)
    expectInteger('Vocab', 'minFrequency', minFrequency)
    expect(unknown === undefined || typeof unknown === 'string', 'type',
      () => `Vocab: unknown must be a string, got ${describe(unknown)}`)

    const { tokens, counts } = count(engine, lists, order === 'frequency')
    const reserved = specials.map(toWellFormed)
    const isReserved = new Set(reserved)
    const limit = maxTokens === undefined ? tokens.length : maxTokens - specials.length
    const counted = tokens.slice(0, limit).filter((token, i) => counts[i] >= minFrequency && !isReserved.has(token))
    this.itos = specialsFirst ? reserved.concat(counted) : counted.concat(reserved)
    this.stoi = new Map()
    this.itos.forEach((token, id) => this.stoi.set(token, id))
    this.#unknownToken = unknown
    this.#unknown = unknown === undefined ? undefined : this.stoi.get(toWellFormed(unknown))
  }

  get #whyUnknown() {
    const token = this.#unknownToken
    return token === undefined ? 'there is no unknown token'
      : `neither is the unknown token, ${describe(token)}; add it to specials`
  }

  /** The number of tokens. */
  get size() {
    return this.itos.length
  }

  /**
   * Converts tokens to ids.
   * @param {readonly string[]} tokens
   * @returns {number[]} their ids
   * @throws {GlassformerError} 'text' if a token is not in the vocabulary and there is no unknown token; 'type'
   */
  encode(tokens) {
    expect(Array.isArray(tokens), 'type',
      () => `Vocab.encode: tokens must be an array of strings, got ${describe(tokens)}`)
    return Array.from(tokens, (token, i) => {
      const known = this.stoi.get(token)
      if (known !== undefined) return known
      expect(typeof token === 'string', 'type',
        () => `Vocab.encode: tokens[${i}] must be a string, got ${describe(token)}`)
      const id = this.stoi.get(toWellFormed(token)) ?? this.#unknown
      if (id !== undefined) return id
      throw new GlassformerError('text', `Vocab.encode: tokens[${i}] is ${describe(token)}, which is not among the ` +
        `${this.size} tokens of the vocabulary, and ${this.#whyUnknown}`)
    })
  }

  /**
   * Converts ids to tokens.
   * @param {ArrayLike<number>} ids
   * @returns {string[]} their tokens
   * @throws {GlassformerError} 'index' if an id is outside the vocabulary; 'type'
   */
  decode(ids) {
    expectIds('Vocab.decode', ids)
    return Array.from(ids, (id, i) => {
      const token = Number.isInteger(id) ? this.itos[id] : undefined
      expect(token !== undefined, typeof id === 'number' ? 'index' : 'type',
        () => `Vocab.decode: ids[${i}] must be an integer from 0 to ${this.size - 1}, got ${describe(id)}`)
      return token
    })
  }
}

/** @param {unknown} lists @returns {asserts lists is string[][]} */
function checkLists(lists) {
  expect(Array.isArray(lists), 'type',
    () => `Vocab: lists must be an array of arrays of strings, got ${describe(lists)}`)
  for (const [i, list] of lists.entries()) {
    expect(Array.isArray(list), 'type', () => `Vocab: lists[${i}] must be an array of strings, got ${describe(list)}`)
  }
}

/** @param {unknown} specials @param {unknown} maxTokens */
function checkSpecials(specials, maxTokens) {
  expect(Array.isArray(specials), 'type',
    () => `Vocab: specials must be an array of strings, got ${describe(specials)}`)
  for (const [i, token] of specials.entries()) {
    expect(typeof token === 'string', 'type', () => `Vocab: specials[${i}] must be a string, got ${describe(token)}`)
    expect(specials.indexOf(token) === i, 'range',
      () => `Vocab: specials[${i}] repeats ${describe(token)}`)
  }
  if (maxTokens !== undefined) expectInteger('Vocab', 'maxTokens', maxTokens, specials.length + 1)
}

/**
 * Counts tokens: returns the distinct tokens in order, and their counts.
 * @param {import('../kernels.js').Kernels} engine @param {string[][]} lists @param {boolean} sorted
 */
function count(engine, lists, sorted) {
  const { c, memory } = engine
  const vocab = c.gf_vocab_new(engine.seed)
  if (!vocab) throw memoryError()
  try {
    /** @type {string[]} */
    const distinct = []
    for (const batch of batches(lists)) countBatch(engine, vocab, batch, distinct)
    return memory.borrow(8 * distinct.length + 8, order => {
      const counts = order + 4 * distinct.length
      if (c.gf_vocab_order(order, counts, vocab, sorted ? 1 : 0) < 0) throw memoryError()
      const tokens = Array.from(memory.ints(order, distinct.length), id => distinct[id])
      return { tokens, counts: memory.ints(counts, distinct.length).slice() }
    })
  } finally {
    c.gf_vocab_free(vocab)
  }
}

const memoryError = () => new GlassformerError('memory', 'Vocab: out of memory while counting tokens')

/** Yields all tokens in batches. @param {string[][]} lists @returns {Generator<string[]>} */
function* batches(lists) {
  /** @type {string[]} */
  let batch = []
  let units = 0
  for (let i = 0; i < lists.length; i++) {
    const list = lists[i]
    for (let j = 0; j < list.length; j++) {
      const token = list[j]
      expect(typeof token === 'string', 'type',
        () => `Vocab: lists[${i}][${j}] must be a string, got ${describe(token)}`)
      batch.push(token)
      units += token.length
      if (batch.length < BATCH_TOKENS && units < BATCH_UNITS) continue
      yield batch
      batch = []
      units = 0
    }
  }
  if (batch.length) yield batch
}

/**
 * Counts a batch of tokens. New tokens are appended to `distinct`, where their index is their id.
 * @param {import('../kernels.js').Kernels} engine @param {number} vocab
 * @param {string[]} batch @param {string[]} distinct
 */
function countBatch({ c, memory }, vocab, batch, distinct) {
  // The separator keeps a lone surrogate at the end of a token from pairing with one at the start of the next.
  const text = batch.join('\n')
  const n = batch.length
  memory.borrow(8 * n + 3 * text.length + 1, ids => {
    const units = ids + 4 * n
    const bytes = units + 4 * n
    const written = encodeInto(text, memory.bytes(bytes, 3 * text.length))
    const lengths = memory.ints(units, n)
    for (let i = 0; i < n; i++) lengths[i] = batch[i].length
    if (c.gf_vocab_add(ids, vocab, bytes, written, units, n) === NO_MEMORY) throw memoryError()
    const tokenIds = memory.ints(ids, n)
    for (let i = 0; i < n; i++) if (tokenIds[i] === distinct.length) distinct.push(toWellFormed(batch[i]))
  })
}
