import { describe, editDistance, expect, isPlain } from '../errors.js'
import { getFirstLeaf } from '../tensor/from_values.js'
import { Module } from '../nn/module.js'
import { Cache } from '../ops/attention_cache.js'
import { toIdTensor } from '../ops/checks.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * The arguments of forward for an export: which of them are inputs of the graph, and under which names.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {{ name: string, tensor: Tensor }} GraphInput
 * @typedef {Tensor | readonly any[] | Record<string, any>} Inputs
 */

/** Maximum edit distance of a name from the name that is suggested instead. */
const MAX_TYPO_DISTANCE = 2

/** Options whose nested numbers are added to attention scores and must not be read as ids. */
const ADDITIVE_MASKS = /^(attnMask|mask|srcMask|tgtMask|memoryMask)$/

/** Whether a value is a single argument: a tensor, or nested arrays of numbers or booleans. @param {unknown} value */
const isSingleArgument = value => value instanceof Tensor || (Array.isArray(value) && !isPlain(getFirstLeaf(value)) &&
  !(getFirstLeaf(value) instanceof Tensor))

/**
 * Splits the inputs into positional arguments and options, with their names.
 * @param {string} where @param {Module} model @param {unknown} inputs
 * @returns {{ positional: [string, any][], options: [string, any][] | null }}
 */
function splitArguments(where, model, inputs) {
  const { length } = Object.getPrototypeOf(model).forward
  const { inputNames } = /** @type {typeof Module} */ (model.constructor)
  const classNamesInputs = inputNames !== Module.inputNames
  const names = classNamesInputs ? inputNames.slice(0, length) : ['source', 'target']
  const howToPass = classNamesInputs ? 'the inputs by name' :
    "an object with one entry for each input, in the order of forward's parameters (the names are free)"
  const isDeeplyNested = Array.isArray(inputs) && Array.isArray(inputs[0]) && Array.isArray(inputs[0][0])
  expect(!(isSingleArgument(inputs) && isDeeplyNested && length > 1), 'type', () =>
    `${where}: inputs is one nested list, which is one input, but forward of ${model.constructor.name} takes ${length}; ` +
    `pass ${howToPass}, such as { ${names.map(name => `${name}: …`).join(', ')} }`)
  if (isSingleArgument(inputs)) return { positional: [['input', inputs]], options: null }
  if (Array.isArray(inputs)) return { positional: inputs.map((value, i) => [`input_${i}`, value]), options: null }
  expect(isPlain(inputs), 'type', () => `${where}: inputs must be a tensor, nested ids, or a list or an object of them, ` +
    `got ${describe(inputs)}`)
  const entries = Object.entries(inputs)
  if (!classNamesInputs) return { positional: entries, options: null }
  const missing = inputNames.filter(name => !Object.hasOwn(inputs, name))
  for (const [name] of entries) if (!inputNames.includes(name)) {
    const suggestion = missing.find(candidate => editDistance(candidate, name) <= MAX_TYPO_DISTANCE)
    expect(!suggestion, 'type', () => `${where}: ${model.constructor.name} has no input ${describe(name)}; did you mean ` +
      `${suggestion}? Its inputs are ${inputNames.join(', ')}`)
  }
  const last = inputNames.findLastIndex(name => Object.hasOwn(inputs, name))
  return {
    positional: inputNames.slice(0, last + 1).map(name => [name, /** @type {any} */ (inputs)[name]]),
    options: entries.filter(([name]) => !inputNames.includes(name))
  }
}

/**
 * The arguments of forward, and which of them are inputs: tensors and nested ids. Other values (true, a number, a mask
 * in nested lists, an object of options) are passed on unchanged.
 * @param {string} where @param {Engine} engine @param {Module} model @param {unknown} inputs
 * @returns {{ inputs: GraphInput[], args: any[] }}
 */
export function prepareInputs(where, engine, model, inputs) {
  /** @type {GraphInput[]} */ const graphInputs = []
  /** @param {string} name @param {any} value */
  const addInput = (name, value) => {
    const isTensor = value instanceof Tensor, isIds = Array.isArray(value) && typeof getFirstLeaf(value) === 'number'
    if (!isTensor && !isIds) return value
    const tensor = isTensor ? value : toIdTensor(engine, where, name, value)
    // The same tensor may be passed twice, such as query and key; then it is two inputs.
    const distinct = graphInputs.some(other => other.tensor === tensor) ? engine.view(tensor, tensor.shape) : tensor
    graphInputs.push({ name, tensor: distinct })
    return distinct
  }
  const { positional, options } = splitArguments(where, model, inputs)
  const args = positional.map(([name, value]) => addInput(name, value))
  expect(!options?.some(([, value]) => value instanceof Cache), 'type', () => `${where}: cache must be left out: an export ` +
    'is one forward pass without earlier ones')
  const isAdditiveMask = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    Array.isArray(value) && ADDITIVE_MASKS.test(name)
  const rest = options?.map(([name, value]) =>
    [name, isAdditiveMask(name, value) ? value : addInput(name, value)]) ?? []
  const { inputNames } = /** @type {typeof Module} */ (model.constructor)
  if (rest.length) args.push(...inputNames.slice(args.length).map(() => undefined), Object.fromEntries(rest))
  expect(graphInputs.length > 0, 'type', () => `${where}: inputs must contain a tensor or nested ids, got ${describe(inputs)}`)
  return { inputs: graphInputs, args }
}
