import { describe, expect } from '../errors.js'

/** @typedef {import('../engine/engine.js').Engine} Engine */

/** Words of the Mersenne twister. */
const WORDS = 624
/** Offsets of the fields in PyTorch's bytes, little-endian; a word takes 8 bytes, and gaps are 0. */
const LEFT = 8, IS_SEEDED = 12, NEXT = 16, STATE = 24, NORMAL = 5024, HAS_NORMAL = 5040
/** The bytes of PyTorch's state of a CPU generator. */
export const STATE_BYTES = 5056
/** Offsets of the fields in gf_generator, see glassformer.h. */
const OWN_NORMAL = 0, OWN_HAS_NORMAL = 8, OWN_POSITION = 12, OWN_WORDS = 16
/** The seed of PyTorch's generators before manual_seed. */
const DEFAULT_SEED = 67280421310721

/**
 * The low 32 bits of a seed, which PyTorch's generator uses.
 * @param {string} where @param {any} seed
 */
export function readSeed(where, seed) {
  expect(Number.isInteger(seed) || typeof seed === 'bigint', 'type',
    () => `${where}: seed must be an integer, got ${describe(seed)}`)
  expect(typeof seed === 'bigint' || Number.isSafeInteger(seed), 'range',
    () => `${where}: seed must be a bigint from 2^53 on, such as 2n ** 63n, got ${seed}`)
  expect(seed >= -(2n ** 63n) && seed < 2n ** 64n, 'range',
    () => `${where}: seed must be from -2^63 to 2^64 - 1, got ${describe(seed)}`)
  return Number(BigInt.asUintN(32, BigInt(seed)))
}

/** @param {Engine} engine @param {number} address of a generator */
const bytesAt = ({ memory, c }, address) => memory.bytes(address, c.gf_generator_size())

/**
 * The state of a generator as PyTorch writes it, except for the initial seed, which is 0.
 * @param {Engine} engine @param {number} address @returns {Uint8Array}
 */
export function readState(engine, address) {
  const own = new DataView(bytesAt(engine, address).slice().buffer)
  const state = new Uint8Array(STATE_BYTES), view = new DataView(state.buffer)
  const position = own.getInt32(OWN_POSITION, true)
  view.setInt32(LEFT, WORDS + 1 - position, true)
  view.setInt32(IS_SEEDED, 1, true)
  view.setInt32(NEXT, position, true)
  for (let i = 0; i < WORDS; i++) view.setUint32(STATE + 8 * i, own.getUint32(OWN_WORDS + 4 * i, true), true)
  if (own.getInt32(OWN_HAS_NORMAL, true)) {
    view.setFloat64(NORMAL, own.getFloat64(OWN_NORMAL, true), true)
    view.setInt32(HAS_NORMAL, 1, true)
  }
  return state
}

/**
 * Checks the bytes of a state and converts them to the layout of the kernels.
 * @param {string} where @param {unknown} state @returns {Uint8Array}
 * @throws {import('../errors.js').GlassformerError} 'type' for anything but STATE_BYTES bytes, 'format' for bytes that
 *   are no state
 */
export function parseState(where, state) {
  expect(state instanceof Uint8Array && state.length === STATE_BYTES, 'type', () => `${where}: state must be the ` +
    `${STATE_BYTES} bytes (Uint8Array) that getRngState returns, got ` +
    (state instanceof Uint8Array ? `${state.length} bytes` : describe(state)))
  const view = new DataView(state.buffer, state.byteOffset, STATE_BYTES)
  const left = view.getInt32(LEFT, true), next = view.getInt32(NEXT, true), normal = view.getFloat64(NORMAL, true)
  const hasNormal = view.getInt32(HAS_NORMAL, true)
  // A generator that was just seeded has one word left and none used: it computes the next words first.
  const isPosition = left === 1 ? next === 0 || next === WORDS : left <= WORDS && next > 0 && next === WORDS + 1 - left
  const isNormal = Number.isFinite(normal) && (hasNormal === 0 || hasNormal === 1)
  expect(view.getInt32(IS_SEEDED, true) === 1 && isPosition && isNormal, 'format',
    () => `${where}: state must be the bytes of getRngState, or of torch.get_rng_state on a CPU; these bytes are no state`)
  const own = new Uint8Array(OWN_WORDS + 4 * WORDS), to = new DataView(own.buffer)
  to.setFloat64(OWN_NORMAL, normal, true)
  to.setInt32(OWN_HAS_NORMAL, hasNormal, true)
  to.setInt32(OWN_POSITION, left === 1 ? WORDS : next, true)
  for (let i = 0; i < WORDS; i++) to.setUint32(OWN_WORDS + 4 * i, view.getUint32(STATE + 8 * i, true), true)
  return own
}

/**
 * The state of the random generator, to continue from later: torch.get_rng_state. The 5056 bytes have PyTorch's layout,
 * so torch.set_rng_state accepts them, too.
 * @param {Engine} engine @returns {Uint8Array}
 * @example
 * gf.manualSeed(0)
 * const state = gf.getRngState(), first = gf.rand([2]).toArray()
 * gf.setRngState(state)
 * gf.rand([2]).toArray().join() === first.join()  // true
 */
export const getRngState = engine => readState(engine, engine.generator)

/**
 * Continues from a state of the random generator: torch.set_rng_state.
 * @param {Engine} engine
 * @param {Uint8Array} state from getRngState, or the bytes of torch.get_rng_state()
 * @throws {import('../errors.js').GlassformerError} 'type' or 'format' for anything else; nothing is changed then
 */
export const setRngState = (engine, state) => bytesAt(engine, engine.generator).set(parseState('setRngState', state))

/**
 * A separate random stream: torch.Generator. Its initial seed is PyTorch's default. `rand`, `randn`, `randint`,
 * `randperm`, `normal`, `bernoulli`, `multinomial`, `gf.data.randomSplit` and `gf.data.DataLoader` accept it as
 * `generator`.
 * @example
 * const generator = new gf.Generator().manualSeed(42)
 * gf.rand([2], { generator })                     // [0.8823, 0.915]
 */
export class Generator {
  #state

  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine
    this.#state = engine.keep(engine.empty([engine.c.gf_generator_size() / 4], 'int32'))
    this.manualSeed(DEFAULT_SEED)
  }

  /** The address of its state. @internal */
  get address() {
    return this.#state.dataPtr()
  }

  /**
   * Seeds it: torch.Generator.manual_seed.
   * @param {number | bigint} seed as for gf.manualSeed @returns {this}
   */
  manualSeed(seed) {
    this.engine.c.gf_seed(this.address, readSeed('manualSeed', seed))
    return this
  }

  /** Its state, with the layout of getRngState: torch.Generator.get_state. @returns {Uint8Array} */
  getState() {
    return readState(this.engine, this.address)
  }

  /** Continues from a state: torch.Generator.set_state. @param {Uint8Array} state @returns {this} */
  setState(state) {
    bytesAt(this.engine, this.address).set(parseState('setState', state))
    return this
  }
}

/**
 * The address of a generator, or of the engine's own if it is left out.
 * @param {string} where @param {Engine} engine @param {Generator | null} [generator] @returns {number}
 */
export function generatorAddress(where, engine, generator) {
  if (generator === undefined || generator === null) return engine.generator
  expect(generator instanceof Generator && generator.engine === engine, 'type',
    () => `${where}: generator must be a gf.Generator of the same engine, got ${describe(generator)}`)
  return generator.address
}
