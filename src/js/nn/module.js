import { clearGradients } from '../autograd/autograd.js'
import { GlassformerError, describe, expect, expectBoolean, expectEngine, isPlain, expectOptions, formatShape, stateDictHint } from '../errors.js'
import { convertInto } from '../ops/convert.js'
import { sameShape } from '../tensor/shape.js'
import { tensor as makeTensor } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'
import { Callable } from './callable.js'
import { cloneModule, defineBuffer } from './clone.js'
import { addHook, wrapForward } from './forward.js'
import { guardMethods, checkProperties, registerNewParameter } from './property_checks.js'
import { Parameter } from './parameter.js'
import { formatModule } from './print_module.js'

/** @typedef {import('./backward_hooks.js').BackwardHook} BackwardHook */
/** @typedef {import('./forward.js').ForwardHook} ForwardHook */
/** @typedef {import('./forward.js').ForwardPreHook} ForwardPreHook */

/** Paths found by `pathOf`. @type {WeakMap<Module, Map<Module, string | undefined>>} */
const foundPaths = new WeakMap()

/** @param {any} module @param {string} path */
const follow = (module, path) => (path
  ? path.split('.').reduce((inner, name) => (inner && name in inner ? inner[name] : undefined), module) : module)

/**
 * The base class of all modules: torch.nn.Module. Parameters and modules that a subclass assigns to its properties are
 * found there, in this order. `module(x)` is `module.forward(x)`.
 * @example
 * class Twice extends gf.nn.Module {
 *   linear = new gf.nn.Linear(2, 2)
 *   forward(x) { return this.linear(this.linear(x)) }
 * }
 * new Twice().parameters().length                 // 2
 */
export class Module extends Callable {
  /**
   * The names of forward's inputs in a trace.
   * @type {readonly string[]}
   */
  static inputNames = ['input']

  /**
   * The axes of its own parameters and buffers, by name, where operations cannot derive them.
   * @type {Record<string, import('../trace/axes.js').Axes>}
   */
  static axes = {}

  /**
   * The `role` that gf.observe reports for its own tensors, by name; by default 'parameter' or 'buffer'.
   * @type {Record<string, string>}
   */
  static roles = {}

  /** Whether its forward calls other modules, so that it has intermediate tensors; see intermediates.js. @internal */
  static runsSubmodules = false

  /** Whether it is trained beside frozen weights, so that quantize leaves it as it is. @internal */
  static isAdapter = false

  /** Whether dropout is active; see `train` and `eval`. */ training = true
  /** Names of its buffers. @type {Set<string>} */ bufferNames = new Set()
  /** Names of the buffers that stateDict leaves out. @type {Set<string>} */ unsavedNames = new Set()

  /** @param {import('../engine/engine.js').Engine} engine */
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

  /**
   * A new parameter with uninitialized values; fill it by gf.nn.init.
   * @param {...(number | readonly number[])} shape
   */
  parameter(...shape) {
    return registerNewParameter(this, new Parameter(this.engine, shape.flat()))
  }

  /** A new parameter that may be stored in fewer bits. @param {number} rows @param {number} columns */
  matrix(rows, columns) {
    const { engine } = this, base = engine.defersMatrices ? null : undefined
    return registerNewParameter(this, new Parameter(engine, [rows, columns], base, engine.matrixType, true))
  }

  /**
   * Adds a buffer, a tensor that is not trained: torch.nn.Module.register_buffer.
   * @param {string} name @param {Tensor} tensor
   * @param {{ persistent?: boolean }} [options] persistent: true; false leaves it out of stateDict
   */
  registerBuffer(name, tensor, options) {
    const { persistent = true } = expectOptions('registerBuffer', options, ['persistent'])
    expect(typeof name === 'string' && name !== '', 'type', () => `registerBuffer: name must be a string, got ${describe(name)}; write registerBuffer(name, tensor)`)
    expect(tensor instanceof Tensor, 'type', () => `registerBuffer: tensor must be a tensor (gf.tensor), got ${describe(tensor)}`)
    const owner = describeNameUse(this, name)
    expect(!owner && !name.includes('.'), 'state', () => `registerBuffer: name must be unused and without dots, ` +
      `got ${describe(name)}${owner && `, which is ${owner}`}`)
    if (!expectBoolean('registerBuffer', 'persistent', persistent)) this.unsavedNames.add(name)
    this.bufferNames.add(name)
    defineBuffer(this, name, tensor)
  }

  /**
   * Calls fn after every forward: torch.nn.Module.register_forward_hook. Clones do not have the hook.
   * @param {ForwardHook} fn is called with the module, the array of its inputs and the output; a value that it returns
   *   replaces the output
   * @returns {{ remove(): void }}
   */
  registerForwardHook(fn) {
    return addHook(this, 'after', 'registerForwardHook', fn)
  }

  /**
   * Calls fn before every forward: torch.nn.Module.register_forward_pre_hook. Clones do not have the hook.
   * @param {ForwardPreHook} fn is called with the module and the array of its inputs; an array that it returns replaces
   *   the inputs, another value the only input
   * @returns {{ remove(): void }}
   */
  registerForwardPreHook(fn) {
    return addHook(this, 'before', 'registerForwardPreHook', fn)
  }

  /**
   * Calls fn in every backward through the module: torch.nn.Module.register_full_backward_hook. Clones do not have the
   * hook.
   * @param {BackwardHook} fn is called with the module and the arrays of the gradients of its inputs and outputs, null
   *   for those without; an array that it returns replaces the gradients of the inputs
   * @returns {{ remove(): void }}
   * @example
   * const layer = new gf.nn.Linear(2, 1), norms = []
   * layer.registerFullBackwardHook((module, gradInput, gradOutput) => { norms.push(gradOutput[0].norm().item()) })
   * layer(gf.ones([1, 2])).sum().backward()
   * norms                                           // [1]
   */
  registerFullBackwardHook(fn) {
    return addHook(this, 'backward', 'registerFullBackwardHook', fn)
  }

  /**
   * Calls fn with every module inside and then with this one: torch.nn.Module.apply.
   * @param {(module: any) => void} fn
   */
  apply(fn) {
    expect(typeof fn === 'function', 'type', () => `apply: fn must be a function, got ${describe(fn)}`)
    listModules(this)
    for (const [, child] of this.namedChildren()) child.apply(fn)
    fn(this)
    return this
  }

  /** The modules directly inside, by name; a shared one only once. @returns {[string, Module][]} */
  namedChildren() {
    return firstOfEach(childrenOf(this))
  }

  /**
   * The module's own parameters and buffers, by name, without those of modules inside.
   * @returns {[string, Tensor][]}
   */
  ownTensors() {
    const entries = checkProperties(this)
    const buffers = entries.filter(([name, value]) =>
      this.bufferNames.has(name) && value !== null && value !== undefined)
    for (const [name, value] of buffers) {
      expect(value instanceof Tensor, 'type', () => `${this.constructor.name}: ${name} is a buffer, got ${describe(value)} ` +
        'in its place; write registerBuffer to put another tensor there')
    }
    return [...entries.filter(([, v]) => v instanceof Parameter), ...buffers]
  }

  /**
   * The path from here to a module inside, such as 'layers.0.linear1'. Found paths are cached, and checked on reuse.
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
   * This module and all modules inside, by name, each before its children; a shared one only at its first place.
   * @param {string} [prefix] of the names
   * @returns {[string, Module][]}
   * @throws {GlassformerError} 'state' for a module inside itself or a name with a dot
   */
  namedModules(prefix = '') {
    return firstOfEach(listModules(this, prefix))
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

  /** All buffers, which are saved but not trained; a shared one only once. @returns {Tensor[]} */
  buffers() {
    return this.namedBuffers().map(([, buffer]) => buffer)
  }

  /**
   * Sets the gradients of all parameters to null: torch.nn.Module.zero_grad.
   * @param {boolean | { setToNone?: boolean }} [options] setToNone: true; false sets them to zero
   * @param {undefined[]} more surplus arguments, which are an error
   */
  zeroGrad(options, ...more) {
    clearGradients(this.parameters(), options, more)
  }

  /**
   * Sets whether parameters are trained; false freezes them: torch.nn.Module.requires_grad_.
   * @param {boolean} [requiresGrad] true
   */
  requiresGrad_(requiresGrad = true) {
    expectBoolean('requiresGrad_', 'requiresGrad', requiresGrad)
    const parameters = this.namedParameters(), [name, stored] = parameters.find(([, p]) => p.dtype !== 'float32') ?? []
    expect(!requiresGrad || !stored, 'type',
      () => `requiresGrad_: ${name} is ${stored?.dtype}, which cannot be trained; weights are trained in float32`)
    for (const [, parameter] of parameters) parameter.requiresGrad = requiresGrad
    return this
  }

  /**
   * All parameters and buffers under PyTorch's keys: torch.nn.Module.state_dict. The tensors are not copied.
   * @returns {Record<string, Tensor>}
   */
  stateDict() {
    return Object.fromEntries(namedTensors(this, ({ unsavedNames }, name) => !unsavedNames.has(name)))
  }

  /**
   * Copies values into all parameters and buffers: torch.nn.Module.load_state_dict.
   * @param {Record<string, Tensor | import('../tensor/tensor.js').NestedArray>} state
   * @param {{ strict?: boolean }} [options] strict: true; false ignores missing and unknown keys
   * @returns {{ missingKeys: string[], unexpectedKeys: string[] }}
   * @throws {GlassformerError} 'shape' for missing keys, unknown keys and wrong shapes; it names all of them, and
   *   nothing is changed
   */
  loadStateDict(state, options) {
    const { strict = true } = expectOptions('loadStateDict', options, ['strict'])
    expect(state !== null && typeof state === 'object' && !(state instanceof Map), 'type',
      () => `loadStateDict: state must be an object of tensors, got ${describe(state)}${stateDictHint(state)}`)
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
          problems.push(`${key} must have shape ${formatShape(own[key].shape)}, got ${formatShape(tensor.shape)}`)
        }
        return { to: own[key], from: tensor }
      })
      const isLoadedFile = isPlain(state.tensors) && !own.tensors
      expect(problems.length === 0, 'shape', () => `loadStateDict: ${name} does not fit: ${isLoadedFile
        ? 'this is the result of loadSafetensors; write loadSafetensors(bytes).tensors' : problems.join('; ')}`)
      for (const { to, from } of given) {
        convertInto(to, from)
        to.touch()
      }
    })
    return { missingKeys, unexpectedKeys }
  }

  /** Sets training mode, in which dropout is active, here and in all modules inside. @param {boolean} [mode] true */
  train(mode = true) {
    expectBoolean('train', 'mode', mode)
    for (const [, module] of this.namedModules()) module.training = mode
    return this
  }

  /** Sets evaluation mode, without dropout; the same as train(false). */
  eval() {
    return this.train(false)
  }

  /**
   * A copy with its own parameters and the same values: copy.deepcopy. What is shared inside is shared inside the copy.
   * No constructor runs, so the copy has no private fields.
   * @returns {this}
   * @throws {GlassformerError} 'state' for a forward that is a field, and for modules or tensors in a plain array or
   *   object
   */
  clone() {
    return /** @type {this} */ (cloneModule(this))
  }

  /** What console.log prints in Node. */
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return String(this)
  }

  /** What toString prints of the module itself, for subclasses to define: torch.nn.Module.extra_repr. */
  extraRepr() {
    return ''
  }

  /** The module and those inside as PyTorch prints them: torch.nn.Module.__repr__. */
  toString() {
    return formatModule(this.constructor.name, this.extraRepr(), childrenOf(this))
  }

  /** Frees all parameters and buffers. */
  dispose() {
    for (const [, tensor] of namedTensors(this)) tensor.dispose()
  }
}

guardMethods(Module.prototype)

/** Properties of every module. */
const FIELDS = ['forward', 'engine', 'training', 'bufferNames', 'unsavedNames']

/** What a module uses a name for already, in words; '' if nothing. @param {any} module @param {string} name */
function describeNameUse(module, name) {
  if (FIELDS.includes(name) || name in Object.getPrototypeOf(module)) return 'a property of all modules'
  const value = Object.hasOwn(module, name) ? module[name] : undefined
  return value instanceof Parameter ? 'a parameter' : value instanceof Module ? 'a module' : ''
}

/** @param {string} path @param {string} name */
const joinPath = (path, name) => (path ? `${path}.${name}` : name)

/** The modules directly inside, a shared one under each name. @param {Module} module @returns {[string, Module][]} */
export const childrenOf = module => Object.entries(module).filter(entry => entry[1] instanceof Module)

/**
 * A module and all modules inside by path; a shared one under each of its paths, as in a state dict.
 * @param {Module} module @param {string} [prefix] @param {readonly Module[]} [ancestors]
 * @returns {[string, Module][]}
 */
export function listModules(module, prefix = '', ancestors = []) {
  expect(!ancestors.includes(module), 'state', () => `${module.constructor.name}: ${prefix} contains itself`)
  const lineage = [...ancestors, module]
  const inside = childrenOf(module).flatMap(([name, child]) =>
    listModules(child, joinPath(prefix, expectNoDot(module, name)), lineage))
  return [[prefix, module], ...inside]
}

/**
 * A name without a dot, which would be ambiguous in a path.
 * @param {Module} module @param {string} name
 */
function expectNoDot({ constructor }, name) {
  expect(!name.includes('.'), 'state',
    () => `${constructor.name}: the name of a module or parameter cannot have a dot in it, got ${describe(name)}`)
  return name
}

/** @template T @param {[string, T][]} entries @returns {[string, T][]} */
function firstOfEach(entries) {
  const seen = new Set()
  return entries.filter(([, value]) => !seen.has(value) && seen.add(value))
}

/**
 * The parameters and buffers of a module and all modules inside, by path.
 * @param {Module} root @param {(module: Module, name: string) => boolean} [isSelected] @returns {[string, Tensor][]}
 */
const namedTensors = (root, isSelected = () => true) => listModules(root).flatMap(([path, module]) =>
  module.ownTensors().filter(([name]) => isSelected(module, name))
    .map(([name, t]) => /** @type {[string, Tensor]} */ ([joinPath(path, expectNoDot(module, name)), t])))
