/**
 * Derives the rooms of a run in the order of the computation. A room is a stage at a position in the model, with the
 * tensors it displays by their roles. Only the computation is used, so models of any depth and with any names
 * have rooms.
 */

import { attentionRooms, biasSteps, kindOfAttention } from './attention.js'
import { embeddingRooms, positionRooms } from './entry.js'
import { graphOf } from './graph.js'
import { modelRooms } from './interpret.js'
import { expertOf, isExpertWeight, isRouter, lastAxis, routerRooms, routerSteps } from './experts.js'
import { blockOfSingle, dropoutRoom, gainStep, isPooled, isResidual, isSingleSoftmax, linearRoom, normRoom, residualOf } from './layers.js'
import { isBiasOfDistance, joinPath, isGate, addsPositions, isStream, isSumOfStreams, addedTable, projectedFrom, projection, relativeBiasOf } from './graph_queries.js'
import { ATTENTION, GATE_CONTROLS, OPERATION_WORDS, QUERY_KEY_WORDS, SAMPLING } from './roles.js'

/** @import { Room, Run, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, RoomContext } from './graph_queries.js' */
/** @import { Heads } from './stream.js' */

/**
 * The rooms of the class that samples from logits.
 * @param {RoomContext} context @param {string[]} outputs @param {string} logits @returns {Draft[]}
 */
function samplingRooms(context, outputs, logits) {
  const parts = { logits, ...Object.fromEntries(outputs.map(name => [name.replace(/^.*\./, ''), name])) }
  const at = { block: 'exit', parts, isFloor: true }
  return [
    { ...context.room('sampling', 'sampling', outputs), ...at },
    { ...context.room('decoding', 'decoding', []), ...at }
  ]
}

/**
 * The room of the keys and values of every causal layer, where an answer is generated token by token.
 * @param {RoomContext} context @param {Heads[]} attentions @returns {Draft[]}
 */
function cacheRoom({ room }, attentions) {
  const layers = attentions.filter(({ kind }) => kind === 'masked').map(({ k, v, heads, kvHeads, layer }) => (
    { k, v, heads, kvHeads, layer }))
  return layers.length === 0 ? [] : [{
    ...room('cache', 'cache', []), block: 'exit', isFloor: false, reads: layers.flatMap(({ k, v }) => [k, v]),
    parts: { layers, heads: layers[0].heads }
  }]
}

/**
 * The tower of each tensor. The keys of cross-attentions, and everything that they were computed from, belong to
 * the encoder.
 * @param {Graph} graph
 */
function towersOf(graph) {
  /** @param {string} name */
  const isRoot = name => {
    const about = graph.describe(name)
    return graph.makerOf(name)?.op === 'embedding' || (about?.role === 'given' && isStream(about))
  }
  /** @param {string} name */
  const rootsOf = name => [...graph.ancestors(name)].filter(isRoot)
  /** @param {Step} step */
  const isCross = step => {
    const { q, k } = graph.read(step)
    const keyAncestors = graph.ancestors(k)
    return rootsOf(q).some(root => !keyAncestors.has(root))
  }
  const crossings = graph.steps.filter(step => step.op === 'attention' && isCross(step))
  const encoder = new Set(crossings.flatMap(step => [...graph.ancestors(projection(graph, graph.read(step).k)?.x ??
    graph.read(step).k)]))
  /** @param {string} name */
  const nameOf = name => (crossings.length === 0 ? 'model' : encoder.has(name) ? 'encoder' : 'decoder')
  return { nameOf, isCross }
}

/**
 * Whether a room is part of the tour, which skips repetition: of later layers it contains only the attention weights.
 * @param {Draft} room
 */
function isOnTour({ layer, stage, tower, expert }) {
  if (expert) return false
  if (!layer) return true
  return stage === 'cross' || (tower === 'model' && stage === 'weights')
}

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

/**
 * Whether a tanh limits scores or logits: it is divided by a number before and multiplied by one after.
 * @param {Graph} graph @param {Step} step
 */
function isSoftCap(graph, step) {
  const isFactor = (/** @type {Step | undefined} */ own) => own?.op === 'mul' && typeof own.parameters.number === 'number'
  return step.op === 'tanh' && isFactor(graph.makerOf(graph.read(step).x)) && graph.usersOf(step.outputs.out).some(isFactor)
}

/**
 * Whether a step computes the probabilities of a classification head: of labels, or of positions for each label; with a
 * sigmoid each is decided by itself.
 * @param {Graph} graph @param {Step} step
 */
function isAnswer(graph, { op, outputs: { out } }) {
  const hasLabels = graph.describe(out)?.axes.some(({ name }) => name === 'label')
  return graph.usersOf(out).length === 0 && (op === 'sigmoid' || (op === 'softmax' && Boolean(hasLabels)))
}

/** @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft} */
const answerRoom = (graph, step, { room }) => ({
  ...room('labels', 'labels', [step.outputs.out]), block: 'exit', isFloor: true,
  words: lastAxis(graph, step.outputs.out) !== 'token' ? 'labels' : step.op === 'softmax' ? 'span' : 'replaced',
  parts: { scores: graph.read(step).x, probabilities: step.outputs.out }
})

/**
 * @param {Run} run
 * @returns {Room[]}
 */
export function deriveRooms(run) {
  const graph = graphOf(run)
  const { mask } = run.hints ?? {}
  const towers = { ...towersOf(graph), mask, isOpen: mask === 'mask' }
  /** @type {Draft[]} */ const rooms = []
  /** @type {Set<string>} */ const ids = new Set()
  /** @type {Set<string>} */ const displayed = new Set()
  /** @type {Map<string, string>} */ const blocks = new Map()
  /** @type {Heads[]} */ const attentions = []

  /** @param {string} preferred */
  const uniqueId = preferred => {
    let id = preferred
    for (let n = 2; ids.has(id); n++) id = `${preferred}.${n}`
    ids.add(id)
    return id
  }
  /** The block of the step that made a tensor, through dropout and projections. @param {string} name */
  const blockOf = name => {
    /** @type {string | undefined} */ let at = name
    for (let n = 0; at && n < 8; n++) {
      const block = blocks.get(at)
      if (block) return block
      const maker = graph.makerOf(at)
      at = maker && Object.values(graph.read(maker))[0]
    }
    return 'entry'
  }
  /** @param {Step} step @returns {RoomContext} */
  function contextOf(step) {
    const place = graph.placeOf(step.call)
    const tower = towers.nameOf(Object.values(step.outputs)[0])
    const expert = expertOf(graph, step), at = { tower, layer: place.layer, ...(expert !== undefined && { expert }) }
    return {
      place, towers, ...at, stream: of => (of === undefined ? undefined : run.streams[of]),
      isNew: name => !displayed.has(name),
      room: (id, stage, tensors) => ({ id: id || stage, stage, words: stage, tensors, ...at, parts: {} })
    }
  }
  /** @param {Draft[]} list @param {boolean} isAll */
  const addRooms = (list, isAll) => {
    for (const room of list) {
      const isFloor = room.isFloor ?? (isAll && !['ids', 'positions', 'scale', 'mask', 'dropout'].includes(room.stage))
      const isAttention = ['weights', 'cross'].includes(room.stage)
      const floor = Boolean(isFloor || isAttention || (room.stage === 'activation' && room.expert === undefined))
      rooms.push({ ...room, id: uniqueId(room.id), isOnTour: isOnTour(room), isFloor: floor })
      for (const name of room.tensors) {
        displayed.add(name)
        if (!room.blockOf) blocks.set(name, room.block)
      }
    }
  }
  /** @param {number} call @param {string} type @returns {boolean} */
  const isIn = (call, type) => call >= 0 && (run.calls[call].types.includes(type) || isIn(run.calls[call].parent, type))
  /** @param {Step} step */
  const isSampling = step => isIn(step.call, SAMPLING)
  const isSmall = !graph.steps.some(step => graph.placeOf(step.call).layer !== undefined)

  /**
   * The block of a step that is no attention. Outside the layers, the entry of a tower ends with its first attention.
   * @param {RoomContext} at
   */
  function blockBeside({ tower, layer }) {
    if (layer !== undefined) return 'feed_forward'
    return attendingTowers.has(tower) ? 'exit' : 'entry'
  }
  /** The towers of which an attention has been computed. @type {Set<string>} */ const attendingTowers = new Set()
  /** Modules that attend by single operations: a softmax over the keys of every head. */
  const attendingCalls = graph.steps.filter(step => isSingleSoftmax(graph, step)).map(({ call }) => call)
  /** @param {number} call @returns {boolean} */
  const isAttending = call => call >= 0 && (attendingCalls.includes(call) || isAttending(run.calls[call].parent))
  /** The rooms of a step, in the block of the attention that it belongs to. @param {Step} step */
  function placedRoomsOf(step) {
    const rooms = roomsOf(step), isCausal = mask === 'causal', isSingle = isSingleSoftmax(graph, step)
    if (step.op === 'attention' || isSingle) attendingTowers.add(towers.nameOf(step.outputs.out))
    if (step.op === 'attention' || !isAttending(step.call)) return rooms
    const addsMask = step.op === 'add' && isCausal && Object.values(graph.read(step)).some(name => !graph.makerOf(name))
    return rooms.map(room => ({ ...room, block: blockOfSingle(mask), blockOf: undefined,
      ...(addsMask && { words: 'causal' }) }))
  }

  /**
   * The rooms of a step that normalizes or limits queries or keys.
   * @param {Step} step @param {Step} attention @returns {Draft[]}
   */
  function adjustmentRooms(step, attention) {
    const { block } = ATTENTION[kindOfAttention(graph, attention, graph.placeOf(attention.call), towers)]
    const { layer } = contextOf(attention)
    return roomsOf(step).map(room => ({ ...room, layer, block, blockOf: undefined, isFloor: false,
      words: QUERY_KEY_WORDS[step.op] ?? room.words }))
  }
  /** @param {Step} step @returns {Draft[]} */
  function roomsOf(step) {
    const context = contextOf(step)
    const { op, outputs: { out } } = step
    if (op === 'attention') {
      const list = attentionRooms(graph, step, context, between => adjustmentRooms(between, step))
      const { k, v } = graph.read(step), { kind, heads, kvHeads } = list[0].parts
      attentions.push({ out, k, v, kind, heads, kvHeads: kvHeads ?? heads, tower: context.tower, layer: context.layer,
        block: list[0].block })
      return list
    }
    if (op === 'embedding') return embeddingRooms(graph, step, context)
    if (addsPositions(graph, step)) {
      return positionRooms(graph, step, context)
    }
    if (step.kind === 'norm') return [normRoom(graph, step, context)]
    if (op === 'linear') return [linearRoom(graph, step, context)]
    if (isRouter(graph, step)) return routerRooms(graph, step, context)
    if (isAnswer(graph, step)) return [answerRoom(graph, step, context)]
    if (op === 'dropout') return [dropoutRoom(graph, step, context)]
    if (step.kind === 'activation') {
      const { x } = graph.read(step)
      const isGating = graph.usersOf(out).some(user => isGate(graph, user))
      return [{
        ...context.room(joinPath(context.place.id, 'activation'), 'activation', [out]), block: blockBeside(context),
        parts: { before: x, after: out, kind: op, ...headCountOf(out) },
        words: isSoftCap(graph, step) ? 'softCap' : isGating ? 'gateActivation' : isPooled(graph, out) ? 'poolerActivation' : 'activation'
      }]
    }
    const own = Object.values(graph.read(step)).filter(name => isExpertWeight(graph, graph.makerOf(name)))
    return [{
      ...context.room(joinPath(context.place.id, op), 'operation', [out, ...own]),
      parts: { inputs: graph.read(step), out, op, ...headCountOf(out) },
      ...(isGate(graph, step) && { words: 'gate', controls: GATE_CONTROLS }),
      ...operationWords(graph, step), block: blockBeside(context),
      ...(isResidual(graph, step) && context.layer !== undefined && { blockOf: graph.read(step).b })
    }]
  }

  /** The number of heads that a tensor has axes for. @param {string} name */
  function headCountOf(name) {
    const { axes, shape } = graph.describe(name), sides = shape.filter((_, i) => axes[i].name === 'head')
    return sides.length ? { heads: sides.reduce((product, side) => product * side, 1) } : {}
  }

  /** Steps that belong to another room: projections of an attention, sums of a norm, dropped weights. */
  /** @type {Set<Step | undefined>} */ const inOtherRooms = new Set()
  for (const step of graph.steps) {
    if (step.op === 'attention') {
      const { q, k, v } = graph.read(step)
      const projected = [q, k, v].map(name => projectedFrom(graph, name))
      const hasAll = projected.every(({ name }) => projection(graph, name))
      for (const { name, steps } of hasAll ? projected : []) {
        for (const own of [graph.makerOf(name), ...steps]) inOtherRooms.add(own)
      }
      const output = graph.usersOf(step.outputs.out).find(user => user.op === 'linear')
      if (output) inOtherRooms.add(output)
      graph.usersOf(step.outputs.weights).forEach(user => inOtherRooms.add(user))
    }
    if (step.kind === 'norm') {
      inOtherRooms.add(gainStep(graph, step))
      const residual = residualOf(graph, step)
      if (residual) inOtherRooms.add(graph.makerOf(residual.sum))
    }
    if (step.op === 'attention') {
      const { mask: bias } = graph.read(step)
      if (bias && isBiasOfDistance(graph, bias) && !relativeBiasOf(graph, bias)) {
        biasSteps(graph, bias).forEach(own => inOtherRooms.add(own))
      }
      relativeBiasOf(graph, bias)?.transposed.forEach(name => inOtherRooms.add(graph.makerOf(name)))
    }
    if (step.op === 'cross_entropy') inOtherRooms.add(step)
    if (isExpertWeight(graph, step)) inOtherRooms.add(step)
    if (isRouter(graph, step)) routerSteps(graph, step).forEach(own => inOtherRooms.add(own))
  }
  const outputs = graph.steps.filter(isSampling).flatMap(step => Object.values(step.outputs))
  const inputs = [...run.tensors.keys()].filter(name => !graph.makerOf(name) &&
    outputs.some(output => Object.values(graph.describe(output).inputs).includes(name)))
  for (const step of graph.steps) {
    if (isSampling(step)) continue
    if (!inOtherRooms.has(step)) addRooms(placedRoomsOf(step), isSmall)
  }
  const logits = graph.steps.findLast(step => !isSampling(step) && step.op === 'linear')
  if (outputs.length && logits) {
    const context = contextOf(logits), isGenerated = run.passes.some(({ kind }) => kind === 'token')
    const list = [...samplingRooms(context, [...outputs, ...inputs], logits.outputs.out),
      ...(isGenerated ? cacheRoom(context, attentions) : [])]
    addRooms(list.map(room => ({ ...room, layer: undefined })), isSmall)
  }
  const end = logits ?? graph.steps.at(-1)
  if (end && attendingTowers.size) {
    const { room } = contextOf(end)
    addRooms(modelRooms(run, graph, {
      towerOf: towers.nameOf, blockOf, attentions, logits: outputs.length ? logits?.outputs.out : undefined,
      room: (id, stage, _, more) => (
        { ...room(id, stage, []), block: 'exit', layer: undefined, isFloor: false, ...more })
    }), isSmall)
  }
  const finalRooms = rooms.map(({ blockOf: of, ...room }) => (of ? { ...room, block: blockOf(of) } : room))
  return connected(finalRooms, graph)
}

/**
 * Connects every room with those whose output it uses; a room without tensors lists them in `reads`.
 * @param {Draft[]} rooms @param {Graph} graph @returns {Room[]}
 */
function connected(rooms, graph) {
  /** @type {Map<string, string>} */ const roomIds = new Map()
  for (const { id, tensors } of rooms) tensors.forEach(name => roomIds.set(name, id))
  return rooms.map(({ reads = [], ...room }, i) => {
    const sources = [...reads, ...room.tensors.flatMap(name => Object.values(graph.describe(name).inputs))]
    const from = new Set(sources.map(name => roomIds.get(name) ?? room.id).filter(id => id !== room.id))
    const isFirst = room.stage === 'embedding' || room.stage === 'ids'
    if (isFirst && i > 0 && rooms[i - 1].stream === room.stream) from.add(rooms[i - 1].id)
    return { ...room, from: [...from] }
  })
}
