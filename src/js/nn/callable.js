import { isLibraryClass } from '../intermediates.js'

/**
 * What is called for its forward: `model(x)` is `model.forward(x)`, as in PyTorch.
 *
 * JavaScript calls functions only, so a module is one, with the prototype of its class.
 */
export class Callable {
  constructor() {
    return callable(new.target.prototype)
  }
}

/**
 * A function's own `name` and `length` cannot be assigned, so they go: users have such properties, and containers have
 * modules of such names. The library's other modules keep them, since engines look up by name what an object has from
 * which something was deleted (33 to 50 ns a property instead of 3).
 * @param {any} prototype of a class that has forward @returns {any}
 */
export function callable(prototype) {
  // In an array, so that it is not named after a variable.
  const [made] = [(/** @type {any[]} */ ...inputs) => /** @type {any} */ (made).forward(...inputs)]
  const isFree = !isLibraryClass(prototype) || 'length' in prototype
  if (isFree) for (const name of ['name', 'length']) Reflect.deleteProperty(made, name)
  return Object.setPrototypeOf(made, prototype)
}
