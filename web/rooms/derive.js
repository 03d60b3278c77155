/**
 * Derives the rooms of a run in the order of the computation. A room is a stage at a place of the model, with the
 * tensors it displays by their roles. Everything comes from what was computed, so models of any depth and any names
 * have rooms.
 */

import { attentionRooms } from './attention.js'
import { embeddingRooms, positionRooms } from './entry.js'
import { graphOf } from './graph.js'
import { modelRooms } from './interpret.js'
import { dropoutRoom, isPooled, linearRoom, normRoom, residualOf } from './layers.js'
import { beforeRotation, dotted, isGate, isPlacing, isStream, placedIn, projection, relativeIn } from './graph_queries.js'
import { ACTIVATIONS, GATE_CONTROLS, NORMS, SAMPLING } from './roles.js'

/** @import { Room, Run, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, Surroundings } from './graph_queries.js' */
/** @import { Heads } from './stream.js' */

/**
 * The rooms of the class that samples from logits.
 * @param {Surroundings} context @param {string[]} outputs @param {string} logits @returns {Draft[]}
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
 * @param {Surroundings} context @param {Heads[]} attentions @returns {Draft[]}
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
 * The tower of each tensor: what cross-attentions read, whose queries come from another text, belongs to the encoder.
 * @param {Graph} graph
 */
function towersOf(graph) {
  /** @param {string} name */
  const isRoot = name => {
    const about = graph.described(name)
    return graph.makerOf(name)?.op === 'embedding' || (about?.role === 'given' && isStream(about))
  }
  /** @param {string} name */
  const rootsOf = name => [...graph.ancestors(name)].filter(isRoot)
  /** @param {Step} step */
  const isCross = step => {
    const { q, k } = graph.read(step)
    const known = graph.ancestors(k)
    return rootsOf(q).some(root => !known.has(root))
  }
  const crossings = graph.steps.filter(step => step.op === 'attention' && isCross(step))
  const encoder = new Set(crossings.flatMap(step => [...graph.ancestors(projection(graph, graph.read(step).k)?.x ??
    graph.read(step).k)]))
  /** @param {string} name */
  const nameOf = name => (crossings.length === 0 ? 'model' : encoder.has(name) ? 'encoder' : 'decoder')
  return { nameOf, isCross }
}

/**
 * The tour skips repetition: of layers after the first it contains only where they attend.
 * @param {Draft} room
 */
function isOnTour({ layer, stage, tower }) {
  if (!layer) return true
  return stage === 'cross' || (tower === 'model' && stage === 'weights')
}

/**
 * The texts of an operation without a stage of its own: a sum at the entry, a scale.
 * @param {Graph} graph @param {Step} step @returns {Partial<Draft>}
 */
function operationWords(graph, step) {
  const placed = placedIn(graph, step), { number } = step.parameters
  if (placed) return { words: placed.by === 'type' ? 'typed' : 'placed', isFloor: placed.by !== 'type' }
  if (step.op !== 'mul' || typeof number !== 'number') return {}
  return { words: number > 1 ? 'scaledUp' : 'scaledDown' }
}

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
  /** @type {Set<string>} */ const covered = new Set()
  /** @type {Map<string, string>} */ const blocks = new Map()
  /** @type {Heads[]} */ const attentions = []

  /** @param {string} wanted */
  const unused = wanted => {
    let id = wanted
    for (let n = 2; ids.has(id); n++) id = `${wanted}.${n}`
    ids.add(id)
    return id
  }
  /** The block of the step that made a tensor, through dropout and projections. @param {string} name */
  const blockOf = name => {
    /** @type {string | undefined} */ let at = name
    for (let n = 0; at && n < 8; n++) {
      const known = blocks.get(at)
      if (known) return known
      const maker = graph.makerOf(at)
      at = maker && Object.values(graph.read(maker))[0]
    }
    return 'entry'
  }
  /** @param {Step} step @returns {Surroundings} */
  function contextOf(step) {
    const place = graph.placeOf(step.call)
    const tower = towers.nameOf(Object.values(step.outputs)[0])
    const at = { tower, layer: place.layer }
    return {
      place, towers, ...at, stream: of => (of === undefined ? undefined : run.streams[of]),
      isNew: name => !displayed.has(name),
      room: (id, stage, tensors) => ({ id: id || stage, stage, words: stage, tensors, ...at, parts: {} })
    }
  }
  /** @param {Draft[]} list @param {boolean} isAll */
  const put = (list, isAll) => {
    for (const room of list) {
      const isFloor = room.isFloor ?? (isAll && !['ids', 'positions', 'scale', 'mask', 'dropout'].includes(room.stage))
      const isLook = ['weights', 'cross'].includes(room.stage)
      const floor = Boolean(isFloor || isLook || room.stage === 'activation')
      rooms.push({ ...room, id: unused(room.id), isOnTour: isOnTour(room), isFloor: floor })
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

  /** Outside the layers: the entry of a tower up to its first attention, then its exit. @param {Surroundings} at */
  function besideAttention({ tower, layer }) {
    if (layer !== undefined) return 'feed_forward'
    return attentions.some(one => one.tower === tower) ? 'exit' : 'entry'
  }
  /** @param {Step} step @returns {Draft[]} */
  function roomsOf(step) {
    const context = contextOf(step)
    const { op, outputs: { out } } = step
    if (op === 'attention') {
      const { rooms: list, taken: own } = attentionRooms(graph, step, context)
      own.forEach(name => covered.add(name))
      const { k, v } = graph.read(step), { kind, heads, kvHeads } = list[0].parts
      attentions.push({ out, k, v, kind, heads, kvHeads: kvHeads ?? heads, tower: context.tower, layer: context.layer,
        block: list[0].block })
      return list
    }
    if (op === 'embedding') return embeddingRooms(graph, step, context)
    if (isPlacing(graph, step)) {
      return positionRooms(graph, step, context)
    }
    if (NORMS.includes(op)) return [normRoom(graph, step, context)]
    if (op === 'linear') return [linearRoom(graph, step, context)]
    if (op === 'dropout') return [dropoutRoom(graph, step, context)]
    if (ACTIVATIONS.includes(op)) {
      const { x } = graph.read(step)
      const isGating = graph.usersOf(out).some(user => isGate(graph, user))
      return [{
        ...context.room(dotted(context.place.id, 'activation'), 'activation', [out]), block: besideAttention(context),
        parts: { before: x, after: out, kind: op },
        words: isGating ? 'gateActivation' : isPooled(graph, out) ? 'poolerActivation' : 'activation'
      }]
    }
    return [{
      ...context.room(dotted(context.place.id, op), 'operation', [out]), parts: { inputs: graph.read(step), out, op },
      ...(isGate(graph, step) && { words: 'gate', controls: GATE_CONTROLS }),
      ...operationWords(graph, step), block: besideAttention(context)
    }]
  }

  /** Steps that belong to another room: projections of an attention, sums of a norm, dropped weights. */
  /** @type {Set<Step | undefined>} */ const inOtherRooms = new Set()
  for (const step of graph.steps) {
    if (step.op === 'attention') {
      const { q, k, v } = graph.read(step)
      const projected = [q, k, v].map(name => beforeRotation(graph, name))
      const all = projected.every(name => projection(graph, name))
      if (all) projected.forEach(name => inOtherRooms.add(graph.makerOf(name)))
      if (all) [q, k].forEach(name => inOtherRooms.add(graph.makerOf(name)))
      const joined = graph.usersOf(step.outputs.out).find(one => one.op === 'linear')
      if (joined) inOtherRooms.add(joined)
      graph.usersOf(step.outputs.weights).forEach(one => inOtherRooms.add(one))
    }
    if (NORMS.includes(step.op)) {
      const residual = residualOf(graph, step)
      if (residual) inOtherRooms.add(graph.makerOf(residual.sum))
    }
    if (step.op === 'attention') {
      relativeIn(graph, graph.read(step).mask)?.turned.forEach(name => inOtherRooms.add(graph.makerOf(name)))
    }
    if (step.op === 'cross_entropy') inOtherRooms.add(step)
  }
  const outputs = graph.steps.filter(isSampling).flatMap(step => Object.values(step.outputs))
  const inputs = [...run.tensors.keys()].filter(name => !graph.makerOf(name) &&
    outputs.some(one => Object.values(graph.described(one).inputs).includes(name)))
  for (const step of graph.steps) {
    if (isSampling(step)) continue
    if (!inOtherRooms.has(step)) put(roomsOf(step), isSmall)
  }
  const logits = graph.steps.findLast(step => !isSampling(step) && step.op === 'linear')
  if (outputs.length && logits) {
    const context = contextOf(logits), isWritten = run.passes.some(({ kind }) => kind === 'token')
    const list = [...samplingRooms(context, [...outputs, ...inputs], logits.outputs.out),
      ...(isWritten ? cacheRoom(context, attentions) : [])]
    put(list.map(room => ({ ...room, layer: undefined })), isSmall)
  }
  const end = logits ?? graph.steps.at(-1)
  if (end && attentions.length) {
    const { room } = contextOf(end)
    put(modelRooms(run, graph, {
      towerOf: towers.nameOf, blockOf, attentions, logits: outputs.length ? logits?.outputs.out : undefined,
      room: (id, stage, _, more) => (
        { ...room(id, stage, []), block: 'exit', layer: undefined, isFloor: false, ...more })
    }), isSmall)
  }
  const settled = rooms.map(({ blockOf: of, ...room }) => (of ? { ...room, block: blockOf(of) } : room))
  return connected(settled, graph)
}

/**
 * Connects every room with those whose output it uses; a room without tensors passes on what it reads.
 * @param {Draft[]} rooms @param {Graph} graph @returns {Room[]}
 */
function connected(rooms, graph) {
  /** @type {Map<string, string>} */ const homes = new Map()
  for (const { id, tensors } of rooms) tensors.forEach(name => homes.set(name, id))
  return rooms.map(({ reads = [], ...room }, i) => {
    const sources = [...reads, ...room.tensors.flatMap(name => Object.values(graph.described(name).inputs))]
    const from = new Set(sources.map(name => homes.get(name) ?? room.id).filter(id => id !== room.id))
    const isFirst = room.stage === 'embedding' || room.stage === 'ids'
    if (isFirst && i > 0 && rooms[i - 1].stream === room.stream) from.add(rooms[i - 1].id)
    return { ...room, from: [...from] }
  })
}
