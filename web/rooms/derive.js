/**
 * The rooms of a run in the order the numbers go through them. A room is a stage at a place, with the tensors it shows
 * by
 * the part they play; all of it comes from what was computed, so a model of any depth and any names has its rooms.
 */

import { graphOf } from './graph.js'
import { ATTENTION, BENDS, GATE_CONTROLS, LOOKS_BACK, MASK_CONTROLS, NORMS, PLACELESS_CONTROLS, RMS, SAMPLING } from './roles.js'

/** @import { KnownTensor, Projection, Residual, Room, Run, Step, Stream } from '../types.d.ts' */
/** @import { Graph, Place } from './graph.js' */

/** @typedef {Omit<Room, 'from'>} Draft a room before all are there */
/**
 * @typedef {(part: string, stage: string, tensors: (string | undefined)[], more?: Partial<Draft>) => Draft} MakeRoom
 */

/**
 * Where a step was computed, and what the rooms made of it share.
 * @typedef {object} Surroundings
 * @property {Place} place
 * @property {Towers} towers
 * @property {string} tower
 * @property {number} [layer]
 * @property {(of: string | undefined) => Stream | undefined} stream
 * @property {(name: string) => boolean} isNew whether no room has shown it yet
 * @property {(id: string, stage: string, tensors: string[]) => Omit<Draft, 'block'>} room
 *
 * @typedef {ReturnType<typeof towersOf> & { mask?: string, isOpen: boolean }} Towers
 */

/** @param {(string | null | undefined)[]} list */
const present = list => list.filter(name => name !== undefined && name !== null)
/** @param {...(string | undefined)} names */
const dotted = (...names) => names.filter(Boolean).join('.')

/**
 * The parts of a projection: what went in, the rows of the weight that were used, what came out.
 * @param {Graph} graph @param {string} name @returns {Projection | null}
 */
function projection(graph, name) {
  const step = graph.makerOf(name)
  if (step?.op !== 'linear') return null
  const { x, weight, bias } = graph.read(step)
  return { x, weight, bias, y: name, ...step.parameters }
}

/** What a rotation by position turned, or the tensor itself. @param {Graph} graph @param {string} name */
const beforeTurn = (graph, name) => {
  const maker = graph.makerOf(name)
  return maker?.op === 'rotary' ? graph.read(maker).x : name
}

/** The tables that queries or keys were turned by. @param {Graph} graph @param {string} name */
function tablesOf(graph, name) {
  const { cos, sin } = graph.read(/** @type {Step} */ (graph.makerOf(name)))
  return { cos, sin }
}

/**
 * What was turned by position, by what and how, and which of queries and keys there is to see.
 * @param {Graph} graph @param {Record<string, any>} parts @param {Record<'q' | 'k', string>} turned
 * @param {MakeRoom} room
 */
function rotaryRoom(graph, parts, turned, room) {
  const choices = /** @type {const} */ (['q', 'k']).filter(part => turned[part] !== parts[part])
  const tables = Object.fromEntries(choices.map(part => [part, tablesOf(graph, parts[part])]))
  const { layout } = /** @type {Step} */ (graph.makerOf(parts[choices[0]])).parameters
  return room('rotary', 'rotary', [
    ...choices.map(part => parts[part]), ...Object.values(tables).flatMap(({ cos, sin }) => [cos, sin])
  ], { parts: { ...parts, turned, tables, layout, choices } })
}

/**
 * Whether a step multiplies what went through a bend with what did not: a gate.
 * @param {Graph} graph @param {Step | undefined} step
 */
function isGate(graph, step) {
  if (step?.op !== 'mul') return false
  const makers = Object.values(graph.read(step)).map(name => graph.makerOf(name)?.op ?? '')
  return makers.some(op => BENDS.includes(op)) && makers.includes('linear')
}

/**
 * Where an attention reads from, and whether it may look ahead, decides what kind it is.
 * @param {Graph} graph @param {Step} step @param {Place} place @param {Towers} towers
 */
function kindOfAttention(graph, step, place, towers) {
  if (towers.isCross(step)) return 'cross'
  const own = place.around.at(-1)?.name
  const holder = place.around.findLast((_, i) => i < place.around.length - 1)
  const looksBack = holder?.types.some(type => LOOKS_BACK[type] === own)
  if (looksBack) return 'masked'
  if (towers.nameOf(Object.values(step.outputs)[0]) === 'encoder') return 'encoder'
  return step.parameters.isCausal && !towers.isOpen ? 'masked' : 'self'
}

/** @param {Graph} graph @param {Step} step @param {Surroundings} context */
function attentionRooms(graph, step, context) {
  const { place, towers } = context
  const kind = kindOfAttention(graph, step, place, towers)
  const { block, words: usual } = ATTENTION[kind]
  /** @type {Record<string, string>} */
  const words = { ...usual, ...(kind === 'self' && towers.mask && { mask: towers.mask }) }
  const { q, k, v } = graph.read(step)
  const { out, scores, masked_scores: masked, weights, dots } = step.outputs
  const turned = { q: beforeTurn(graph, q), k: beforeTurn(graph, k) }
  const projections = Object.fromEntries(
    Object.entries({ ...turned, v }).map(([part, name]) => [part, projection(graph, name)]))
  const joined = graph.usersOf(out).find(one => one.op === 'linear')
  const output = joined && projection(graph, Object.values(joined.outputs)[0])
  const { heads, kvHeads = heads } = step.parameters
  const mask = graph.described(out).inputs.dropout
  const kept = graph.usersOf(weights).find(one => one.op === 'mul' || one.op === 'mul_mask')?.outputs.out
  const parts = { q, k, v, dots, scores, masked, weights, mask, kept, out, heads, kvHeads,
    isCausal: step.parameters.isCausal, kind }
  const isTurned = turned.q !== q || turned.k !== k
  /**
   * @param {string} part @param {string} stage @param {(string | undefined)[]} tensors
   * @param {Partial<Draft>} [more]
   */
  const room = (part, stage, tensors, more) => ({
    ...context.room(dotted(place.id, part), stage, present(tensors)), block, words: words[part] ?? stage, parts, ...more
  })
  const known = Object.values(projections).filter(one => !!one)
  const all = known.length === 3
  const own = all ? known : []
  const taken = new Set(present([...own.map(({ y }) => y), output?.y]))
  return {
    taken,
    rooms: [
      all && room('qkv', 'qkv', [...own.map(({ y }) => y), ...new Set(own.flatMap(({ weight, bias }) => [weight, bias]))],
        { parts: { ...parts, ...turned, projections } }),
      isTurned && rotaryRoom(graph, parts, turned, room),
      room('scores', 'scores', [dots ?? scores]),
      dots && room('scale', 'scale', [scores]),
      room('mask', 'mask', [masked], { controls: MASK_CONTROLS[kind] }),
      room('weights', words.weights === 'cross' ? 'cross' : 'weights', [weights],
        { words: words.weights ?? 'weights' }),
      mask && room('dropout', 'attention_dropout', [kept, mask], { words: 'attention_dropout' }),
      room('heads', 'heads', [out]),
      output && room('output', 'output', [output.y, output.weight, output.bias], { parts: { ...parts, ...output } })
    ].filter(one => !!one)
  }
}

/** @param {KnownTensor} tensor */
const isPositions = tensor => tensor?.axes[0]?.name === 'position'
/** Whether a step adds a table of positions. @param {Graph} graph @param {Step} step */
const isPlacing = (graph, step) => (
  step.op === 'add' && Object.values(graph.read(step)).some(name => isPositions(graph.described(name))))
/** @param {KnownTensor} tensor */
const isStream = tensor => tensor?.shape.length === 3

/** A sum of two streams of vectors: a residual connection. @param {Graph} graph @param {Step} step */
const isResidual = (graph, step) => (
  step.op === 'add' && Object.values(graph.read(step)).every(name => isStream(graph.described(name))))

/**
 * The residual sum that belongs to a norm: the one it normalises, or, where the norm comes first, the one whose
 * sub-layer
 * it feeds.
 * @param {Graph} graph @param {Step} norm @returns {Residual | null}
 */
function residualOf(graph, norm) {
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
function normRoom(graph, step, context) {
  const { x, weight, bias } = graph.read(step)
  const y = step.outputs.out
  const residual = residualOf(graph, step)
  const parts = { x, weight, bias, y, residual, isFirst: Boolean(residual?.isFirst), isCentred: step.op !== 'rms_norm' }
  const usual = residual ? 'norm' : context.tower === 'encoder' ? 'memory' : 'finalnorm'
  const words = step.op === 'rms_norm' && usual !== 'memory' ? RMS[usual] : usual
  const tensors = present([y, residual?.sum, weight, bias])
  return {
    ...context.room(context.place.id, 'norm', tensors), parts, words, isFloor: true,
    block: 'exit', blockOf: residual?.change
  }
}

/**
 * A linear layer that widens before a bend, narrows after one, or tells the score of every word.
 * @param {Graph} graph @param {Step} step @param {Surroundings} context
 */
function linearRoom(graph, step, context) {
  const own = /** @type {Projection} */ (projection(graph, Object.values(step.outputs)[0]))
  /** @param {Step | undefined} step */
  const bends = step => step && (BENDS.includes(step.op) || step.op === 'mul')
  /** @param {string} name */
  const before = name => {
    const maker = graph.makerOf(name)
    return maker?.op === 'dropout' ? graph.makerOf(graph.read(maker).x) : maker
  }
  const isWords = graph.described(own.y).axes.at(-1)?.name === 'word'
  const users = graph.usersOf(own.y)
  const isInGate = users.some(user => isGate(graph, user))
  const opens = users.some(user => bends(user) && graph.usersOf(user.outputs.out).some(one => isGate(graph, one)))
  const words = isWords ? 'logits' : bends(before(own.x)) ? 'linear2' : isInGate ? 'gatedLinear'
    : opens ? 'gateLinear' : users.some(bends) ? 'linear1' : 'projection'
  return {
    ...context.room(context.place.id, 'linear', present([own.y, own.weight, own.bias])), parts: own, words,
    ...((isInGate || opens) && { controls: GATE_CONTROLS }),
    block: context.layer === undefined ? 'exit' : 'feed_forward', isFloor: isWords
  }
}

/** @param {Graph} graph @param {Step} step @param {Surroundings} context */
function dropoutRoom(graph, step, context) {
  const { out, mask } = step.outputs
  const { x } = graph.read(step)
  const isInner = BENDS.includes(graph.makerOf(x)?.op ?? '')
  const { place, layer } = context
  const of = graph.described(out).axes[1]?.of
  const own = place.types.includes('Dropout') ? place.id : dotted(place.id, 'dropout')
  return {
    ...context.room(layer === undefined ? dotted(of, 'dropout') : own, 'dropout', [out, mask]),
    parts: { before: x, mask, after: out }, words: isInner ? 'inner_dropout' : 'dropout', block: 'entry', blockOf: x
  }
}

/**
 * From ids to vectors: the text itself, then the rows of the table.
 * @param {Graph} graph @param {Step} step @param {Surroundings} context @returns {Draft[]}
 */
function embeddingRooms(graph, step, context) {
  const { weight } = graph.read(step)
  const { out } = step.outputs
  const of = graph.described(out).axes[1]?.of
  const at = { stream: of, block: 'entry' }
  const about = context.stream(of)
  const isMerged = Object.keys(about?.merges ?? {}).length > 0
  const tokens = !about ? [] : about.isBatch ? ['tokens', 'ids'] : ['pieces', ...(isMerged ? ['merges'] : [])]
  return [
    ...tokens.map((stage, i) => ({
      ...context.room(dotted(of, i ? stage : 'tokens'), stage, []), ...at, parts: { stream: of },
      words: stage === 'pieces' && about?.isAnswer ? 'given' : stage, isFloor: i === 0
    })),
    {
      ...context.room(dotted(of, 'embedding'), 'embedding', [out, weight]), ...at, parts: { weight, out, stream: of },
      // Positions that are switched off have no room to be switched on again in.
      ...(!graph.usersOf(out).some(user => isPlacing(graph, user)) && { controls: PLACELESS_CONTROLS })
    }
  ]
}

/** @param {Graph} graph @param {Step} step @param {Surroundings} context @returns {Draft[]} */
function positionRooms(graph, step, context) {
  const { a, b } = graph.read(step)
  const [vectors, table] = isPositions(graph.described(b)) ? [a, b] : [b, a]
  const { out } = step.outputs
  const of = graph.described(out).axes[1]?.of
  const at = { stream: of, block: 'entry', parts: { table, vectors, out, stream: of } }
  return [
    { ...context.room(dotted(of, 'positions'), 'positions', context.isNew(table) ? [table] : []), ...at },
    { ...context.room(dotted(of, 'sum'), 'sum', [out]), ...at, isFloor: true }
  ]
}

/**
 * What the class that chooses from logits says of its tensors, by their part.
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
 * Which tower a tensor belongs to: what a cross-attention reads, whose queries come from another text, is an encoder's.
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
 * The way from room to room skips what only repeats: layers after the first, but for where they look.
 * @param {Draft} room
 */
function isOnTour({ layer, stage, tower }) {
  if (!layer) return true
  return stage === 'cross' || (tower === 'model' && stage === 'weights')
}

/**
 * @param {Run} run
 * @returns {Room[]}
 */
export function derive(run) {
  const graph = graphOf(run)
  const { mask } = run.hints ?? {}
  const towers = { ...towersOf(graph), mask, isOpen: mask === 'mask' }
  /** @type {Draft[]} */ const rooms = []
  /** @type {Set<string>} */ const ids = new Set()
  /** @type {Set<string>} */ const known = new Set()
  /** @type {Set<string>} */ const taken = new Set()
  /** @type {Map<string, string>} */ const blocks = new Map()

  /** @param {string} wanted */
  const unused = wanted => {
    let id = wanted
    for (let n = 2; ids.has(id); n++) id = `${wanted}.${n}`
    ids.add(id)
    return id
  }
  /** The block of what made a tensor, through what only drops or projects. @param {string} name */
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
      isNew: name => !known.has(name),
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
        known.add(name)
        if (!room.blockOf) blocks.set(name, room.block)
      }
    }
  }
  /** @param {number} call @param {string} type @returns {boolean} */
  const isIn = (call, type) => call >= 0 && (run.calls[call].types.includes(type) || isIn(run.calls[call].parent, type))
  /** @param {Step} step */
  const isSampling = step => isIn(step.call, SAMPLING)
  const isSmall = !graph.steps.some(step => graph.placeOf(step.call).layer !== undefined)

  /** @param {Step} step @returns {Draft[]} */
  function roomsOf(step) {
    const context = contextOf(step)
    const { op, outputs: { out } } = step
    if (op === 'attention') {
      const { rooms: list, taken: own } = attentionRooms(graph, step, context)
      own.forEach(name => taken.add(name))
      return list
    }
    if (op === 'embedding') return embeddingRooms(graph, step, context)
    if (isPlacing(graph, step)) {
      return positionRooms(graph, step, context)
    }
    if (NORMS.includes(op)) return [normRoom(graph, step, context)]
    if (op === 'linear') return [linearRoom(graph, step, context)]
    if (op === 'dropout') return [dropoutRoom(graph, step, context)]
    if (BENDS.includes(op)) {
      const { x } = graph.read(step)
      const isGating = graph.usersOf(out).some(user => isGate(graph, user))
      return [{
        ...context.room(dotted(context.place.id, 'activation'), 'activation', [out]), block: 'feed_forward',
        parts: { before: x, after: out, kind: op }, words: isGating ? 'gateActivation' : 'activation'
      }]
    }
    return [{
      ...context.room(dotted(context.place.id, op), 'operation', [out]), parts: { inputs: graph.read(step), out, op },
      ...(isGate(graph, step) && { words: 'gate', controls: GATE_CONTROLS }),
      block: context.layer === undefined ? 'exit' : 'feed_forward'
    }]
  }

  /** Steps that stand in another's room: projections of an attention, sums of a norm, what shows dropped weights. */
  /** @type {Set<Step | undefined>} */ const inOtherRooms = new Set()
  for (const step of graph.steps) {
    if (step.op === 'attention') {
      const { q, k, v } = graph.read(step)
      const projected = [q, k, v].map(name => beforeTurn(graph, name))
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
    if (step.op === 'cross_entropy') inOtherRooms.add(step)
  }
  const outputs = graph.steps.filter(isSampling).flatMap(step => Object.values(step.outputs))
  const given = [...run.tensors.keys()].filter(name => !graph.makerOf(name) &&
    outputs.some(one => Object.values(graph.described(one).inputs).includes(name)))
  for (const step of graph.steps) {
    if (isSampling(step)) continue
    if (!inOtherRooms.has(step)) put(roomsOf(step), isSmall)
  }
  const logits = graph.steps.findLast(step => !isSampling(step) && step.op === 'linear')
  if (outputs.length && logits) {
    put(samplingRooms(contextOf(logits), [...outputs, ...given],
      logits.outputs.out).map(room => ({ ...room, layer: undefined })), isSmall)
  }
  const settled = rooms.map(({ blockOf: of, ...room }) => (of ? { ...room, block: blockOf(of) } : room))
  return connected(settled, graph)
}

/**
 * Every room with the rooms that flow into it; one that shows no tensor passes on what it is about.
 * @param {Draft[]} rooms @param {Graph} graph @returns {Room[]}
 */
function connected(rooms, graph) {
  /** @type {Map<string, string>} */ const homes = new Map()
  for (const { id, tensors } of rooms) tensors.forEach(name => homes.set(name, id))
  return rooms.map((room, i) => {
    const sources = room.tensors.flatMap(name => Object.values(graph.described(name).inputs))
    const from = new Set(sources.map(name => homes.get(name) ?? room.id).filter(id => id !== room.id))
    const isFirst = room.stage === 'embedding' || room.stage === 'ids'
    if (isFirst && i > 0 && rooms[i - 1].stream === room.stream) from.add(rooms[i - 1].id)
    return { ...room, from: [...from] }
  })
}
