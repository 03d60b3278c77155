/** The rooms of a layer besides its attention: norms with their residuals, linear layers, dropout. */

import { dotted, isGate, isStream, present, projection } from './graph_queries.js'
import { ACTIVATIONS, GATE_CONTROLS, RMS_WORDS } from './roles.js'

/** @import { Projection, Residual, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Surroundings } from './graph_queries.js' */

/**
 * Whether a step is a residual connection: a sum of two streams, one of them computed from the other.
 * @param {Graph} graph @param {Step} step
 */
function isResidual(graph, step) {
  const { a, b } = graph.read(step)
  return step.op === 'add' && [a, b].every(name => name && isStream(graph.described(name))) &&
    (graph.ancestors(a).has(b) || graph.ancestors(b).has(a))
}

/** Whether a tensor has one vector per text. @param {Graph} graph @param {string} name */
export const isPooled = (graph, name) => {
  const { shape, axes } = graph.described(name)
  return shape.length === 2 && axes[0].name === 'batch'
}

/**
 * The residual sum of a norm: the one that it normalizes, or, with the norm first, the one whose sub-layer it feeds.
 * @param {Graph} graph @param {Step} norm @returns {Residual | null}
 */
export function residualOf(graph, norm) {
  const { x } = graph.read(norm)
  const y = norm.outputs.out
  const sums = graph.usersOf(x).filter(step => isResidual(graph, step))
  const after = sums.find(step => graph.read(step).a === x && graph.ancestors(graph.read(step).b).has(y))
  const maker = graph.makerOf(x)
  const isOwn = maker && isResidual(graph, maker) && graph.placeOf(maker.call).layer === graph.placeOf(norm.call).layer
  const step = after ?? (isOwn ? maker : null)
  if (!step) return null
  const { a, b } = graph.read(step)
  return { input: a, change: b, sum: step.outputs.out, isFirst: Boolean(after) }
}

/** @param {Graph} graph @param {Step} step @param {Surroundings} context */
export function normRoom(graph, step, context) {
  const { x, weight, bias } = graph.read(step)
  const y = step.outputs.out
  const residual = residualOf(graph, step)
  const parts = { x, weight, bias, y, residual, isFirst: Boolean(residual?.isFirst), isCentred: step.op !== 'rms_norm' }
  const operations = [...graph.ancestors(x)].map(name => graph.makerOf(name)?.op)
  const isEntry = !residual && context.layer === undefined && !operations.includes('attention')
  const usual = residual || context.layer !== undefined ? 'norm' : isEntry ? 'entryNorm'
    : context.tower === 'encoder' ? 'memory' : ACTIVATIONS.some(op => graph.makerOf(x)?.op === op) ? 'guessNorm' : 'finalnorm'
  const words = step.op === 'rms_norm' ? RMS_WORDS[usual] ?? usual : usual
  const tensors = present([y, residual?.sum, weight, bias])
  return {
    ...context.room(context.place.id, 'norm', tensors), parts, words, isFloor: true,
    block: isEntry ? 'entry' : 'exit', blockOf: residual?.change
  }
}

/**
 * A linear layer: into an activation, out of one, or to the logits.
 * @param {Graph} graph @param {Step} step @param {Surroundings} context
 */
export function linearRoom(graph, step, context) {
  const own = /** @type {Projection} */ (projection(graph, Object.values(step.outputs)[0]))
  /** @param {Step | undefined} step */
  const isActivation = step => step && (ACTIVATIONS.includes(step.op) || step.op === 'mul')
  /** @param {string} name */
  const before = name => {
    const maker = graph.makerOf(name)
    return maker?.op === 'dropout' ? graph.makerOf(graph.read(maker).x) : maker
  }
  const isWords = graph.described(own.y).axes.at(-1)?.name === 'word'
  const users = graph.usersOf(own.y)
  const isInGate = users.some(user => isGate(graph, user))
  const opens = users.some(user => (
    isActivation(user) && graph.usersOf(user.outputs.out).some(next => isGate(graph, next))))
  const isTied = graph.usersOf(own.weight).some(({ op }) => op === 'embedding')
  const widens = context.layer === undefined ? 'guess' : 'linear1'
  const words = isWords ? 'logits' : isPooled(graph, own.y) ? 'pooler'
    : isActivation(before(own.x)) ? 'linear2' : isInGate ? 'gatedLinear'
      : opens ? 'gateLinear' : users.some(isActivation) ? widens : 'projection'
  return {
    ...context.room(context.place.id, 'linear', present([own.y, own.weight, own.bias])), parts: { ...own, isTied }, words,
    ...((isInGate || opens) && { controls: GATE_CONTROLS }),
    block: context.layer === undefined ? 'exit' : 'feed_forward', isFloor: isWords
  }
}

/** @param {Graph} graph @param {Step} step @param {Surroundings} context */
export function dropoutRoom(graph, step, context) {
  const { out, mask } = step.outputs
  const { x } = graph.read(step)
  const isInner = ACTIVATIONS.includes(graph.makerOf(x)?.op ?? '')
  const { place, layer } = context
  const of = graph.described(out).axes[1]?.of
  const own = place.types.includes('Dropout') ? place.id : dotted(place.id, 'dropout')
  return {
    ...context.room(layer === undefined ? dotted(of, 'dropout') : own, 'dropout', [out, mask]),
    parts: { before: x, mask, after: out }, words: isInner ? 'inner_dropout' : 'dropout', block: 'entry', blockOf: x
  }
}
