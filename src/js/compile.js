import { expectArgumentCount } from './arity.js'
import { describe, expect, isPlain } from './errors.js'
import { countHookChanges, isHooked, isWrapped } from './nn/forward.js'
import { compiledFunctions } from './nn/property_checks.js'
import { Module } from './nn/module.js'
import { isLibraryClass } from './intermediates.js'
import { Recording } from './recording.js'
import { sameShape } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * Records a module's forward once; further calls only replay its kernels.
 *
 * Only modules of the library's classes are recorded: their forward only calls kernels, depending on its inputs and the
 * modules' properties. Each call compares these, the addresses of the weights, and the modes with the recording's.
 *
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {{ shape: readonly number[], dtype: import('./dtype.js').DType, position: number } | { value: unknown }
 *   | { keys: string[], items: Pattern[], isList: boolean }} Pattern
 *   the inputs or outputs of a call: tensors by shape, dtype and index among them, everything else by value
 * @typedef {{ inputs: Pattern, outputs: Pattern | null, recording: Recording | null, state: State | null,
 *   tries: number, reason: string }} Plan
 */

/** The maximum number of recordings, one for each pattern of inputs. */
const MAX_PLANS = 8
/** The maximum number of attempts in a row to record a call. */
const MAX_TRIES = 3
/** The maximum nesting of options, and the depth of the list of arguments. */
const MAX_DEPTH = 3, ARGUMENTS = -1
const FIRST_CALL = 'this is the first call with inputs of these shapes and options'
const SHARED_STORAGE = 'an input shares memory with a parameter or buffer of the module'
const UNSUPPORTED_INPUTS = 'its inputs are more than tensors, numbers and options; lists of numbers are gf.tensor(…)'

/** @param {unknown} value */
const isList = value => Array.isArray(value) && value.every(item => item === null || item instanceof Tensor)

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
  if (depth > MAX_DEPTH || !(depth === ARGUMENTS || isList(value) || isPlain(value))) return null
  const keys = Object.keys(value), items = keys.map(key => patternOf(value[key], tensors, depth + 1))
  return items.includes(null) ? null : { keys, items: /** @type {Pattern[]} */ (items), isList: Array.isArray(value) }
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
  if (Object(value) !== value || value instanceof Tensor || Array.isArray(value) !== pattern.isList) return false
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
  return pattern.isList ? items : Object.fromEntries(pattern.keys.map((key, i) => [key, items[i]]))
}

/** Whether a value has properties that a forward may read. @param {unknown} value */
const hasProperties = value => value instanceof Module || Array.isArray(value) || isPlain(value)

/** A snapshot of the properties of modules, and of lists and plain objects in them. */
class State {
  /** @type {{ object: any, keys: string[], values: unknown[], forward: unknown }[]} */ #parts = []
  #hookChanges = countHookChanges()
  /** The storages of their tensors. @type {Set<unknown>} */ #storages = new Set()
  /** Why these modules cannot be recorded; empty if they can. */
  reason = ''

  /** @param {Module} module */
  constructor(module) {
    /** @type {Set<any>} grows while it is walked */ const found = new Set([module])
    for (const object of found) {
      const keys = Object.keys(object), values = keys.map(key => object[key])
      this.#parts.push({ object, keys, values, forward: object.forward })
      for (const value of values) {
        if (hasProperties(value)) found.add(value)
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
    if (!isLibraryClass(Object.getPrototypeOf(module)) || !isWrapped(module)) {
      return `${name} is not a class of the library, so its forward may do more than call kernels; compile its parts`
    }
    if (values.some(isForeign)) return `${name} holds a function that is not the library's`
    if (values.some(value => value instanceof Tensor && value.engine !== engine)) return `${name} holds another engine's tensor`
    return isHooked(module) ? `${name} has hooks` : ''
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

/** @param {Tensor} a @param {Tensor} b */
const sameBits = (a, b) => a.bytes.every((byte, i) => byte === b.bytes[i])

/**
 * Runs `fn` and restores the random generator; also tells whether `fn` used random numbers.
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
    const pattern = patternOf(inputs, [], ARGUMENTS)
    this.reason = pattern ? FIRST_CALL : UNSUPPORTED_INPUTS
    if (pattern) plans.unshift({ inputs: pattern, outputs: null, recording: null, state: null, tries: 0, reason: '' })
    if (plans.length > MAX_PLANS) this.#evict()
    return null
  }

  /** Drops a plan that was never recorded, except the newest, or else the least recently used one. */
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
    const isUnsupported = (/** @type {Tensor} */ t) => t.engine !== engine || t.disposed || t.dtype === 'int8'
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
   * Runs a call's forward and records it, unless the forward moved the weights back to where a recording expects them.
   * @param {Plan} plan @param {any[]} inputs @param {Tensor[]} tensors in them
   */
  #record(plan, inputs, tensors) {
    const output = this.#forward(inputs)
    if (plan.recording?.isValid && plan.state?.isUnchanged) return output
    this.#drop(plan)
    plan.state = new State(this.#module)
    if (plan.state.shares(tensors)) {
      this.reason = SHARED_STORAGE
      return output
    }
    plan.reason = plan.state.reason || this.#recorded(plan, tensors, output)
    if (plan.reason) this.#drop(plan)
    this.reason = plan.reason
    return output
  }

  /**
   * Records a call whose forward has run; returns why that failed, or nothing. An error in the recording, such as a
   * lack of memory, does not make the call fail.
   * @param {Plan} plan @param {Tensor[]} tensors @param {unknown} output of the forward
   */
  #recorded(plan, tensors, output) {
    try {
      const reason = this.#tryTo(plan, tensors)
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

  /** @param {Plan} plan @param {Tensor[]} tensors @returns {string} why it cannot be recorded, or nothing */
  #tryTo(plan, tensors) {
    if (++plan.tries > MAX_TRIES) return 'something it depends on changes from call to call'
    const module = this.#module, { engine } = module, recording = plan.recording = new Recording(engine)
    /** @param {Tensor[]} copies */
    const forward = copies => {
      /** @type {Tensor[]} */ const outputs = []
      plan.outputs = patternOf(module.forward(...fillPattern(plan.inputs, copies)), outputs)
      return outputs
    }
    const { result: reason, usedRandom } =
      preserveRandomState(engine, () => recording.record(engine, tensors, forward))
    if (usedRandom) return 'it samples random numbers'
    return plan.outputs ? reason : 'its forward returns more than tensors'
  }

  end() {
    for (const plan of this.#plans.splice(0)) this.#drop(plan)
  }
}

/**
 * Compiles a module, like torch.compile: its forward is recorded at the second call with inputs of the same shapes, and
 * from then on only the recorded kernels are called. The bits are the same; the time between kernels is saved.
 *
 * Recordings are used for modules of the library's classes (stacks of them included) inside `gf.noGrad`, outside
 * traces, with tensors and options as inputs. In all other cases the forward itself runs, and `reason` says why. The
 * forward of a user's class may do more than call kernels, so compile its parts instead. Up to 8 recordings are kept,
 * one for each combination of shapes and options; each takes the memory that a forward needs at once.
 *
 * A module with a compiled module as a property must also have the module itself as a property; its clone compiles the
 * cloned module.
 * @template {Module} M
 * @param {M} module
 * @param {unknown[]} more nothing
 * @returns {((...inputs: Parameters<M['forward']>) => ReturnType<M['forward']>) & { forward: M['forward'],
 *   readonly reason: string, readonly recordings: number, dispose(): void }}
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
