/** Queries about the graph of a run, and the types that rooms are derived with. */

import { TABLE_WORDS } from './roles.js'

/** @import { KnownTensor, Projection, Room, StageParts, Step, Stream } from '../types.d.ts' */
/** @import { Graph, ModulePath } from './graph.js' */

/**
 * @template {keyof StageParts} [S=any] its stage
 * @typedef {Omit<Room<S>, 'from'> & { reads?: string[] }} Draft a room before it is connected; reads: further tensors
 *   that it reads
 */
/**
 * @typedef {(part: string, stage: string, tensors: (string | undefined)[], more?: Partial<Draft>) => Draft} MakeRoom
 */

/**
 * The position of a step in the model, and helpers for its rooms.
 * @typedef {object} RoomContext
 * @property {ModulePath} place
 * @property {Towers} towers
 * @property {string} tower
 * @property {number} [layer]
 * @property {boolean} isAfterAttention whether it follows an attention of its tower
 * @property {(of: string | undefined) => Stream | undefined} stream
 * @property {(name: string) => boolean} isNew whether no room displays it yet
 * @property {(id: string, stage: string, tensors: string[]) => Omit<Draft, 'block'>} room
 *
 * @typedef {object} Towers
 * @property {(name: string) => string} nameOf the tower that a tensor belongs to
 * @property {(step: Step) => boolean} isCross whether an attention reads from another tower
 * @property {string} [mask] the key of the model's texts for its mask
 * @property {boolean} isOpen whether the mask can be switched off
 */

/** @param {(string | null | undefined)[]} list */
export const present = list => list.filter(name => name !== undefined && name !== null)
/** @param {...(string | undefined)} names */
export const joinPath = (...names) => names.filter(Boolean).join('.')

/**
 * The parts of a projection: its input, the used rows of the weight, its output.
 * @param {Graph} graph @param {string} name @returns {Projection | null}
 */
export function projection(graph, name) {
  const step = graph.makerOf(name)
  if (step?.op !== 'linear') return null
  const { x, weight, bias } = graph.read(step)
  return { x, weight, bias, y: name, ...step.parameters }
}

/** The tensor before its rotation by position, or the tensor itself. @param {Graph} graph @param {string} name */
export const beforeRotation = (graph, name) => {
  const maker = graph.makerOf(name)
  return maker?.op === 'rotary' ? graph.read(maker).x : name
}

/** What a norm, a gain or a limit of queries or keys was computed from. @param {Graph} graph @param {Step} step */
function beforeAdjustment(graph, step) {
  const { x, a, b } = graph.read(step)
  if (step.kind === 'norm' || step.op === 'clamp' || step.op === 'rotary') return x
  return step.op === 'mul' && b && !graph.makerOf(b) && graph.makerOf(a) ? a : null
}

/**
 * The projection of queries, keys or values, and the steps between it and the attention, which normalize, limit or
 * rotate them.
 * @param {Graph} graph @param {string} name @returns {{ name: string, steps: Step[] }}
 */
export function projectedFrom(graph, name) {
  /** @type {Step[]} */ const steps = []
  for (let at = name; ;) {
    const maker = graph.makerOf(at), from = maker && beforeAdjustment(graph, maker)
    if (!maker || maker.op === 'linear') return { name: at, steps: steps.reverse() }
    if (!from) return { name: beforeRotation(graph, name), steps: [] }
    steps.push(maker)
    at = from
  }
}

/**
 * Whether a step multiplies an activated tensor by another one: a gate.
 * @param {Graph} graph @param {Step | undefined} step
 */
export function isGate(graph, step) {
  if (step?.op !== 'mul') return false
  const makers = Object.values(graph.read(step)).map(name => graph.makerOf(name))
  return makers.some(maker => maker?.kind === 'activation') && makers.some(maker => maker?.op === 'linear')
}

/** @param {KnownTensor} tensor */
export const isPositions = tensor => tensor?.axes[0]?.name === 'position'
/** Whether a step adds a table of positions. @param {Graph} graph @param {Step} step */
export const addsPositions = (graph, step) => (
  step.op === 'add' && Object.values(graph.read(step)).some(name => isPositions(graph.describe(name))))

/**
 * The kind of table that a tensor was looked up in, by its rows: 'word', 'position', 'type' or 'bucket'; undefined
 * where it was not looked up.
 * @param {Graph} graph @param {string} name
 */
export function tableKind(graph, name) {
  const maker = graph.makerOf(name)
  return maker?.op === 'embedding' ? graph.describe(graph.read(maker).weight)?.axes[0].name : undefined
}

/**
 * The table, of positions or token types, that a step adds to vectors, and these vectors.
 * @param {Graph} graph @param {Step} step @returns {{ kind: string, vectors: string } | null}
 */
export function addedTable(graph, step) {
  if (step.op !== 'add') return null
  const { a, b } = graph.read(step)
  for (const [own, vectors] of [[a, b], [b, a]]) {
    const kind = own && tableKind(graph, own)
    if (kind && kind in TABLE_WORDS) return { kind, vectors }
  }
  return null
}

/**
 * The origin of a relative position bias: the table, the looked-up tensor, and the steps between; null where there
 * is none.
 * @param {Graph} graph @param {string | undefined} mask
 */
export function relativeBiasOf(graph, mask) {
  /** @type {string[]} */ const transposed = []
  for (let at = mask; at;) {
    const maker = graph.makerOf(at)
    if (maker?.op === 'embedding') return tableKind(graph, at) === 'bucket'
      ? { weight: graph.read(maker).weight, lookedUp: at, transposed } : null
    if (maker?.op !== 'transpose') return null
    transposed.push(at)
    at = graph.read(maker).x
  }
  return null
}

/**
 * Whether a mask adds something else to each head, such as ALiBi's biases.
 * @param {Graph} graph @param {string} mask
 */
export const isBiasOfDistance = (graph, mask) => (graph.describe(mask)?.shape[1] ?? 1) > 1

/**
 * Whether a step adds two streams of vectors. One of them may be listed token by token, without the axis of the batch.
 * @param {Graph} graph @param {Step} step
 */
export function isSumOfStreams(graph, step) {
  const { a, b } = graph.read(step), { shape } = graph.describe(step.outputs.out)
  const size = shape.reduce((product, side) => product * side, 1)
  return isStream(graph.describe(step.outputs.out)) && [a, b].every(name => name &&
    graph.describe(name)?.shape.reduce((product, side) => product * side, 1) === size)
}

/** @param {KnownTensor} tensor */
export const isStream = tensor => tensor?.shape.length === 3
