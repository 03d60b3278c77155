import { describe, expect, formatShape, expectInteger } from '../errors.js'
import { CACHE_READ, CACHE_VALUES } from '../engine/constants.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { TensorEntry } from './tensor_cache.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../engine/engine.js').Engine} Engine */

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'cache',
  axes: ({ inputs: { x } }, of) => (x ? of(x) : null),
  parameters: ({ saved: { past } }) => ({ past }),
  backward() {},
  explain({ inputs: { x }, outputs: { out }, saved: { past } }, _, index) {
    const [b, t, c] = index
    if (t >= past) return sumOf('out = x', [productTerm(cell(x, [b, t - past, c], 'x'))])
    return { formula: 'out = cache', terms: [], computed: out.at(...index) }
  },
  explainGradient: () => ({ formula: '0', terms: [] })
}

/** Channels of values in a panel of the cache's layout. */
const PANEL = 8

/** The keys and values of one attention so far. */
export class Entry {
  /** The number of keys. */ length = 0
  /** The number of queries so far, which is the position of the next one. */ queries = 0
  /** Batch, heads, channels of keys and of values. @type {number[]} */ #shape = []
  /** The blocks of keys, and of values. @type {Tensor[]} */ #blocks = []

  /**
   * @param {number} capacity the maximum number of keys @param {boolean} isMemory whether the keys are those of another
   *   sequence, which are all stored in the first pass
   */
  constructor(capacity, isMemory) {
    this.capacity = capacity
    this.isMemory = isMemory
  }

  /** The batch size, 0 before the first pass. */
  get batch() {
    return this.#blocks.length && this.#shape[0]
  }

  get keys() {
    return this.#blocks[0]
  }

  get values() {
    return this.#blocks[1]
  }

  /** The strides of the blocks, in floats, by batch and head. */
  get rows() {
    const [, KV] = this.#shape, [keys, values] = this.#sizes()
    return { keys: [KV * keys, keys, 0], values: [KV * values, values, 0] }
  }

  #sizes() {
    const [, , D, Dv] = this.#shape, { c } = this.keys.engine
    return [c.gf_cache_block_size(this.capacity, D, 0), c.gf_cache_block_size(this.capacity, Dv, CACHE_VALUES)]
  }

  /** Allocates the blocks. @param {Engine} engine @param {number[]} shape */
  #allocate(engine, shape) {
    const [B, KV, D, Dv] = this.#shape = shape, { c } = engine
    const sizes = [c.gf_cache_block_size(this.capacity, D, 0), c.gf_cache_block_size(this.capacity, Dv, CACHE_VALUES)]
    this.#blocks = sizes.map(size => engine.keep(engine.empty([B, KV, size])))
  }

  /**
   * Appends keys and values. `where` is the caller's name, for error messages.
   * @param {string} where @param {Tensor} q [B, Tq, H·D] @param {Tensor} k [B, T, KV·D] @param {Tensor} v [B, T, KV·Dv]
   * @param {number} KV
   */
  append(where, q, k, v, KV) {
    const { engine } = k, [B, T, C] = k.shape, shape = [B, KV, C / KV, v.shape[2] / KV], past = this.length
    expect(!engine.gradEnabled || ![q, k, v].some(t => t.requiresGrad), 'state',
      () => `${where}: a cache keeps no gradients; call forward inside gf.noGrad`)
    if (!this.#blocks.length) this.#allocate(engine, shape)
    expect(this.#shape.every((side, i) => side === shape[i]), 'shape', () => `${where}: the cache holds ` +
      `${formatShape(this.#shape)} (sentences, heads, channels of keys and values), got ${formatShape(shape)}`)
    expect(past + T <= this.capacity, 'range', () =>
      `${where}: the cache has a capacity of ${this.capacity} keys and holds ${past}; ${T} more do not fit`)
    this.#copy(k, v, past, 0)
    this.length += T
  }

  /** Counts new queries; returns the number of queries before them. @param {number} Tq @returns {number} */
  addQueries(Tq) {
    this.queries += Tq
    return this.queries - Tq
  }

  /** The number of heads of keys and values, and the channels of a value. */
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
   * All keys and values as tensors [B, T, KV·D], recorded as computed from the newest ones, if any.
   * @param {Tensor | null} k @param {Tensor | null} v @returns {Tensor[]}
   */
  toTensors(k, v) {
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
   * Increases the capacity. A block of keys is one contiguous run, a block of values has one run for each panel; each
   * run is copied to the start of its longer successor.
   * @param {number} capacity
   */
  reserve(capacity) {
    if (this.isMemory || capacity <= this.capacity) return
    this.capacity = capacity
    if (!this.#blocks.length) return
    const { engine } = this.keys, [B, KV, , Dv] = this.#shape, runs = [B * KV, B * KV * Math.ceil(Dv / PANEL)]
    this.#sizes().forEach((size, n) => {
      const old = this.#blocks[n], larger = engine.keep(engine.empty([B, KV, size]))
      const from = old.numel() / runs[n], to = larger.numel() / runs[n]
      for (let i = 0; i < runs[n]; i++) larger.values.set(old.values.subarray(i * from, (i + 1) * from), i * to)
      this.#blocks[n] = larger
      old.dispose()
    })
  }

  /** Removes the newest queries and, unless this is a memory, their keys. @param {number} length */
  truncate(length) {
    this.queries = Math.min(this.queries, length)
    if (!this.isMemory) this.length = Math.min(this.length, length)
  }

  /**
   * Replaces row i of the batch by row `from[i]`, as beam search needs it; the batch size may change.
   * @param {readonly number[]} from
   */
  select(from) {
    const { engine } = this.keys
    this.#blocks = this.#blocks.map(block => {
      const [, ...rest] = block.shape, out = engine.keep(engine.empty([from.length, ...rest])),
        row = out.numel() / from.length
      from.forEach((b, i) => out.values.set(block.values.subarray(b * row, (b + 1) * row), i * row))
      block.dispose()
      return out
    })
    this.#shape = [from.length, ...this.#shape.slice(1)]
  }

  dispose() {
    for (const block of this.#blocks) block.dispose()
    this.#blocks = []
  }
}

/**
 * The key-value cache (KV cache): the keys and values of earlier passes, for every attention of a model, so that a
 * decoder can process its tokens one by one. Its memory is allocated in the first pass.
 *
 *     const cache = new gf.decoding.Cache(128)
 *     gf.noGrad(() => decoder.forward(first, memory, { tgtIsCausal: true, cache }))   // a prompt
 *     gf.noGrad(() => decoder.forward(next, memory, { tgtIsCausal: true, cache }))    // one more token
 *
 * A module that one forward runs twice counts as two layers, each with its own keys. To process a text in parts, call
 * the forward of the whole model for each part.
 */
export class Cache {
  /** The entries of each module, one for each of its places. @type {Map<object, (Entry | TensorEntry)[]>} */
  #entries = new Map()
  /** How often a forward has run each. @type {WeakMap<import('../nn/forward.js').UsedCaches, Map<object, number>>} */
  #runs = new WeakMap()

  /** @param {number} capacity the maximum number of tokens */
  constructor(capacity) {
    this.capacity = expectInteger('Cache', 'capacity', capacity, 1)
  }

  /** The number of tokens so far. */
  get length() {
    return Math.max(0, ...this.#all.map(entry => entry.queries))
  }

  get #all() {
    return [...this.#entries.values()].flat()
  }

  /**
   * The entry of an attention. One that is in several places of a model has an entry for each; the place is the number
   * of times that the outermost forward has run it before.
   * @param {{ engine: Engine }} owner @param {number} [memory] the length of the other sequence, if it attends to one
   */
  of(owner, memory) {
    return /** @type {Entry} */ (this.#find(owner, () => new Entry(memory ?? this.capacity, memory !== undefined)))
  }

  /**
   * Appends the tensors of a module's new tokens, such as keys and values, and returns those of all tokens so far: for
   * attentions that are written out in a forward. The library's attentions do this by themselves.
   * @param {import('../nn/module.js').Module} module usually `this`: each module has its own tensors
   * @param {...Tensor} tensors [batch, …, tokens, channels] @returns {Tensor[]} with all tokens
   * @throws {import('../errors.js').GlassformerError} 'state' with gradients, 'shape' for other sides than before
   * @example
   * const cache = new gf.decoding.Cache(8), module = new gf.nn.Linear(2, 2)
   * cache.update(module, gf.ones([1, 3, 2]))        // a prompt of three tokens
   * const [keys] = cache.update(module, gf.zeros([1, 1, 2]))
   * keys.shape                                      // [1, 4, 2]
   * cache.length                                    // 4
   */
  update(module, ...tensors) {
    expect(typeof module === 'function' && 'engine' in module && tensors.length > 0, 'type', () =>
      `update: takes a module and its tensors, got ${describe(module)}; write const [k, v] = cache.update(this, k, v)`)
    const entry = this.#find(module, () => new TensorEntry())
    expect(entry instanceof TensorEntry, 'state', () => `update: ${module.constructor.name} stores its keys itself`)
    return entry.update('update', tensors)
  }

  /**
   * The entry of a module at its current place.
   * @param {{ engine: Engine }} owner @param {() => Entry | TensorEntry} create
   */
  #find(owner, create) {
    const entries = this.#entries.get(owner) ?? [], place = this.#countRun(owner), entry = entries[place] ?? create()
    entries[place] = entry
    this.#entries.set(owner, entries)
    return entry
  }

  /** Counts a run and returns the number of earlier ones. @param {{ engine: Engine }} owner */
  #countRun(owner) {
    const { usedCaches } = owner.engine
    if (!usedCaches) return 0
    if (!usedCaches.has(this)) usedCaches.set(this, this.#createRestore())
    const runs = this.#runs.get(usedCaches) ?? new Map(), earlier = runs.get(owner) ?? 0
    this.#runs.set(usedCaches, runs.set(owner, earlier + 1))
    return earlier
  }

  /** A function that restores the current lengths; keys beyond them are not read again. */
  #createRestore() {
    const states = this.#all.map(entry => ({ entry, length: entry.length, queries: entry.queries }))
    return () => {
      const known = new Set(states.map(({ entry }) => entry))
      for (const entry of this.#all) if (!known.has(entry)) entry.dispose()
      for (const [owner, entries] of this.#entries) this.#entries.set(owner, entries.filter(entry => known.has(entry)))
      for (const { entry, length, queries } of states) Object.assign(entry, { length, queries })
    }
  }

  /** Keeps the first `length` tokens and removes the rest. @param {number} length */
  truncate(length) {
    expectInteger('Cache', 'length', length, 0, this.length)
    for (const entry of this.#all) entry.truncate(length)
  }

  /** Increases the capacity; the addresses change. @param {number} capacity @internal */
  reserve(capacity) {
    for (const entry of this.#all) entry.reserve(capacity)
    this.capacity = capacity
  }

  /**
   * Replaces row i of the batch by row `from[i]`, as beam search needs it; the batch size may change.
   * @param {readonly number[]} from
   */
  select(from) {
    expect(Array.isArray(from) && from.length > 0, 'type',
      () => `Cache: from must be a list of rows, such as [0, 0, 1], got ${describe(from)}`)
    const all = this.#all.filter(entry => entry.batch), rows = Math.min(...all.map(entry => entry.batch))
    from.forEach((row, i) => expectInteger('Cache', `from[${i}]`, row, 0, rows - 1))
    for (const entry of all) entry.select(from)
  }

  /** Frees the memory; the next pass starts with an empty cache. */
  dispose() {
    for (const entry of this.#all) entry.dispose()
    this.#entries.clear()
  }
}
