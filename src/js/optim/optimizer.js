import { clearGradients } from '../autograd/autograd.js'
import { describe, expect, isPlain, expectList, expectNumber, expectInteger } from '../errors.js'
import { Parameter } from '../nn/parameter.js'
import { expectTensor } from '../ops/checks.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { disposeTensors } from './dispose_tensors.js'
import { prepareLoad } from './load_state.js'

/**
 * Parameters that share options of the optimizer; initialLr is the initial rate of a scheduler.
 * @typedef {{ params: Tensor[], lr: number, initialLr?: number, [option: string]: any }} ParamGroup
 *
 * Parameters, or groups of them with their own options.
 * @typedef {Iterable<Tensor> | readonly { params: Iterable<Tensor>, [option: string]: any }[]} Params
 *
 * The state to save, as in PyTorch: the state of each parameter by its index over all groups, and the options and
 * parameter indices of each group.
 * @typedef {{ state: Record<string, Record<string, any>>, paramGroups: Record<string, any>[] }} OptimizerState
 */

/** Whether a tensor can be trained: a leaf with requiresGrad, or a parameter, which may be frozen. @param {any} p */
const isTrainable = p => p instanceof Tensor && !p.node && p.dtype === 'float32' && (p.requiresGrad || p instanceof Parameter)

/** Throws for a closure, which PyTorch's step would call. @param {unknown[]} args of step */
export const expectNoClosure = args => expect(args.length === 0, 'type', () => `step: takes no closure, but got ` +
  `${describe(args[0])}; compute the loss and call loss.backward() before optimizer.step()`)

/** @param {number} lr */
const isRate = lr => lr >= 0

/**
 * Changes the sign of a gradient. A step that maximizes does so before and after, which restores all bits.
 * @param {Tensor} grad
 */
export const negate = grad => grad.engine.c.gf_scale(grad.dataPtr(), grad.numel(), -1)

/**
 * Throws for an lr that is undefined: a misspelt setting would silently train with the default rate.
 * @param {string} where @param {any} options
 */
function expectDefinedRate(where, options) {
  expect(!isPlain(options) || !('lr' in options) || /** @type {any} */ (options).lr !== undefined, 'type',
    () => `${where}: lr must be a number, got undefined; leave it out for the default`)
  return options
}

/**
 * Parameters as an array, or an error with a hint for a module or an object in their place.
 * @param {string} where @param {any} params @param {(value: unknown) => boolean} isValid @param {string} expected
 */
export function expectParams(where, params, isValid, expected) {
  const hint = typeof params?.parameters === 'function' ? 'write model.parameters()'
    : isPlain(params) ? 'write a list of groups, [{ params: … }]' : ''
  expect(!hint, 'type', () => `${where}: params must be a list of tensors, got ${describe(params)}; ${hint}`)
  return expectList(where, 'params', params, isValid, expected)
}

/** The superclass of SGD, Adam and AdamW: torch.optim.Optimizer. It has the parameters in groups and their state. */
export class Optimizer {
  #where
  #defaults
  #check
  /** The groups: { params, lr, … }; the options may be changed between steps. @type {ParamGroup[]} */ paramGroups = []
  /** @type {Map<Tensor, any>} */ state = new Map()

  /**
   * @param {string} where @param {Params} params @param {unknown} options defaults for all groups
   * @param {(options: any) => Record<string, any>} check returns the options with defaults, or throws
   */
  constructor(where, params, options, check) {
    this.#where = where
    this.#check = check
    const defaults = this.#defaults = check(expectDefinedRate(where, options))
    const list = expectParams(where, params, () => true, '')
    expect(list.length > 0, 'shape', () => `${where}: params must not be empty`)
    const groups = list.every(isPlain) ? /** @type {any[]} */ (list) : [{ params: list }]
    for (const { params: own, ...others } of groups) {
      this.#add(own, check({ ...defaults, ...expectDefinedRate(where, others) }))
    }
  }

  /**
   * Adds a group of parameters; its options default to those of the optimizer: torch.optim.Optimizer.add_param_group.
   * @param {{ params: Iterable<Tensor>, [option: string]: any }} group
   */
  addParamGroup(group) {
    const { params, ...options } = group
    this.#add(params, this.#check({ ...this.#defaults, ...options }))
  }

  /** @param {Iterable<Tensor>} params @param {Record<string, any>} options */
  #add(params, options) {
    const where = this.#where
    const list = expectParams(where, params, isTrainable, 'a float32 tensor with requiresGrad that was not computed')
    expect(list.length > 0, 'shape', () => `${where}: params must not be empty`)
    const known = new Set(this.params)
    /** @type {Map<Tensor, number>} */ const indices = new Map()
    list.forEach((param, i) => {
      expectTensor(where, `params[${i}]`, param)
      const first = indices.get(param)
      expect(first === undefined && !known.has(param), 'range', () => `${where}: params[${i}] is the same tensor as ` +
        `${first === undefined ? 'one of another group' : `params[${first}]`}; each must be given once`)
      indices.set(param, i)
    })
    this.paramGroups.push(/** @type {ParamGroup} */ ({ params: list, ...options }))
  }

  /** All parameters, group by group. @returns {Tensor[]} */
  get params() {
    return this.paramGroups.flatMap(group => group.params)
  }

  /**
   * The learning rate of the first group, a number >= 0. Setting it sets the rate of all groups.
   * @returns {number}
   */
  get lr() {
    return this.paramGroups[0].lr
  }

  set lr(lr) {
    expectNumber(this.#where, 'lr', lr, 'a number >= 0', isRate)
    for (const group of this.paramGroups) group.lr = lr
  }

  /**
   * Sets all gradients to null: torch.optim.Optimizer.zero_grad. `step` skips parameters without a gradient.
   * @param {boolean | { setToNone?: boolean }} [options] setToNone: true; false sets them to zero
   * @param {undefined[]} more surplus arguments, which are an error
   */
  zeroGrad(options, ...more) {
    clearGradients(this.params, options, more)
  }

  /**
   * The names of the state of a parameter, which depend on the options of its group.
   * @param {Record<string, any> | undefined} _group @returns {readonly string[]} @internal
   */
  getStateNames(_group) {
    return /** @type {any} */ (this.constructor).stateNames ?? []
  }

  /**
   * The state of a parameter, created by `create` the first time; it lives as long as the optimizer. `state` is public,
   * so it is checked each time before a kernel writes to it.
   * @param {Tensor} param @param {() => any} create
   */
  stateOf(param, create) {
    const group = this.paramGroups.find(({ params }) => params.includes(param))
    return this.statesOf([{ param, group }], create)[0]
  }

  /**
   * The states of several parameters. All existing ones are checked before any is created; if one cannot be created,
   * none is.
   * @template {{ param: Tensor, group: any }} T
   * @param {readonly T[]} trainable @param {(entry: T) => any} create @returns {any[]} @internal
   */
  statesOf(trainable, create) {
    for (const { param, group } of trainable) {
      if (!this.state.has(param)) continue
      const state = this.state.get(param)
      for (const name of this.getStateNames(group)) this.#checkState(param, name, state?.[name])
    }
    /** @type {Tensor[]} */ const added = []
    try {
      for (const entry of trainable) {
        const { param, param: { engine } } = entry
        if (this.state.has(param)) continue
        const created = engine.tidy(() => create(entry))
        for (const value of Object.values(created)) if (value instanceof Tensor) engine.keep(value)
        this.state.set(param, created)
        added.push(param)
      }
    } catch (error) {
      for (const param of added) this.#disposeState(param)
      throw error
    }
    return trainable.map(({ param }) => this.state.get(param))
  }

  /** Frees the state of a parameter. @param {Tensor} param */
  #disposeState(param) {
    disposeTensors(this.state.get(param))
    this.state.delete(param)
  }

  /** @param {Tensor} param @param {string} name @param {unknown} value */
  #checkState(param, name, value) {
    if (name === 'step') {
      expectInteger(this.#where, 'step of the state', value)
      return
    }
    const isLikeParam = value instanceof Tensor && !value.disposed && value.dtype === 'float32' &&
      value.engine === param.engine && sameShape(value.shape, param.shape)
    expect(isLikeParam, 'state', () => `${this.#where}: ${name} of the state must be a tensor like its parameter, ` +
      `${describe(param)}, got ${value instanceof Tensor && value.disposed ? 'a disposed tensor' : describe(value)}`)
  }

  /**
   * The parameters that have a gradient and are not frozen, with the options of their groups. `paramGroups` is public,
   * so it is checked each time.
   * @returns {{ param: Tensor, grad: Tensor, group: Record<string, any> }[]}
   */
  findTrainable() {
    const options = this.paramGroups.map((group, i) => this.#checkGroup(group, i))
    return this.paramGroups.flatMap(({ params }, i) => params
      .flatMap(param => (param.internalGrad && param.requiresGrad
        ? [{ param, grad: param.internalGrad, group: options[i] }] : [])))
  }

  /** The options of a group; throws if one is missing or invalid. @param {ParamGroup} group @param {number} i */
  #checkGroup(group, i) {
    const where = this.#where
    expect(isPlain(group) && Array.isArray(group.params), 'type',
      () => `${where}: paramGroups[${i}] must be an object with params, a list of tensors, got ${describe(group)}`)
    expectNumber(where, 'lr', group.lr, 'a number >= 0', isRate)
    const names = Object.keys(this.#defaults), missing = names.find(name => group[name] === undefined)
    expect(missing === undefined, 'type', () => `${where}: paramGroups[${i}] must have ${missing}, got undefined`)
    return this.#check(Object.fromEntries(names.map(name => [name, group[name]])))
  }

  /**
   * The state and options, to continue later: torch.optim.Optimizer.state_dict. Tensors are not copied. In JSON they
   * become nested arrays, which `loadStateDict` accepts.
   * @returns {OptimizerState}
   */
  stateDict() {
    const { params } = this, indices = new Map(params.map((param, i) => [param, i]))
    const state = params.flatMap((param, i) => (this.state.has(param) ? [[i, { ...this.state.get(param) }]] : []))
    const paramGroups = this.paramGroups.map(({ params: own, ...options }) =>
      ({ ...options, params: own.map(param => indices.get(param)) }))
    return { state: Object.fromEntries(state), paramGroups }
  }

  /**
   * Continues from a saved state: torch.optim.Optimizer.load_state_dict. Values are copied.
   * @param {OptimizerState} state of an optimizer with the same numbers of parameters in its groups
   * @throws {import('../errors.js').GlassformerError} 'shape' for other numbers of parameters or other shapes; nothing
   *   is changed then
   */
  loadStateDict(state) {
    this.prepareLoad(state).commit()
  }

  /**
   * Checks and copies a state without changing anything: `commit` puts it in place, `cancel` frees the copies.
   * @param {OptimizerState} state @returns {{ commit(): void, cancel(): void }} @internal
   */
  prepareLoad(state) {
    return prepareLoad(this, state, this.#where, this.#check)
  }

  /** Frees the state of all parameters. */
  dispose() {
    for (const state of this.state.values()) disposeTensors(state)
    this.state.clear()
  }
}
