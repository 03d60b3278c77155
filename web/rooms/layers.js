/** The rooms of a layer besides its attention: norms with their residuals, linear layers, dropout. */

import { joinPath, isGate, isSumOfStreams, present, projection } from './graph_queries.js'
import { kindOfAttention } from './attention.js'
import { ATTENTION, GATE_CONTROLS, RMS_WORDS, SCORE_WORDS } from './roles.js'

/** @import { Projection, Residual, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, RoomContext } from './graph_queries.js' */

/**
 * Whether a step is a residual connection: a sum of two streams, one of them computed from the other.
 * @param {Graph} graph @param {Step} step
 */
export function isResidual(graph, step) {
  const { a, b } = graph.read(step)
  return step.op === 'add' && isSumOfStreams(graph, step) &&
    (graph.ancestors(a).has(b) || graph.ancestors(b).has(a))
}

/** Whether a tensor has one vector per text. @param {Graph} graph @param {string} name */
export const isPooled = (graph, name) => {
  const { shape, axes } = graph.describe(name)
  return shape.length === 2 && axes[0].name === 'batch'
}

/**
 * The residual sum of a norm: its input, or, in a pre-norm layer, the sum after the sub-layer that reads the norm.
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

/** The step that adds 1 to the weight of a norm, as in Gemma. @param {Graph} graph @param {Step} norm */
export function gainStep(graph, norm) {
  const { weight } = graph.read(norm), maker = weight ? graph.makerOf(weight) : undefined
  return maker?.op === 'add' && maker.parameters.number === 1 ? maker : undefined
}

/** The number of heads that are normalized one by one, if so. @param {Graph} graph @param {string} name */
function headsOf(graph, name) {
  const { axes, shape } = graph.describe(name), at = axes.findIndex(axis => axis.name === 'head')
  return at === 2 && shape.length === 4 ? { heads: shape[at] } : {}
}

/**
 * The block of an attention made of single operations.
 * @param {string | undefined} mask the texts of the model's masks
 */
export const blockOfSingle = mask => ATTENTION[mask === 'causal' ? 'masked' : 'self'].block

/** Whether a step is the softmax of an attention made of single operations. @param {Graph} graph @param {Step} step */
export const isSingleSoftmax = (graph, { op, outputs: { out } }) => op === 'softmax' && graph.describe(out).shape.length > 3

/**
 * The block of a norm without a residual sum: that of the attention before or behind it, else the feed-forward network.
 * @param {Graph} graph @param {Step} norm @param {RoomContext} context
 */
function blockInLayer(graph, norm, { layer, towers }) {
  const { x } = graph.read(norm), y = norm.outputs.out, before = graph.makerOf(x)
  const heads = before?.op === 'linear' ? graph.read(before).x : undefined
  const attention = graph.steps.find(({ op, call, outputs }) => op === 'attention' && graph.placeOf(call).layer === layer &&
    (outputs.out === heads || graph.ancestors(outputs.out).has(y)))
  const single = graph.steps.find(step => isSingleSoftmax(graph, step) && graph.placeOf(step.call).layer === layer)
  const isInside = before && single && graph.placeOf(before.call).id.startsWith(`${graph.placeOf(single.call).id}.`)
  if (single && (isInside || graph.ancestors(single.outputs.out).has(y))) return blockOfSingle(towers.mask)
  return attention ? ATTENTION[kindOfAttention(graph, attention, graph.placeOf(attention.call), towers)].block : 'feed_forward'
}

/** @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'norm'>} */
export function normRoom(graph, step, context) {
  const { x, weight, bias } = graph.read(step)
  const y = step.outputs.out
  const residual = residualOf(graph, step), stored = gainStep(graph, step)
  const parts = { x, weight, bias, y, residual, isFirst: Boolean(residual?.isFirst), isCentred: step.op !== 'rms_norm',
    ...headsOf(graph, y), ...(stored && { stored: graph.read(stored).a }) }
  const makers = [...graph.ancestors(x)].map(name => graph.makerOf(name))
  const isBehind = makers.some(step => step && (step.op === 'attention' || isSingleSoftmax(graph, step)))
  const isEntry = !residual && context.layer === undefined && !isBehind
  const isInLayer = !residual && context.layer !== undefined
  const usual = isInLayer ? 'plainNorm' : residual ? 'norm' : isEntry ? 'entryNorm'
    : context.tower === 'encoder' ? 'memory' : graph.makerOf(x)?.kind === 'activation' ? 'guessNorm' : 'finalnorm'
  const words = step.op === 'rms_norm' ? RMS_WORDS[usual] ?? usual : usual
  const tensors = present([y, residual?.sum, weight, stored && graph.read(stored).a, bias])
  return {
    ...context.room(context.place.id, 'norm', tensors), parts, words, isFloor: true,
    block: isEntry ? 'entry' : isInLayer ? blockInLayer(graph, step, context) : 'exit', blockOf: residual?.change
  }
}

/**
 * A linear layer: into an activation, out of one, or to the logits.
 * @param {Graph} graph @param {Step} step @param {RoomContext} context
 * @returns {Draft<'linear'>}
 */
export function linearRoom(graph, step, context) {
  const own = /** @type {Projection} */ (projection(graph, Object.values(step.outputs)[0]))
  /** @param {Step | undefined} step */
  const isActivation = step => step && (step.kind === 'activation' || step.op === 'mul')
  /** @param {string} name */
  const before = name => {
    const maker = graph.makerOf(name)
    return maker?.op === 'dropout' ? graph.makerOf(graph.read(maker).x) : maker
  }
  const isLogits = graph.describe(own.y).axes.at(-1)?.name === 'word'
  const users = graph.usersOf(own.y)
  const isInGate = users.some(user => isGate(graph, user))
  const isGateInput = users.some(user => (
    isActivation(user) && graph.usersOf(user.outputs.out).some(next => isGate(graph, next))))
  const last = graph.describe(own.y).axes.at(-1)?.name ?? ''
  const isTied = graph.usersOf(own.weight).some(({ op }) => op === 'embedding')
  const widens = context.layer === undefined ? 'guess' : 'linear1'
  const words = isLogits ? 'logits' : SCORE_WORDS[last] ? SCORE_WORDS[last] : isPooled(graph, own.y) ? 'pooler'
    : isActivation(before(own.x)) ? 'linear2' : isInGate ? 'gatedLinear'
      : isGateInput ? 'gateLinear' : users.some(isActivation) ? widens : 'projection'
  return {
    ...context.room(context.place.id, 'linear', present([own.y, own.weight, own.bias])), parts: { ...own, isTied }, words,
    ...((isInGate || isGateInput) && { controls: GATE_CONTROLS }),
    block: context.layer === undefined ? 'exit' : 'feed_forward', isFloor: isLogits || last === 'label'
  }
}

/** @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'dropout'>} */
export function dropoutRoom(graph, step, context) {
  const { out, mask } = step.outputs
  const { x } = graph.read(step)
  const isInner = graph.makerOf(x)?.kind === 'activation'
  const { place, layer } = context
  const of = graph.describe(out).axes[1]?.of
  const own = place.types.includes('Dropout') ? place.id : joinPath(place.id, 'dropout')
  return {
    ...context.room(layer === undefined ? joinPath(of, 'dropout') : own, 'dropout', [out, mask]),
    parts: { before: x, mask, after: out }, words: isInner ? 'inner_dropout' : 'dropout', block: 'entry', blockOf: x
  }
}
