import { findTensors } from '../engine/engine.js'

/**
 * Frees intermediate tensors inside the library's own modules as soon as they have been used, where nothing else can
 * read them: without gradients, trace or observers. This bounds a forward's peak memory.
 *
 * User code (a module of a user's class, a module with a hook, an activation given as a function) may keep its inputs
 * and outputs, so those tensors live as long as the scopes around the forward.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/**
 * The library's functions, and the prototypes of its modules with whether their forward calls other modules.
 * @type {WeakMap<object, boolean>}
 */
const libraryCode = new WeakMap()

/** @param {...Function} functions functions and classes of the library, which keep neither inputs nor results */
export function registerLibraryCode(...functions) {
  for (const fn of functions) {
    libraryCode.set(fn, false)
    if (fn.prototype) libraryCode.set(fn.prototype, Boolean(/** @type {any} */ (fn).runsSubmodules))
  }
}

/** Whether a class belongs to the library. @param {object} prototype */
export const isLibraryClass = prototype => libraryCode.has(prototype)

/** Whether the forward of a module calls other modules; undefined for a user's class. @param {object} module */
export const runsSubmodules = module => libraryCode.get(Object.getPrototypeOf(module))

/**
 * Whether neither gradients nor an observer need intermediates; traces are handled elsewhere.
 * @param {Engine} engine
 */
const canFreeIntermediates = engine => !(engine.gradEnabled || engine.newTensors)

/**
 * Runs library code; every tensor that it makes and does not return is freed.
 * @template T @param {Engine} engine @param {() => T} fn @returns {T}
 */
export function runFreeingIntermediates(engine, fn) {
  if (engine.outerScopes || !canFreeIntermediates(engine)) return fn()
  const { scopes } = engine
  engine.scopes = [...scopes]
  engine.outerScopes = scopes
  try {
    return engine.tidy(fn)
  } finally {
    engine.scopes = scopes
    engine.outerScopes = null
  }
}

/**
 * Runs user code inside library code: with the outer scopes, to which its inputs are moved.
 * @template T @param {Engine} engine @param {unknown} inputs @param {() => T} fn @returns {T}
 */
export function runUserCode(engine, inputs, fn) {
  const { scopes, outerScopes } = engine
  if (!outerScopes) return fn()
  const innerScopes = scopes.slice(outerScopes.length)
  engine.scopes = outerScopes
  engine.outerScopes = null
  try {
    for (const tensor of findTensors(inputs)) {
      if (innerScopes.some(scope => scope.delete(tensor))) engine.adopt(tensor)
    }
    return fn()
  } finally {
    engine.scopes = scopes
    engine.outerScopes = outerScopes
  }
}

/**
 * Applies an activation, which may be a user's function.
 * @param {(x: Tensor) => Tensor} activation @param {Tensor} x
 */
export const applyActivation = (activation, x) =>
  (libraryCode.has(activation) ? activation(x) : runUserCode(x.engine, x, () => activation(x)))

/**
 * Frees a tensor after its last use, if intermediates can be freed.
 * @param {Tensor} tensor @param {...(Tensor | null)} needed tensors still in use, which may be the same one
 */
export function freeIntermediate(tensor, ...needed) {
  const { outerScopes, scopes } = tensor.engine
  if (!outerScopes || needed.includes(tensor)) return
  if (scopes.length > outerScopes.length && scopes[scopes.length - 1].delete(tensor)) tensor.end()
}

/**
 * Runs layers one after the other; each output is freed once the next layer has used it.
 * @template L @param {Iterable<L>} layers @param {Tensor} x @param {(layer: L, x: Tensor) => Tensor} run
 * @returns {Tensor}
 */
export function runLayers(layers, x, run) {
  let hidden = x
  for (const layer of layers) {
    const input = hidden, output = x.engine.outerScopes ? x.engine.tidy(() => run(layer, input)) : run(layer, input)
    freeIntermediate(hidden, output, x)
    hidden = output
  }
  return hidden
}
