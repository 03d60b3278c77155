import { expectArgumentCount } from '../interface/arity.js'
import { describe, expect, isPlain } from '../errors.js'
import { countHookChanges, isHooked, isWrapped } from '../nn/forward.js'
import { compiledFunctions } from '../nn/property_checks.js'
import { Module } from '../nn/module.js'
import { DTYPES, isBlockType } from '../tensor/dtype.js'
import { isLibraryClass } from '../trace/intermediates.js'
import { Recording } from './recording.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * Records a module's forward once; further calls only replay its kernels.
 *
 * The forward of the library's classes only calls kernels, depending on its inputs and the modules' properties. Each
 * call compares these, the addresses of the weights, and the modes with the recording's. A forward of other classes is
 * recorded twice, with other values of the inputs the second time: its operations and constants must be the same.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {{ shape: readonly number[], dtype: import('../tensor/dtype.js').DType, position: number } | { value:
 *   unknown }
 *   | { keys: string[], items: Pattern[], isArray: boolean }} Pattern
 *   the inputs or outputs of a call: tensors by shape, dtype and index among them, everything else by value
 * @typedef {{ inputs: Pattern, outputs: Pattern | null, recording: Recording | null, state: State | null,
 *   tries: number, reason: string }} Plan
 */

/** The maximum number of recordings, one for each pattern of inputs. */
const MAX_PLANS = 8
/** The maximum number of attempts in a row to record a call. */
const MAX_TRIES = 3
/** The maximum nesting of options. */
const MAX_DEPTH = 3
/** The `depth` of the list of arguments itself, so that options in it have depth 0. */
const ARGUMENTS_DEPTH = -1
const FIRST_CALL = 'this is the first call with inputs of these shapes and options'
const SHARED_STORAGE = 'an input shares memory with a parameter or buffer of the module'
const SIDE_EFFECT = 'its forward changes its inputs, or properties, parameters or buffers of the module'
const UNSUPPORTED_INPUTS = 'its inputs may only be tensors, numbers and options; write a list of numbers as gf.tensor(…)'

/** @param {unknown} value */
const isTensorList = value => Array.isArray(value) && value.every(item => item === null || item instanceof Tensor)

/**
 * @param {any} value @param {Tensor[]} tensors found so far @param {number} [depth]
 * @returns {Pattern | null} null where a value may change unnoticed
 */
function patternOf(value, tensors, depth = 0) {
  if (value instanceof Tensor) {
    if (!tensors.includes(value)) tensors.push(value)
    return { shape: value.shape, dtype: value.dtype, position: tensors.indexOf(value) }
  }
  if (Object(value) !== value) return { value }
  if (depth > MAX_DEPTH || !(depth === ARGUMENTS_DEPTH || isTensorList(value) || isPlain(value))) return null
  const keys = Object.keys(value), items = keys.map(key => patternOf(value[key], tensors, depth + 1))
  return items.includes(null) ? null : { keys, items: /** @type {Pattern[]} */ (items), isArray: Array.isArray(value) }
}

/** @param {Pattern} pattern @param {any} value @param {Tensor[]} tensors found so far @returns {boolean} */
function fits(pattern, value, tensors) {
  if ('shape' in pattern) {
    const { shape, dtype, position } = pattern
    if (!(value instanceof Tensor) || value.dtype !== dtype || !sameShape(value.shape, shape)) return false
    if (!tensors.includes(value)) tensors.push(value)
    return tensors[position] === value
  }
  if ('value' in pattern) return Object.is(pattern.value, value)
  if (Object(value) !== value || value instanceof Tensor || Array.isArray(value) !== pattern.isArray) return false
  const { items, keys } = pattern, actualKeys = Object.keys(value)
  return actualKeys.length === keys.length &&
    keys.every((key, i) => actualKeys[i] === key && fits(items[i], value[key], tensors))
}

/**
 * The value that a pattern describes, with other tensors.
 * @param {Pattern} pattern @param {readonly Tensor[]} tensors @returns {any}
 */
function fillPattern(pattern, tensors) {
  if ('shape' in pattern) return tensors[pattern.position]
  if ('value' in pattern) return pattern.value
  const items = pattern.items.map(item => fillPattern(item, tensors))
  return pattern.isArray ? items : Object.fromEntries(pattern.keys.map((key, i) => [key, items[i]]))
}

/** Properties of every module that cannot be compared. */
const UNCOMPARED_FIELDS = ['engine', 'forward', 'bufferNames', 'unsavedNames']

/** Whether a value is an object whose properties are not compared. @param {unknown} value */
const isOpaque = value =>
  value !== null && typeof value === 'object' && !(value instanceof Tensor) && !isComparable(value)

/** Whether the properties of a value are compared: of modules, lists and plain objects. @param {unknown} value */
const isComparable = value => value instanceof Module || Array.isArray(value) || isPlain(value)

/** A snapshot of the properties of modules, and of lists and plain objects in them. */
class State {
  /** @type {{ object: any, keys: string[], values: unknown[], forward: unknown }[]} */ #parts = []
  #hookChanges = countHookChanges()
  /** The storages of their tensors. @type {Set<Tensor['storage']>} */ #storages = new Set()
  /** Why these modules cannot be recorded; empty if they can. */
  reason = ''
  /** Whether a module is of a class outside the library. */
  hasUserClasses = false

  /** @param {Module} module */
  constructor(module) {
    /** @type {Set<any>} grows while it is walked */ const found = new Set([module])
    for (const object of found) {
      const keys = Object.keys(object), values = keys.map(key => object[key])
      this.#parts.push({ object, keys, values, forward: object.forward })
      for (const value of values) {
        if (isComparable(value)) found.add(value)
        if (value instanceof Tensor) this.#storages.add(value.storage)
      }
      if (object instanceof Module) this.reason ||= this.#reasonOf(object, values)
    }
  }

  /** @param {Module} module @param {unknown[]} values that it holds */
  #reasonOf(module, values) {
    const { name } = module.constructor, { engine } = module
    const isForeign = (/** @type {any} */ value) => (
      typeof value === 'function' && !(value instanceof Module) && !isLibraryClass(value))
    if (!isWrapped(module)) return `the forward of ${name} was replaced, so it may do more than call kernels; compile its parts`
    const isUserClass = !isLibraryClass(Object.getPrototypeOf(module))
    this.hasUserClasses ||= isUserClass
    const [key, opaque] = isUserClass && Object.entries(module).find(([property, value]) =>
      !UNCOMPARED_FIELDS.includes(property) && isOpaque(value)) || []
    if (key) return `${name} holds ${key}, ${describe(opaque)}, in which a change would not be noticed`
    if (!isUserClass && values.some(isForeign)) return `${name} holds a function that is not the library's`
    if (values.some(value => value instanceof Tensor && value.engine !== engine)) return `${name} holds another engine's tensor`
    return isHooked(module) ? `${name} has hooks` : ''
  }

  /** Whether a tensor of the modules was overwritten after a writeCount of the engine. @param {number} writeCount */
  isOverwrittenSince(writeCount) {
    return [...this.#storages].some(storage => storage !== null && storage.lastWrite > writeCount)
  }

  /** Whether one of these tensors shares storage with the modules' tensors. @param {readonly Tensor[]} tensors */
  shares(tensors) {
    return tensors.some(({ storage }) => this.#storages.has(storage))
  }

  /** Whether nothing has changed since the snapshot. */
  get isUnchanged() {
    for (const { object, keys, values, forward } of this.#parts) {
      const now = Object.keys(object)
      if (now.length !== keys.length || object.forward !== forward) return false
      for (let i = 0; i < keys.length; i++) {
        if (now[i] !== keys[i] || !Object.is(object[keys[i]], values[i])) return false
      }
    }
    return this.#hookChanges === countHookChanges()
  }
}

/** A copy whose values are all moved by one position. @param {Tensor} tensor */
function rotateValues(tensor) {
  const { engine, shape, dtype } = tensor, out = engine.empty(shape, dtype), itemBytes = DTYPES[dtype].bytes
  out.copyFrom(tensor)
  const { bytes } = out, start = bytes.slice(0, itemBytes)
  bytes.copyWithin(0, itemBytes)
  bytes.set(start, bytes.length - start.length)
  return out
}

/** @param {Tensor} a @param {Tensor} b */
const sameBits = (a, b) => a.bytes.every((byte, i) => byte === b.bytes[i])

/**
 * Runs `fn` and restores the random generator; also returns whether `fn` used random numbers.
 * @template T @param {Engine} engine @param {() => T} fn
 */
function preserveRandomState({ memory, generator, c }, fn) {
  const getState = () => memory.bytes(generator, c.gf_generator_size()), before = getState().slice()
  try {
    const result = fn()
    return { result, usedRandom: before.some((byte, i) => byte !== getState()[i]) }
  } finally {
    getState().set(before)
  }
}

/** Why nothing can be recorded or replayed in the current mode. @param {Engine} engine */
function modeReason({ gradEnabled, trace, newTensors, recording }) {
  if (gradEnabled) return 'gradients are recorded; call it within gf.noGrad'
  return trace || newTensors || recording ? 'a trace, an export or another recording is in progress' : ''
}

/** The recordings of a module. */
class Compiled {
  /** The most recently used first. @type {Plan[]} */ #plans = []
  /** @type {Module} */ #module
  reason = ''

  /** @param {Module} module */
  constructor(module) {
    this.#module = module
  }

  get recordings() {
    return this.#plans.filter(({ recording }) => recording).length
  }

  /** @param {any[]} inputs */
  call(inputs) {
    const { engine } = this.#module
    /** @type {Tensor[]} */ const tensors = []
    this.reason = modeReason(engine)
    const plan = this.reason ? null : this.#planFor(inputs, tensors)
    if (!plan || this.#isRefused(plan, tensors)) return this.#forward(inputs)
    const { recording, state } = plan, sources = tensors.map(tensor => tensor.dataPtr())
    if (!recording?.isValid || !state?.isUnchanged || !recording.replay(engine.memory, sources)) {
      return this.#record(plan, inputs, tensors)
    }
    plan.tries = 0
    return this.#readOutputs(plan)
  }

  /** @param {any[]} inputs */
  #forward(inputs) {
    return this.#module.forward(...inputs)
  }

  /**
   * The plan for a call, or null for the first call of its kind.
   * @param {any[]} inputs @param {Tensor[]} tensors found
   */
  #planFor(inputs, tensors) {
    const plans = this.#plans
    const found = plans.findIndex(plan => {
      tensors.length = 0
      return fits(plan.inputs, inputs, tensors)
    })
    if (found > 0) plans.unshift(...plans.splice(found, 1))
    if (found >= 0) return plans[0]
    const pattern = patternOf(inputs, [], ARGUMENTS_DEPTH)
    this.reason = pattern ? FIRST_CALL : UNSUPPORTED_INPUTS
    if (pattern) plans.unshift({ inputs: pattern, outputs: null, recording: null, state: null, tries: 0, reason: '' })
    if (plans.length > MAX_PLANS) this.#evict()
    return null
  }

  /** Drops the oldest plan without a recording (never the newest plan); if there is none, the least recently used. */
  #evict() {
    const plans = this.#plans, unrecorded = plans.findLastIndex(({ recording }, i) => i > 0 && !recording)
    for (const plan of plans.splice(unrecorded > 0 ? unrecorded : plans.length - 1, 1)) this.#drop(plan)
  }

  /**
   * Whether a call must run its forward; sets `reason`. A reason against recording holds until the modules change.
   * @param {Plan} plan @param {Tensor[]} tensors in the inputs
   */
  #isRefused(plan, tensors) {
    const { engine } = this.#module
    const isUnsupported = (/** @type {Tensor} */ t) => t.engine !== engine || t.disposed || isBlockType(t.dtype)
    if (tensors.some(isUnsupported)) this.reason = UNSUPPORTED_INPUTS
    else if (plan.reason && plan.state?.isUnchanged) this.reason = plan.reason
    return this.reason !== ''
  }

  /** The outputs of a replayed recording. @param {Plan} plan */
  #readOutputs({ recording, outputs }) {
    const { engine } = this.#module
    const tensors = /** @type {Recording} */ (recording).outputs.map(({ address, bytes, shape, dtype }) => {
      const out = engine.empty(shape, dtype)
      engine.memory.move(out.dataPtr(), address, bytes)
      return out
    })
    return fillPattern(/** @type {Pattern} */ (outputs), tensors)
  }

  /**
   * Runs a call's forward and records it, unless an existing recording is valid again after the forward, which may move
   * tensors in memory.
   * @param {Plan} plan @param {any[]} inputs @param {Tensor[]} tensors in them
   */
  #record(plan, inputs, tensors) {
    const before = new State(this.#module), { writeCount } = this.#module.engine
    const output = this.#forward(inputs)
    if (plan.recording?.isValid && plan.state?.isUnchanged) return output
    this.#drop(plan)
    const isOverwritten = before.isOverwrittenSince(writeCount) || tensors.some(t => t.isChangedSince(writeCount))
    const hasSideEffect = before.hasUserClasses && (isOverwritten || !before.isUnchanged)
    plan.state = new State(this.#module)
    if (plan.state.shares(tensors)) {
      this.reason = SHARED_STORAGE
      return output
    }
    plan.reason = plan.state.reason ||
      (hasSideEffect ? SIDE_EFFECT : this.#tryRecording(plan, tensors, output))
    if (plan.reason) this.#drop(plan)
    this.reason = plan.reason
    return output
  }

  /**
   * Records a call whose forward has run; returns why that failed, or ''. An error in the recording, such as a
   * lack of memory, does not make the call fail.
   * @param {Plan} plan @param {Tensor[]} tensors @param {unknown} output of the forward
   */
  #tryRecording(plan, tensors, output) {
    try {
      const reason = this.#recordOnce(plan, tensors) || (plan.state?.hasUserClasses ? this.#compareRecordings(plan, tensors) : '')
      return reason || this.#isExact(plan, tensors, output) ? reason : 'replaying its kernels gives other results'
    } catch (error) {
      this.#drop(plan)
      return `recording it failed: ${/** @type {Error} */ (error).message}`
    }
  }

  /** @param {Plan} plan */
  #drop(plan) {
    plan.recording?.end()
    plan.recording = null
  }

  /**
   * Whether replaying a recording gives the forward's bits.
   * @param {Plan} plan @param {Tensor[]} tensors @param {unknown} output
   */
  #isExact(plan, tensors, output) {
    const recording = /** @type {Recording} */ (plan.recording), { engine } = this.#module
    recording.overwriteResults()
    if (!recording.replay(engine.memory, tensors.map(tensor => tensor.dataPtr()))) return false
    /** @type {Tensor[]} */ const expected = []
    patternOf(output, expected)
    return engine.tidy(() => {
      /** @type {Tensor[]} */ const again = []
      patternOf(this.#readOutputs(plan), again)
      return expected.length === again.length && expected.every((tensor, i) => sameBits(tensor, again[i]))
    })
  }

  /**
   * Makes a recording of the plan.
   * @param {Plan} plan @param {Tensor[]} tensors @returns {string} why it cannot be recorded, or ''
   */
  #recordOnce(plan, tensors) {
    if (++plan.tries > MAX_TRIES) return 'something it depends on changes from call to call'
    const { engine } = this.#module, recording = plan.recording = new Recording(engine)
    const { result: { reason, outputs }, usedRandom } =
      preserveRandomState(engine, () => this.#recordInto(recording, plan, tensors))
    plan.outputs = outputs
    if (usedRandom) return 'it samples random numbers'
    return outputs ? reason : 'its forward returns more than tensors'
  }

  /**
   * Runs the forward and records its kernel calls.
   * @param {Recording} recording @param {Plan} plan @param {readonly Tensor[]} tensors the inputs
   */
  #recordInto(recording, plan, tensors) {
    const module = this.#module
    /** @type {Pattern | null} */ let outputs = null
    const reason = recording.record(module.engine, tensors, copies => {
      /** @type {Tensor[]} */ const found = []
      outputs = patternOf(module.forward(...fillPattern(plan.inputs, copies)), found)
      return found
    })
    return { reason, outputs: /** @type {Pattern | null} */ (outputs) }
  }

  /**
   * Records a forward again with other values of the inputs, and compares.
   * @param {Plan} plan @param {readonly Tensor[]} tensors @returns {string} what differs, or nothing
   */
  #compareRecordings(plan, tensors) {
    const { engine } = this.#module
    /** @param {readonly Tensor[]} inputs */
    const compareWithInputs = inputs => {
      const again = new Recording(engine)
      try {
        const { result: { reason, outputs } } = preserveRandomState(engine, () => this.#recordInto(again, plan, inputs))
        if (reason) return reason
        if (JSON.stringify(outputs) !== JSON.stringify(plan.outputs)) return 'what its forward returns changes from call to call'
        return /** @type {Recording} */ (plan.recording).compare(again)
      } finally {
        again.end()
      }
    }
    const rotatedInputs = engine.tidy(() => tensors.map(rotateValues))
    try {
      return compareWithInputs(rotatedInputs)
    } catch {
      return compareWithInputs(tensors) // the other values may be no valid inputs
    } finally {
      for (const tensor of rotatedInputs) tensor.dispose()
    }
  }

  end() {
    for (const plan of this.#plans.splice(0)) this.#drop(plan)
  }
}

/**
 * Compiles a module, like torch.compile: its forward is recorded at the second call with inputs of the same shapes, and
 * from then on only the recorded kernels are called. The bits are the same; the time between kernels is saved.
 *
 * Recordings are used inside `gf.noGrad`, outside traces, with tensors and options as inputs. In all other cases the
 * forward itself runs, and `reason` says why. Up to 8 recordings are kept, one for each combination of shapes and
 * options; each takes the memory that a forward needs at once.
 *
 * A forward of a class of your own is recorded if it only computes with tensors: it must not read values (`item`,
 * `data`), sample random numbers or change anything. It may depend on its inputs and on properties of its modules that
 * are numbers, strings, tensors, functions, arrays and plain objects; other variables have the values that they had
 * when it was recorded.
 *
 * A module that holds `compile(inner)` must also hold `inner` itself. When it is cloned, the clone holds a compiled
 * clone of `inner`.
 * @template {Module} M
 * @param {M} module
 * @param {unknown[]} more surplus arguments, which are an error
 * @returns {((...inputs: import('../nn/callable.js').Inputs<M['forward']>) => ReturnType<M['forward']>) & {
 *   forward: M['forward'], readonly reason: string, readonly recordings: number, dispose(): void }}
 * @example
 * const layer = new gf.nn.TransformerEncoderLayer(8, 2).eval()
 * const fast = gf.compile(layer), x = gf.randn([1, 3, 8])
 * const same = gf.noGrad(() => [1, 2, 3].every(() => gf.equal(fast(x), layer(x))))
 * same                                            // true
 * fast.recordings                                 // 1
 */
export function compile(module, ...more) {
  if (more.length) expectArgumentCount('compile', 1, [module, ...more])
  expect(module instanceof Module, 'type', () =>
    `compile: module must be a module, got ${describe(module)}`)
  const compiled = new Compiled(module)
  const forward = (/** @type {any[]} */ ...inputs) => compiled.call(inputs)
  compiledFunctions.set(forward, { module, compile })
  return /** @type {any} */ (Object.defineProperties(forward, {
    forward: { value: forward },
    reason: { get: () => compiled.reason },
    recordings: { get: () => compiled.recordings },
    dispose: { value: () => compiled.end() }
  }))
}
