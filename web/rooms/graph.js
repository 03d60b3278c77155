/**
 * A run's computation as rooms are derived from it: who made a tensor, who uses it, and where in the model that was.
 */

import { HOLDERS, LIST } from './roles.js'

/**
 * @typedef {object} Place where in the model something was computed
 * @property {string} id attributes on the way to it, without those that only hold others
 * @property {number} [layer] its number in the innermost list
 * @property {string[]} types classes of the module that computed it
 * @property {{ types: string[], name: string }[]} around the modules around it, outermost first
 */

/** @param {object} run plain data */
export function graphOf(run) {
  const steps = run.steps.filter(({ isView }) => !isView)
  const shown = new Map(run.steps.filter(({ isView }) => isView)
    .map(({ inputs, outputs }) => [Object.values(outputs)[0], Object.values(inputs)[0]]))
  /** The tensor whose cells a view shows, or the tensor itself. */
  const behind = name => (shown.has(name) ? behind(shown.get(name)) : name)
  const makers = new Map(steps.flatMap(step => Object.values(step.outputs).map(name => [name, step])))
  const users = new Map()
  const inputsOf = name => run.tensors.get(name)?.inputs ?? {}
  /** What a step reads, by the names of its formula. */
  const reads = new Map(steps.map(step => [
    step, Object.fromEntries(Object.entries(step.inputs).map(([key, name]) => [key, behind(name)]))
  ]))
  const read = step => reads.get(step)
  for (const step of steps) {
    for (const from of new Set(Object.values(read(step)))) users.set(from, [...users.get(from) ?? [], step])
  }

  const places = new Map()
  /** @param {number} call @returns {Place} */
  function placeOf(call) {
    if (!places.has(call)) places.set(call, findPlace(call))
    return places.get(call)
  }
  function findPlace(call) {
    const chain = []
    for (let at = call; at >= 0; at = run.calls[at].parent) chain.unshift(run.calls[at])
    const way = chain.flatMap(one => one.way)
    let held = false
    const names = []
    let layer
    way.forEach(({ name, types }, i) => {
      const isItem = i > 0 && way[i - 1].types.includes(LIST)
      if (isItem) layer = Number(name)
      held = types.some(type => HOLDERS.includes(type))
      if (!held) names.push(name)
    })
    const last = chain.at(-1)
    return { id: names.join('.'), layer, types: last?.types ?? [], around: way }
  }

  const lineages = new Map()
  /** Everything that a tensor was computed from. @param {string} name @returns {Set<string>} */
  function ancestors(name) {
    if (lineages.has(name)) return lineages.get(name)
    const seen = new Set([name])
    for (const one of seen) {
      const maker = makers.get(one)
      for (const from of Object.values(maker ? read(maker) : inputsOf(one))) seen.add(from)
    }
    lineages.set(name, seen)
    return seen
  }

  return {
    steps, placeOf, ancestors, read,
    makerOf: name => makers.get(name),
    usersOf: name => users.get(name) ?? [],
    described: name => run.tensors.get(name)
  }
}
