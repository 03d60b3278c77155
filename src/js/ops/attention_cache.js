import { describe, expect, formatShape, expectInteger } from '../errors.js'
import { CACHE_READ, CACHE_VALUES } from '../constants.js'
import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */
/** @typedef {import('../engine.js').Engine} Engine */

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'cache',
  axes: ({ inputs: { x } }, of) => (x ? of(x) : null),
  parameters: ({ saved: { past } }) => ({ past }),
  backward() {},
  explain({ inputs: { x }, outputs: { out }, saved: { past } }, _, index) {
    const [b, t, c] = index
    if (t >= past) return sumOf('out = x', [product(cell(x, [b, t - past, c], 'x'))])
    return { formula: 'out = cache', terms: [], computed: out.at(...index) }
  },
  explainGradient: () => ({ formula: '0', terms: [] })
}

/** Channels of a value that lie together. */
const PANEL = 8

/** What one attention keeps: its keys and values so far. */
export class Entry {
  /** How many keys it holds. */ length = 0
  /** How many queries have been here: the place of the next one. */ queries = 0
  /** What they are, for messages: batch, heads and channels. @type {number[]} */ #shape = []
  /** Blocks of keys, and of values. @type {Tensor[]} */ #blocks = []

  /**
   * @param {number} capacity how many keys there is room for @param {boolean} isMemory of another sequence: all at once
   */
  constructor(capacity, isMemory) {
    this.capacity = capacity
    this.isMemory = isMemory
  }

  /** How many sentences it holds, 0 before the first. */
  get batch() {
    return this.#blocks.length && this.#shape[0]
  }

  get keys() {
    return this.#blocks[0]
  }

  get values() {
    return this.#blocks[1]
  }

  /** Where the block of a sentence and head begins: floats from one to the next. */
  get rows() {
    const [, KV] = this.#shape, [keys, values] = this.#sizes()
    return { keys: [KV * keys, keys, 0], values: [KV * values, values, 0] }
  }

  #sizes() {
    const [, , D, Dv] = this.#shape, { c } = this.keys.engine
    return [c.gf_cache_block_size(this.capacity, D, 0), c.gf_cache_block_size(this.capacity, Dv, CACHE_VALUES)]
  }

  /** Makes room at the first call. @param {Engine} engine @param {number[]} shape */
  #open(engine, shape) {
    const [B, KV, D, Dv] = this.#shape = shape, { c } = engine
    const sizes = [c.gf_cache_block_size(this.capacity, D, 0), c.gf_cache_block_size(this.capacity, Dv, CACHE_VALUES)]
    this.#blocks = sizes.map(size => engine.keep(engine.empty([B, KV, size])))
  }

  /**
   * Writes keys and values after those that are there.
   * @param {string} where @param {Tensor} q [B, Tq, H·D] @param {Tensor} k [B, T, KV·D] @param {Tensor} v [B, T, KV·Dv]
   * @param {number} KV
   */
  append(where, q, k, v, KV) {
    const { engine } = k, [B, T, C] = k.shape, shape = [B, KV, C / KV, v.shape[2] / KV], past = this.length
    expect(!engine.gradEnabled || ![q, k, v].some(t => t.requiresGrad), 'state',
      () => `${where}: a cache keeps no gradients; call forward inside gf.noGrad`)
    if (!this.#blocks.length) this.#open(engine, shape)
    expect(this.#shape.every((side, i) => side === shape[i]), 'shape', () => `${where}: the cache holds ` +
      `${formatShape(this.#shape)} (sentences, heads, channels of keys and values), got ${formatShape(shape)}`)
    expect(past + T <= this.capacity, 'range', () =>
      `${where}: the cache has room for ${this.capacity} keys and holds ${past}; ${T} more do not fit`)
    this.#copy(k, v, past, 0)
    this.length += T
  }

  /** Notes that so many queries more have been here. @param {number} Tq @returns {number} the place of the first */
  ask(Tq) {
    this.queries += Tq
    return this.queries - Tq
  }

  /** Heads of keys and values, and the channels of one value. */
  get sizes() {
    const [, KV, , Dv] = this.#shape
    return { KV, Dv }
  }

  /** @param {Tensor} k @param {Tensor} v @param {number} first @param {number} flags */
  #copy(k, v, first, flags) {
    const { engine } = k, [B, KV, D, Dv] = this.#shape, T = k.shape[1]
    engine.c.gf_cache_copy(this.keys.dataPtr(), k.dataPtr(), engine.pass([T * KV * D, D, KV * D]), B, KV, first, T,
      this.capacity, D, flags)
    engine.c.gf_cache_copy(this.values.dataPtr(), v.dataPtr(), engine.pass([T * KV * Dv, Dv, KV * Dv]), B, KV, first, T,
      this.capacity, Dv, flags | CACHE_VALUES)
  }

  /**
   * All keys and values as rows, for a trace: made by an operation from the newest ones, if there are any.
   * @param {Tensor | null} k @param {Tensor | null} v @returns {Tensor[]}
   */
  show(k, v) {
    const { engine } = this.keys, [B, KV, D, Dv] = this.#shape
    const saved = { past: this.length - (k?.shape[1] ?? 0), isMemory: this.isMemory }
    const all = [D, Dv].map(side => engine.empty([B, this.length, KV * side]))
    this.#copy(all[0], all[1], 0, CACHE_READ)
    return [k, v].map((x, i) => {
      const out = record(engine, op, { x }, { out: all[i] }, saved)
      engine.trace?.tag(`cached_${'kv'[i]}`, out)
      return out
    })
  }

  /**
   * Makes room for more keys than there was. Of keys a block is one run, of values one for each of their panels; a run
   * begins with what it held.
   * @param {number} capacity
   */
  reserve(capacity) {
    if (this.isMemory || capacity <= this.capacity) return
    this.capacity = capacity
    if (!this.#blocks.length) return
    const { engine } = this.keys, [B, KV, , Dv] = this.#shape, runs = [B * KV, B * KV * Math.ceil(Dv / PANEL)]
    this.#sizes().forEach((size, n) => {
      const old = this.#blocks[n], wide = engine.keep(engine.empty([B, KV, size]))
      const from = old.size / runs[n], to = wide.size / runs[n]
      for (let i = 0; i < runs[n]; i++) wide.values.set(old.values.subarray(i * from, (i + 1) * from), i * to)
      this.#blocks[n] = wide
      old.dispose()
    })
  }

  /** Forgets the newest queries and, unless they are those of another sequence, their keys. @param {number} length */
  truncate(length) {
    this.queries = Math.min(this.queries, length)
    if (!this.isMemory) this.length = Math.min(this.length, length)
  }

  /**
   * Row i of the batch goes on as row `from[i]` was, as beams do; there may be more or fewer of them.
   * @param {readonly number[]} from
   */
  select(from) {
    const { engine } = this.keys
    const chosen = this.#blocks.map(block => {
      const [, ...rest] = block.shape, out = engine.keep(engine.empty([from.length, ...rest])),
        row = out.size / from.length
      from.forEach((b, i) => out.values.set(block.values.subarray(b * row, (b + 1) * row), i * row))
      block.dispose()
      return out
    })
    this.#blocks = chosen
    this.#shape = [from.length, ...this.#shape.slice(1)]
  }

  dispose() {
    for (const block of this.#blocks) block.dispose()
    this.#blocks = []
  }
}

/**
 * Keys and values of earlier passes, for every attention of a model: what a decoder needs to be given its tokens one
 * after another. The room is taken once, at the first pass, and nothing in it moves.
 *
 *     const cache = new gf.decoding.Cache(128)
 *     gf.noGrad(() => decoder.forward(first, memory, { tgtIsCausal: true, cache }))   // a prompt
 *     gf.noGrad(() => decoder.forward(next, memory, { tgtIsCausal: true, cache }))    // one more token
 *
 * A module that one forward runs twice is taken for a layer in two places, each with keys of its own; a text that comes
 * in pieces comes by one forward of the whole model for each.
 */
export class Cache {
  /** What each attention keeps, for each of its places. @type {Map<object, Entry[]>} */ #entries = new Map()
  /** How often a forward has met each. @type {WeakMap<import('../nn/forward.js').Outermost, Map<object, number>>} */
  #met = new WeakMap()

  /** @param {number} capacity how many tokens there is room for */
  constructor(capacity) {
    this.capacity = expectInteger('Cache', 'capacity', capacity, 1)
  }

  /** How many tokens have gone through. */
  get length() {
    return Math.max(0, ...this.#all.map(entry => entry.queries))
  }

  get #all() {
    return [...this.#entries.values()].flat()
  }

  /**
   * What a module keeps. One that stands in several places of a model keeps something for each: which it is tells how
   * often the outermostForward forward has met it before.
   * @param {{ engine: Engine }} owner @param {number} [memory] how long the other sequence is, if it attends to one
   */
  of(owner, memory) {
    const places = this.#entries.get(owner) ?? [], at = this.#meet(owner)
    const entry = places[at] ?? new Entry(memory ?? this.capacity, memory !== undefined)
    places[at] = entry
    this.#entries.set(owner, places)
    return entry
  }

  /** How often it was met before. @param {{ engine: Engine }} owner */
  #meet(owner) {
    const { outermostForward } = owner.engine
    if (!outermostForward) return 0
    if (!outermostForward.has(this)) outermostForward.set(this, this.#asItIs())
    const met = this.#met.get(outermostForward) ?? new Map(), at = met.get(owner) ?? 0
    this.#met.set(outermostForward, met.set(owner, at + 1))
    return at
  }

  /** What brings it back to what it is now: what was written after that is not read again. */
  #asItIs() {
    const before = this.#all.map(entry => ({ entry, length: entry.length, queries: entry.queries }))
    return () => {
      const known = new Set(before.map(({ entry }) => entry))
      for (const entry of this.#all) if (!known.has(entry)) entry.dispose()
      for (const [owner, places] of this.#entries) this.#entries.set(owner, places.filter(entry => known.has(entry)))
      for (const { entry, length, queries } of before) Object.assign(entry, { length, queries })
    }
  }

  /** Forgets the newest tokens: `length` stay. @param {number} length */
  truncate(length) {
    expectInteger('Cache', 'length', length, 0, this.length)
    for (const entry of this.#all) entry.truncate(length)
  }

  /** Makes room for more tokens; the addresses change. @param {number} capacity @internal */
  reserve(capacity) {
    for (const entry of this.#all) entry.reserve(capacity)
    this.capacity = capacity
  }

  /**
   * Row i of the batch goes on as row `from[i]` was; there may be more or fewer of them.
   * @param {readonly number[]} from
   */
  select(from) {
    expect(Array.isArray(from) && from.length > 0, 'type',
      () => `Cache: from must be a list of rows, such as [0, 0, 1], got ${describe(from)}`)
    const all = this.#all.filter(entry => entry.batch), rows = Math.min(...all.map(entry => entry.batch))
    from.forEach((row, i) => expectInteger('Cache', `from[${i}]`, row, 0, rows - 1))
    for (const entry of all) entry.select(from)
  }

  /** Gives the room back; the next pass begins anew. */
  dispose() {
    for (const entry of this.#all) entry.dispose()
    this.#entries.clear()
  }
}
