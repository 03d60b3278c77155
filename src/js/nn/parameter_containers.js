import { describe, expect } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { Module } from './module.js'
import { Parameter } from './parameter.js'

/** @typedef {import('../engine/engine.js').Engine} Engine */

/** @param {string} where @param {unknown} value @param {string | number} name @returns {Parameter} */
function expectParameter(where, value, name) {
  expect(value instanceof Parameter, 'type', () => `${where}: parameters[${name}] must be a parameter, got ${describe(value)}` +
    `${value instanceof Tensor ? '; write new gf.nn.Parameter(tensor)' : ''}`)
  return value
}

/** The parameters of a module, by name, in order. @param {Module} module @returns {[string, Parameter][]} */
const parametersOf = module => /** @type {any} */ (
  Object.entries(module).filter(([, value]) => value instanceof Parameter))

/**
 * Parameters as PyTorch prints them, each on an indented line.
 * @param {Module} module @param {(parameter: Parameter) => string} nameOf a parameter's type
 */
const formatParameters = (module, nameOf) => parametersOf(module).map(([name, parameter]) =>
  `  (${name}): Parameter containing: [${nameOf(parameter)} of size ${parameter.shape.join('x')}]`).join('\n')

/**
 * A list of parameters, named 0, 1, 2 …: torch.nn.ParameterList.
 * @example
 * new gf.nn.ParameterList([new gf.nn.Parameter([1, 2])]).namedParameters().length   // 1
 */
export class ParameterList extends Module {
  /** @param {Engine} engine @param {readonly Parameter[]} [parameters] */
  constructor(engine, parameters) {
    super(engine)
    const list = parameters ?? []
    expect(Array.isArray(list), 'type', () => `ParameterList: parameters must be a list of parameters, got ${describe(parameters)}`)
    for (const parameter of list) this.push(parameter)
  }

  /** The number of parameters. */
  get length() {
    return parametersOf(this).length
  }

  /** Appends a parameter. @param {Parameter} parameter @returns {this} */
  push(parameter) {
    const { length } = this
    return Object.assign(this, { [length]: expectParameter('ParameterList', parameter, length) })
  }

  /** @returns {string} */
  extraRepr() {
    return formatParameters(this, ({ dtype }) => `torch.${dtype}`)
  }

  /** The parameter at an index; negative ones count from the end. @param {number} i @returns {any} */
  at(i) {
    return parametersOf(this).at(i)?.[1]
  }

  /** @returns {IterableIterator<Parameter>} */
  [Symbol.iterator]() {
    return parametersOf(this).map(([, parameter]) => parameter)[Symbol.iterator]()
  }
}

/**
 * Parameters by name: torch.nn.ParameterDict.
 * @example
 * new gf.nn.ParameterDict({ scale: new gf.nn.Parameter([1]) }).get('scale')   // [1]
 */
export class ParameterDict extends Module {
  /** @param {Engine} engine @param {Record<string, Parameter>} [parameters] */
  constructor(engine, parameters) {
    super(engine)
    const given = parameters ?? {}
    expect(given !== null && typeof given === 'object' && !Array.isArray(given), 'type',
      () => `ParameterDict: parameters must be an object of parameters by name, got ${describe(parameters)}`)
    for (const [name, parameter] of Object.entries(given)) this.set(name, parameter)
  }

  /** The number of parameters. */
  get length() {
    return parametersOf(this).length
  }

  /** Adds or replaces a parameter. @param {string} name @param {Parameter} parameter @returns {this} */
  set(name, parameter) {
    const isName = typeof name === 'string' && name !== '' && !name.includes('.')
    expect(isName, 'range', () => `ParameterDict: the name of a parameter must be a string without dots, got ${describe(name)}`)
    expect(!(name in this) || this.has(name), 'range', () => `ParameterDict: ${name} is a property of all modules; choose another name`)
    return Object.assign(this, { [name]: expectParameter('ParameterDict', parameter, name) })
  }

  /** The parameter with a name; 'index' if there is none. @param {string} name @returns {any} */
  get(name) {
    expect(this.has(name), 'index', () => `ParameterDict: there is no parameter ${describe(name)}, only ${this.keys().join(', ')}`)
    return /** @type {any} */ (this)[name]
  }

  /** @returns {string} */
  extraRepr() {
    return formatParameters(this, () => 'torch.FloatTensor')
  }

  /** Whether there is a parameter with a name. @param {string} name */
  has(name) {
    return this.keys().includes(name)
  }

  /** The names. @returns {string[]} */
  keys() {
    return parametersOf(this).map(([name]) => name)
  }

  /** The parameters. @returns {Parameter[]} */
  values() {
    return parametersOf(this).map(([, parameter]) => parameter)
  }

  /** Names and parameters. @returns {[string, Parameter][]} */
  items() {
    return parametersOf(this)
  }
}
