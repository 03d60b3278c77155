import { expectArgumentCount, getMaxInputs } from '../arity.js'
import { describe, expect, expectEngine } from '../errors.js'
import { hasSubmodules, runFreeingIntermediates, runUserCode } from '../intermediates.js'
import { Tensor } from '../tensor.js'
import { expectParametersInPlace } from './property_checks.js'

/**
 * Wraps modules' forwards: hooks, traces, freeing of intermediate tensors, and restoring caches after an error.
 *
 * @typedef {import('./module.js').Module} Module
 *
 * Called after a forward; a value that it returns replaces the output.
 * @typedef {(module: any, inputs: any[], output: any) => any} ForwardHook
 *
 * The caches that an outermost forward has used, each with a function that restores its state.
 * @typedef {Map<import('../ops/attention_cache.js').Cache, () => void>} Outermost
 */

/** The forward hooks of modules. @type {WeakMap<Module, Set<{ fn: ForwardHook }>>} */
const hooks = new WeakMap()

/** How often hooks were added or removed, anywhere. */
let hookChanges = 0
export const countHookChanges = () => hookChanges

/** Whether a module has forward hooks. @param {Module} module */
export const isHooked = module => Boolean(hooks.get(module)?.size)

/** @param {Module} module @param {ForwardHook} fn */
export function addHook(module, fn) {
  expect(typeof fn === 'function', 'type', () => `registerForwardHook: fn must be a function, got ${describe(fn)}`)
  const own = hooks.get(module) ?? new Set(), hook = { fn }
  hooks.set(module, own.add(hook))
  hookChanges++
  return { remove: () => { hookChanges += Number(own.delete(hook)) } }
}

/** The result of a hook, which must not be a promise. @param {any} result */
function checkHookResult(result) {
  if (result instanceof Promise) result.catch(() => {}) // the error below is the one to report
  expect(!(result instanceof Promise), 'type', () => 'registerForwardHook: fn must not be async, since its result ' +
    'replaces the output; got a promise')
  return result
}

/**
 * The output of a forward after its hooks.
 * @param {Module} module @param {any[]} inputs @param {any} output
 */
function applyHooks(module, inputs, output) {
  let result = output
  for (const { fn } of hooks.get(module) ?? []) result = checkHookResult(fn(module, inputs, result)) ?? result
  return result
}

/**
 * Calls a forward and its hooks outside traces.
 * @param {Module} module @param {Function} forward @param {any[]} inputs
 */
function runUntraced(module, forward, inputs) {
  const { engine } = module
  if (isHooked(module)) {
    return runUserCode(engine, inputs, () => applyHooks(module, inputs, forward.apply(module, inputs)))
  }
  const isContainer = hasSubmodules(module)
  if (engine.outerScopes ? isContainer !== undefined : !isContainer) return forward.apply(module, inputs)
  const pass = () => forward.apply(module, inputs)
  return isContainer ? runFreeingIntermediates(engine, pass) : runUserCode(engine, inputs, pass)
}

/** The modules whose forward is running, for each engine. @type {WeakMap<import('../engine.js').Engine, Module[]>} */
const running = new WeakMap()

/**
 * Calls a forward and its hooks and reports to a trace which module is running.
 * @param {Module} module @param {Function} forward @param {any[]} inputs @param {import('../trace.js').Trace} trace
 */
function runTraced(module, forward, inputs, trace) {
  const { engine } = module, stack = running.get(engine) ?? []
  running.set(engine, stack)
  trace.enter(module, stack.at(-1), inputs)
  stack.push(module)
  try {
    const output = applyHooks(module, inputs, forward.apply(module, inputs))
    const first = Array.isArray(output) ? output[0] : output
    if (first instanceof Tensor) inputs.includes(first) ? trace.alias('output', first) : trace.tag('output', first)
    trace.returns(output)
    return output
  } finally {
    stack.pop()
    trace.leave()
  }
}

/** @param {Module} module @param {Function} forward @param {any[]} inputs */
function run(module, forward, inputs) {
  expectParametersInPlace(module)
  const { engine } = module, { trace } = engine
  for (const input of inputs) {
    if (input instanceof Tensor && input.engine !== engine) expectEngine(module.constructor.name, engine, [input])
  }
  const call = () => (trace ? runTraced(module, forward, inputs, trace) : runUntraced(module, forward, inputs))
  return engine.outermostForward ? call() : runOutermost(engine, call)
}

/**
 * Runs the outermost forward; if it throws, the caches get back their previous state.
 * @template T @param {import('../engine.js').Engine} engine @param {() => T} call @returns {T}
 */
function runOutermost(engine, call) {
  /** @type {Outermost} */ const caches = engine.outermostForward = new Map()
  try {
    return call()
  } catch (error) {
    for (const restore of caches.values()) restore()
    throw error
  } finally {
    engine.outermostForward = null
  }
}

/** The modules of wrapped forwards. @type {WeakMap<Function, Module>} */
const wrapped = new WeakMap()

/** Whether a module's forward is the wrapped one of its class. @param {Module} module */
export const isWrapped = module => wrapped.get(module.forward) === module

/** Wraps a module's forward, so that every call is checked, traced and hooked. @param {Module} module */
export function wrapForward(module) {
  const { forward } = module, max = getMaxInputs(forward)
  Object.defineProperty(module, 'forward', {
    value: (/** @type {any[]} */ ...inputs) => {
      if (inputs.length > max) expectArgumentCount(`${module.constructor.name}.forward`, max, inputs)
      const output = run(module, forward, inputs)
      expect(output !== undefined, 'type', () => `${module.constructor.name}.forward returned undefined; is a return missing?`)
      return output
    },
    enumerable: false, configurable: true, writable: true
  })
  wrapped.set(module.forward, module)
}
