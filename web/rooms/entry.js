/** The rooms from a text to vectors: its tokens, their embeddings, the positions that are added. */

import { dotted, isPlacing, isPositions, lookedUpBy, relativeIn } from './graph_queries.js'
import { LOOKED_UP, PLACELESS_CONTROLS } from './roles.js'

/** @import { Step, Stream } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, Surroundings } from './graph_queries.js' */

/** The stage that explains a segmentation, by the type of tokenizer. @type {Record<string, string>} */
const SEARCHES = { WordPiece: 'longest', Unigram: 'lattice' }

/** The stages that explain how a text was segmented. @param {Stream} stream @returns {string[]} */
export function segmentationStages({ merges = {}, cut, hangul }) {
  const search = cut && SEARCHES[cut.type], isMerged = Object.keys(merges).length > 0
  return [...(isMerged ? ['merges', 'learning'] : []), ...(search ? [search] : []), ...(hangul ? ['syllables'] : [])]
}

/**
 * An embedding of positions or token types.
 * @param {string} by @param {{ weight: string, out: string, of?: string }} table @param {Surroundings} context
 * @returns {Draft}
 */
const tableRoom = (by, { weight, out, of }, context) => ({
  ...context.room(dotted(of, by === 'position' ? 'positions' : by), 'embedding', [out, weight]), block: 'entry',
  parts: { weight, out, stream: of, by }, words: LOOKED_UP[by], controls: []
})

/**
 * A relative position bias on the scores of every layer: a table with a number for each distance and head.
 * distance and head.
 * @param {Graph} graph @param {Step} step @param {Surroundings} context @returns {Draft[]}
 */
function relativeRooms(graph, step, context) {
  const users = graph.steps.filter(({ op }) => op === 'attention').map(one => graph.read(one).mask)
  const bias = users.find(mask => relativeIn(graph, mask)?.looked === step.outputs.out)
  const found = relativeIn(graph, bias)
  if (!bias || !found) return []
  const { weight, looked, turned: between } = found
  return [{
    ...context.room(context.place.id, 'relative', [bias, ...between.slice(1), looked, weight]),
    block: 'entry', parts: { weight, bias, heads: graph.described(weight).shape[1] }
  }]
}

/**
 * From ids to vectors: the text itself, then the embedding.
 * @param {Graph} graph @param {Step} step @param {Surroundings} context @returns {Draft[]}
 */
export function embeddingRooms(graph, step, context) {
  const { weight } = graph.read(step)
  const { out } = step.outputs
  const of = graph.described(out).axes[1]?.of
  const by = lookedUpBy(graph, out) ?? ''
  if (by === 'bucket') return relativeRooms(graph, step, context)
  if (by in LOOKED_UP) return [tableRoom(by, { weight, out, of }, context)]
  const at = { stream: of, block: 'entry' }
  const about = context.stream(of)
  const tokens = !about ? [] : about.isBatch ? ['tokens', 'ids'] : ['pieces', ...segmentationStages(about)]
  return [
    ...tokens.map((stage, i) => ({
      ...context.room(dotted(of, i ? stage : 'tokens'), stage, []), ...at, parts: { stream: of },
      words: stage === 'pieces' && about?.isAnswer ? 'given' : stage, isFloor: i === 0
    })),
    {
      ...context.room(dotted(of, 'embedding'), 'embedding', [out, weight]), ...at, parts: { weight, out, stream: of },
      // Positions that are switched off have no room in which to switch them on again.
      ...(!graph.usersOf(out).some(user => isPlacing(graph, user)) && { controls: PLACELESS_CONTROLS })
    }
  ]
}

/** @param {Graph} graph @param {Step} step @param {Surroundings} context @returns {Draft[]} */
export function positionRooms(graph, step, context) {
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
