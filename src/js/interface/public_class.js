import { GlassformerError } from '../errors.js'

/** Classes as users see them. */

/** Each class of the chain spreads the arguments; many more overflow the stack. */
const MAX_ARGUMENTS = 10000

/**
 * The public form of `Inner`, a subclass of `Class`: it has the public name, instances of `Class` that the library
 * makes are `instanceof` it, and calling it without new is an error with that name.
 * @template {abstract new (...args: any[]) => any} B
 * @param {Function} Class @param {B} Inner
 * @param {string} name the public name, which a minified bundle does not keep
 * @param {string} [from] the object it is a property of
 * @returns {B}
 */
export function createPublicClass(Class, Inner, name, from = 'gf.nn') {
  /** @this {Function} @param {unknown} value */
  function hasInstance(value) {
    return Function.prototype[Symbol.hasInstance].call(this === Bound ? Class : this, value)
  }
  Object.defineProperties(Inner, { name: { value: name }, [Symbol.hasInstance]: { value: hasInstance } })
  /** @type {B} */ const Bound = new Proxy(Inner, {
    apply() { throw new GlassformerError('type', `${name} is a class; write new ${from}.${name}(…)`) },
    // With the proxy itself as new.target, each construction would take the slow path (2.9 instead of 0.7 µs).
    construct: (_, args, target) => {
      if (args.length > MAX_ARGUMENTS) throw new GlassformerError('range',
        `${name}: takes at most ${MAX_ARGUMENTS} arguments, got ${args.length}`)
      return Reflect.construct(Inner, args, target === Bound ? Inner : target)
    }
  })
  Inner.prototype.constructor = Bound
  return Bound
}
