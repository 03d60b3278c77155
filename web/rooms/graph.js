/**
 * A run's computation as rooms are derived from it: which step made a tensor, which steps use it, and where in
 * the model.
 */

import { HOLDERS, LIST } from './roles.js'

/** @import { Called, KnownTensor, Run, Step } from '../types.d.ts' */

/**
 * @typedef {object} Place where in the model something was computed
 * @property {string} id the attributes on the way to it, without those of containers
 * @property {number} [layer] its number in the innermost list
 * @property {string[]} types classes of the module that computed it
 * @property {{ types: string[], name: string }[]} around the enclosing modules, outermost first
 */

/** @typedef {ReturnType<typeof graphOf>} Graph */

/** @param {Pick<Run, 'steps' | 'calls' | 'tensors'>} run */
export function graphOf(run) {
  const steps = run.steps.filter(({ isView }) => !isView)
  const viewed = new Map(run.steps.filter(({ isView }) => isView)
    .map(({ inputs, outputs }) => [Object.values(outputs)[0], Object.values(inputs)[0]]))
  /** The tensor that a view reads, or the tensor itself. @param {string} name @returns {string} */
  const behind = name => {
    const from = viewed.get(name)
    return from === undefined ? name : behind(from)
  }
  const makers = new Map(steps.flatMap(step => Object.values(step.outputs).map(name => [name, step])))
  /** @type {Map<string, Step[]>} */ const users = new Map()
  /** @param {string} name */
  const inputsOf = name => run.tensors.get(name)?.inputs ?? {}
  /** The inputs of a step, by the symbols of its formula. */
  const reads = new Map(steps.map(step => [
    step, Object.fromEntries(Object.entries(step.inputs).map(([key, name]) => [key, behind(name)]))
  ]))
  /** @param {Step} step */
  const read = step => /** @type {Record<string, string>} */ (reads.get(step))
  for (const step of steps) {
    for (const from of new Set(Object.values(read(step)))) users.set(from, [...users.get(from) ?? [], step])
  }

  /** @type {Map<number, Place>} */ const places = new Map()
  /** @param {number} call @returns {Place} */
  function placeOf(call) {
    const known = places.get(call)
    if (known) return known
    const place = findPlace(call)
    places.set(call, place)
    return place
  }
  /** @param {number} call @returns {Place} */
  function findPlace(call) {
    /** @type {Called[]} */ const chain = []
    for (let at = call; at >= 0; at = run.calls[at].parent) chain.unshift(run.calls[at])
    const way = chain.flatMap(one => one.way)
    let isContainer = false
    /** @type {string[]} */ const names = []
    /** @type {number | undefined} */ let layer
    way.forEach(({ name, types }, i) => {
      const isItem = i > 0 && way[i - 1].types.includes(LIST)
      if (isItem) layer = Number(name)
      isContainer = types.some(type => HOLDERS.includes(type))
      if (!isContainer) names.push(name)
    })
    const last = chain.at(-1)
    return { id: names.join('.'), layer, types: last?.types ?? [], around: way }
  }

  /** @type {Map<string, Set<string>>} */ const lineages = new Map()
  /** Everything that a tensor was computed from. @param {string} name @returns {Set<string>} */
  function ancestors(name) {
    const known = lineages.get(name)
    if (known) return known
    const lineage = new Set([name])
    for (const one of lineage) {
      const maker = makers.get(one)
      for (const from of Object.values(maker ? read(maker) : inputsOf(one))) lineage.add(from)
    }
    lineages.set(name, lineage)
    return lineage
  }

  return {
    steps, placeOf, ancestors, read,
    makerOf: (/** @type {string} */ name) => makers.get(name),
    usersOf: (/** @type {string} */ name) => users.get(name) ?? [],
    described: (/** @type {string} */ name) => /** @type {KnownTensor} */ (run.tensors.get(name))
  }
}
