import { describe, expect, isPlain, formatShape } from '../errors.js'
import { readHeader } from './header.js'
import { parseObject } from './json.js'
import { openSource, settle } from './source.js'
import { NATIVE, bytesAs, readTensor } from './values.js'
import { Generator as RandomGenerator, STATE_BYTES, getRngState, parseState, setRngState } from '../tensor/generator.js'
import { Module } from '../nn/module.js'
import { Optimizer } from '../optim/optimizer.js'
import { Scheduler } from '../optim/lr_scheduler.js'
import { buildFile, dtypeCode } from './safetensors.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * A training in one safetensors file. Its metadata have everything but tensors, as JSON.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('./header.js').Header} Header
 * @typedef {{ name: string, dtype: string, shape: readonly number[], serialize: () => Uint8Array }} Part of a file
 * @typedef {{ stateDict(): any, loadStateDict(state: any): any }} Stateful an object with a state
 */

/**
 * The values of a checkpoint. They come as a promise unless the bytes are in memory.
 * @template S
 * @typedef {S extends Uint8Array | ArrayBuffer ? Record<string, any>
 *   : Promise<Record<string, any>> | Record<string, any>} LoadedValues
 */

/** The format that the metadata name. */
const FORMAT = 'glassformer checkpoint 1'
/** The name of the tensor with the random generator's state. */
const RNG_STATE = 'rng_state'
/** The key that marks values that JSON does not have, see `encode`. */
const KIND = '$'
/** The types of typed arrays among the values. */
const ARRAY_TYPES = {
  Float32Array, Float64Array, Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array
}

/** @param {any} value @returns {value is Stateful | RandomGenerator} */
const isStateful = value => value instanceof RandomGenerator ||
  (value instanceof Object && 'stateDict' in value && 'loadStateDict' in value)

/** @param {Stateful | RandomGenerator} value */
const getState = value => (value instanceof RandomGenerator ? value.getState() : value.stateDict())

/* Writing ---------------------------------------------------------------------------------------------------------- */

/** An object for JSON; if one of its keys is KIND, a list of entries. @param {any[][]} entries */
const encodeEntries = entries => (
  entries.some(([name]) => name === KIND) ? { [KIND]: 'entries', entries } : Object.fromEntries(entries))

/** Encodes values as JSON and collects tensors and typed arrays as parts of the file. */
class Writer {
  /** @type {Part[]} */ parts = []
  #names = new Set([RNG_STATE])

  /** Adds a part and makes its name unique. @param {Part} part @returns the name */
  #add(part) {
    let { name } = part
    while (this.#names.has(name)) name += '_'
    this.#names.add(name)
    this.parts.push({ ...part, name })
    return name
  }

  /**
   * @param {any} value @param {string} path for messages and names
   * @param {readonly object[]} [ancestors] the objects that contain the value @returns {any} a value for JSON
   */
  encode(value, path, ancestors = []) {
    if (Object.is(value, -0)) return { [KIND]: 'number', value: '-0' }
    if (typeof value === 'number') return Number.isFinite(value) ? value : { [KIND]: 'number', value: String(value) }
    if (typeof value === 'bigint') return { [KIND]: 'bigint', value: String(value) }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (value instanceof Tensor) {
      expect(!value.disposed, 'state', () => `saveCheckpoint: ${path} was disposed`)
      const dtype = dtypeCode(value), { shape } = value
      return { [KIND]: 'tensor', name: this.#add({ name: path, dtype, shape, serialize: () => bytesAs(path, value, dtype) }) }
    }
    const type = Object.keys(ARRAY_TYPES).find(name => value instanceof /** @type {any} */ (ARRAY_TYPES)[name])
    if (type) {
      const { buffer, byteOffset, byteLength } = value, serialize = () => new Uint8Array(buffer, byteOffset, byteLength)
      return { [KIND]: type, name: this.#add({ name: path, dtype: 'U8', shape: [byteLength], serialize }) }
    }
    expect(!ancestors.includes(value), 'type', () => `saveCheckpoint: ${path} contains itself`)
    const withValue = [...ancestors, value]
    if (Array.isArray(value)) return value.map((item, i) => this.encode(item ?? null, `${path}.${i}`, withValue))
    expect(isPlain(value), 'type', () => `saveCheckpoint: ${path} must be numbers, strings, booleans, tensors, typed arrays, or ` +
      `arrays and objects of them, got ${describe(value)}${isStateful(value) ? '; give objects with a stateDict their own names at the top level' : ''}`)
    const entries = Object.entries(value).filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, this.encode(item, `${path}.${name}`, withValue)])
    return encodeEntries(entries)
  }
}

/**
 * Saves a training as the bytes of a safetensors file: model, optimizer and scheduler, other values by name, and the
 * state of the random generator, so that a resumed training continues with the same bits.
 * @param {Engine} engine
 * @param {Record<string, any>} parts modules, optimizers, schedulers, generators and other objects with stateDict and
 *   loadStateDict, and values: numbers, strings, tensors, typed arrays, arrays and objects of them
 * @returns {Uint8Array}
 * @throws {import('../errors.js').GlassformerError} 'type' for a value that cannot be saved
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
    if (isStateful(part)) states.push([name, writer.encode(getState(part), name)])
    else values.push([name, writer.encode(part, name)])
  }
  writer.parts.push({ name: RNG_STATE, dtype: 'U8', shape: [STATE_BYTES], serialize: () => getRngState(engine) })
  const metadata = { states: JSON.stringify(Object.fromEntries(states)), values: JSON.stringify(encodeEntries(values)) }
  return buildFile(writer.parts, { format: FORMAT, ...metadata })
}

/* Reading ---------------------------------------------------------------------------------------------------------- */

/** @param {boolean} condition @param {() => string} message @returns {asserts condition} */
const check = (condition, message) => expect(condition, 'format', () => `loadCheckpoint: ${message()}`)

/** Decodes values from JSON and the parts of a file. */
class Reader {
  /** The tensors that it has created. @type {Tensor[]} */ tensors = []
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

  /** @param {any} value from `encode` @returns {Generator<any, any, any>} */
  * decode(value) {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) {
      const list = []
      for (const item of value) list.push(yield* this.decode(item))
      return list
    }
    const { [KIND]: kind, name, value: text, entries } = value
    if (kind === undefined) return yield* this.#object(Object.entries(value))
    if (kind === 'number') return Number(text)
    if (kind === 'bigint') return this.#bigint(text)
    if (kind === 'entries') return yield* this.#object(entries)
    if (kind === 'tensor') {
      const entry = this.#entry(name), tensor = yield* readTensor(this.#engine, name, entry, NATIVE[entry.dtype])
      this.tensors.push(tensor)
      return tensor
    }
    check(Object.hasOwn(ARRAY_TYPES, kind), () => `values must be of a kind that saveCheckpoint writes, got ${describe(kind)}`)
    const List = /** @type {any} */ (ARRAY_TYPES)[kind], bytes = yield* this.bytes(name)
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
    check(Array.isArray(entries) && entries.every(entry => Array.isArray(entry) && typeof entry[0] === 'string'),
      () => 'an object must be a list of names and values')
    /** @type {Record<string, any>} */ const out = {}
    for (const [name, item] of entries) {
      const value = yield* this.decode(item)
      Object.defineProperty(out, name, { value, writable: true, enumerable: true, configurable: true })
    }
    return out
  }
}

/** @param {string} name @param {Module} module @param {any} state */
function checkModuleState(name, module, state) {
  const own = module.stateDict()
  const fits = (/** @type {string} */ key) => (
    state[key] instanceof Tensor && sameShape(state[key].shape, own[key].shape))
  const problems = [
    ...Object.keys(own).filter(key => !Object.hasOwn(state, key)).map(key => `${key} is missing`),
    ...Object.keys(state).filter(key => !Object.hasOwn(own, key)).map(key => `${key} is unknown`),
    ...Object.keys(own).filter(key => Object.hasOwn(state, key) && !fits(key))
      .map(key => `${key} must have shape ${formatShape(own[key].shape)}, got ${describe(state[key])}`)
  ]
  expect(problems.length === 0, 'shape', () => `loadCheckpoint: ${name} does not fit: ${problems.join('; ')}`)
}

/**
 * Runs fn and adds the name of the part to the message of its error.
 * @template T @param {string} name @param {() => T} fn @returns {T}
 */
function addNameToErrors(name, fn) {
  try {
    return fn()
  } catch (error) {
    if (error instanceof Error) error.message = `loadCheckpoint: ${name}: ${error.message}`
    throw error
  }
}

/** A deep copy. @param {any} value @returns {any} */
function copyValue(value) {
  if (value instanceof Tensor) return value.detach().clone()
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return /** @type {any} */ (value).map(copyValue)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyValue(item)]))
}

/**
 * Checks a state without changing anything. There is no check for objects whose loadStateDict is not the library's;
 * `cancel` restores their state if they or others fail.
 * @param {string} name @param {any} target @param {any} state
 * @returns {{ commit(): void, cancel(): void, isForeign?: boolean }}
 */
function prepare(name, target, state) {
  if (target instanceof RandomGenerator) {
    parseState(`loadCheckpoint: ${name}`, state)
    return { commit: () => { target.setState(state) }, cancel() {} }
  }
  const isOwn = [Module, Optimizer, Scheduler].some(({ prototype }) => target.loadStateDict === prototype.loadStateDict)
  if (isOwn) check(isPlain(state), () => `${name} must have a state from stateDict, got ${describe(state)}`)
  if (isOwn && !(target instanceof Module)) return addNameToErrors(name, () => target.prepareLoad(state))
  if (isOwn) {
    checkModuleState(name, target, state)
    return { commit: () => { target.loadStateDict(state) }, cancel() {} }
  }
  const before = copyValue(target.stateDict())
  const commit = () => addNameToErrors(name, () => target.loadStateDict(state))
  return { commit, cancel: () => target.loadStateDict(before), isForeign: true }
}

/** @param {Record<string, any>} targets @param {Record<string, any>} states of the file */
function checkTargets(targets, states) {
  for (const [name, target] of Object.entries(targets)) {
    expect(isStateful(target), 'type', () => `loadCheckpoint: ${name} must be a module, an optimizer, a scheduler or another object with ` +
      `stateDict and loadStateDict, got ${describe(target)}`)
    check(Object.hasOwn(states, name), () => `the file must have ${name}, got ${Object.keys(states).join(', ') || 'no states'}`)
  }
}

/**
 * @param {Engine} engine @param {unknown} source @param {any} options the targets by name
 * @returns {Generator<any, Record<string, any>, any>}
 */
function* loadSteps(engine, source, options) {
  expect(options === undefined || isPlain(options), 'type', () => 'loadCheckpoint: targets must be an object such as ' +
    `{ model, optimizer, scheduler }, got ${describe(options)}${isStateful(options) ? '; write { model }' : ''}`)
  const entries = Object.entries(options ?? {}).filter(([, target]) => target !== undefined && target !== null)
  const targets = Object.fromEntries(entries)
  expect(typeof source !== 'string', 'type', () => 'loadCheckpoint: bytes must be those of saveCheckpoint (a Uint8Array, an ' +
    `ArrayBuffer or a Blob), got ${describe(source)}; write readFileSync(path)`)
  const header = yield* readHeader(yield* openSource('loadCheckpoint', 'bytes', source)), { metadata } = header
  check(metadata.format === FORMAT && 'states' in metadata && 'values' in metadata, () => 'the file must be one of ' +
    `saveCheckpoint, with "format": "${FORMAT}", got ${describe(metadata.format)}; gf.loadSafetensors reads the tensors of any file`)
  const states = parseObject('loadCheckpoint: states', metadata.states)
  const values = parseObject('loadCheckpoint: values', metadata.values)
  checkTargets(targets, states)
  const stateReader = new Reader(engine, header), valueReader = new Reader(engine, header)
  /** @type {ReturnType<typeof prepare>[]} */ const prepared = []
  /** @type {ReturnType<typeof prepare>[]} */ const started = []
  try {
    const rngState = yield* stateReader.bytes(RNG_STATE), loadedValues = yield* valueReader.decode(values)
    parseState('loadCheckpoint', rngState)
    for (const [name, target] of Object.entries(targets)) {
      prepared.push(prepare(name, target, yield* stateReader.decode(states[name])))
    }
    // Those that may still fail come first.
    for (const load of prepared.sort((a, b) => Number(Boolean(b.isForeign)) - Number(Boolean(a.isForeign)))) {
      started.push(load)
      load.commit()
    }
    setRngState(engine, rngState)
    return loadedValues
  } catch (error) {
    for (const load of prepared) if (Boolean(load.isForeign) === started.includes(load)) load.cancel()
    for (const tensor of valueReader.tensors) tensor.dispose()
    throw error
  } finally {
    for (const tensor of stateReader.tensors) tensor.dispose()
  }
}

/**
 * Restores a training from saveCheckpoint: the states of the targets, and the random generator. If anything does not
 * fit, nothing is changed.
 * @template S
 * @param {Engine} engine
 * @param {S} bytes from saveCheckpoint, as bytes, a Blob, or a file opened by Node's fs.promises.open; a Blob or a file
 *   is read piece by piece, and the result is a promise
 * @param {Record<string, any>} [targets] the objects to load states into, by the names of saveCheckpoint; other states
 *   of the file are skipped
 * @returns {LoadedValues<S>} the other saved values, such as { step }
 * @throws {import('../errors.js').GlassformerError} 'format' for another file or a missing state, 'shape' and others
 *   for a state that does not fit
 */
export const loadCheckpoint = (engine, bytes, targets) => settle(loadSteps(engine, bytes, targets))
