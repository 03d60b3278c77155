/**
 * The rooms about a whole model: attribution, patching, ablations, logit lens, head scores, costs, how weights are
 * stored.
 */

import { lastSteps, partsOf, patchedRows, positionParts, streamsOf } from './stream.js'

/** @import { Run } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, MakeRoom } from './graph_queries.js' */
/** @import { Heads } from './stream.js' */

/** The types of weights that are stored in the blocks of a GGUF file: q8_0, q4_k, … */
const IN_BLOCKS = /^q\d_/

/**
 * @param {Run} run @param {Graph} graph
 * @param {{ towerOf: (name: string) => string, blockOf: (name: string) => string, attentions: Heads[],
 *   logits: string | undefined, scores?: string, room: MakeRoom }} known scores: of a classification
 * @returns {Draft[]}
 */
export function modelRooms(run, graph, { attentions, logits, scores, room, ...towers }) {
  const streams = streamsOf(graph, towers)
  /** @param {string} name */
  const shapeOf = name => graph.describe(name).shape
  const parts = [...positionParts(graph, towers.towerOf, shapeOf), ...partsOf(streams, attentions, shapeOf)]
  const out = logits ?? graph.steps.filter(({ op }) => op !== 'cross_entropy').at(-1)?.outputs.out
  const outputStream = logits && streams.find(({ subs }) => graph.ancestors(logits).has(subs[subs.length - 1].point) &&
    lastSteps(graph, subs[subs.length - 1].point, logits))
  const end = outputStream && outputStream.subs[outputStream.subs.length - 1].point
  const last = logits && end ? lastSteps(graph, end, logits) : null
  const stored = graph.steps.filter(({ op }) => op === 'linear').map(step => graph.read(step).weight)
    .find(weight => IN_BLOCKS.test(graph.describe(weight)?.dtype))
  const causalAttentions = attentions.filter(({ kind }) => kind === 'masked'), isGenerated = run.passes.some(({ kind }) => kind === 'token')
  const explained = logits ?? scores
  return [
    ...(explained ? [room('attribution', 'attribution', [], { reads: [explained], parts: { logits: explained } })] : []),
    ...(logits && run.decoding && streams.length ? [room('patching', 'patching', [], { reads: [logits], parts: {
      logits, rows: patchedRows(streams), attentions } })] : []),
    ...(parts.length && out ? [room('ablation', 'ablation', [], { reads: [out], parts: { parts, logits, out } })] : []),
    ...(isGenerated && causalAttentions.length ? [room('head_scores', 'head_scores', [], { reads: causalAttentions.map(room => room.out), parts: {
      layers: causalAttentions, out: causalAttentions[0].out } })] : []),
    ...(streams.length ? [room('residual_stream', 'residual_stream', [], {
      reads: streams.map(({ subs }) => subs[subs.length - 1].point),
      parts: { streams, last, spoken: outputStream ? outputStream.tower : null }
    })] : []),
    ...(stored ? [room('weight_blocks', 'weight_blocks', [], { reads: [stored], parts: { weight: stored } })] : []),
    room('costs', 'costs', [], { reads: out ? [out] : [], parts: { out } })
  ]
}
