import { isLibraryClass } from '../trace/intermediates.js'

/**
 * The superclass of modules, which can be called like functions: `model(x)` is `model.forward(x)`, as in PyTorch.
 *
 * JavaScript calls only functions, so a module is a function with the prototype of its class.
 */
export class Callable {
  constructor() {
    return createCallable(new.target.prototype)
  }
}

/**
 * A function with the given prototype that calls its own forward. A function's own `name` and `length` are read-only,
 * so they are deleted where modules may have properties of these names: in users' classes and in containers. The
 * library's other modules keep them, since properties of an object from which one was deleted are read more slowly (in
 * 33 to 50 ns instead of 3).
 * @param {any} prototype of a class with forward @returns {any}
 */
export function createCallable(prototype) {
  // Inside an array, so that the function is not named after the variable.
  const [module] = [(/** @type {any[]} */ ...inputs) => /** @type {any} */ (module).forward(...inputs)]
  const needsNames = !isLibraryClass(prototype) || 'length' in prototype
  if (needsNames) for (const name of ['name', 'length']) Reflect.deleteProperty(module, name)
  return Object.setPrototypeOf(module, prototype)
}
