import { readerOf } from '../interface/arguments.js'
import { describe, expect, expectEngine } from '../errors.js'
import { runsSubmodules, runFreeingIntermediates, runUserCode } from '../trace/intermediates.js'
import { Tensor } from '../tensor/tensor.js'
import { runWithBackwardHooks } from './backward_hooks.js'
import { expectParametersInPlace } from './property_checks.js'

/**
 * Wraps modules' forwards: hooks, traces, freeing of intermediate tensors, and restoring caches after an error.
 *
 * @typedef {import('./module.js').Module} Module
 *
 * Called before a forward; an array that it returns replaces the inputs, another value the only input.
 * @typedef {(module: any, inputs: any[]) => any} ForwardPreHook
 *
 * Called after a forward; a value that it returns replaces the output.
 * @typedef {(module: any, inputs: any[], output: any) => any} ForwardHook
 *
 * The caches that an outermost forward has used, each with a function that restores its state.
 * @typedef {Map<import('../ops/attention_cache.js').Cache, () => void>} UsedCaches
 */

/** @typedef {'before' | 'after' | 'backward'} HookTime */
/** The hooks of modules. @type {WeakMap<Module, Record<HookTime, Set<{ fn: any }>>>} */
const hooks = new WeakMap()

/** How often hooks were added or removed, anywhere. */
let hookChanges = 0
export const countHookChanges = () => hookChanges

/** Whether a module has hooks. @param {Module} module */
export function isHooked(module) {
  const own = hooks.get(module)
  return own !== undefined && own.before.size + own.after.size + own.backward.size > 0
}

/** @param {Module} module @param {HookTime} time @param {string} where the method, for messages @param {unknown} fn */
export function addHook(module, time, where, fn) {
  expect(typeof fn === 'function', 'type', () => `${where}: fn must be a function, got ${describe(fn)}`)
  const own = hooks.get(module) ?? { before: new Set(), after: new Set(), backward: new Set() }, hook = { fn }
  hooks.set(module, own)
  own[time].add(hook)
  hookChanges++
  return { remove: () => { hookChanges += Number(own[time].delete(hook)) } }
}

/** The result of a hook, which must not be a promise. @param {string} where @param {any} result */
function checkHookResult(where, result) {
  if (result instanceof Promise) result.catch(() => {}) // the error below is the one to report
  expect(!(result instanceof Promise), 'type', () => `${where}: fn must not be async, since its result ` +
    `replaces the ${where === 'registerForwardHook' ? 'output' : 'inputs'}; got a promise`)
  return result
}

/**
 * The output of a forward with its hooks.
 * @param {Module} module @param {Function} forward
 * @param {any[]} callInputs the inputs of the call, which pre-hooks may replace
 */
function callWithHooks(module, forward, callInputs) {
  const own = hooks.get(module)
  if (!own) return forward.apply(module, callInputs)
  let inputs = callInputs
  for (const { fn } of own.before) {
    const result = checkHookResult('registerForwardPreHook', fn(module, inputs))
    if (result !== undefined && result !== null) inputs = Array.isArray(result) ? result : [result]
  }
  const call = (/** @type {any[]} */ values) => {
    let result = forward.apply(module, values)
    for (const { fn } of own.after) result = checkHookResult('registerForwardHook', fn(module, values, result)) ?? result
    return result
  }
  return own.backward.size ? runWithBackwardHooks(module, inputs, own.backward, call) : call(inputs)
}

/**
 * Calls a forward and its hooks outside traces.
 * @param {Module} module @param {Function} forward @param {any[]} inputs
 */
function runUntraced(module, forward, inputs) {
  const { engine } = module
  if (isHooked(module)) {
    return runUserCode(engine, inputs, () => callWithHooks(module, forward, inputs))
  }
  const runsModules = runsSubmodules(module)
  const isFreeing = engine.outerScopes !== null // an outer module frees its intermediate tensors
  // For a user's class, runsModules is undefined.
  if (isFreeing ? runsModules !== undefined : !runsModules) return forward.apply(module, inputs)
  const pass = () => forward.apply(module, inputs)
  return runsModules ? runFreeingIntermediates(engine, pass) : runUserCode(engine, inputs, pass)
}

/**
 * The modules whose forward is running, for each engine.
 * @type {WeakMap<import('../engine/engine.js').Engine, Module[]>}
 */
const running = new WeakMap()

/**
 * Calls a forward and its hooks and reports to a trace which module is running.
 * @param {Module} module
 * @param {Function} forward
 * @param {any[]} inputs
 * @param {import('../trace/trace.js').Trace} trace
 */
function runTraced(module, forward, inputs, trace) {
  const { engine } = module, stack = running.get(engine) ?? []
  running.set(engine, stack)
  trace.enter(module, stack.at(-1), inputs)
  stack.push(module)
  try {
    if (trace.reusedOutput) return trace.reusedOutput
    const output = callWithHooks(module, forward, inputs)
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
  return engine.usedCaches ? call() : runOutermost(engine, call)
}

/**
 * Runs the outermost forward; if it throws, the caches get back their previous state.
 * @template T @param {import('../engine/engine.js').Engine} engine @param {() => T} call @returns {T}
 */
function runOutermost(engine, call) {
  /** @type {UsedCaches} */ const caches = engine.usedCaches = new Map()
  try {
    return call()
  } catch (error) {
    for (const restore of caches.values()) restore()
    throw error
  } finally {
    engine.usedCaches = null
  }
}

/** The modules of wrapped forwards. @type {WeakMap<Function, Module>} */
const wrapped = new WeakMap()

/** Whether a module's forward is the wrapped one of its class. @param {Module} module */
export const isWrapped = module => wrapped.get(module.forward) === module

/** Wraps a module's forward, so that every call is checked, traced and hooked. @param {Module} module */
export function wrapForward(module) {
  const { forward, read } = readerOf(module.forward)
  Object.defineProperty(module, 'forward', {
    value: (/** @type {any[]} */ ...inputs) => {
      const output = run(module, forward, read ? read(inputs) : inputs)
      expect(output !== undefined, 'type', () => `${module.constructor.name}.forward returned undefined; is a return missing?`)
      return output
    },
    enumerable: false, configurable: true, writable: true
  })
  wrapped.set(module.forward, module)
}
