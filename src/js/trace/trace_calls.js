import { describe, expect } from '../errors.js'

/**
 * @typedef {import('../nn/module.js').Module} Module
 *
 * One call of a module's forward: its path as in tensors' names, and every attribute on the path from the calling
 * module with the module it leads to.
 * @typedef {{ path: string, module: Module, way: { name: string, module: unknown }[], parent: Call | null,
 *   output?: unknown }} Call
 */

/**
 * Every attribute on a path with its value.
 * @param {any} from @param {string | undefined} path @returns {Call['way']}
 */
function resolvePath(from, path) {
  let module = from
  return (path ? path.split('.') : []).map(name => {
    module = module?.[name]
    return { name, module }
  })
}

/** The calls of modules in one trace, and the stack of those that are running. */
export class Calls {
  /** In the order in which they began. @type {Call[]} */ all = []
  /** @type {Call[]} */ #running = []
  #modules

  /** @param {string} where @param {Record<string, Module>} modules names of those that no other module calls */
  constructor(where, modules) {
    expect(modules !== null && typeof modules === 'object', 'type',
      () => `${where}: modules must be an object of modules by name, got ${describe(modules)}`)
    this.#modules = modules
  }

  get current() {
    return this.#running.at(-1) ?? null
  }

  /** The prefix of names in the current call. */
  get prefix() {
    const path = this.current?.path
    return path ? `${path}.` : ''
  }

  /** @param {Module} module @param {Module | undefined} parent */
  begin(module, parent) {
    const { prefix } = this
    const own = parent ? parent.pathOf(module) : Object.keys(this.#modules).find(name => this.#modules[name] === module)
    const path = own ? prefix + own : prefix.slice(0, -1)
    const call = { path, module, way: resolvePath(parent ?? this.#modules, own), parent: this.current }
    this.all.push(call)
    this.#running.push(call)
  }

  end() {
    this.#running.pop()
  }
}
