import { tensorsIn } from './engine.js'

/**
 * Tensors on the way through the library's own modules end as soon as they have been used, where nobody will ask for
 * them: without gradients, trace and observers. So the peak of a forward is what is alive at once.
 *
 * What is not the library's own (a module of a user's class, one with a hook, an activation given as a function) may
 * keep what it is given or makes. That lives as it does everywhere else, by the scopes around the forward.
 *
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {import('./tensor.js').Tensor} Tensor
 */

/**
 * Functions of the library, and prototypes of its modules with whether they have parts.
 * @type {WeakMap<object, boolean>}
 */
const known = new WeakMap()

/** @param {...Function} them functions and classes of the library, which keep nothing they are given or make */
export function own(...them) {
  for (const one of them) {
    known.set(one, false)
    if (one.prototype) known.set(one.prototype, Boolean(/** @type {any} */ (one).hasParts))
  }
}

/** Whether a class is the library's own. @param {object} prototype */
export const isOwn = prototype => known.has(prototype)

/** Whether a module of the library's own has parts; undefined for others. @param {object} module */
export const hasParts = module => known.get(Object.getPrototypeOf(module))

/** Whether nobody will ask for what is made on the way, where no trace is recorded. @param {Engine} engine */
const isForgotten = engine => !(engine.gradEnabled || engine.made)

/**
 * Runs what is the library's own; what it makes and does not return has ended afterwards.
 * @template T @param {Engine} engine @param {() => T} fn @returns {T}
 */
export function within(engine, fn) {
  if (engine.outside || !isForgotten(engine)) return fn()
  const { scopes } = engine
  engine.scopes = [...scopes]
  engine.outside = scopes
  try {
    return engine.tidy(fn)
  } finally {
    engine.scopes = scopes
    engine.outside = null
  }
}

/**
 * Runs what is not the library's own: it sees the scopes around, and what it is given belongs to them from now on.
 * @template T @param {Engine} engine @param {unknown} given @param {() => T} fn @returns {T}
 */
export function apart(engine, given, fn) {
  const { scopes, outside } = engine
  if (!outside) return fn()
  const inside = scopes.slice(outside.length)
  engine.scopes = outside
  engine.outside = null
  try {
    for (const tensor of tensorsIn(given)) if (inside.some(scope => scope.delete(tensor))) engine.adopt(tensor)
    return fn()
  } finally {
    engine.scopes = scopes
    engine.outside = outside
  }
}

/**
 * An activation, perhaps a user's function.
 * @param {(x: Tensor) => Tensor} activation @param {Tensor} x
 */
export const activated = (activation, x) =>
  (known.has(activation) ? activation(x) : apart(x.engine, x, () => activation(x)))

/**
 * Ends a tensor that has been used for the last time.
 * @param {Tensor} tensor @param {...(Tensor | null)} needed which may be the same one
 */
export function spend(tensor, ...needed) {
  const { outside, scopes } = tensor.engine
  if (!outside || needed.includes(tensor)) return
  if (scopes.length > outside.length && scopes[scopes.length - 1].delete(tensor)) tensor.end()
}

/**
 * Goes through layers one after the other; what one makes ends when the next has used it, and what it makes on the way
 * with itself.
 * @template L @param {Iterable<L>} layers @param {Tensor} x @param {(layer: L, x: Tensor) => Tensor} run
 * @returns {Tensor}
 */
export function through(layers, x, run) {
  let made = x
  for (const layer of layers) {
    const before = made, next = x.engine.outside ? x.engine.tidy(() => run(layer, before)) : run(layer, before)
    spend(made, next, x)
    made = next
  }
  return made
}
