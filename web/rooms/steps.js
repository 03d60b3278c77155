/** The rooms of one step of a run, or the other room that it belongs to. */

import { attentionRooms, biasSteps, kindOfAttention } from './attention.js'
import { embeddingRooms, positionRooms } from './entry.js'
import { expertOf, isExpertWeight, isRouter, routerRooms, routerSteps } from './experts.js'
import { addsPositions, isBiasOfDistance, projectedFrom, projection, relativeBiasOf } from './graph_queries.js'
import { blockOfSingle, dropoutRoom, gainStep, linearRoom, normRoom, residualOf } from './layers.js'
import { activationRoom, answerRoom, isAnswer, operationRoom } from './operation.js'
import { ATTENTION, QUERY_KEY_WORDS } from './roles.js'

/** @import { Run, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, RoomContext, Towers } from './graph_queries.js' */

/**
 * What is known of a run before its rooms are derived.
 * @typedef {object} Analysis
 * @property {Run} run
 * @property {Graph} graph
 * @property {Towers} towers
 * @property {(step: Step) => boolean} isAfterAttention whether a step follows an attention of its tower
 * @property {(step: Step) => boolean} isAttending whether a step belongs to a module that attends by single operations:
 *   a softmax over the keys of every head
 */

/**
 * The context of a step.
 * @param {Analysis} analysis @param {Step} step @param {readonly Draft[]} before the rooms of earlier steps
 * @returns {RoomContext}
 */
export function contextOf({ run, graph, towers, isAfterAttention }, step, before) {
  const place = graph.placeOf(step.call), expert = expertOf(graph, step)
  const tower = towers.nameOf(Object.values(step.outputs)[0])
  const at = { tower, layer: place.layer, ...(expert !== undefined && { expert }) }
  return {
    place, towers, ...at, isAfterAttention: isAfterAttention(step),
    stream: of => (of === undefined ? undefined : run.streams[of]),
    isNew: name => !before.some(({ tensors }) => tensors.includes(name)),
    room: (id, stage, tensors) => ({ id: id || stage, stage, words: stage, tensors, ...at, parts: {} })
  }
}

/**
 * The steps that the rooms of an attention contain: projections, dropped weights, the origin of a bias.
 * @param {Graph} graph @param {Step} attention @returns {(Step | undefined)[]}
 */
function stepsOfAttention(graph, attention) {
  const { q, k, v, mask: bias } = graph.read(attention), { out, weights } = attention.outputs
  const projected = [q, k, v].map(name => projectedFrom(graph, name))
  const hasAll = projected.every(({ name }) => projection(graph, name))
  const hasBiasOfDistance = bias && isBiasOfDistance(graph, bias) && !relativeBiasOf(graph, bias)
  return [
    ...(hasAll ? projected.flatMap(({ name, steps }) => [graph.makerOf(name), ...steps]) : []),
    graph.usersOf(out).find(user => user.op === 'linear'), ...graph.usersOf(weights),
    ...(hasBiasOfDistance ? biasSteps(graph, bias) : []),
    ...(relativeBiasOf(graph, bias)?.transposed ?? []).map(name => graph.makerOf(name))
  ]
}

/**
 * The steps without rooms of their own: those in the room of an attention, a norm, a router or an expert, and the loss.
 * @param {Graph} graph
 */
export const stepsInOtherRooms = graph => new Set(graph.steps.flatMap(step => {
  if (step.op === 'attention') return stepsOfAttention(graph, step)
  if (step.kind === 'norm') {
    const residual = residualOf(graph, step)
    return [gainStep(graph, step), residual ? graph.makerOf(residual.sum) : undefined]
  }
  if (isRouter(graph, step)) return routerSteps(graph, step)
  return step.op === 'cross_entropy' || isExpertWeight(graph, step) ? [step] : []
}))

/**
 * The rooms of a step that normalizes or limits queries or keys.
 * @param {Analysis} analysis @param {Step} step @param {Step} attention @param {readonly Draft[]} before
 * @returns {Draft[]}
 */
function adjustmentRooms(analysis, step, attention, before) {
  const { graph, towers } = analysis, { layer } = graph.placeOf(attention.call)
  const { block } = ATTENTION[kindOfAttention(graph, attention, graph.placeOf(attention.call), towers)]
  return roomsByKind(analysis, step, before).map(room => ({ ...room, layer, block, blockOf: undefined, isFloor: false,
    words: QUERY_KEY_WORDS[step.op] ?? room.words }))
}

/**
 * The rooms of a step, by the kind of its operation.
 * @param {Analysis} analysis @param {Step} step @param {readonly Draft[]} before @returns {Draft[]}
 */
function roomsByKind(analysis, step, before) {
  const { graph } = analysis, context = contextOf(analysis, step, before)
  if (step.op === 'attention') {
    return attentionRooms(graph, step, context, between => adjustmentRooms(analysis, between, step, before))
  }
  if (step.op === 'embedding') return embeddingRooms(graph, step, context)
  if (addsPositions(graph, step)) return positionRooms(graph, step, context)
  if (step.kind === 'norm') return [normRoom(graph, step, context)]
  if (step.op === 'linear') return [linearRoom(graph, step, context)]
  if (isRouter(graph, step)) return routerRooms(graph, step, context)
  if (isAnswer(graph, step)) return [answerRoom(graph, step, context)]
  if (step.op === 'dropout') return [dropoutRoom(graph, step, context)]
  return [step.kind === 'activation' ? activationRoom(graph, step, context) : operationRoom(graph, step, context)]
}

/**
 * The rooms of a step, in the block of the attention that it belongs to.
 * @param {Analysis} analysis @param {Step} step @param {readonly Draft[]} before the rooms of earlier steps
 * @returns {Draft[]}
 */
export function roomsOfStep(analysis, step, before) {
  const { graph, towers: { mask }, isAttending } = analysis, rooms = roomsByKind(analysis, step, before)
  if (step.op === 'attention' || !isAttending(step)) return rooms
  const addsMask = step.op === 'add' && mask === 'causal' && Object.values(graph.read(step)).some(name => !graph.makerOf(name))
  return rooms.map(room => ({ ...room, block: blockOfSingle(mask), blockOf: undefined, ...(addsMask && { words: 'causal' }) }))
}
