/** The rooms of a mixture of experts: who computes a token, and how the results are added. */

import { joinPath } from './graph_queries.js'

/** @import { Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, RoomContext } from './graph_queries.js' */

/** The name of the last axis. @param {Graph} graph @param {string} name */
export const lastAxis = (graph, name) => graph.describe(name)?.axes.at(-1)?.name

/** Whether a step computes the probabilities of experts. @param {Graph} graph @param {Step} step */
export const isRouter = (graph, step) => step.op === 'softmax' && lastAxis(graph, step.outputs.out) === 'expert'

/**
 * The steps from a router's probabilities to the weights of the chosen experts: their choice, and perhaps a division by
 * the sum.
 * @param {Graph} graph @param {Step} router
 */
function choiceOf(graph, router) {
  const chosen = graph.usersOf(router.outputs.out).find(({ op }) => op === 'gather')
  if (!chosen) return null
  const users = graph.usersOf(chosen.outputs.out), sum = users.find(({ op }) => op === 'sum')
  const quotient = sum && users.find(step => step.op === 'div' && graph.read(step).b === sum.outputs.out)
  return { chosen, weights: quotient ?? chosen, steps: [...new Set([chosen, ...(quotient ? [sum, quotient] : [])])] }
}

/**
 * The room of a router: probabilities of all experts, and the weights of those that were chosen.
 * @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'experts'>[]}
 */
export function routerRooms(graph, step, context) {
  const choice = choiceOf(graph, step), { x } = graph.read(step), { out: router } = step.outputs
  if (!choice) return []
  const { chosen, weights, steps } = choice
  const tensors = [weights, ...steps.filter(own => own !== weights)].map(({ outputs }) => outputs.out)
  return [{
    ...context.room(joinPath(context.place.id, 'router'), 'experts', [...tensors, router]), block: 'feed_forward', isFloor: true,
    parts: {
      scores: x, router, chosen: chosen.outputs.out, weights: weights.outputs.out,
      index: /** @type {number[][]} */ (chosen.parameters.index)
    }
  }]
}

/** The steps that belong to the room of a router. @param {Graph} graph @param {Step} step */
export const routerSteps = (graph, step) => choiceOf(graph, step)?.steps ?? []

/**
 * The number of the expert that a step between experts belongs to, from the modules beside it.
 * @param {Graph} graph @param {Step} step @returns {number | undefined}
 */
export function expertOf(graph, step) {
  const own = graph.placeOf(step.call).item
  if (own !== undefined) return own
  const makers = step.op === 'index_select' ? graph.usersOf(step.outputs.out)
    : Object.values(graph.read(step)).map(name => graph.makerOf(name))
  for (const maker of makers) {
    if (!maker) continue
    const { item } = graph.placeOf(maker.call)
    if (item !== undefined) return item
    if (step.op === 'scatter_add' && maker.op === 'mul') return expertOf(graph, maker)
  }
  return undefined
}

/**
 * Whether a step takes the weights of an expert from those of all.
 * @param {Graph} graph @param {Step | undefined} step
 */
export const isExpertWeight = (graph, step) => step?.op === 'index_select' &&
  ['gather', 'div'].includes(graph.makerOf(graph.read(step).x)?.op ?? '')
