/**
 * The graph of a run: the step that computed each tensor, the steps that use it, and their path in
 * the model.
 */

import { CONTAINERS, LAYER_LIST } from './roles.js'

/** @import { Called, KnownTensor, Run, Step } from '../types.d.ts' */

/**
 * @typedef {object} ModulePath the module that computed something
 * @property {string} id the attributes on the path to it, joined by dots, without those of containers
 * @property {number} [layer] its number in the outermost list
 * @property {number} [item] its number in an inner list, such as that of the experts of a layer
 * @property {string[]} types classes of the module that computed it
 * @property {{ types: string[], name: string }[]} ancestors the enclosing modules, outermost first
 */

/** @typedef {ReturnType<typeof graphOf>} Graph */

/** @param {Pick<Run, 'steps' | 'calls' | 'tensors'>} run */
export function graphOf(run) {
  // Ids and indices are computed, too, but are not described.
  const steps = run.steps.filter(({ isView, outputs }) => (
    !isView && Object.values(outputs).every(name => run.tensors.has(name))))
  const viewInputs = new Map(run.steps.filter(({ isView }) => isView)
    .map(({ inputs, outputs }) => [Object.values(outputs)[0], Object.values(inputs)[0]]))
  /** The tensor that a view reads, or the tensor itself. @param {string} name @returns {string} */
  const viewSource = name => {
    const from = viewInputs.get(name)
    return from === undefined ? name : viewSource(from)
  }
  const makers = new Map(steps.flatMap(step => Object.values(step.outputs).map(name => [name, step])))
  /** @type {Map<string, Step[]>} */ const users = new Map()
  /** @param {string} name */
  const inputsOf = name => run.tensors.get(name)?.inputs ?? {}
  /** The inputs of a step, by the symbols of its formula. */
  const reads = new Map(steps.map(step => [
    step, Object.fromEntries(Object.entries(step.inputs).map(([key, name]) => [key, viewSource(name)]))
  ]))
  /** @param {Step} step */
  const read = step => /** @type {Record<string, string>} */ (reads.get(step))
  for (const step of steps) {
    for (const from of new Set(Object.values(read(step)))) users.set(from, [...users.get(from) ?? [], step])
  }

  /** @type {Map<number, ModulePath>} */ const paths = new Map()
  /** @param {number} call @returns {ModulePath} */
  function pathOf(call) {
    const cached = paths.get(call)
    if (cached) return cached
    const path = findPath(call)
    paths.set(call, path)
    return path
  }
  /** @param {number} call @returns {ModulePath} */
  function findPath(call) {
    /** @type {Called[]} */ const chain = []
    for (let at = call; at >= 0; at = run.calls[at].parent) chain.unshift(run.calls[at])
    const attributes = chain.flatMap(item => item.way)
    let isContainer = false
    /** @type {string[]} */ const names = []
    /** @type {number | undefined} */ let layer, /** @type {number | undefined} */ item
    attributes.forEach(({ name, types }, i) => {
      const isItem = i > 0 && attributes[i - 1].types.includes(LAYER_LIST)
      if (isItem && layer !== undefined) item = Number(name)
      if (isItem) layer ??= Number(name)
      isContainer = types.some(type => CONTAINERS.includes(type))
      if (!isContainer) names.push(name)
    })
    const last = chain.at(-1)
    return { id: names.join('.'), layer, item, types: last?.types ?? [], ancestors: attributes }
  }

  /** @type {Map<string, Set<string>>} */ const lineages = new Map()
  /** Everything that a tensor was computed from. @param {string} name @returns {Set<string>} */
  function ancestors(name) {
    const cached = lineages.get(name)
    if (cached) return cached
    const lineage = new Set([name])
    for (const ancestor of lineage) {
      const maker = makers.get(ancestor)
      for (const from of Object.values(maker ? read(maker) : inputsOf(ancestor))) lineage.add(from)
    }
    lineages.set(name, lineage)
    return lineage
  }

  return {
    steps, placeOf: pathOf, ancestors, read,
    makerOf: (/** @type {string} */ name) => makers.get(name),
    usersOf: (/** @type {string} */ name) => users.get(name) ?? [],
    describe: (/** @type {string} */ name) => /** @type {KnownTensor} */ (run.tensors.get(name))
  }
}
