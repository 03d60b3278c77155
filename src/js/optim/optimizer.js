import { clearGradients } from '../autograd.js'
import { describe, expect, isPlain, expectList, expectNumber, expectInteger } from '../errors.js'
import { Parameter } from '../nn/parameter.js'
import { expectTensor } from '../ops/checks.js'
import { to } from '../ops/convert.js'
import { sameShape } from '../shape.js'
import { tensor as makeTensor } from '../from_values.js'
import { Tensor } from '../tensor.js'

/**
 * Parameters that are changed alike: options of the optimiser, and for a schedule the rate it began with.
 * @typedef {{ params: Tensor[], lr: number, initialLr?: number, [option: string]: any }} ParamGroup
 *
 * What an optimiser is given: parameters, or groups of them, each with options of its own.
 * @typedef {Iterable<Tensor> | readonly { params: Iterable<Tensor>, [option: string]: any }[]} Params
 *
 * State as PyTorch saves it: of each parameter by its number, counted through all groups, and of each group its options
 * and the numbers of its parameters.
 * @typedef {{ state: Record<string, Record<string, any>>, paramGroups: Record<string, any>[] }} OptimizerState
 */

/** A leaf that is trained, or a parameter that is frozen for now. @param {any} p */
const isLearned = p => p instanceof Tensor && !p.node && p.dtype === 'float32' && (p.requiresGrad || p instanceof Parameter)

/** PyTorch calls a closure, which would be left alone here without a word. @param {unknown[]} given to step */
export const expectNoClosure = given => expect(given.length === 0, 'type', () => `step: takes no closure, but got ` +
  `${describe(given[0])}; compute the loss and call loss.backward() before optimizer.step()`)

/** @param {number} lr */
const isRate = lr => lr >= 0

/**
 * Changes the sign of a gradient, before a step that goes up and after it: changed twice, it has its own bits again.
 * @param {Tensor} grad
 */
export const changeSign = grad => grad.engine.c.gf_scale(grad.address, grad.size, -1)

/**
 * Options whose rate, if it is named, is there: a misspelt setting would train at the default without a word.
 * @param {string} where @param {any} options
 */
function withRate(where, options) {
  expect(!isPlain(options) || !('lr' in options) || /** @type {any} */ (options).lr !== undefined, 'type',
    () => `${where}: lr must be a number, got undefined; leave it out for the default`)
  return options
}

/**
 * Parameters as a list, with a word for what is given in their place.
 * @param {string} where @param {any} params @param {(value: unknown) => boolean} isOne @param {string} expected
 */
export function paramList(where, params, isOne, expected) {
  const hint = typeof params?.parameters === 'function' ? 'write model.parameters()'
    : isPlain(params) ? 'write a list of groups, [{ params: … }]' : ''
  expect(!hint, 'type', () => `${where}: params must be a list of tensors, got ${describe(params)}; ${hint}`)
  return expectList(where, 'params', params, isOne, expected)
}

/** What SGD, Adam and AdamW share: the parameters in groups, their gradients, and state for each of them. */
export class Optimizer {
  #where
  #defaults
  #check
  /** @type {ParamGroup[]} */ paramGroups = []
  /** @type {Map<Tensor, any>} */ state = new Map()

  /**
   * @param {string} where @param {Params} params @param {unknown} options for all groups that say nothing else
   * @param {(options: any) => Record<string, any>} check gives options with defaults, or throws
   */
  constructor(where, params, options, check) {
    this.#where = where
    this.#check = check
    const defaults = this.#defaults = check(withRate(where, options))
    const list = paramList(where, params, () => true, '')
    expect(list.length > 0, 'shape', () => `${where}: params must not be empty`)
    const groups = list.every(isPlain) ? /** @type {any[]} */ (list) : [{ params: list }]
    for (const { params: own, ...others } of groups) this.#add(own, check({ ...defaults, ...withRate(where, others) }))
  }

  /**
   * Adds parameters with options of their own, else those that the optimiser was made with:
   * torch.optim.Optimizer.add_param_group.
   * @param {{ params: Iterable<Tensor>, [option: string]: any }} group
   */
  addParamGroup({ params, ...options }) {
    this.#add(params, this.#check({ ...this.#defaults, ...options }))
  }

  /** @param {Iterable<Tensor>} params @param {Record<string, any>} options */
  #add(params, options) {
    const where = this.#where
    const list = paramList(where, params, isLearned, 'a float32 tensor with requiresGrad that was not computed')
    expect(list.length > 0, 'shape', () => `${where}: params must not be empty`)
    const known = new Set(this.params)
    /** @type {Map<Tensor, number>} */ const places = new Map()
    list.forEach((param, i) => {
      expectTensor(where, `params[${i}]`, param)
      const first = places.get(param)
      expect(first === undefined && !known.has(param), 'range', () => `${where}: params[${i}] is the same tensor as ` +
        `${first === undefined ? 'one of another group' : `params[${first}]`}; each must be given once`)
      places.set(param, i)
    })
    this.paramGroups.push(/** @type {ParamGroup} */ ({ params: list, ...options }))
  }

  /** All parameters, group by group. @returns {Tensor[]} */
  get params() {
    return this.paramGroups.flatMap(group => group.params)
  }

  /**
   * Learning rate: a number >= 0 that may be changed between steps. It is that of the first group; to set it is to set
   * that of all.
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
   * Sets all gradients to null: torch.optim.Optimizer.zero_grad. `step` leaves alone what has no gradient.
   * @param {boolean | { setToNone?: boolean }} [options] setToNone: true; false sets them to zero
   * @param {undefined[]} more
   */
  zeroGrad(options, ...more) {
    clearGradients(this.params, options, more)
  }

  /**
   * The names of what it keeps of a parameter.
   * @param {Record<string, any> | undefined} _group of the parameter @returns {readonly string[]} @internal
   */
  stateNames(_group) {
    return /** @type {any} */ (this.constructor).remembers ?? []
  }

  /**
   * The state of a parameter, made by `create` the first time, whole or not at all; it lives as long as the optimiser.
   * `state` is public, so what a kernel is about to write over is checked each time.
   * @param {Tensor} param @param {() => any} create
   */
  stateOf(param, create) {
    const group = this.paramGroups.find(({ params }) => params.includes(param))
    return this.statesOf([{ param, group }], create)[0]
  }

  /**
   * The same of several parameters: all are checked before any is made, and all are made or none.
   * @template {{ param: Tensor, group: any }} T
   * @param {readonly T[]} ready @param {(one: T) => any} create @returns {any[]} @internal
   */
  statesOf(ready, create) {
    for (const { param, group } of ready) {
      if (!this.state.has(param)) continue
      const state = this.state.get(param)
      for (const name of this.stateNames(group)) this.#checkState(param, name, state?.[name])
    }
    /** @type {Tensor[]} */ const added = []
    try {
      for (const one of ready) {
        const { param, param: { engine } } = one
        if (this.state.has(param)) continue
        const made = engine.tidy(() => create(one))
        for (const value of Object.values(made)) if (value instanceof Tensor) engine.keep(value)
        this.state.set(param, made)
        added.push(param)
      }
    } catch (error) {
      for (const param of added) this.#forget(param)
      throw error
    }
    return ready.map(({ param }) => this.state.get(param))
  }

  /** Frees the state of a parameter. @param {Tensor} param */
  #forget(param) {
    disposeAll(this.state.get(param))
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
   * Parameters that have a gradient and are not frozen, with the options of their groups. `paramGroups` are public, so
   * they are checked each time.
   * @returns {{ param: Tensor, grad: Tensor, group: Record<string, any> }[]}
   */
  get ready() {
    const options = this.paramGroups.map((group, i) => this.#optionsOf(group, i))
    return this.paramGroups.flatMap(({ params }, i) => params
      .flatMap(param => (param.heldGrad && param.requiresGrad
        ? [{ param, grad: param.heldGrad, group: options[i] }] : [])))
  }

  /** The options of a group, all of them there. @param {ParamGroup} group @param {number} i */
  #optionsOf(group, i) {
    const where = this.#where
    expect(isPlain(group) && Array.isArray(group.params), 'type',
      () => `${where}: paramGroups[${i}] must be an object with params, a list of tensors, got ${describe(group)}`)
    expectNumber(where, 'lr', group.lr, 'a number >= 0', isRate)
    const names = Object.keys(this.#defaults), missing = names.find(name => group[name] === undefined)
    expect(missing === undefined, 'type', () => `${where}: paramGroups[${i}] must have ${missing}, got undefined`)
    return this.#check(Object.fromEntries(names.map(name => [name, group[name]])))
  }

  /**
   * What it remembers and how it is set, to go on later: torch.optim.Optimizer.state_dict. The tensors are its own; as
   * JSON they become nested arrays, which `loadStateDict` takes, too.
   * @returns {OptimizerState}
   */
  stateDict() {
    const { params } = this, places = new Map(params.map((param, i) => [param, i]))
    const state = params.flatMap((param, i) => (this.state.has(param) ? [[i, { ...this.state.get(param) }]] : []))
    const paramGroups = this.paramGroups.map(({ params: own, ...options }) =>
      ({ ...options, params: own.map(param => places.get(param)) }))
    return { state: Object.fromEntries(state), paramGroups }
  }

  /**
   * Goes on where another one was: torch.optim.Optimizer.load_state_dict. Values are copied.
   * @param {OptimizerState} state of an optimiser with as many parameters in the same groups
   * @throws {import('../errors.js').GlassformerError} 'shape' for another number of parameters or other shapes; nothing
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
    const where = `${this.#where}: loadStateDict`, { params } = this
    expect(isPlain(state) && isPlain(state.state) && Array.isArray(state.paramGroups), 'type',
      () => `${where}: state must be { state, paramGroups }, got ${describe(state)}`)
    state.paramGroups.forEach((group, i) => expect(isPlain(group) && Array.isArray(group.params), 'type',
      () => `${where}: paramGroups[${i}] must be an object with params, a list of numbers, got ${describe(group)}`))
    const sizes = (/** @type {any[]} */ groups) => groups.map(group => group.params.length).join()
    expect(sizes(state.paramGroups) === sizes(this.paramGroups), 'shape', () => `${where}: groups must have ` +
      `${sizes(this.paramGroups)} parameters, got ${sizes(state.paramGroups)}`)
    const groups = state.paramGroups.map(({ params: _, initialLr, ...options }) => ({
      ...this.#check(options),
      ...(initialLr === undefined ? {} : { initialLr: expectNumber(where, 'initialLr', initialLr, 'a number >= 0', isRate) })
    }))
    const groupOf = new Map(this.paramGroups.flatMap((group, i) => group.params.map(param => [param, groups[i]])))
    /** @type {Map<Tensor, any>} */ const held = new Map()
    const cancel = () => { for (const values of held.values()) disposeAll(values) }
    try {
      for (const [i, values] of Object.entries(state.state)) {
        const param = params[Number(i)]
        expect(Boolean(param), 'index', () => `${where}: there is no parameter ${i}, only ${params.length}`)
        held.set(param, {})
        this.#copyInto(held.get(param), where, param, i, values, this.stateNames(groupOf.get(param)))
      }
    } catch (error) {
      cancel()
      throw error
    }
    const commit = () => {
      this.dispose()
      for (const [param, values] of held) this.state.set(param, values)
      this.paramGroups.forEach((group, i) => Object.assign(group, groups[i]))
    }
    return { commit, cancel }
  }

  /**
   * @param {Record<string, any>} out @param {string} where @param {Tensor} param @param {string} i
   * @param {Record<string, any>} values @param {readonly string[]} wanted their names; none: any
   */
  #copyInto(out, where, param, i, values, wanted) {
    expect(isPlain(values), 'type', () => `${where}: state[${i}] must be an object with ${wanted.join(', ')}, got ${describe(values)}`)
    const { engine } = param, names = Object.keys(values)
    expect(!wanted.length || (names.length === wanted.length && wanted.every(one => names.includes(one))), 'type',
      () => `${where}: state[${i}] must have ${wanted.join(', ')}, got ${names.join(', ') || 'nothing'}`)
    for (const [name, value] of Object.entries(values)) {
      if (name === 'step') {
        out.step = expectInteger(where, `state[${i}].step`, value)
        continue
      }
      const from = value instanceof Tensor ? value : makeTensor(engine, value, {}, `${where}: state[${i}].${name}`)
      expect(!from.disposed, 'state', () => `${where}: state[${i}].${name} was disposed`)
      expect(sameShape(from.shape, param.shape), 'shape',
        () => `${where}: state[${i}].${name} must be like its parameter, ${describe(param)}; got ${describe(from)}`)
      out[name] = engine.keep(engine.empty(param.shape))
      out[name].values.set(from.dtype === 'float32' ? from.values : from.engine.tidy(() => to(from, 'float32').values.slice()))
    }
  }

  /** Frees what the optimiser remembers. */
  dispose() {
    for (const state of this.state.values()) disposeAll(state)
    this.state.clear()
  }
}

/** Frees the tensors of an object. @param {Record<string, any> | undefined} state */
function disposeAll(state) {
  for (const value of Object.values(state ?? {})) if (value instanceof Tensor) value.dispose()
}
