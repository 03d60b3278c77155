import { describe, expect, isPlain } from './errors.js'
import { hookMoment, isHooked } from './nn/forward.js'
import { Module } from './nn/module.js'
import { Recording } from './recording.js'
import { sameShape } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * A forward that is run again and again: recorded once, then only its kernels are called.
 *
 * Whatever could make a difference is compared at each call: what is given, every property of the modules, where their
 * weights lie, modes. If anything differs the forward itself runs, and is recorded anew.
 *
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {{ shape: readonly number[], dtype: import('./dtype.js').DType, place: number } | { value: unknown }
 *   | { keys: string[], items: Pattern[], isList: boolean }} Pattern
 *   what a call is given, or gives: tensors by shape, type and which of them it is, the rest by value
 * @typedef {{ given: Pattern, gives: Pattern | null, recording: Recording | null, state: State | null, tries: number,
 *   reason: string }} Plan
 */

/** For how many shapes recordings are kept. */
const MOST_PLANS = 8
/** How often one is made anew before the forward just runs. */
const MOST_TRIES = 3

/**
 * @param {unknown} value @param {Tensor[]} tensors found so far
 * @returns {Pattern | null} null where there is something that may change without a trace
 */
function patternOf(value, tensors) {
  if (value instanceof Tensor) {
    if (!tensors.includes(value)) tensors.push(value)
    return { shape: value.shape, dtype: value.dtype, place: tensors.indexOf(value) }
  }
  const isList = Array.isArray(value)
  if (!isList && !isPlain(value)) return Object(value) === value ? null : { value }
  const keys = Object.keys(/** @type {object} */ (value))
  const items = keys.map(key => patternOf(/** @type {any} */ (value)[key], tensors))
  return items.includes(null) ? null : { keys, items: /** @type {Pattern[]} */ (items), isList }
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
  const { keys, items, isList } = pattern
  return (isList ? Array.isArray(value) : isPlain(value)) && Object.keys(value).length === keys.length &&
    keys.every((key, i) => fits(items[i], value[key], tensors))
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

/** @param {unknown} value */
const holdsMore = value => value instanceof Module || Array.isArray(value) || isPlain(value)

/** What modules, and lists and plain objects in them, hold in their properties. */
class State {
  /** @type {{ object: any, keys: string[], values: unknown[] }[]} */ #parts = []
  #hooks = hookMoment()
  /** Whether something is called after a forward. */
  isHooked = false

  /** @param {Module} module */
  constructor(module) {
    /** @type {Set<any>} grows while it is walked */ const found = new Set([module])
    for (const object of found) {
      const keys = Object.keys(object), values = keys.map(key => object[key])
      this.#parts.push({ object, keys, values })
      for (const value of values) if (holdsMore(value)) found.add(value)
      if (object instanceof Module) this.isHooked ||= isHooked(object)
    }
  }

  /** Whether all is as it was. */
  get holds() {
    for (const { object, keys, values } of this.#parts) {
      if (Object.keys(object).length !== keys.length) return false
      for (let i = 0; i < keys.length; i++) if (!Object.is(object[keys[i]], values[i])) return false
    }
    return this.#hooks === hookMoment()
  }
}

/** @param {Tensor} a @param {Tensor} b */
const sameBits = (a, b) => a.bytes.every((byte, i) => byte === b.bytes[i])

/** Why nothing is recorded or run again now. @param {Engine} engine */
function modeReason({ gradEnabled, trace, made, recording }) {
  if (gradEnabled) return 'gradients are recorded; call it within gf.noGrad'
  return trace || made || recording ? 'somebody watches what the forward makes' : ''
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
    this.reason = modeReason(engine)
    if (this.reason) return this.#forward(inputs)
    /** @type {Tensor[]} */ const tensors = [], plan = this.#planFor(inputs, tensors)
    if (!plan || plan.reason) {
      this.reason = plan?.reason ?? 'what it is given is seen for the first time'
      return this.#forward(inputs)
    }
    const { recording, state } = plan
    if (recording?.isValid && state?.holds && recording.run(engine.memory, tensors)) return this.#given(plan)
    return this.#record(plan, inputs, tensors)
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
    const given = patternOf(inputs, [])
    if (given) plans.unshift({ given, gives: null, recording: null, state: null, tries: 0, reason: '' })
    for (const plan of plans.splice(MOST_PLANS)) this.#drop(plan)
    return null
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

  /** Records a call, and runs it. @param {Plan} plan @param {any[]} inputs @param {Tensor[]} tensors in them */
  #record(plan, inputs, tensors) {
    this.#drop(plan)
    const mayTry = ++plan.tries <= MOST_TRIES
    plan.reason = mayTry ? this.#tryTo(plan, tensors) : 'something it depends on changes from call to call'
    const output = this.#forward(inputs)
    if (!plan.reason && !this.#gives(plan, tensors, output)) plan.reason = 'its kernels, called again, gave something else'
    if (plan.reason) this.#drop(plan)
    this.reason = plan.reason
    return output
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
    const recording = /** @type {Recording} */ (plan.recording)
    recording.spoil()
    if (!recording.run(this.#module.engine.memory, tensors)) return false
    /** @type {Tensor[]} */ const expected = []
    patternOf(output, expected)
    return this.#module.engine.tidy(() => {
      /** @type {Tensor[]} */ const again = []
      patternOf(this.#given(plan), again)
      return expected.length === again.length && expected.every((tensor, i) => sameBits(tensor, again[i]))
    })
  }

  /** @param {Plan} plan @param {Tensor[]} tensors @returns {string} why it cannot be recorded, or nothing */
  #tryTo(plan, tensors) {
    const module = this.#module, { engine } = module
    const drawn = () => engine.memory.bytes(engine.generator, engine.c.gf_generator_size())
    const before = drawn().slice(), state = new State(module)
    if (state.isHooked) return 'it has hooks'
    const recording = plan.recording = new Recording(engine)
    plan.state = state
    let reason = ''
    try {
      reason = recording.record(engine, tensors, own => {
        /** @type {Tensor[]} */ const outputs = []
        plan.gives = patternOf(module.forward(...filled(plan.given, own)), outputs)
        return outputs
      })
    } catch (error) {
      this.#drop(plan)
      plan.tries--
      throw error
    }
    if (!plan.gives) reason = 'what it gives is more than tensors'
    if (before.some((byte, i) => byte !== drawn()[i])) reason = 'it draws random numbers'
    drawn().set(before)
    if (!state.holds) reason = 'its forward changes the module'
    return reason
  }

  end() {
    for (const plan of this.#plans.splice(0)) this.#drop(plan)
  }
}

/**
 * A module whose forward is recorded when it is called the second time with inputs of a shape, and from then on
 * replaced by the kernels it called, where that gives the same: in the place of torch.compile. The bits are the same;
 * what is saved is the time between the kernels.
 *
 * It holds for calls within `gf.noGrad`, without trace. What forward reads besides its inputs and what its modules hold
 * is taken as it was then; what else it does (counting, printing) it does no more. Elsewhere the forward itself runs,
 * and `reason` says why. Recordings of the last 8 shapes are kept; each takes what is alive at once in a forward.
 * @template {Module} M
 * @param {M} module
 * @returns {((...inputs: Parameters<M['forward']>) => ReturnType<M['forward']>) & { readonly reason: string,
 *   readonly recordings: number, dispose(): void }}
 * @example
 * const layer = new gf.nn.TransformerEncoderLayer(8, 2).eval()
 * const fast = gf.compile(layer), x = gf.randn([1, 3, 8])
 * const same = gf.noGrad(() => [1, 2, 3].every(() => gf.equal(fast(x), layer(x))))
 * same                                            // true
 * fast.recordings                                 // 1
 */
export function compile(module) {
  expect(module instanceof Module, 'type', () =>
    `compile: module must be a module, got ${describe(module)}; write a class that extends gf.nn.Module for a function`)
  const compiled = new Compiled(module)
  const call = (/** @type {any[]} */ ...inputs) => compiled.call(inputs)
  return /** @type {any} */ (Object.defineProperties(call, {
    reason: { get: () => compiled.reason },
    recordings: { get: () => compiled.recordings },
    dispose: { value: () => compiled.end() }
  }))
}
