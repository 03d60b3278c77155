/** Classes of the library for one engine, which their users need not name. */

/** @import { Kernels } from './kernels.js' */

/**
 * A class as users see it: without the engine, which its constructor takes first.
 * @template C
 * @typedef {C extends new (engine: any, ...args: infer A) => infer T
 *   ? (new (...args: A) => T) & Omit<C, 'prototype'> : never} Bound
 */

/**
 * A class goes by the name of another, and by `instanceof` what the library makes of the other inside is one of it too.
 * @template {Function} B @param {Function} Class @param {B} Bound @returns {B}
 */
export function standsFor(Class, Bound) {
  /** @this {Function} @param {unknown} value */
  function hasInstance(value) {
    return Function.prototype[Symbol.hasInstance].call(this === Bound ? Class : this, value)
  }
  Object.defineProperty(Bound, Symbol.hasInstance, { value: hasInstance })
  return Object.defineProperty(Bound, 'name', { value: Class.name })
}

/**
 * A class whose constructor is given the engine first.
 * @template {new (engine: any, ...args: any[]) => any} C
 * @param {Kernels} engine
 * @param {C} Class
 * @returns {Bound<C>}
 */
export function withEngine(engine, Class) {
  const WithEngine = class extends /** @type {new (...args: any[]) => any} */ (Class) {
    /** @param {any[]} args */
    constructor(...args) { super(engine, ...args) }
  }
  return /** @type {any} */ (standsFor(Class, WithEngine))
}
