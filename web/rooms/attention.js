/** The rooms of one attention, from its projections to its output. */

import { beforeRotation, dotted, present, projection, relativeIn } from './graph_queries.js'
import { ATTENTION, CAUSAL, MASK_CONTROLS } from './roles.js'

/** @import { Step } from '../types.d.ts' */
/** @import { Graph, Place } from './graph.js' */
/** @import { Draft, MakeRoom, Surroundings, Towers } from './graph_queries.js' */

/** The rotary tables of queries or keys. @param {Graph} graph @param {string} name */
function tablesOf(graph, name) {
  const { cos, sin } = graph.read(/** @type {Step} */ (graph.makerOf(name)))
  return { cos, sin }
}

/**
 * The rotary room: what was rotated, by which tables, and which of queries and keys can be displayed.
 * @param {Graph} graph @param {Record<string, any>} parts @param {Record<'q' | 'k', string>} rotated
 * @param {MakeRoom} room
 */
function rotaryRoom(graph, parts, rotated, room) {
  const choices = /** @type {const} */ (['q', 'k']).filter(part => rotated[part] !== parts[part])
  const tables = Object.fromEntries(choices.map(part => [part, tablesOf(graph, parts[part])]))
  const { layout } = /** @type {Step} */ (graph.makerOf(parts[choices[0]])).parameters
  return room('rotary', 'rotary', [
    ...choices.map(part => parts[part]), ...Object.values(tables).flatMap(({ cos, sin }) => [cos, sin])
  ], { parts: { ...parts, turned: rotated, tables, layout, choices } })
}

/**
 * The kind of an attention, from where it reads and whether it may look ahead.
 * @param {Graph} graph @param {Step} step @param {Place} place @param {Towers} towers
 */
function kindOfAttention(graph, step, place, towers) {
  if (towers.isCross(step)) return 'cross'
  const own = place.around.at(-1)?.name
  const holder = place.around.findLast((_, i) => i < place.around.length - 1)
  const looksBack = holder?.types.some(type => CAUSAL[type] === own)
  if (looksBack) return 'masked'
  if (towers.nameOf(Object.values(step.outputs)[0]) === 'encoder') return 'encoder'
  return step.parameters.isCausal && !towers.isOpen ? 'masked' : 'self'
}

/** @param {Graph} graph @param {Step} step @param {Surroundings} context */
export function attentionRooms(graph, step, context) {
  const { place, towers } = context
  const kind = kindOfAttention(graph, step, place, towers)
  const { block, words: usual } = ATTENTION[kind]
  /** @type {Record<string, string>} */
  const words = { ...usual, ...(kind === 'self' && towers.mask && { mask: towers.mask }) }
  const { q, k, v, mask: addedMask } = graph.read(step)
  if (relativeIn(graph, addedMask)) words.mask = kind === 'masked' ? 'relativeCausal' : 'relativeMask'
  const { out, scores, masked_scores: masked, weights, dots } = step.outputs
  const rotated = { q: beforeRotation(graph, q), k: beforeRotation(graph, k) }
  const projections = Object.fromEntries(
    Object.entries({ ...rotated, v }).map(([part, name]) => [part, projection(graph, name)]))
  const joined = graph.usersOf(out).find(one => one.op === 'linear')
  const output = joined && projection(graph, Object.values(joined.outputs)[0])
  const { heads, kvHeads = heads } = step.parameters
  const mask = graph.described(out).inputs.dropout
  const dropped = graph.usersOf(weights).find(one => one.op === 'mul' || one.op === 'mul_mask')?.outputs.out
  const parts = { q, k, v, dots, scores, masked, weights, mask, kept: dropped, out, heads, kvHeads,
    isCausal: step.parameters.isCausal, scale: step.parameters.scale, kind }
  const isRotated = rotated.q !== q || rotated.k !== k
  /**
   * @param {string} part @param {string} stage @param {(string | undefined)[]} tensors
   * @param {Partial<Draft>} [more]
   */
  const room = (part, stage, tensors, more) => ({
    ...context.room(dotted(place.id, part), stage, present(tensors)), block, words: words[part] ?? stage, parts, ...more
  })
  const existing = Object.values(projections).filter(one => !!one)
  const all = existing.length === 3
  const own = all ? existing : []
  const covered = new Set(present([...own.map(({ y }) => y), output?.y]))
  return {
    taken: covered,
    rooms: [
      all && room('qkv', 'qkv', [...own.map(({ y }) => y), ...new Set(own.flatMap(({ weight, bias }) => [weight, bias]))],
        { parts: { ...parts, ...rotated, projections } }),
      isRotated && rotaryRoom(graph, parts, rotated, room),
      room('scores', 'scores', [dots ?? scores]),
      dots && room('scale', 'scale', [scores]),
      room('mask', 'mask', [masked], { controls: MASK_CONTROLS[kind] }),
      room('weights', words.weights === 'cross' ? 'cross' : 'weights', [weights],
        { words: words.weights ?? 'weights' }),
      mask && room('dropout', 'attention_dropout', [dropped, mask], { words: 'attention_dropout' }),
      room('heads', 'heads', [out]),
      output && room('output', 'output', [output.y, output.weight, output.bias], { parts: { ...parts, ...output } })
    ].filter(one => !!one)
  }
}
