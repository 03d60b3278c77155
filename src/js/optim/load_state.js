import { describe, expect, expectInteger, expectNumber, isPlain } from '../errors.js'
import { to } from '../ops/convert.js'
import { tensor as makeTensor } from '../tensor/from_values.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { disposeTensors } from './dispose_tensors.js'

/** @import { Optimizer, OptimizerState } from './optimizer.js' */

/**
 * Checks and copies a state without changing anything: `commit` puts it in place, `cancel` frees the copies.
 * @param {Optimizer} optimizer @param {OptimizerState} state @param {string} name of the optimizer
 * @param {(options: any) => Record<string, any>} check returns the options of a group with defaults, or throws
 * @returns {{ commit(): void, cancel(): void }}
 */
export function prepareLoad(optimizer, state, name, check) {
  const where = `${name}: loadStateDict`, { params } = optimizer
  expect(isPlain(state) && isPlain(state.state) && Array.isArray(state.paramGroups), 'type',
    () => `${where}: state must be { state, paramGroups }, got ${describe(state)}`)
  state.paramGroups.forEach((group, i) => expect(isPlain(group) && Array.isArray(group.params), 'type',
    () => `${where}: paramGroups[${i}] must be an object with params, a list of numbers, got ${describe(group)}`))
  const sizes = (/** @type {any[]} */ groups) => groups.map(group => group.params.length).join()
  expect(sizes(state.paramGroups) === sizes(optimizer.paramGroups), 'shape', () => `${where}: groups must have ` +
    `${sizes(optimizer.paramGroups)} parameters, got ${sizes(state.paramGroups)}`)
  const groups = state.paramGroups.map(({ params: _, initialLr, ...options }) => ({
    ...check(options),
    ...(initialLr === undefined ? {} : { initialLr: expectNumber(where, 'initialLr', initialLr, 'a number >= 0', v => v >= 0) })
  }))
  const groupOf = new Map(optimizer.paramGroups.flatMap((group, i) => group.params.map(param => [param, groups[i]])))
  /** @type {Map<Tensor, any>} */ const loaded = new Map()
  const cancel = () => { for (const values of loaded.values()) disposeTensors(values) }
  try {
    for (const [i, values] of Object.entries(state.state)) {
      const param = params[Number(i)]
      expect(Boolean(param), 'index', () => `${where}: there is no parameter ${i}, only ${params.length}`)
      loaded.set(param, {})
      copyState(loaded.get(param), where, param, i, values, optimizer.getStateNames(groupOf.get(param)))
    }
  } catch (error) {
    cancel()
    throw error
  }
  const commit = () => {
    optimizer.dispose()
    for (const [param, values] of loaded) optimizer.state.set(param, values)
    optimizer.paramGroups.forEach((group, i) => Object.assign(group, groups[i]))
  }
  return { commit, cancel }
}

/**
 * Copies the state of one parameter into `out`, value by value, so that the caller can free what an error leaves.
 * @param {Record<string, any>} out @param {string} where @param {Tensor} param @param {string} i
 * @param {Record<string, any>} values @param {readonly string[]} expected names of the state; empty: any
 */
function copyState(out, where, param, i, values, expected) {
  expect(isPlain(values), 'type', () => `${where}: state[${i}] must be an object with ${expected.join(', ')}, got ${describe(values)}`)
  const { engine } = param, names = Object.keys(values)
  const isComplete = names.length === expected.length && expected.every(name => names.includes(name))
  expect(isComplete || !expected.length, 'type',
    () => `${where}: state[${i}] must have ${expected.join(', ')}, got ${names.join(', ') || 'nothing'}`)
  for (const [name, value] of Object.entries(values)) {
    if (name === 'step') {
      out.step = expectInteger(where, `state[${i}].step`, value)
      continue
    }
    const from = value instanceof Tensor ? value : makeTensor(engine, value, {}, `${where}: state[${i}].${name}`)
    expect(!from.disposed, 'state', () => `${where}: state[${i}].${name} was disposed`)
    expect(sameShape(from.shape, param.shape), 'shape',
      () => `${where}: state[${i}].${name} must be like its parameter, ${describe(param)}; got ${describe(from)}`)
    const values = from.dtype === 'float32' ? null : from.engine.tidy(() => to(from, 'float32').values.slice())
    out[name] = engine.keep(engine.empty(param.shape))
    out[name].values.set(values ?? from.values)
  }
}
