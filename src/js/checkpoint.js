import { describe, expect, isPlain, shapeText } from './errors.js'
import { readHeader } from './files/header.js'
import { parseObject } from './files/json.js'
import { openSource, settle } from './files/source.js'
import { NATIVE, bytesAs, readTensor } from './files/values.js'
import { Generator as RandomGenerator, STATE_BYTES, getRngState, parseState, setRngState } from './generator.js'
import { Module } from './nn/module.js'
import { Optimizer } from './optim/optimizer.js'
import { Scheduler } from './optim/lr_scheduler.js'
import { buildFile, dtypeCode } from './safetensors.js'
import { sameShape } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * A training as one file: safetensors whose metadata hold, as JSON, everything that is no tensor.
 *
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {import('./files/header.js').Header} Header
 * @typedef {{ name: string, dtype: string, shape: readonly number[], make: () => Uint8Array }} Part of a file
 * @typedef {{ stateDict(): any, loadStateDict(state: any): any }} Stateful what has a state of its own
 */

/**
 * The values of a checkpoint; of bytes in memory at once, otherwise a promise.
 * @template S
 * @typedef {S extends Uint8Array | ArrayBuffer ? Record<string, any>
 *   : Promise<Record<string, any>> | Record<string, any>} LoadedValues
 */

/** What the metadata of a file say that it is. */
const FORMAT = 'glassformer checkpoint 1'
/** The name of the random generator's state among the tensors. */
const RNG = 'rng_state'
/** The key of what JSON cannot hold, see `encode`. */
const MARK = '$'
/** Typed arrays that may stand among the values. */
const ARRAYS = { Float32Array, Float64Array, Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array }

/** @param {any} value @returns {value is Stateful | RandomGenerator} */
const isStateful = value => value instanceof RandomGenerator ||
  (value instanceof Object && 'stateDict' in value && 'loadStateDict' in value)

/** @param {Stateful | RandomGenerator} value */
const stateOf = value => (value instanceof RandomGenerator ? value.getState() : value.stateDict())

/* Writing ---------------------------------------------------------------------------------------------------------- */

/** An object for JSON, as a list where it has a name that stands for something else. @param {any[][]} entries */
const objectOf = entries => (
  entries.some(([name]) => name === MARK) ? { [MARK]: 'entries', entries } : Object.fromEntries(entries))

/** Values as JSON; tensors and arrays become parts of the file. */
class Writer {
  /** @type {Part[]} */ parts = []
  #names = new Set([RNG])

  /** Adds a part under a name that no other has. @param {Part} part */
  #add(part) {
    let { name } = part
    while (this.#names.has(name)) name += '_'
    this.#names.add(name)
    this.parts.push({ ...part, name })
    return name
  }

  /**
   * @param {any} value @param {string} path of it, for messages and names
   * @param {readonly object[]} [above] what it is inside of @returns {any} what JSON can hold
   */
  encode(value, path, above = []) {
    if (Object.is(value, -0)) return { [MARK]: 'number', value: '-0' }
    if (typeof value === 'number') return Number.isFinite(value) ? value : { [MARK]: 'number', value: String(value) }
    if (typeof value === 'bigint') return { [MARK]: 'bigint', value: String(value) }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (value instanceof Tensor) {
      expect(!value.disposed, 'state', () => `saveCheckpoint: ${path} was disposed`)
      const dtype = dtypeCode(value), { shape } = value
      return { [MARK]: 'tensor', name: this.#add({ name: path, dtype, shape, make: () => bytesAs(path, value, dtype) }) }
    }
    const type = Object.keys(ARRAYS).find(name => value instanceof /** @type {any} */ (ARRAYS)[name])
    if (type) {
      const { buffer, byteOffset, byteLength } = value, make = () => new Uint8Array(buffer, byteOffset, byteLength)
      return { [MARK]: type, name: this.#add({ name: path, dtype: 'U8', shape: [byteLength], make }) }
    }
    expect(!above.includes(value), 'type', () => `saveCheckpoint: ${path} contains itself`)
    const inside = [...above, value]
    if (Array.isArray(value)) return value.map((one, i) => this.encode(one ?? null, `${path}.${i}`, inside))
    expect(isPlain(value), 'type', () => `saveCheckpoint: ${path} must be numbers, strings, booleans, tensors, typed arrays, or ` +
      `arrays and objects of them, got ${describe(value)}${isStateful(value) ? '; what has a stateDict is named at the top' : ''}`)
    const entries = Object.entries(value).filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, this.encode(one, `${path}.${name}`, inside)])
    return objectOf(entries)
  }
}

/**
 * A training as the bytes of one file: model, optimizer and scheduler, other named values, and the state of the
 * random generator, so that a training that is resumed goes on with the same bits. The file is safetensors.
 * @param {Engine} engine
 * @param {Record<string, any>} parts modules, optimizers, schedulers, generators and other objects with stateDict and
 *   loadStateDict, and values: numbers, strings, tensors, typed arrays, arrays and objects of them
 * @returns {Uint8Array}
 * @throws {import('./errors.js').GlassformerError} 'type' for a value that cannot be saved
 * @example
 * const model = new gf.nn.Linear(2, 2), optimizer = new gf.optim.AdamW(model.parameters())
 * const bytes = gf.saveCheckpoint({ model, optimizer, step: 100 })
 * gf.loadCheckpoint(bytes, { model, optimizer }).step   // 100
 */
export function saveCheckpoint(engine, parts) {
  expect(isPlain(parts), 'type', () => `saveCheckpoint: parts must be an object such as { model, optimizer, scheduler, step }, ` +
    `got ${describe(parts)}${isStateful(parts) ? '; write { model }' : ''}`)
  const writer = new Writer()
  /** @type {[string, any][]} */ const states = [], /** @type {[string, any][]} */ values = []
  for (const [name, part] of Object.entries(parts)) {
    if (part === undefined) continue
    if (isStateful(part)) states.push([name, writer.encode(stateOf(part), name)])
    else values.push([name, writer.encode(part, name)])
  }
  writer.parts.push({ name: RNG, dtype: 'U8', shape: [STATE_BYTES], make: () => getRngState(engine) })
  const metadata = { states: JSON.stringify(Object.fromEntries(states)), values: JSON.stringify(objectOf(values)) }
  return buildFile(writer.parts, { format: FORMAT, ...metadata })
}

/* Reading ---------------------------------------------------------------------------------------------------------- */

/** @param {boolean} condition @param {() => string} message @returns {asserts condition} */
const check = (condition, message) => expect(condition, 'format', () => `loadCheckpoint: ${message()}`)

/** Values from JSON and the parts of a file. */
class Reader {
  /** Tensors that it has made. @type {Tensor[]} */ tensors = []
  #engine
  #entries

  /** @param {Engine} engine @param {Header} header */
  constructor(engine, { entries }) {
    this.#engine = engine
    this.#entries = entries
  }

  /** @param {any} name */
  #entry(name) {
    const entry = this.#entries.get(name)
    check(entry !== undefined, () => `the file must have the tensor ${describe(name)}, which its metadata name`)
    return entry
  }

  /** @param {any} name @returns {Generator<any, Uint8Array, any>} */
  * bytes(name) {
    const { source, dtype, from, to } = this.#entry(name)
    check(dtype === 'U8', () => `${name} must be bytes (U8), got ${dtype}`)
    return new Uint8Array(yield source.read(from, to))
  }

  /** @param {any} value as `encode` gives it @returns {Generator<any, any, any>} */
  * decode(value) {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) {
      const list = []
      for (const one of value) list.push(yield* this.decode(one))
      return list
    }
    const { [MARK]: kind, name, value: text, entries } = value
    if (kind === undefined) return yield* this.#object(Object.entries(value))
    if (kind === 'number') return Number(text)
    if (kind === 'bigint') return this.#bigint(text)
    if (kind === 'entries') return yield* this.#object(entries)
    if (kind === 'tensor') {
      const entry = this.#entry(name), tensor = yield* readTensor(this.#engine, name, entry, NATIVE[entry.dtype])
      this.tensors.push(tensor)
      return tensor
    }
    check(Object.hasOwn(ARRAYS, kind), () => `values must be of a kind that saveCheckpoint writes, got ${describe(kind)}`)
    const List = /** @type {any} */ (ARRAYS)[kind], bytes = yield* this.bytes(name)
    check(bytes.length % List.BYTES_PER_ELEMENT === 0, () => `${name} must be complete values of a ${kind}, got ${bytes.length} bytes`)
    return new List(bytes.buffer)
  }

  /** @param {unknown} text */
  #bigint(text) {
    check(typeof text === 'string' && /^-?\d+$/.test(text), () => `a bigint must be a string of digits, got ${describe(text)}`)
    return BigInt(text)
  }

  /** @param {[string, any][]} entries @returns {Generator<any, Record<string, any>, any>} */
  * #object(entries) {
    check(Array.isArray(entries) && entries.every(one => Array.isArray(one) && typeof one[0] === 'string'),
      () => 'an object must be a list of names and values')
    /** @type {Record<string, any>} */ const out = {}
    for (const [name, one] of entries) {
      const value = yield* this.decode(one)
      Object.defineProperty(out, name, { value, writable: true, enumerable: true, configurable: true })
    }
    return out
  }
}

/** @param {string} name @param {Module} module @param {any} state */
function checkModuleState(name, module, state) {
  const own = module.stateDict()
  const isLike = (/** @type {string} */ key) => (
    state[key] instanceof Tensor && sameShape(state[key].shape, own[key].shape))
  const problems = [
    ...Object.keys(own).filter(key => !Object.hasOwn(state, key)).map(key => `${key} is missing`),
    ...Object.keys(state).filter(key => !Object.hasOwn(own, key)).map(key => `${key} is unknown`),
    ...Object.keys(own).filter(key => Object.hasOwn(state, key) && !isLike(key))
      .map(key => `${key} must have shape ${shapeText(own[key].shape)}, got ${describe(state[key])}`)
  ]
  expect(problems.length === 0, 'shape', () => `loadCheckpoint: ${name} does not fit: ${problems.join('; ')}`)
}

/**
 * Runs fn, and puts the name of the part before its error.
 * @template T @param {string} name @param {() => T} fn @returns {T}
 */
function named(name, fn) {
  try {
    return fn()
  } catch (error) {
    if (error instanceof Error) error.message = `loadCheckpoint: ${name}: ${error.message}`
    throw error
  }
}

/** A copy that later changes leave alone. @param {any} value @returns {any} */
function copied(value) {
  if (value instanceof Tensor) return value.detach().clone()
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return /** @type {any} */ (value).map(copied)
  return isPlain(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)])) : value
}

/**
 * Checks a state without changing anything. What is not the library's own can only be loaded; it is put back if it or
 * another fails.
 * @param {string} name @param {any} target @param {any} state
 * @returns {{ commit(): void, cancel(): void, isForeign?: boolean }}
 */
function prepare(name, target, state) {
  if (target instanceof RandomGenerator) {
    parseState(`loadCheckpoint: ${name}`, state)
    return { commit: () => { target.setState(state) }, cancel() {} }
  }
  const isOwn = [Module, Optimizer, Scheduler].some(({ prototype }) => target.loadStateDict === prototype.loadStateDict)
  if (isOwn) check(isPlain(state), () => `${name} must have the state of one with stateDict, got ${describe(state)}`)
  if (isOwn && !(target instanceof Module)) return named(name, () => target.prepareLoad(state))
  if (isOwn) {
    checkModuleState(name, target, state)
    return { commit: () => { target.loadStateDict(state) }, cancel() {} }
  }
  const before = copied(target.stateDict())
  const commit = () => named(name, () => target.loadStateDict(state))
  return { commit, cancel: () => target.loadStateDict(before), isForeign: true }
}

/** @param {Record<string, any>} targets @param {Record<string, any>} states that the file has */
function checkTargets(targets, states) {
  for (const [name, target] of Object.entries(targets)) {
    expect(isStateful(target), 'type', () => `loadCheckpoint: ${name} must be a module, an optimizer, a scheduler or another object with ` +
      `stateDict and loadStateDict, got ${describe(target)}`)
    check(Object.hasOwn(states, name), () => `the file must have ${name}, got ${Object.keys(states).join(', ') || 'no states'}`)
  }
}

/**
 * @param {Engine} engine @param {unknown} source @param {any} given
 * @returns {Generator<any, Record<string, any>, any>}
 */
function* loadSteps(engine, source, given) {
  expect(given === undefined || isPlain(given), 'type', () => 'loadCheckpoint: targets must be an object such as ' +
    `{ model, optimizer, scheduler }, got ${describe(given)}${isStateful(given) ? '; write { model }' : ''}`)
  const isGiven = (/** @type {[string, any]} */ [, target]) => target !== undefined && target !== null
  const targets = Object.fromEntries(Object.entries(given ?? {}).filter(isGiven))
  expect(typeof source !== 'string', 'type', () => 'loadCheckpoint: bytes must be what saveCheckpoint gave (a Uint8Array, an ' +
    `ArrayBuffer or a Blob), got ${describe(source)}; write readFileSync(path)`)
  const header = yield* readHeader(yield* openSource('loadCheckpoint', 'bytes', source)), { metadata } = header
  check(metadata.format === FORMAT && 'states' in metadata && 'values' in metadata, () => 'the file must be what saveCheckpoint ' +
    `gave, with "format": "${FORMAT}", got ${describe(metadata.format)}; gf.loadSafetensors reads the tensors of any file`)
  const states = parseObject('loadCheckpoint: states', metadata.states)
  const values = parseObject('loadCheckpoint: values', metadata.values)
  checkTargets(targets, states)
  const reader = new Reader(engine, header), kept = new Reader(engine, header)
  /** @type {ReturnType<typeof prepare>[]} */ const prepared = []
  /** @type {ReturnType<typeof prepare>[]} */ const begun = []
  try {
    const rng = yield* reader.bytes(RNG), rest = yield* kept.decode(values)
    parseState('loadCheckpoint', rng)
    for (const [name, target] of Object.entries(targets)) {
      prepared.push(prepare(name, target, yield* reader.decode(states[name])))
    }
    // What may still fail comes first.
    for (const one of prepared.sort((a, b) => Number(Boolean(b.isForeign)) - Number(Boolean(a.isForeign)))) {
      begun.push(one)
      one.commit()
    }
    setRngState(engine, rng)
    return rest
  } catch (error) {
    for (const one of prepared) if (Boolean(one.isForeign) === begun.includes(one)) one.cancel()
    for (const tensor of kept.tensors) tensor.dispose()
    throw error
  } finally {
    for (const tensor of reader.tensors) tensor.dispose()
  }
}

/**
 * Puts a training back as saveCheckpoint found it: the states of what is named, and the random generator. All of it, or
 * nothing where anything does not fit.
 * @template S
 * @param {Engine} engine
 * @param {S} bytes what saveCheckpoint gave, as bytes, a Blob, or a file opened by Node's fs.promises.open; what is not
 *   in memory is read piece by piece, and the result is a promise
 * @param {Record<string, any>} [targets] what the states are for, under the names they were saved with; states that are
 *   not named are left alone
 * @returns {LoadedValues<S>} the values that were saved beside them, such as { step }
 * @throws {import('./errors.js').GlassformerError} 'format' for a file that is none or lacks a state, 'shape' and
 *   others for a state that does not fit
 */
export const loadCheckpoint = (engine, bytes, targets) => settle(loadSteps(engine, bytes, targets))
