/** The rooms from a text to vectors: its tokens, their embeddings, the positions that are added. */

import { joinPath, addsPositions, isPositions, tableKind, relativeBiasOf } from './graph_queries.js'
import { TABLE_WORDS, UNPOSITIONED_CONTROLS } from './roles.js'

/** @import { Step, Stream } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, RoomContext } from './graph_queries.js' */

/** The stage that explains a segmentation, by the type of tokenizer. @type {Record<string, string>} */
const SEARCHES = { WordPiece: 'wordpiece', Unigram: 'unigram' }

/** The stages that explain how a text was segmented. @param {Stream} stream @returns {string[]} */
export function segmentationStages({ merges = {}, cut, hangul }) {
  const search = cut && SEARCHES[cut.type], isMerged = Object.keys(merges).length > 0
  return [...(isMerged ? ['bpe_merges', 'bpe_training'] : []), ...(search ? [search] : []), ...(hangul ? ['syllables'] : [])]
}

/**
 * An embedding of positions or token types.
 * @param {string} by @param {{ weight: string, out: string, of?: string }} table @param {RoomContext} context
 * @returns {Draft<'embedding'>}
 */
const tableRoom = (by, { weight, out, of }, context) => ({
  ...context.room(joinPath(of, by === 'position' ? 'positions' : by), 'embedding', [out, weight]), block: 'entry',
  parts: { weight, out, stream: of, by }, words: TABLE_WORDS[by], controls: []
})

/**
 * A relative position bias on the scores of every layer: a table with a number for each distance and head.
 * @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'relative'>[]}
 */
function relativeRooms(graph, step, context) {
  const users = graph.steps.filter(({ op }) => op === 'attention').map(step => graph.read(step).mask)
  const bias = users.find(mask => relativeBiasOf(graph, mask)?.lookedUp === step.outputs.out)
  const found = relativeBiasOf(graph, bias)
  if (!bias || !found) return []
  const { weight, lookedUp, transposed: between } = found
  return [{
    ...context.room(context.place.id, 'relative', [bias, ...between.slice(1), lookedUp, weight]),
    block: 'entry', parts: { weight, bias, heads: graph.describe(weight).shape[1] }
  }]
}

/**
 * From ids to vectors: the text itself, then the embedding.
 * @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft[]}
 */
export function embeddingRooms(graph, step, context) {
  const { weight } = graph.read(step)
  const { out } = step.outputs
  const of = graph.describe(out).axes[1]?.of
  const by = tableKind(graph, out) ?? ''
  if (by === 'bucket') return relativeRooms(graph, step, context)
  if (by in TABLE_WORDS) return [tableRoom(by, { weight, out, of }, context)]
  const at = { stream: of, block: 'entry' }
  const about = context.stream(of)
  const tokens = !about ? [] : about.isBatch ? ['tokens', 'ids'] : ['pieces', ...segmentationStages(about)]
  return [
    ...tokens.map((stage, i) => ({
      ...context.room(joinPath(of, i ? stage : 'tokens'), stage, []), ...at, parts: { stream: of },
      words: stage === 'pieces' && about?.isAnswer ? 'given' : stage, isFloor: i === 0
    })),
    {
      ...context.room(joinPath(of, 'embedding'), 'embedding', [out, weight]), ...at, parts: { weight, out, stream: of },
      // Positions that are switched off have no room in which to switch them on again.
      ...(!graph.usersOf(out).some(user => addsPositions(graph, user)) && { controls: UNPOSITIONED_CONTROLS })
    }
  ]
}

/** @param {Graph} graph @param {Step} step @param {RoomContext} context @returns {Draft<'positions' | 'sum'>[]} */
export function positionRooms(graph, step, context) {
  const { a, b } = graph.read(step)
  const [vectors, table] = isPositions(graph.describe(b)) ? [a, b] : [b, a]
  const { out } = step.outputs
  const of = graph.describe(out).axes[1]?.of
  const at = { stream: of, block: 'entry', parts: { table, vectors, out, stream: of } }
  return [
    { ...context.room(joinPath(of, 'positions'), 'positions', context.isNew(table) ? [table] : []), ...at },
    { ...context.room(joinPath(of, 'sum'), 'sum', [out]), ...at, isFloor: true }
  ]
}
