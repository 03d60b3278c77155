import { describe, expect, expectInteger } from '../errors.js'
import { deriveAxes } from '../trace/axes.js'
import { RunGraph } from './run_graph.js'
import { SubLayers } from './sub_layers.js'

/**
 * What can be patched or ablated in a run, as lists of cells: a row for each layer, a site for each position and head.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/trace.js').Trace} Trace
 * @typedef {import('../trace/edits.js').EditIndex} EditIndex
 *
 * @typedef {'residual' | 'attention' | 'feedForward' | 'heads' | readonly string[]} Targets
 * @typedef {'each' | 'all' | readonly number[]} Positions
 *
 * Cells of a tensor that are replaced together.
 * @typedef {{ name: string, index: EditIndex }} Site
 *
 * The sites of one layer: by position (one for 'all'), for heads by position and head. axis: that of the positions.
 * @typedef {{ name: string, layer: number | null, axis: number, sites: Site[][] }} Row
 */

const KINDS = ['residual', 'attention', 'feedForward', 'heads']

/** @typedef {{ tensor: Tensor, layer: number | null, heads: number, headAxis: number | null }} Target */

/**
 * The tensors of a kind of target, with their layers and, for heads, their number.
 * @param {string} where @param {Trace} trace @param {Targets} targets @returns {Target[]}
 */
function findTargets(where, trace, targets) {
  expect(Array.isArray(targets) || KINDS.includes(/** @type {string} */ (targets)), 'type', () =>
    `${where}: targets must be ${KINDS.join(', ')} or an array of names of tensors, got ${describe(targets)}`)
  const noHeads = { heads: 0, headAxis: null }
  if (Array.isArray(targets)) return targets.map(name => ({ tensor: trace.get(name), layer: null, ...noHeads }))
  const graph = new RunGraph(trace), { list } = new SubLayers(graph)
  /** @type {Target[]} */ let found
  if (targets === 'heads') found = findHeads(graph, list)
  else if (targets === 'residual') {
    found = list.filter(({ isFirst }) => isFirst).map(({ input, layer }) => ({ tensor: input, layer, ...noHeads }))
  } else {
    found = list.filter(({ kind }) => kind === targets)
      .map(({ change, layer }) => ({ tensor: change, layer, ...noHeads }))
  }
  expect(found.length > 0, 'state', () => `${where}: the run has no ${targets}; name tensors instead, such as ` +
    `targets: [${describe(trace.names.at(-1))}]`)
  return found
}

/**
 * The outputs of all attentions in order; the layer is null outside of sub-layers.
 * @param {RunGraph} graph @param {readonly import('./sub_layers.js').SubLayer[]} subs @returns {Target[]}
 */
export function findHeads(graph, subs) {
  const layers = new Map(subs.flatMap(({ layer, attentions }) => attentions.map(({ out }) => [out, layer])))
  return [...graph.attentions.values()].map(({ out, heads, headAxis }) => (
    { tensor: out, layer: layers.get(out) ?? null, heads, headAxis }))
}

/**
 * An index that selects one head as well: its channels, or its index on an axis of heads.
 * @param {readonly number[]} shape @param {{ heads: number, headAxis: number | null }} how @param {number} head
 * @param {EditIndex} index @returns {EditIndex}
 */
export function headIndex(shape, { heads, headAxis }, head, index) {
  if (headAxis !== null) return index.with(headAxis, head)
  const width = shape[shape.length - 1] / heads
  return index.with(-1, [head * width, (head + 1) * width])
}

/** Names of axes along which positions are counted. */
const POSITIONS = ['token', 'query']

/**
 * The axis of the positions of a tensor: the last but one, as in [B, T, C], [T, C] and [B, H, Tq, Tk], unless it has
 * four axes or more and operations derive that another one is.
 * @param {Trace} trace @param {Tensor} tensor @returns {number} negative if it has less than two axes
 */
export function positionAxis({ nodes }, tensor) {
  const last = tensor.shape.length - 2
  if (last < 2) return last
  const axes = deriveAxes(nodes, () => undefined)(tensor).map(({ name }) => name)
  const other = axes.findIndex(name => POSITIONS.includes(name))
  return POSITIONS.includes(axes[last]) || other < 0 ? last : other
}

/**
 * All sites of a run.
 * @param {string} where @param {Trace} trace @param {Targets} targets @param {Positions} positions
 * @returns {Row[]}
 */
export function findRows(where, trace, targets, positions) {
  expect(positions === 'each' || positions === 'all' || Array.isArray(positions), 'type',
    () => `${where}: positions must be 'each', 'all' or an array of positions, got ${describe(positions)}`)
  return findTargets(where, trace, targets).map(({ tensor, layer, ...how }) => {
    const { shape } = tensor, name = /** @type {string} */ (trace.nameOf(tensor))
    const axis = how.heads ? shape.length - 2 : positionAxis(trace, tensor)
    expect(axis >= 0 || positions === 'all', 'shape',
      () => `${where}: ${name} has no axis of positions; write positions: 'all'`)
    /** @type {EditIndex} */ const all = shape.map(() => null)
    const wanted = Array.isArray(positions)
      ? positions.map((position, i) => expectInteger(where, `positions[${i}]`, position, 0, shape[axis] - 1))
      : Array.from({ length: shape[axis] ?? 0 }, (_, i) => i)
    const indices = positions === 'all' ? [all] : wanted.map(position => all.with(axis, position))
    const heads = Array.from({ length: how.heads }, (_, head) => head)
    const sites = indices.map(index => (
      how.heads ? heads.map(head => ({ name, index: headIndex(shape, how, head, index) })) : [{ name, index }]))
    return { name, layer, axis, sites }
  })
}

/**
 * A value for each site, in the shape of the rows: [layer][position], with heads [layer][position][head]; without the
 * axis of positions where they are taken together.
 * @template T @param {Row[]} rows @param {readonly T[]} values @param {boolean} hasHeads @param {boolean} hasPositions
 * @returns {any}
 */
export function toMap(rows, values, hasHeads, hasPositions) {
  let at = 0
  return rows.map(({ sites }) => {
    const own = sites.map(({ length }) => {
      const cells = values.slice(at, at += length)
      return hasHeads ? cells : cells[0]
    })
    return hasPositions ? own : own[0]
  })
}
