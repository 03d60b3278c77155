import { GlassformerError, describe, expect, expectBoolean, expectInteger, expectOneOf, expectOptions, expectType } from '../errors.js'

import { toWellFormed } from './scan.js'
import { checkSpecials, expectStrings } from './training.js'
import { expectIds } from './views.js'

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
   * @param {import('../engine/kernels.js').Kernels} engine
   * @param {string[][]} lists lists of tokens, such as one per sentence
   * @param {VocabOptions} [options]
   * @throws {GlassformerError} 'type' and 'range' for arguments that are not as described
   */
  constructor(engine, lists, options) {
    const { order = 'frequency', specials = [], specialsFirst = true, minFrequency = 1, maxTokens, unknown } =
      /** @type {VocabOptions} */ (expectOptions('Vocab', options, OPTIONS))
    expectType(Array.isArray(lists), 'Vocab: lists must be an array of arrays of strings', lists)
    for (const [i, list] of lists.entries()) expectStrings(`Vocab: lists[${i}]`, list)
    expectOneOf('Vocab', 'order', order, ['frequency', 'first-seen'])
    checkSpecials('Vocab', specials)
    if (maxTokens !== undefined) expectInteger('Vocab', 'maxTokens', maxTokens, specials.length + 1)
    expectBoolean('Vocab', 'specialsFirst', specialsFirst)
    expectInteger('Vocab', 'minFrequency', minFrequency)
    expectType(unknown === undefined || typeof unknown === 'string', 'Vocab: unknown must be a string', unknown)

    const { tokens, counts } = count(lists, order === 'frequency')
    const reserved = specials.map(toWellFormed)
    const isReserved = new Set(reserved)
    const limit = maxTokens && maxTokens - specials.length
    const counted = tokens.slice(0, limit).filter((token, i) => counts[i] >= minFrequency && !isReserved.has(token))
    this.itos = specialsFirst ? reserved.concat(counted) : counted.concat(reserved)
    this.stoi = new Map(this.itos.map((token, id) => [token, id]))
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
    expectType(Array.isArray(tokens), 'Vocab.encode: tokens must be an array of strings', tokens)
    return Array.from(tokens, (token, i) => {
      const known = this.stoi.get(token)
      if (known !== undefined) return known
      expectType(typeof token === 'string', `Vocab.encode: tokens[${i}] must be a string`, token)
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

/**
 * Counts tokens: returns the distinct tokens in order, and their counts.
 * @param {string[][]} lists @param {boolean} sorted
 */
function count(lists, sorted) {
  /** @type {Map<string, number>} */ const counts = new Map()
  for (const list of lists) for (const token of list) {
    const key = toWellFormed(token)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const entries = [...counts]
  if (sorted) entries.sort(([a, n], [b, m]) => m - n || compareCodePoints(a, b))
  return { tokens: entries.map(([token]) => token), counts: entries.map(([, n]) => n) }
}

/** Orders UTF-16 units as code points: surrogates come last. @param {number} unit */
const orderOf = unit => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** @param {string} a @param {string} b */
function compareCodePoints(a, b) {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return orderOf(a.charCodeAt(i)) - orderOf(b.charCodeAt(i)) || a.length - b.length
}
