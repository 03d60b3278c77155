/**
 * Derives the rooms of a run in the order of the computation. A room is a stage at a position in the model, with the
 * tensors it displays by their roles. Only the computation is used, so models of any depth and with any names
 * have rooms.
 */

import { kindOfAttention } from './attention.js'
import { graphOf } from './graph.js'
import { modelRooms } from './interpret.js'
import { isSingleSoftmax } from './layers.js'
import { ATTENTION, SAMPLING } from './roles.js'
import { contextOf, roomsOfStep, stepsInOtherRooms } from './steps.js'
import { firstAttentions, towersOf } from './towers.js'

/** @import { Room, Run, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, RoomContext } from './graph_queries.js' */
/** @import { Analysis } from './steps.js' */
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
 * @param {RoomContext} context @param {Heads[]} attentions @returns {Draft<'cache'>[]}
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
 * Whether a room is part of the tour, which skips repetition: of later layers it contains only the attention weights.
 * @param {Draft} room
 */
function isOnTour({ layer, stage, tower, expert }) {
  if (expert) return false
  if (!layer) return true
  return stage === 'cross' || (tower === 'model' && stage === 'weights')
}

/** Stages of an unlayered model whose pictures the house leaves out. */
const NO_FLOORS = ['ids', 'positions', 'scale', 'mask', 'dropout']

/**
 * Decides whether the tour and the house contain a room.
 * @param {Draft} room @param {boolean} isSmall whether the model has no layers, so that the house has almost all rooms
 * @returns {Draft}
 */
function withFloor(room, isSmall) {
  const { stage, expert } = room
  const isFloor = room.isFloor ?? (isSmall && !NO_FLOORS.includes(stage))
  const isAlways = ['weights', 'cross'].includes(stage) || (stage === 'activation' && expert === undefined)
  return { ...room, isOnTour: isOnTour(room), isFloor: isFloor || isAlways }
}

/** Numbers the rooms whose id an earlier room has. @param {Draft[]} rooms @returns {Draft[]} */
function withUniqueIds(rooms) {
  /** @type {Set<string>} */ const ids = new Set()
  return rooms.map(room => {
    let { id } = room
    for (let n = 2; ids.has(id); n++) id = `${room.id}.${n}`
    ids.add(id)
    return { ...room, id }
  })
}

/**
 * The block of the step that made a tensor, through dropout and projections.
 * @param {Graph} graph @param {Draft[]} rooms @returns {(name: string) => string}
 */
function findBlocks(graph, rooms) {
  const blocks = new Map(rooms.filter(({ blockOf }) => !blockOf).flatMap(({ tensors, block }) => (
    tensors.map(name => /** @type {[string, string]} */ ([name, block])))))
  return name => {
    /** @type {string | undefined} */ let at = name
    for (let n = 0; at && n < 8; n++) {
      const block = blocks.get(at)
      if (block) return block
      const maker = graph.makerOf(at)
      at = maker && Object.values(graph.read(maker))[0]
    }
    return 'entry'
  }
}

/**
 * The heads of an attention.
 * @param {Analysis} analysis @param {Step} step @returns {Heads}
 */
function headsOf({ graph, towers }, step) {
  const { k, v } = graph.read(step), { out } = step.outputs
  const { heads, kvHeads = heads } = /** @type {{ heads: number, kvHeads?: number }} */ (step.parameters)
  const place = graph.placeOf(step.call), kind = kindOfAttention(graph, step, place, towers)
  return { out, k, v, kind, heads, kvHeads, tower: towers.nameOf(Object.values(step.outputs)[0]), layer: place.layer,
    block: ATTENTION[kind].block }
}

/** @param {Run} run @param {number} call @param {(call: number) => boolean} matches @returns {boolean} */
const isWithin = (run, call, matches) => call >= 0 && (matches(call) || isWithin(run, run.calls[call].parent, matches))

/**
 * @param {Run} run @param {Graph} graph @param {Step[]} steps those with rooms
 * @returns {Analysis & { hasAttention: boolean }}
 */
function analyze(run, graph, steps) {
  const towers = towersOf(graph, run.hints), firsts = firstAttentions(graph, towers, steps)
  const order = new Map(graph.steps.map((step, i) => [step, i]))
  const indexOf = (/** @type {Step | undefined} */ step) => (step && order.get(step)) ?? Infinity
  const attendingCalls = new Set(graph.steps.filter(step => isSingleSoftmax(graph, step)).map(({ call }) => call))
  return {
    run, graph, towers, hasAttention: firsts.size > 0,
    isAfterAttention: step => indexOf(firsts.get(towers.nameOf(Object.values(step.outputs)[0]))) < indexOf(step),
    isAttending: step => isWithin(run, step.call, call => attendingCalls.has(call))
  }
}

/**
 * The rooms after those of the steps: how a token is sampled from the logits, and the cache of keys and values.
 * @param {Analysis} analysis @param {Step | undefined} logits @param {string[]} outputs of the sampling
 * @param {Heads[]} attentions @returns {Draft[]}
 */
function generationRooms(analysis, logits, outputs, attentions) {
  if (!logits || outputs.length === 0) return []
  const { run, graph } = analysis, context = contextOf(analysis, logits, [])
  const inputs = [...run.tensors.keys()].filter(name => !graph.makerOf(name) &&
    outputs.some(output => Object.values(graph.describe(output).inputs).includes(name)))
  const isGenerated = run.passes.some(({ kind }) => kind === 'token')
  const rooms = [...samplingRooms(context, [...outputs, ...inputs], logits.outputs.out),
    ...(isGenerated ? cacheRoom(context, attentions) : [])]
  return rooms.map(room => ({ ...room, layer: undefined }))
}

/**
 * @param {Run} run
 * @returns {Room[]}
 */
export function deriveRooms(run) {
  const graph = graphOf(run), inOtherRooms = stepsInOtherRooms(graph)
  const isSampling = (/** @type {Step} */ { call }) => isWithin(run, call, at => run.calls[at].types.includes(SAMPLING))
  const sampled = graph.steps.filter(isSampling).flatMap(step => Object.values(step.outputs))
  const computing = graph.steps.filter(step => !isSampling(step))
  const steps = computing.filter(step => !inOtherRooms.has(step)), analysis = analyze(run, graph, steps)
  const attentions = steps.filter(({ op }) => op === 'attention').map(step => headsOf(analysis, step))
  const logits = computing.findLast(({ op }) => op === 'linear'), end = logits ?? graph.steps.at(-1)

  const stepRooms = steps.reduce((/** @type {Draft[]} */ before, step) => {
    before.push(...roomsOfStep(analysis, step, before))
    return before
  }, [])
  const rooms = [...stepRooms, ...generationRooms(analysis, logits, sampled, attentions)]
  const blockOf = findBlocks(graph, rooms)
  const wholeRooms = end && analysis.hasAttention ? modelRooms(run, graph, {
    towerOf: analysis.towers.nameOf, blockOf, attentions, logits: sampled.length ? logits?.outputs.out : undefined,
    scores: rooms.find(({ stage }) => stage === 'labels')?.parts.scores,
    room: (id, stage, _, more) => ({
      ...contextOf(analysis, end, []).room(id, stage, []), block: 'exit', layer: undefined, isFloor: false, ...more })
  }) : []

  const isSmall = !graph.steps.some(step => graph.placeOf(step.call).layer !== undefined)
  const placed = withUniqueIds([...rooms, ...wholeRooms].map(room => withFloor(room, isSmall)))
    .map(({ blockOf: of, ...room }) => (of ? { ...room, block: blockOf(of) } : room))
  return connected(placed, graph)
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
