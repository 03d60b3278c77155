import { describe, distance, expect, isPlain } from '../errors.js'
import { getFirstLeaf } from '../from_values.js'
import { Module } from '../nn/module.js'
import { Cache } from '../ops/attention_cache.js'
import { toIdTensor } from '../ops/checks.js'
import { Tensor } from '../tensor.js'

/**
 * What a model is called with for an export: which of it goes into the graph from outside, and under which name.
 *
 * @typedef {import('../engine.js').Engine} Engine
 * @typedef {{ name: string, tensor: Tensor }} Fed
 * @typedef {Tensor | readonly any[] | Record<string, any>} Inputs
 */

/** Letters that a name may be off by and still be meant. */
const MOST_SLIPS = 2

/** Options whose nested numbers are added to scores, and are no ids. */
const ADDED = /^(attnMask|mask|srcMask|tgtMask|memoryMask)$/

/** Whether a value is one argument: a tensor, or nested arrays of numbers or booleans. @param {unknown} value */
const isOne = value => value instanceof Tensor || (Array.isArray(value) && !isPlain(getFirstLeaf(value)) &&
  !(getFirstLeaf(value) instanceof Tensor))

/**
 * Arguments with their names, null for what is passed on and no input.
 * @param {string} where @param {Module} model @param {unknown} inputs
 * @returns {{ positions: [string, any][], options: [string, any][] | null }}
 */
function sorted(where, model, inputs) {
  const { length } = Object.getPrototypeOf(model).forward
  const { inputNames } = /** @type {typeof Module} */ (model.constructor)
  const isNamed = inputNames !== Module.inputNames, names = isNamed ? inputNames.slice(0, length) : ['source', 'target']
  const isDeep = Array.isArray(inputs) && Array.isArray(inputs[0]) && Array.isArray(inputs[0][0])
  expect(!(isOne(inputs) && isDeep && length > 1), 'type', () =>
    `${where}: inputs is one nested list, which is one input, and forward of ${model.constructor.name} takes ${length}; ` +
    `give them ${isNamed ? 'by name' : 'in their order, by names of your own'}, such as ` +
    `{ ${names.map(name => `${name}: …`).join(', ')} }`)
  if (isOne(inputs)) return { positions: [['input', inputs]], options: null }
  if (Array.isArray(inputs)) return { positions: inputs.map((value, i) => [`input_${i}`, value]), options: null }
  expect(isPlain(inputs), 'type', () => `${where}: inputs must be a tensor, nested ids, or a list or an object of them, ` +
    `got ${describe(inputs)}`)
  const entries = Object.entries(inputs)
  if (!isNamed) return { positions: entries, options: null }
  const missing = inputNames.filter(name => !Object.hasOwn(inputs, name))
  for (const [name] of entries) if (!inputNames.includes(name)) {
    const meant = missing.find(one => distance(one, name) <= MOST_SLIPS)
    expect(!meant, 'type', () => `${where}: ${model.constructor.name} has no input ${describe(name)}; did you mean ` +
      `${meant}? Its inputs are ${inputNames.join(', ')}`)
  }
  const last = inputNames.findLastIndex(name => Object.hasOwn(inputs, name))
  return {
    positions: inputNames.slice(0, last + 1).map(name => [name, /** @type {any} */ (inputs)[name]]),
    options: entries.filter(([name]) => !inputNames.includes(name))
  }
}

/**
 * The arguments of forward, and which of them are inputs: tensors and nested ids. What is neither (true, a number, a
 * mask in nested lists, an object of options) is passed on as it is.
 * @param {string} where @param {Engine} engine @param {Module} model @param {unknown} inputs
 * @returns {{ inputs: Fed[], args: any[] }}
 */
export function inputsOf(where, engine, model, inputs) {
  /** @type {Fed[]} */ const fed = []
  /** @param {string} name @param {any} value */
  const given = (name, value) => {
    const isTensor = value instanceof Tensor, isIds = Array.isArray(value) && typeof getFirstLeaf(value) === 'number'
    if (!isTensor && !isIds) return value
    const tensor = isTensor ? value : toIdTensor(engine, where, name, value)
    // The same tensor may be given twice, as query and as key, and is then two inputs.
    const own = fed.some(other => other.tensor === tensor) ? engine.view(tensor, tensor.shape) : tensor
    fed.push({ name, tensor: own })
    return own
  }
  const { positions, options } = sorted(where, model, inputs)
  const args = positions.map(([name, value]) => given(name, value))
  expect(!options?.some(([, value]) => value instanceof Cache), 'type', () => `${where}: cache must be left out: an export ` +
    'is one forward, without earlier passes')
  const isAdded = (/** @type {string} */ name, /** @type {unknown} */ value) => Array.isArray(value) && ADDED.test(name)
  const rest = options?.map(([name, value]) => [name, isAdded(name, value) ? value : given(name, value)]) ?? []
  const { inputNames } = /** @type {typeof Module} */ (model.constructor)
  if (rest.length) args.push(...inputNames.slice(args.length).map(() => undefined), Object.fromEntries(rest))
  expect(fed.length > 0, 'type', () => `${where}: inputs must have a tensor or nested ids among them, got ${describe(inputs)}`)
  return { inputs: fed, args }
}
