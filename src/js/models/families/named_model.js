import { registerLibraryCode } from '../../trace/intermediates.js'

/**
 * A class with the name of an architecture, which models print and errors begin with: 'GPTNeoXForCausalLM' → GPTNeoX.
 * @template {abstract new (...args: any[]) => object} C
 * @param {C} Model @param {string} architecture Hugging Face's class
 * @returns {C}
 */
export function nameModel(Model, architecture) {
  const named = class extends /** @type {any} */ (Model) {}
  registerLibraryCode(named)
  return /** @type {any} */ (Object.defineProperty(named, 'name', { value: architecture.replace(/(For\w+|(MT)?Model)$/, '') }))
}
