/**
 * The room of a single operation: an activation, the answer of a classification head, or one without a stage of its
 * own.
 */

import { expertOf, isExpertWeight, lastAxis } from './experts.js'
import { addedTable, isGate, isSumOfStreams, joinPath } from './graph_queries.js'
import { isPooled, isResidual } from './layers.js'
import { GATE_CONTROLS, OPERATION_WORDS } from './roles.js'

/** @import { Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, RoomContext } from './graph_queries.js' */

/**
 * The block of a step that is no attention. Outside the layers, the entry of a tower ends with its first attention.
 * @param {RoomContext} context
 */
function blockBeside({ layer, isAfterAttention }) {
  if (layer !== undefined) return 'feed_forward'
  return isAfterAttention ? 'exit' : 'entry'
}

/** The number of heads that a tensor has axes for. @param {Graph} graph @param {string} name */
function headCountOf(graph, name) {
  const { axes, shape } = graph.describe(name), sides = shape.filter((_, i) => axes[i].name === 'head')
  return sides.length ? { heads: sides.reduce((product, side) => product * side, 1) } : {}
}

/**
 * Whether a tanh limits scores or logits: it is divided by a number before and multiplied by one after.
 * @param {Graph} graph @param {Step} step
 */
function isSoftCap(graph, step) {
  const isFactor = (/** @type {Step | undefined} */ own) => own?.op === 'mul' && typeof own.parameters.number === 'number'
  return step.op === 'tanh' && isFactor(graph.makerOf(graph.read(step).x)) && graph.usersOf(step.outputs.out).some(isFactor)
}

/** @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'activation'>} */
export function activationRoom(graph, step, context) {
  const { op, outputs: { out } } = step
  const isGating = graph.usersOf(out).some(user => isGate(graph, user))
  return {
    ...context.room(joinPath(context.place.id, 'activation'), 'activation', [out]), block: blockBeside(context),
    parts: { before: graph.read(step).x, after: out, kind: op, ...headCountOf(graph, out) },
    words: isSoftCap(graph, step) ? 'softCap' : isGating ? 'gateActivation' : isPooled(graph, out) ? 'poolerActivation' : 'activation'
  }
}

/**
 * Whether a step computes the probabilities of a classification head: of labels, or of positions for each label; with a
 * sigmoid each is decided by itself.
 * @param {Graph} graph @param {Step} step
 */
export function isAnswer(graph, { op, outputs: { out } }) {
  const hasLabels = graph.describe(out)?.axes.some(({ name }) => name === 'label')
  return graph.usersOf(out).length === 0 && (op === 'sigmoid' || (op === 'softmax' && Boolean(hasLabels)))
}

/** @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'labels'>} */
export const answerRoom = (graph, step, { room }) => ({
  ...room('labels', 'labels', [step.outputs.out]), block: 'exit', isFloor: true,
  words: lastAxis(graph, step.outputs.out) !== 'token' ? 'labels' : step.op === 'softmax' ? 'span' : 'replaced',
  parts: { scores: graph.read(step).x, probabilities: step.outputs.out }
})

/**
 * The texts of an operation without a stage of its own: a sum at the entry, a scale.
 * @param {Graph} graph @param {Step} step @returns {Partial<Draft>}
 */
function operationWords(graph, step) {
  const placed = addedTable(graph, step), { number } = step.parameters
  if (step.op in OPERATION_WORDS) return { words: OPERATION_WORDS[step.op] }
  if (!placed && step.op === 'add' && isSumOfStreams(graph, step)) return { words: 'residualSum' }
  if (step.op === 'mul' && expertOf(graph, step) !== undefined && !isGate(graph, step)) return { words: 'weighted' }
  if (placed) return { words: placed.kind === 'type' ? 'typed' : 'placed', isFloor: placed.kind !== 'type' }
  if (step.op !== 'mul' || typeof number !== 'number') return {}
  const width = Number(graph.describe(step.outputs.out).shape.at(-1))
  // Only at the entry and at the exit is it the root of the width.
  const ratio = number > 1 ? number ** 2 / width : number ** 2 * width
  if (Math.abs(ratio - 1) > 1e-3 || graph.placeOf(step.call).layer !== undefined) return { words: 'multiplied' }
  return { words: number > 1 ? 'scaledUp' : 'scaledDown' }
}

/** @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'operation'>} */
export function operationRoom(graph, step, context) {
  const { op, outputs: { out } } = step, inputs = graph.read(step)
  const own = Object.values(inputs).filter(name => isExpertWeight(graph, graph.makerOf(name)))
  return {
    ...context.room(joinPath(context.place.id, op), 'operation', [out, ...own]),
    parts: { inputs, out, op, ...headCountOf(graph, out) },
    ...(isGate(graph, step) && { words: 'gate', controls: GATE_CONTROLS }),
    ...operationWords(graph, step), block: blockBeside(context),
    ...(isResidual(graph, step) && context.layer !== undefined && { blockOf: inputs.b })
  }
}
