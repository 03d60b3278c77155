import { expectArgumentCount } from './arity.js'
import { describe, expect, isPlain } from './errors.js'
import { hookMoment, isHooked, isWrapped } from './nn/forward.js'
import { compiledFunctions } from './nn/property_checks.js'
import { Module } from './nn/module.js'
import { isLibraryClass } from './intermediates.js'
import { Recording } from './recording.js'
import { sameShape } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * A forward that is run again and again: recorded once, then only its kernels are called.
 *
 * Only modules of the library's own classes are recorded: their forward does nothing but call kernels, by what it is
 * given and what the modules hold. All of that is compared at each call, and where the weights lie, and the modes.
 *
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {{ shape: readonly number[], dtype: import('./dtype.js').DType, place: number } | { value: unknown }
 *   | { keys: string[], items: Pattern[], isList: boolean }} Pattern
 *   what a call is given, or gives: tensors by shape, type and which of them it is, the rest by value
 * @typedef {{ given: Pattern, gives: Pattern | null, recording: Recording | null, state: State | null, tries: number,
 *   reason: string }} Plan
 */

/** How many calls are remembered, by what they were given. */
const MOST_PLANS = 8
/** How often in a row one is recorded anew before its forward just runs. */
const MOST_TRIES = 3
/** How deep options may lie in options, and where the arguments lie that they are in. */
const DEEPEST = 3, ARGUMENTS = -1
const NEW = 'what it is given is seen for the first time'
const HELD = 'it is given a part of what it holds'
const UNKNOWN = 'what it is given is more than tensors, numbers and options; lists of numbers are gf.tensor(…)'

/** @param {unknown} value */
const isList = value => Array.isArray(value) && value.every(one => one === null || one instanceof Tensor)

/**
 * @param {any} value @param {Tensor[]} tensors found so far @param {number} [depth]
 * @returns {Pattern | null} null where there is something that may change without a trace
 */
function patternOf(value, tensors, depth = 0) {
  if (value instanceof Tensor) {
    if (!tensors.includes(value)) tensors.push(value)
    return { shape: value.shape, dtype: value.dtype, place: tensors.indexOf(value) }
  }
  if (Object(value) !== value) return { value }
  if (depth > DEEPEST || !(depth === ARGUMENTS || isList(value) || isPlain(value))) return null
  const keys = Object.keys(value), items = keys.map(key => patternOf(value[key], tensors, depth + 1))
  return items.includes(null) ? null : { keys, items: /** @type {Pattern[]} */ (items), isList: Array.isArray(value) }
}

/** @param {Pattern} pattern @param {any} value @param {Tensor[]} tensors found so far @returns {boolean} */
function fits(pattern, value, tensors) {
  if ('shape' in pattern) {
    const { shape, dtype, place } = pattern
    if (!(value instanceof Tensor) || value.dtype !== dtype || !sameShape(value.shape, shape)) return false
    if (!tensors.includes(value)) tensors.push(value)
    return tensors[place] === value
  }
  if ('value' in pattern) return Object.is(pattern.value, value)
  if (Object(value) !== value || value instanceof Tensor || Array.isArray(value) !== pattern.isList) return false
  const { items, keys } = pattern, given = Object.keys(value)
  return given.length === keys.length &&
    keys.every((key, i) => given[i] === key && fits(items[i], value[key], tensors))
}

/**
 * The value of a pattern, with other tensors.
 * @param {Pattern} pattern @param {readonly Tensor[]} tensors @returns {any}
 */
function filled(pattern, tensors) {
  if ('shape' in pattern) return tensors[pattern.place]
  if ('value' in pattern) return pattern.value
  const items = pattern.items.map(item => filled(item, tensors))
  return pattern.isList ? items : Object.fromEntries(pattern.keys.map((key, i) => [key, items[i]]))
}

/** What a value holds that a forward may read. @param {unknown} value */
const holdsMore = value => value instanceof Module || Array.isArray(value) || isPlain(value)

/** What modules, and lists and plain objects in them, hold in their properties. */
class State {
  /** @type {{ object: any, keys: string[], values: unknown[], forward: unknown }[]} */ #parts = []
  #hooks = hookMoment()
  /** Where the tensors in them lie. @type {Set<unknown>} */ #storages = new Set()
  /** Why such modules are not recorded; empty if they are. */
  reason = ''

  /** @param {Module} module */
  constructor(module) {
    /** @type {Set<any>} grows while it is walked */ const found = new Set([module])
    for (const object of found) {
      const keys = Object.keys(object), values = keys.map(key => object[key])
      this.#parts.push({ object, keys, values, forward: object.forward })
      for (const value of values) {
        if (holdsMore(value)) found.add(value)
        if (value instanceof Tensor) this.#storages.add(value.storage)
      }
      if (object instanceof Module) this.reason ||= this.#reasonOf(object, values)
    }
  }

  /** @param {Module} module @param {unknown[]} values that it holds */
  #reasonOf(module, values) {
    const { name } = module.constructor, { engine } = module
    const isForeign = (/** @type {any} */ one) => (
      typeof one === 'function' && !(one instanceof Module) && !isLibraryClass(one))
    if (!isLibraryClass(Object.getPrototypeOf(module)) || !isWrapped(module)) {
      return `${name} is no class of the library, so its forward may do more than call kernels; compile its parts`
    }
    if (values.some(isForeign)) return `${name} holds a function that is not the library's`
    if (values.some(one => one instanceof Tensor && one.engine !== engine)) return `${name} holds another engine's tensor`
    return isHooked(module) ? `${name} has hooks` : ''
  }

  /** Whether one of these shows values that the modules hold. @param {readonly Tensor[]} tensors */
  shares(tensors) {
    return tensors.some(({ storage }) => this.#storages.has(storage))
  }

  /** Whether all is as it was. */
  get holds() {
    for (const { object, keys, values, forward } of this.#parts) {
      const now = Object.keys(object)
      if (now.length !== keys.length || object.forward !== forward) return false
      for (let i = 0; i < keys.length; i++) {
        if (now[i] !== keys[i] || !Object.is(object[keys[i]], values[i])) return false
      }
    }
    return this.#hooks === hookMoment()
  }
}

/** @param {Tensor} a @param {Tensor} b */
const sameBits = (a, b) => a.bytes.every((byte, i) => byte === b.bytes[i])

/**
 * What `fn` returns, and whether it has drawn random numbers. The stream is put back, also where `fn` throws.
 * @template T @param {Engine} engine @param {() => T} fn
 */
function undrawn({ memory, generator, c }, fn) {
  const drawn = () => memory.bytes(generator, c.gf_generator_size()), before = drawn().slice()
  try {
    const result = fn()
    return { result, hasDrawn: before.some((byte, i) => byte !== drawn()[i]) }
  } finally {
    drawn().set(before)
  }
}

/** Why nothing is recorded or run again now. @param {Engine} engine */
function modeReason({ gradEnabled, trace, newTensors, recording }) {
  if (gradEnabled) return 'gradients are recorded; call it within gf.noGrad'
  return trace || newTensors || recording ? 'somebody watches what the forward makes' : ''
}

/** The recordings of a module. */
class Compiled {
  /** The one that was used last comes first. @type {Plan[]} */ #plans = []
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
    const { recording, state } = plan, sources = tensors.map(tensor => tensor.address)
    if (!recording?.isValid || !state?.holds || !recording.run(engine.memory, sources)) {
      return this.#record(plan, inputs, tensors)
    }
    plan.tries = 0
    return this.#given(plan)
  }

  /** @param {any[]} inputs */
  #forward(inputs) {
    return this.#module.forward(...inputs)
  }

  /** The plan for a call, or none when such a call is new. @param {any[]} inputs @param {Tensor[]} tensors found */
  #planFor(inputs, tensors) {
    const plans = this.#plans
    const found = plans.findIndex(({ given }) => {
      tensors.length = 0
      return fits(given, inputs, tensors)
    })
    if (found > 0) plans.unshift(...plans.splice(found, 1))
    if (found >= 0) return plans[0]
    const given = patternOf(inputs, [], ARGUMENTS)
    this.reason = given ? NEW : UNKNOWN
    if (given) plans.unshift({ given, gives: null, recording: null, state: null, tries: 0, reason: '' })
    if (plans.length > MOST_PLANS) this.#forget()
    return null
  }

  /** What was seen once makes room before what was recorded, but for the newest. */
  #forget() {
    const plans = this.#plans, once = plans.findLastIndex(({ recording }, i) => i > 0 && !recording)
    for (const plan of plans.splice(once > 0 ? once : plans.length - 1, 1)) this.#drop(plan)
  }

  /**
   * Whether a call just runs, and why. What once spoke against a recording may have changed with the modules.
   * @param {Plan} plan @param {Tensor[]} tensors it is given
   */
  #isRefused(plan, tensors) {
    const { engine } = this.#module
    if (tensors.some(one => one.engine !== engine || one.disposed || one.dtype === 'int8')) this.reason = UNKNOWN
    else if (plan.reason && plan.state?.holds) this.reason = plan.reason
    return this.reason !== ''
  }

  /** What a recording gave. @param {Plan} plan */
  #given({ recording, gives }) {
    const { engine } = this.#module
    const tensors = /** @type {Recording} */ (recording).outputs.map(({ address, bytes, shape, dtype }) => {
      const out = engine.empty(shape, dtype)
      engine.memory.move(out.address, address, bytes)
      return out
    })
    return filled(/** @type {Pattern} */ (gives), tensors)
  }

  /**
   * Runs a call, and records it if that has not brought the weights back to where a recording finds them.
   * @param {Plan} plan @param {any[]} inputs @param {Tensor[]} tensors in them
   */
  #record(plan, inputs, tensors) {
    const output = this.#forward(inputs)
    if (plan.recording?.isValid && plan.state?.holds) return output
    this.#drop(plan)
    plan.state = new State(this.#module)
    if (plan.state.shares(tensors)) {
      this.reason = HELD
      return output
    }
    plan.reason = plan.state.reason || this.#recorded(plan, tensors, output)
    if (plan.reason) this.#drop(plan)
    this.reason = plan.reason
    return output
  }

  /**
   * Why a call was not recorded, or nothing. Its forward has run: whatever ends a recording, memory or a stack that is
   * full, is no reason to end the call.
   * @param {Plan} plan @param {Tensor[]} tensors @param {unknown} output of the forward
   */
  #recorded(plan, tensors, output) {
    try {
      const reason = this.#tryTo(plan, tensors)
      return reason || this.#gives(plan, tensors, output) ? reason : 'its kernels, called again, gave something else'
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
   * Whether a recording gives what its forward gave.
   * @param {Plan} plan @param {Tensor[]} tensors @param {unknown} output
   */
  #gives(plan, tensors, output) {
    const recording = /** @type {Recording} */ (plan.recording), { engine } = this.#module
    recording.spoil()
    if (!recording.run(engine.memory, tensors.map(tensor => tensor.address))) return false
    /** @type {Tensor[]} */ const expected = []
    patternOf(output, expected)
    return engine.tidy(() => {
      /** @type {Tensor[]} */ const again = []
      patternOf(this.#given(plan), again)
      return expected.length === again.length && expected.every((tensor, i) => sameBits(tensor, again[i]))
    })
  }

  /** @param {Plan} plan @param {Tensor[]} tensors @returns {string} why it cannot be recorded, or nothing */
  #tryTo(plan, tensors) {
    if (++plan.tries > MOST_TRIES) return 'something it depends on changes from call to call'
    const module = this.#module, { engine } = module, recording = plan.recording = new Recording(engine)
    const { result: reason, hasDrawn } = undrawn(engine, () => recording.record(engine, tensors, own => {
      /** @type {Tensor[]} */ const outputs = []
      plan.gives = patternOf(module.forward(...filled(plan.given, own)), outputs)
      return outputs
    }))
    if (hasDrawn) return 'it draws random numbers'
    return plan.gives ? reason : 'what it gives is more than tensors'
  }

  end() {
    for (const plan of this.#plans.splice(0)) this.#drop(plan)
  }
}

/**
 * A module whose forward is recorded when it is called the second time with inputs of such shapes, and from then on
 * replaced by the kernels it called: in the place of torch.compile. The bits are the same; what is saved is the time
 * between the kernels.
 *
 * It is for modules of the library's own classes, stacks of them included, within `gf.noGrad` and without trace, and
 * for tensors as inputs, beside options. Elsewhere the forward itself runs, and `reason` says why: a class of one's own
 * may do more than call kernels, so its parts are compiled instead. The last 8 calls are remembered by their shapes
 * and options; each recording takes what is alive at once in a forward.
 *
 * What holds a compiled module holds the module itself, too, in a property of its own; a clone compiles its copy.
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
  compiledFunctions.set(forward, { module, again: compile })
  return /** @type {any} */ (Object.defineProperties(forward, {
    forward: { value: forward },
    reason: { get: () => compiled.reason },
    recordings: { get: () => compiled.recordings },
    dispose: { value: () => compiled.end() }
  }))
}
