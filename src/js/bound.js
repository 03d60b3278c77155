import { expectAtMost, mostOf } from './counted.js'
import { GlassformerError } from './errors.js'

/** Classes of the library for one engine, which their users need not name. */

/** @import { Kernels } from './kernels.js' */

/** Each class on the way hands them on, and with many more the stack overflows. */
const MAX_ARGUMENTS = 10000

/**
 * A class as users see it: without the engine, which its constructor takes first.
 * @template C
 * @typedef {C extends new (engine: any, ...args: infer A) => infer T
 *   ? (new (...args: A) => T) & Omit<C, 'prototype'> : never} Bound
 */

/**
 * A class goes by the name of another, and by `instanceof` what the library makes of the other inside is one of it too.
 * Called without new it says so; JavaScript would, by a name that only stands in this file.
 * @template {abstract new (...args: any[]) => any} B
 * @param {Function} Class @param {B} Inner
 * @param {string} name by which it is given: in a minified bundle not the class's
 * @param {string} [from] where it is found
 * @returns {B}
 */
export function standsFor(Class, Inner, name, from = 'gf.nn') {
  /** @this {Function} @param {unknown} value */
  function hasInstance(value) {
    return Function.prototype[Symbol.hasInstance].call(this === Bound ? Class : this, value)
  }
  Object.defineProperties(Inner, { name: { value: name }, [Symbol.hasInstance]: { value: hasInstance } })
  /** @type {B} */ const Bound = new Proxy(Inner, {
    apply() { throw new GlassformerError('type', `${name} is a class; write new ${from}.${name}(…)`) },
    // With itself as the target of new, each instance would be made the slow way (2.9 instead of 0.7 µs).
    construct: (_, args, made) => {
      if (args.length > MAX_ARGUMENTS) throw new GlassformerError('range',
        `${name}: takes at most ${MAX_ARGUMENTS} arguments, got ${args.length}`)
      return Reflect.construct(Inner, args, made === Bound ? Inner : made)
    }
  })
  Inner.prototype.constructor = Bound
  return Bound
}

/**
 * A class whose constructor is given the engine first.
 * @template {new (engine: any, ...args: any[]) => any} C
 * @param {Kernels} engine
 * @param {C} Class
 * @param {string} name by which it is given
 * @param {string} [from] where it is found
 * @returns {Bound<C>}
 */
export function withEngine(engine, Class, name, from) {
  const most = mostOf(Class, name)
  const WithEngine = class extends /** @type {new (...args: any[]) => any} */ (Class) {
    /** @param {any[]} args */
    constructor(...args) {
      expectAtMost(name, most, args)
      super(engine, ...args)
    }
  }
  return /** @type {any} */ (standsFor(Class, WithEngine, name, from))
}
