/** What rooms are made from: where a step was computed, and queries about the graph around it. */

import { ACTIVATIONS, LOOKED_UP } from './roles.js'

/** @import { KnownTensor, Projection, Room, Step, Stream } from '../types.d.ts' */
/** @import { Graph, Place } from './graph.js' */

/** @typedef {Omit<Room, 'from'> & { reads?: string[] }} Draft a room before all are there; reads: what flows in */
/**
 * @typedef {(part: string, stage: string, tensors: (string | undefined)[], more?: Partial<Draft>) => Draft} MakeRoom
 */

/**
 * Where a step was computed, and what its rooms have in common.
 * @typedef {object} Surroundings
 * @property {Place} place
 * @property {Towers} towers
 * @property {string} tower
 * @property {number} [layer]
 * @property {(of: string | undefined) => Stream | undefined} stream
 * @property {(name: string) => boolean} isNew whether no room displays it yet
 * @property {(id: string, stage: string, tensors: string[]) => Omit<Draft, 'block'>} room
 *
 * @typedef {object} Towers
 * @property {(name: string) => string} nameOf the tower that a tensor belongs to
 * @property {(step: Step) => boolean} isCross whether an attention reads from another tower
 * @property {string} [mask] the texts of the model for its mask
 * @property {boolean} isOpen whether the mask can be switched off
 */

/** @param {(string | null | undefined)[]} list */
export const present = list => list.filter(name => name !== undefined && name !== null)
/** @param {...(string | undefined)} names */
export const dotted = (...names) => names.filter(Boolean).join('.')

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

/**
 * Whether a step multiplies an activated tensor by another one: a gate.
 * @param {Graph} graph @param {Step | undefined} step
 */
export function isGate(graph, step) {
  if (step?.op !== 'mul') return false
  const makers = Object.values(graph.read(step)).map(name => graph.makerOf(name)?.op ?? '')
  return makers.some(op => ACTIVATIONS.includes(op)) && makers.includes('linear')
}

/** @param {KnownTensor} tensor */
export const isPositions = tensor => tensor?.axes[0]?.name === 'position'
/** Whether a step adds a table of positions. @param {Graph} graph @param {Step} step */
export const isPlacing = (graph, step) => (
  step.op === 'add' && Object.values(graph.read(step)).some(name => isPositions(graph.described(name))))

/**
 * What the rows of the table that a tensor was looked up in stand for: 'word', 'position', 'type', 'bucket'; undefined
 * where it was not looked up.
 * @param {Graph} graph @param {string} name
 */
export function lookedUpBy(graph, name) {
  const maker = graph.makerOf(name)
  return maker?.op === 'embedding' ? graph.described(graph.read(maker).weight)?.axes[0].name : undefined
}

/**
 * The vectors to which embeddings of positions or token types are added, and which of both.
 * @param {Graph} graph @param {Step} step @returns {{ by: string, vectors: string } | null}
 */
export function placedIn(graph, step) {
  if (step.op !== 'add') return null
  const { a, b } = graph.read(step)
  for (const [own, vectors] of [[a, b], [b, a]]) {
    const by = own && lookedUpBy(graph, own)
    if (by && by in LOOKED_UP) return { by, vectors }
  }
  return null
}

/**
 * The origin of a relative position bias: the table, the looked-up tensor, and the steps between; null where there
 * is none.
 * @param {Graph} graph @param {string | undefined} mask
 */
export function relativeIn(graph, mask) {
  /** @type {string[]} */ const rotated = []
  for (let at = mask; at;) {
    const maker = graph.makerOf(at)
    if (maker?.op === 'embedding') return lookedUpBy(graph, at) === 'bucket'
      ? { weight: graph.read(maker).weight, looked: at, turned: rotated } : null
    if (maker?.op !== 'transpose') return null
    rotated.push(at)
    at = graph.read(maker).x
  }
  return null
}

/** @param {KnownTensor} tensor */
export const isStream = tensor => tensor?.shape.length === 3
