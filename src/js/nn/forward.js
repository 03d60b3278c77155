import { expectArgumentCount, getMaxInputs } from '../arity.js'
import { describe, expect, expectEngine } from '../errors.js'
import { hasSubmodules, runFreeingIntermediates, runUserCode } from '../intermediates.js'
import { Tensor } from '../tensor.js'
import { expectParametersInPlace } from './property_checks.js'

/**
 * How a module's forward is run when it is called from outside: hooks, traces, and what ends on the way.
 *
 * @typedef {import('./module.js').Module} Module
 *
 * Called after a forward; what it returns, if anything, stands in place of the output.
 * @typedef {(module: any, inputs: any[], output: any) => any} ForwardHook
 *
 * A forward with all that it calls: the caches that were met on the way, each with what brings it back.
 * @typedef {Map<import('../ops/attention_cache.js').Cache, () => void>} Outermost
 */

/** What is called after forward, by modules. @type {WeakMap<Module, Set<{ fn: ForwardHook }>>} */
const hooks = new WeakMap()

/** How many hooks were ever put somewhere or taken away. */
let moment = 0
export const hookMoment = () => moment

/** Whether something is called after its forward. @param {Module} module */
export const isHooked = module => Boolean(hooks.get(module)?.size)

/** @param {Module} module @param {ForwardHook} fn */
export function addHook(module, fn) {
  expect(typeof fn === 'function', 'type', () => `registerForwardHook: fn must be a function, got ${describe(fn)}`)
  const own = hooks.get(module) ?? new Set(), hook = { fn }
  hooks.set(module, own.add(hook))
  moment++
  return { remove: () => { moment += Number(own.delete(hook)) } }
}

/** What a hook returned; a promise would stand in place of the output. @param {any} said */
function saidBy(said) {
  if (said instanceof Promise) said.catch(() => {}) // the error below is the one to see
  expect(!(said instanceof Promise), 'type', () => 'registerForwardHook: fn must not be async, for what it returns stands ' +
    'in place of the output; got a promise')
  return said
}

/**
 * What forward gave, or what its hooks put in its place. @param {Module} module @param {any[]} inputs
 * @param {any} output
 */
function hooked(module, inputs, output) {
  let given = output
  for (const { fn } of hooks.get(module) ?? []) given = saidBy(fn(module, inputs, given)) ?? given
  return given
}

/**
 * Calls forward and the hooks where no trace is recorded. @param {Module} module @param {Function} forward
 * @param {any[]} inputs
 */
function passed(module, forward, inputs) {
  const { engine } = module
  if (isHooked(module)) return runUserCode(engine, inputs, () => hooked(module, inputs, forward.apply(module, inputs)))
  const parted = hasSubmodules(module)
  if (engine.outerScopes ? parted !== undefined : !parted) return forward.apply(module, inputs)
  const pass = () => forward.apply(module, inputs)
  return parted ? runFreeingIntermediates(engine, pass) : runUserCode(engine, inputs, pass)
}

/** The modules whose forward is running, for each engine. @type {WeakMap<import('../engine.js').Engine, Module[]>} */
const running = new WeakMap()

/**
 * The same while a trace is recorded: it learns where it is.
 * @param {Module} module @param {Function} forward @param {any[]} inputs @param {import('../trace.js').Trace} trace
 */
function traced(module, forward, inputs, trace) {
  const { engine } = module, stack = running.get(engine) ?? []
  running.set(engine, stack)
  trace.enter(module, stack.at(-1), inputs)
  stack.push(module)
  try {
    const output = hooked(module, inputs, forward.apply(module, inputs))
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
  const go = () => (trace ? traced(module, forward, inputs, trace) : passed(module, forward, inputs))
  return engine.outermostForward ? go() : asOutermost(engine, go)
}

/**
 * Runs the outermostForward forward; where it throws, caches are what they were before.
 * @template T @param {import('../engine.js').Engine} engine @param {() => T} go @returns {T}
 */
function asOutermost(engine, go) {
  /** @type {Outermost} */ const caches = engine.outermostForward = new Map()
  try {
    return go()
  } catch (error) {
    for (const bringBack of caches.values()) bringBack()
    throw error
  } finally {
    engine.outermostForward = null
  }
}

/** What stands in place of a forward, and of whose. @type {WeakMap<Function, Module>} */
const wrapped = new WeakMap()

/** Whether a module's forward is that of its class. @param {Module} module */
export const isWrapped = module => wrapped.get(module.forward) === module

/** Puts what is called from outside in place of a module's forward. @param {Module} module */
export function wrapForward(module) {
  const { forward } = module, most = getMaxInputs(forward)
  Object.defineProperty(module, 'forward', {
    value: (/** @type {any[]} */ ...inputs) => {
      if (inputs.length > most) expectArgumentCount(`${module.constructor.name}.forward`, most, inputs)
      const output = run(module, forward, inputs)
      expect(output !== undefined, 'type', () => `${module.constructor.name}.forward gave nothing; is a return missing?`)
      return output
    },
    enumerable: false, configurable: true, writable: true
  })
  wrapped.set(module.forward, module)
}
