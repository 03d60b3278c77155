/** The rooms of one attention, from its projections to its output. */

import { beforeRotation, joinPath, present, projectedFrom, projection, relativeBiasOf, isBiasOfDistance } from './graph_queries.js'
import { ATTENTION, CAUSAL, MASK_CONTROLS } from './roles.js'

/** @import { Step } from '../types.d.ts' */
/** @import { Graph, ModulePath } from './graph.js' */
/** @import { Draft, MakeRoom, RoomContext, Towers } from './graph_queries.js' */

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
  ], { parts: { ...parts, rotated, tables, layout, choices } })
}

/**
 * The kind of an attention: cross, masked, encoder or self, from the text that it reads and from its mask.
 * @param {Graph} graph @param {Step} step @param {ModulePath} place @param {Towers} towers
 */
export function kindOfAttention(graph, step, place, towers) {
  if (towers.isCross(step)) return 'cross'
  const attribute = place.ancestors.at(-1)?.name
  const parent = place.ancestors.findLast((_, i) => i < place.ancestors.length - 1)
  const looksBack = parent?.types.some(type => CAUSAL[type] === attribute)
  if (looksBack) return 'masked'
  if (towers.nameOf(Object.values(step.outputs)[0]) === 'encoder') return 'encoder'
  return step.parameters.isCausal && !towers.isOpen ? 'masked' : 'self'
}

/**
 * The texts of a mask: of what is added to the scores, of the window, or of what the kind of attention hides.
 * @param {Graph} graph @param {Step} step @param {string} kind @param {string} usual
 */
function wordsOfMask(graph, step, kind, usual) {
  const { mask: added } = graph.read(step), isMasked = kind === 'masked'
  if (relativeBiasOf(graph, added)) return isMasked ? 'relativeCausal' : 'relativeMask'
  if (added && isBiasOfDistance(graph, added)) return 'alibi'
  if (step.parameters.window) return isMasked ? 'windowCausal' : 'window'
  return usual
}

/**
 * The steps that computed biases from the distances of tokens.
 * @param {Graph} graph @param {string} bias @returns {Step[]}
 */
export function biasSteps(graph, bias) {
  const maker = graph.makerOf(bias)
  if (!maker) return []
  return [...Object.values(graph.read(maker)).flatMap(name => biasSteps(graph, name)), maker]
}

/**
 * The rooms of an attention. Steps between its projections and the scores have rooms among them.
 * @param {Graph} graph @param {Step} step @param {RoomContext} context @param {(step: Step) => Draft[]} roomsOf
 */
export function attentionRooms(graph, step, context, roomsOf) {
  const { place, towers } = context
  const kind = kindOfAttention(graph, step, place, towers)
  const { block, words: defaultWords } = ATTENTION[kind]
  /** @type {Record<string, string>} */
  const words = { ...defaultWords, ...(kind === 'self' && towers.mask && { mask: towers.mask }) }
  words.mask = wordsOfMask(graph, step, kind, words.mask)
  const { q, k, v, mask: bias } = graph.read(step)
  const { out, scores, masked_scores: masked, weights, dots } = step.outputs
  const rotated = { q: beforeRotation(graph, q), k: beforeRotation(graph, k) }
  const projected = Object.entries({ q, k, v }).map(([part, name]) => ({ part, ...projectedFrom(graph, name) }))
  const projections = Object.fromEntries(projected.map(({ part, name }) => [part, projection(graph, name)]))
  const joined = graph.usersOf(out).find(user => user.op === 'linear')
  const output = joined && projection(graph, Object.values(joined.outputs)[0])
  const { heads, kvHeads = heads } = step.parameters
  const mask = graph.describe(out).inputs.dropout
  const dropped = graph.usersOf(weights).find(user => user.op === 'mul' || user.op === 'mul_mask')?.outputs.out
  const parts = { q, k, v, dots, scores, masked, weights, mask, dropped, out, heads, kvHeads,
    isCausal: step.parameters.isCausal, scale: step.parameters.scale, kind }
  const isRotated = rotated.q !== q || rotated.k !== k
  /**
   * @param {string} part @param {string} stage @param {(string | undefined)[]} tensors
   * @param {Partial<Draft>} [more]
   */
  const room = (part, stage, tensors, more) => ({
    ...context.room(joinPath(place.id, part), stage, present(tensors)), block,
    words: words[part] ?? stage, parts, ...more
  })
  const existing = Object.values(projections).filter(found => !!found)
  const hasAll = existing.length === 3
  const own = hasAll ? existing : []
  return [
    hasAll && room('qkv', 'qkv', [...own.map(({ y }) => y), ...new Set(own.flatMap(({ weight, bias }) => [weight, bias]))],
      { parts: { ...parts, ...Object.fromEntries(projected.map(({ part, name }) => [part, name])), projections } }),
    ...(hasAll ? projected.flatMap(({ steps }) => steps.filter(({ op }) => op !== 'rotary').flatMap(roomsOf)) : []),
    isRotated && rotaryRoom(graph, parts, rotated, room),
    room('scores', 'scores', [dots ?? scores]),
    dots && room('scale', 'scale', [scores]),
    ...(bias && words.mask === 'alibi' && context.isNew(bias) ? biasSteps(graph, bias).flatMap(roomsOf) : []),
    room('mask', 'mask', [masked, ...(bias && words.mask === 'alibi' ? [bias] : [])], { controls: MASK_CONTROLS[kind] }),
    room('weights', words.weights === 'cross' ? 'cross' : 'weights', [weights],
      { words: words.weights ?? 'weights' }),
    mask && room('dropout', 'attention_dropout', [dropped, mask], { words: 'attention_dropout' }),
    room('heads', 'heads', [out]),
    output && room('output', 'output', [output.y, output.weight, output.bias], { parts: { ...parts, ...output } })
  ].filter(item => !!item)
}
