import { findSimilar } from '../errors.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** The names of a trace's tensors: one for each, and aliases, which are found but not listed. */
export class TensorNames {
  /** @type {Map<string, Tensor>} */ #byName = new Map()
  /** @type {Map<string, Tensor>} */ #aliases = new Map()
  /** Names given by a module with `tag`, which stay as aliases when a tensor is renamed. @type {Set<string>} */
  #tags = new Set()
  /** @type {Map<Tensor, string>} */ #nameOf = new Map()

  /** All names except aliases, in the order in which they were given. @returns {string[]} */
  get all() {
    return [...this.#byName.keys()]
  }

  /** The tensor with a name or an alias, if any. @param {string} name */
  find(name) {
    return this.#byName.get(name) ?? this.#aliases.get(name)
  }

  /** The name of a tensor, if it has one. @param {Tensor} tensor */
  nameOf(tensor) {
    return this.#nameOf.get(tensor)
  }

  /** The name, or the next numbered one where a module is called again. @param {string} wanted */
  toUnused(wanted) {
    let name = wanted
    for (let n = 2; this.find(name); n++) name = `${wanted}:${n}`
    return name
  }

  /**
   * Names a tensor.
   * @param {string} wanted @param {Tensor} tensor @param {boolean} replace also if it has a name already
   * @returns {string | undefined} the name; undefined if the tensor keeps the one it has
   */
  set(wanted, tensor, replace) {
    const old = this.#nameOf.get(tensor)
    if (old !== undefined && (!replace || old === wanted)) return undefined
    const name = this.toUnused(wanted)
    if (old !== undefined && !old.endsWith('output')) {
      this.#byName.delete(old)
      if (this.#tags.has(old)) this.#aliases.set(old, tensor)
    }
    this.#byName.set(name, tensor)
    this.#nameOf.set(tensor, name)
    return name
  }

  /** Notes that a module has given a tensor its name. @param {Tensor} tensor */
  markTagged(tensor) {
    this.#tags.add(this.#nameOf.get(tensor) ?? '')
  }

  /** @param {string} name @param {Tensor} tensor */
  addAlias(name, tensor) {
    this.#aliases.set(name, tensor)
  }

  /** The most similar names, for an error message. @param {string} name */
  describeSimilar(name) {
    const names = this.all, similar = findSimilar(name, names)
    return `${similar.length < names.length ? `the most similar of ${names.length} are` : 'there are'} ${similar.join(', ')}` +
      (/\bhook_/.test(name) ? '; gf.interpret.hookNames translates TransformerLens\'s names' : '')
  }
}
