/**
 * Finds the residual streams of a run in its graph: the vectors passed from sub-layer to sub-layer, what each adds, and
 * the steps from the last to the logits; from these the parts that can be ablated and the points of the logit lens.
 */

import { beforeRotation, addsPositions, isPositions, isSumOfStreams, addedTable, relativeBiasOf } from './graph_queries.js'

/** @import { Edit, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */

/**
 * A sub-layer with its residual: its input, what it adds, their sum, and the point from which the stream continues.
 * @typedef {{ input: string, change: string, sum: string, point: string, layer?: number, tower: string,
 *   block: string }} SubLayer
 * @typedef {{ tower: string, subs: SubLayer[] }} Stream
 *
 * @typedef {{ out: string, k: string, v: string, kind: string, heads: number, kvHeads: number, tower: string,
 *   layer?: number, block: string }} Heads
 *
 * A part that can be ablated, and the edits that do so; adds: the cells that it adds to the stream, whose mean can
 * stand for it as well.
 * @typedef {{ kind: 'layer' | 'sub' | 'residual' | 'head' | 'places', tower: string, layer?: number, block: string,
 *   head?: number, edits: Edit[], adds?: Pick<Edit, 'name' | 'index'> }} Part
 *
 * A tensor that can be patched.
 * @typedef {{ name: string, tower: string, layer?: number, block: string }} PatchedRow
 *
 * A step from the stream to logits: its other inputs and its parameters.
 * @typedef {{ out: string, input: string }} LastStep
 */

/** @param {string} name @param {(name: string) => readonly number[]} shapeOf @param {string} from @returns {Edit} */
const replacement = (name, shapeOf, from) => ({ name, index: shapeOf(name).map(() => null), from })

/**
 * The input and the change of a residual sum, where one was computed from the other.
 * @param {Graph} graph @param {Step} step
 */
function residual(graph, step) {
  const { a, b } = graph.read(step)
  if (step.op !== 'add' || !isSumOfStreams(graph, step)) return null
  if (graph.ancestors(b).has(a)) return { input: a, change: b, sum: step.outputs.out }
  return graph.ancestors(a).has(b) ? { input: b, change: a, sum: step.outputs.out } : null
}

/**
 * The residual sum of a sub-layer that read the same input as the one before it.
 * @param {Graph} graph @param {Step} step @param {Map<string, string>} sumInputs the inputs of earlier sums
 */
function parallelResidual(graph, step, sumInputs) {
  if (step.op !== 'add' || !isSumOfStreams(graph, step)) return null
  const { a, b } = graph.read(step), input = sumInputs.get(a)
  return input && graph.ancestors(b).has(input) ? { input: a, change: b, sum: step.outputs.out } : null
}

/**
 * @param {Graph} graph
 * @param {{ towerOf: (name: string) => string, blockOf: (name: string) => string }} known
 * @returns {Stream[]}
 */
export function streamsOf(graph, { towerOf, blockOf }) {
  /** @type {Map<string, string>} */ const sumInputs = new Map()
  const sums = graph.steps.flatMap(step => {
    const found = residual(graph, step) ?? parallelResidual(graph, step, sumInputs)
    if (found) sumInputs.set(found.sum, found.input)
    return found ? [{ ...found, layer: graph.placeOf(step.call).layer }] : []
  })
  const inputs = new Set(sums.map(({ input }) => input))
  /** With the norm after the sum, the stream continues from the norm. @param {typeof sums[number]} residualSum */
  const pointOf = ({ sum, layer }) => {
    if (inputs.has(sum)) return sum
    const norm = graph.usersOf(sum).find(step => step.kind === 'norm' && graph.placeOf(step.call).layer === layer)
    return norm && layer !== undefined ? norm.outputs.out : sum
  }
  /** @type {Stream[]} */ const streams = []
  for (const found of sums) {
    const tower = towerOf(found.sum)
    const sub = { ...found, point: pointOf(found), tower, block: blockOf(found.change) }
    const own = streams.find(stream => stream.tower === tower)
    if (own) own.subs.push(sub)
    else streams.push({ tower, subs: [sub] })
  }
  return streams
}

/**
 * All parts that can be ablated, layer by layer: the layer, its sub-layers with their heads, its residuals.
 * @param {Stream[]} streams @param {Heads[]} attentions @param {(name: string) => readonly number[]} shapeOf
 * @returns {Part[]}
 */
export function partsOf(streams, attentions, shapeOf) {
  /** @param {Heads} own @returns {Part[]} */
  const headsOf = ({ out, heads, tower, layer, block }) => Array.from({ length: heads }, (_, head) => {
    const shape = shapeOf(out), width = shape[2] / heads
    /** @type {Edit['index']} */
    const index = shape.length === 4 ? [null, head, null, null] : [null, null, [head * width, (head + 1) * width]]
    return { kind: 'head', tower, layer, block, head, edits: [{ name: out, index, value: 0 }], adds: { name: out, index } }
  })
  const unassigned = new Set(attentions)
  const parts = streams.flatMap(({ subs }) => subs.flatMap((sub, i) => {
    const { input, change, sum, point, ...at } = sub
    const isFirst = i === 0 || subs[i - 1].layer !== at.layer
    const last = subs.findLast(part => part.layer === at.layer)
    const own = attentions.filter(room => (
      room.tower === at.tower && room.layer === at.layer && room.block === at.block))
    own.forEach(item => unassigned.delete(item))
    // A layer of one sub-layer is no part besides it, unless a norm follows the sum.
    /** @type {Part[]} */
    const layer = isFirst && at.layer !== undefined && last && (last !== sub || sum !== point)
      ? [{ kind: 'layer', ...at, block: '', edits: [replacement(last.point, shapeOf, input)] }] : []
    /** @type {Part[]} */
    const rest = [{ kind: 'sub', ...at, edits: [replacement(sum, shapeOf, input)], adds: { name: change, index: shapeOf(change).map(() => null) } },
      ...own.flatMap(headsOf), { kind: 'residual', ...at, edits: [replacement(sum, shapeOf, change)] }]
    return [...layer, ...rest]
  }))
  return [...parts, ...[...unassigned].flatMap(headsOf)]
}

/**
 * What can be patched in each layer: the stream as the layer reads it and after the last one, and what its sub-layers
 * add to it.
 * @param {Stream[]} streams @returns {Record<'residual' | 'attention' | 'feedForward', PatchedRow[]>}
 */
export function patchedRows(streams) {
  const subs = streams.flatMap(stream => stream.subs)
  const isFirst = (/** @type {SubLayer} */ { tower, layer }, /** @type {number} */ i) => (
    tower !== subs[i - 1]?.tower || layer !== subs[i - 1].layer)
  /** @param {(sub: SubLayer, i: number) => boolean} isListed @param {'input' | 'change'} what */
  const rows = (isListed, what) => subs.filter(isListed).map(({ [what]: name, tower, layer, block }) => (
    { name, tower, layer, block }))
  const ends = streams.map(({ tower, subs: own }) => ({ name: own[own.length - 1].point, tower, block: 'exit' }))
  return {
    residual: [...rows(isFirst, 'input'), ...ends], attention: rows(({ block }) => block !== 'feed_forward', 'change'),
    feedForward: rows(({ block }) => block === 'feed_forward', 'change')
  }
}

/**
 * Edits that remove positions: the sum at an entry without them, queries and keys before their rotation, no
 * relative bias.
 * @param {Graph} graph @param {Step} step @param {(name: string) => readonly number[]} shapeOf @returns {Edit[]}
 */
function positionEdits(graph, step, shapeOf) {
  const { a, b, q, k, mask } = graph.read(step), { out } = step.outputs
  if (addsPositions(graph, step)) return [replacement(out, shapeOf, isPositions(graph.describe(b)) ? a : b)]
  const placed = addedTable(graph, step)
  if (placed) return placed.kind === 'position' ? [replacement(out, shapeOf, placed.vectors)] : []
  if (step.op !== 'attention') return []
  const rotated = [q, k].filter(name => beforeRotation(graph, name) !== name)
  const bias = relativeBiasOf(graph, mask)?.transposed[0]
  return [...rotated.map(name => replacement(name, shapeOf, beforeRotation(graph, name))),
    ...(bias ? [{ name: bias, index: shapeOf(bias).map(() => null), value: 0 }] : [])]
}

/**
 * The positions of each tower as one part, however the model encodes them.
 * @param {Graph} graph @param {(name: string) => string} towerOf @param {(name: string) => readonly number[]} shapeOf
 * @returns {Part[]}
 */
export function positionParts(graph, towerOf, shapeOf) {
  /** @type {Map<string, Edit[]>} */ const towers = new Map()
  for (const step of graph.steps) {
    const tower = towerOf(Object.values(step.outputs)[0]), own = towers.get(tower) ?? []
    const more = positionEdits(graph, step, shapeOf).filter(({ name }) => !own.some(item => item.name === name))
    if (more.length) towers.set(tower, [...own, ...more])
  }
  return [...towers].map(([tower, edits]) => ({ kind: 'places', tower, block: 'entry', edits }))
}

/**
 * The steps from a point of a stream to logits, or null where they are not a chain that can be applied again.
 * @param {Graph} graph @param {string} point @param {string} logits @returns {LastStep[] | null}
 */
export function lastSteps(graph, point, logits) {
  /** @type {LastStep[]} */ const steps = []
  for (let at = logits; at !== point;) {
    const step = graph.makerOf(at)
    if (!step || !step.isRowwise) return null
    const inputs = graph.read(step)
    const ways = Object.entries(inputs).filter(([, name]) => graph.ancestors(name).has(point))
    if (ways.length !== 1) return null
    const [[input, from]] = ways
    steps.unshift({ out: at, input })
    at = from
  }
  return steps
}
