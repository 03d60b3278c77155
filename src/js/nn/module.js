import { clearGradients } from '../autograd.js'
import { GlassformerError, describe, expect, expectBoolean, expectEngine, isPlain, optionsOf, shapeText, stateOf } from '../errors.js'
import { convertInto } from '../ops/convert.js'
import { sameShape } from '../shape.js'
import { tensor as makeTensor } from '../from_values.js'
import { Tensor } from '../tensor.js'
import { Callable } from './callable.js'
import { cloneModule } from './clone.js'
import { addHook, wrapForward } from './forward.js'
import { guardMethods, checkProperties, registerNewParameter } from './property_checks.js'
import { Parameter } from './parameter.js'

/** @typedef {import('./forward.js').ForwardHook} ForwardHook */

/** Paths that `pathOf` has found. @type {WeakMap<Module, Map<Module, string | undefined>>} */
const foundPaths = new WeakMap()

/** @param {any} module @param {string} path */
const follow = (module, path) => (path ? path.split('.').reduce((inner, name) => inner?.[name], module) : module)

/**
 * Something with parameters and a forward pass: torch.nn.Module. A subclass assigns parameters and other modules to its
 * properties, and they are found there, in that order. `module(x)` is `module.forward(x)`.
 * @example
 * class Twice extends gf.nn.Module {
 *   linear = new gf.nn.Linear(2, 2)
 *   forward(x) { return this.linear(this.linear(x)) }
 * }
 * new Twice().parameters().length                 // 2
 */
export class Module extends Callable {
  /**
   * What the tensors given to forward are called in a trace.
   * @type {readonly string[]}
   */
  static inputNames = ['input']

  /**
   * What runs along the axes of its own parameters and buffers, by name, where the operations that use them cannot
   * know.
   * @type {Record<string, import('../axes.js').Axes>}
   */
  static axes = {}

  /**
   * What they are in the model, where it is not plain that they are parameters or buffers.
   * @type {Record<string, string>}
   */
  static roles = {}

  /** Whether its forward runs other modules, so that there are tensors on the way. See intermediates.js. @internal */
  static hasSubmodules = false

  /** Whether dropout is active; see `train` and `eval`. */ training = true
  /** Names of the tensors that are not trained. @type {Set<string>} */ bufferNames = new Set()
  /** Names of those of them that are not even saved. @type {Set<string>} */ unsavedNames = new Set()

  /** @param {import('../engine.js').Engine} engine */
  constructor(engine) {
    super()
    this.engine = engine
    wrapForward(this)
  }

  /** @param {...any} _inputs @returns {any} */
  forward(..._inputs) {
    throw new GlassformerError('state', `${this.constructor.name}: forward is not defined`)
  }

  /**
   * Names a tensor of this forward pass for the trace being recorded, if any.
   * @template {Tensor} T @param {string} name @param {T} tensor @returns {T} the tensor itself
   */
  tag(name, tensor) {
    this.engine.trace?.tag(name, tensor)
    return tensor
  }

  /** A new parameter without values, to be filled by gf.nn.init. @param {...(number | readonly number[])} shape */
  parameter(...shape) {
    return registerNewParameter(this, new Parameter(this.engine, shape.flat()))
  }

  /** The same for a matrix of products or a table of rows. @param {number} rows @param {number} columns */
  matrix(rows, columns) {
    const { engine } = this
    return registerNewParameter(this, new Parameter(engine, [rows, columns], undefined, engine.matrixType, true))
  }

  /**
   * Adds a tensor that is not trained: torch.nn.Module.register_buffer.
   * @param {string} name @param {Tensor} tensor
   * @param {{ persistent?: boolean }} [options] persistent: true; false keeps it out of stateDict
   */
  registerBuffer(name, tensor, options) {
    const { persistent = true } = optionsOf('registerBuffer', options, ['persistent'])
    expect(typeof name === 'string' && name !== '', 'type', () => `registerBuffer: name must be a string, got ${describe(name)}; write registerBuffer(name, tensor)`)
    expect(tensor instanceof Tensor, 'type', () => `registerBuffer: tensor must be a tensor (gf.tensor), got ${describe(tensor)}`)
    const why = takenAs(this, name)
    expect(!why && !name.includes('.'), 'state', () => `registerBuffer: name must be one that is free and without dots, ` +
      `got ${describe(name)}${why && `, which is ${why}`}`)
    if (!expectBoolean('registerBuffer', 'persistent', persistent)) this.unsavedNames.add(name)
    this.bufferNames.add(name)
    Object.assign(this, { [name]: this.engine.keep(tensor) })
  }

  /**
   * Calls fn after every forward from now on: torch.nn.Module.register_forward_hook. A clone has none of them.
   * @param {ForwardHook} fn given the module, the list of its inputs and the output, which it may replace by returning
   *   one
   * @returns {{ remove(): void }}
   */
  registerForwardHook(fn) {
    return addHook(this, fn)
  }

  /**
   * Calls fn with every module inside and at last with this one: torch.nn.Module.apply.
   * @param {(module: any) => void} fn
   */
  apply(fn) {
    expect(typeof fn === 'function', 'type', () => `apply: fn must be a function, got ${describe(fn)}`)
    placesIn(this)
    for (const [, child] of this.namedChildren()) child.apply(fn)
    fn(this)
    return this
  }

  /** The modules directly inside, by name; one that stands there twice only once. @returns {[string, Module][]} */
  namedChildren() {
    return firstOfEach(childrenOf(this))
  }

  /** Own parameters and buffers, by name. @returns {[string, Tensor][]} */
  ownTensors() {
    const entries = checkProperties(this)
    const isThere = (/** @type {unknown} */ value) => value !== null && value !== undefined
    const buffers = entries.filter(([name, value]) => this.bufferNames.has(name) && isThere(value))
    for (const [name, value] of buffers) {
      expect(value instanceof Tensor, 'type', () => `${this.constructor.name}: ${name} is a buffer, got ${describe(value)} ` +
        'in its place; write registerBuffer to put another tensor there')
    }
    return [...entries.filter(([, v]) => v instanceof Parameter), ...buffers]
  }

  /**
   * The path from here to a module inside, such as 'layers.0.linear1'. A path found before is believed while it leads
   * there.
   * @param {Module} module
   */
  pathOf(module) {
    const known = foundPaths.get(this) ?? new Map(), path = known.get(module)
    if (path !== undefined && follow(this, path) === module) return path
    const found = this.namedModules().find(entry => entry[1] === module)?.[0]
    foundPaths.set(this, known.set(module, found))
    return found
  }

  /**
   * This module and all inside, by name, each before its children; one in several places only at the first.
   * @param {string} [prefix] what the names begin with
   * @returns {[string, Module][]}
   * @throws {GlassformerError} 'state' for a module inside itself or a name with a dot
   */
  namedModules(prefix = '') {
    return firstOfEach(placesIn(this, prefix))
  }

  /** All parameters by name, in PyTorch's order; a shared one only once. @returns {[string, Parameter][]} */
  namedParameters() {
    const parameters = namedTensors(this).filter(([, t]) => t instanceof Parameter)
    return firstOfEach(/** @type {[string, Parameter][]} */ (parameters))
  }

  /** All parameters, in PyTorch's order; a shared one only once. @returns {Parameter[]} */
  parameters() {
    return this.namedParameters().map(([, parameter]) => parameter)
  }

  /** All buffers by name, a shared one only once. @returns {[string, Tensor][]} */
  namedBuffers() {
    return firstOfEach(namedTensors(this).filter(([, t]) => !(t instanceof Parameter)))
  }

  /** All buffers: what is saved but not trained; a shared one only once. @returns {Tensor[]} */
  buffers() {
    return this.namedBuffers().map(([, buffer]) => buffer)
  }

  /**
   * Sets the gradients of all parameters to null: torch.nn.Module.zero_grad.
   * @param {boolean | { setToNone?: boolean }} [options] setToNone: true; false sets them to zero
   * @param {undefined[]} more
   */
  zeroGrad(options, ...more) {
    clearGradients(this.parameters(), options, more)
  }

  /**
   * Freezes all parameters, with false, or thaws them: torch.nn.Module.requires_grad_. @param {boolean} [wanted] true
   */
  requiresGrad_(wanted = true) {
    expectBoolean('requiresGrad_', 'wanted', wanted)
    const parameters = this.namedParameters(), [name, stored] = parameters.find(([, p]) => p.dtype !== 'float32') ?? []
    expect(!wanted || !stored, 'type',
      () => `requiresGrad_: ${name} is ${stored?.dtype}, which is only used; weights are trained in float32`)
    for (const [, parameter] of parameters) parameter.requiresGrad = wanted
    return this
  }

  /**
   * All parameters and buffers under PyTorch's keys. The tensors are the module's own.
   * @returns {Record<string, Tensor>}
   */
  stateDict() {
    return Object.fromEntries(namedTensors(this, ({ unsavedNames }, name) => !unsavedNames.has(name)))
  }

  /**
   * Copies values into all parameters and buffers.
   * @param {Record<string, Tensor | import('../tensor.js').NestedArray>} state
   * @param {{ strict?: boolean }} [options] strict: true; false takes the keys that are known and leaves the others
   * @returns {{ missingKeys: string[], unexpectedKeys: string[] }}
   * @throws {GlassformerError} 'shape' for missing or unknown keys and wrong shapes, all of them named; nothing is
   *   changed then
   */
  loadStateDict(state, options) {
    const { strict = true } = optionsOf('loadStateDict', options, ['strict'])
    expect(state !== null && typeof state === 'object' && !(state instanceof Map), 'type',
      () => `loadStateDict: state must be an object of tensors, got ${describe(state)}${stateOf(state)}`)
    expect(!Array.isArray(state) && !(state instanceof Promise), 'type', () => `loadStateDict: state must be an object of ` +
      `tensors, got ${describe(state)}${state instanceof Promise ? '; await it' : ''}`)
    expect(!ArrayBuffer.isView(state) && !(state instanceof ArrayBuffer), 'type',
      () => `loadStateDict: state must be an object of tensors, got bytes; write gf.loadSafetensors(bytes).tensors`)
    const own = this.stateDict(), name = this.constructor.name
    const missingKeys = Object.keys(own).filter(key => !Object.hasOwn(state, key))
    const unexpectedKeys = Object.keys(state).filter(key => !Object.hasOwn(own, key))
    const problems = expectBoolean('loadStateDict', 'strict', strict)
      ? [...missingKeys.map(key => `${key} is missing`), ...unexpectedKeys.map(key => `${key} is unknown`)] : []
    this.engine.tidy(() => {
      const given = Object.keys(own).filter(key => Object.hasOwn(state, key)).map(key => {
        const value = state[key]
        expect(!(value instanceof Tensor && value.disposed), 'state', () => `loadStateDict: ${key} was disposed`)
        if (value instanceof Tensor) expectEngine(`loadStateDict: ${key}`, this.engine, [value])
        const tensor = value instanceof Tensor ? value : makeTensor(this.engine, value, {}, `loadStateDict: ${key}`)
        if (!sameShape(tensor.shape, own[key].shape)) {
          problems.push(`${key} must have shape ${shapeText(own[key].shape)}, got ${shapeText(tensor.shape)}`)
        }
        return { to: own[key], from: tensor }
      })
      const isWholeFile = isPlain(state.tensors) && !own.tensors
      expect(problems.length === 0, 'shape', () => `loadStateDict: ${name} does not fit: ${isWholeFile
        ? 'this is what loadSafetensors gives; write loadSafetensors(bytes).tensors' : problems.join('; ')}`)
      for (const { to, from } of given) {
        convertInto(to, from)
        to.touch()
      }
    })
    return { missingKeys, unexpectedKeys }
  }

  /** Switches dropout on, or off with false, here and in all modules inside. @param {boolean} [mode] */
  train(mode = true) {
    expectBoolean('train', 'mode', mode)
    for (const [, module] of this.namedModules()) module.training = mode
    return this
  }

  /** Switches dropout off. */
  eval() {
    return this.train(false)
  }

  /**
   * A copy with parameters of its own and the same values: copy.deepcopy. What is shared inside is shared inside the
   * copy. No constructor runs, so private fields are not there.
   * @returns {this}
   * @throws {GlassformerError} 'state' for a forward that is a field, and for modules or tensors in a plain array or
   *   object
   */
  clone() {
    return /** @type {this} */ (cloneModule(this))
  }

  /** What console.log shows in Node: no engine. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return String(this)
  }

  /** Its class, and every tensor, also one where a parameter should be. */
  toString() {
    const lines = this.namedModules().flatMap(([path, module]) => Object.entries(module)
      .flatMap(([name, t]) => (t instanceof Tensor ? [`${joined(path, name)} ${shapeText(t.shape)}`] : [])))
    return `${this.constructor.name}(${lines.join(', ')})`
  }

  /** Frees all parameters and buffers. */
  dispose() {
    for (const [, tensor] of namedTensors(this)) tensor.dispose()
  }
}

guardMethods(Module.prototype)

/** What every module has of its own. */
const FIELDS = ['forward', 'engine', 'training', 'bufferNames', 'unsavedNames']

/** What a name stands for that no buffer can have. @param {any} module @param {string} name */
function takenAs(module, name) {
  if (FIELDS.includes(name) || name in Object.getPrototypeOf(module)) return 'a property of all modules'
  return module[name] instanceof Parameter ? 'a parameter' : module[name] instanceof Module ? 'a module' : ''
}

/** @param {string} path @param {string} name */
const joined = (path, name) => (path ? `${path}.${name}` : name)

/** The modules directly inside, at each of their places. @param {Module} module @returns {[string, Module][]} */
export const childrenOf = module => Object.entries(module).filter(entry => entry[1] instanceof Module)

/**
 * A module and all inside at each of their places: what is saved has a name for each.
 * @param {Module} module @param {string} [prefix] @param {readonly Module[]} [above] what it is inside of
 * @returns {[string, Module][]}
 */
export function placesIn(module, prefix = '', above = []) {
  expect(!above.includes(module), 'state', () => `${module.constructor.name}: ${prefix} contains itself`)
  const path = [...above, module]
  const inside = childrenOf(module).flatMap(([name, child]) =>
    placesIn(child, joined(prefix, undotted(module, name)), path))
  return [[prefix, module], ...inside]
}

/**
 * A name that can stand in a path: with a dot it might be that of something deeper.
 * @param {Module} module @param {string} name
 */
function undotted({ constructor }, name) {
  expect(!name.includes('.'), 'state',
    () => `${constructor.name}: the name of a module or parameter cannot have a dot in it, got ${describe(name)}`)
  return name
}

/** @template T @param {[string, T][]} entries @returns {[string, T][]} */
function firstOfEach(entries) {
  const seen = new Set()
  return entries.filter(([, one]) => !seen.has(one) && seen.add(one))
}

/**
 * Parameters and buffers of a module and all inside, by path.
 * @param {Module} root @param {(module: Module, name: string) => boolean} [isWanted] @returns {[string, Tensor][]}
 */
const namedTensors = (root, isWanted = () => true) => placesIn(root).flatMap(([path, module]) =>
  module.ownTensors().filter(([name]) => isWanted(module, name))
    .map(([name, t]) => /** @type {[string, Tensor]} */ ([joined(path, undotted(module, name)), t])))
