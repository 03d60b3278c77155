/** The rooms about a model as a whole: ablations, logit lens, head scores, costs. */

import { lastSteps, partsOf, placesOf, streamsOf } from './stream.js'

/** @import { Run } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Draft, MakeRoom } from './graph_queries.js' */
/** @import { Heads } from './stream.js' */

/**
 * @param {Run} run @param {Graph} graph
 * @param {{ towerOf: (name: string) => string, blockOf: (name: string) => string, attentions: Heads[],
 *   logits: string | undefined, room: MakeRoom }} known
 * @returns {Draft[]}
 */
export function insideRooms(run, graph, { attentions, logits, room, ...known }) {
  const streams = streamsOf(graph, known)
  /** @param {string} name */
  const shapeOf = name => graph.described(name).shape
  const parts = [...placesOf(graph, known.towerOf, shapeOf), ...partsOf(streams, attentions, shapeOf)]
  const out = logits ?? graph.steps.filter(({ op }) => op !== 'cross_entropy').at(-1)?.outputs.out
  const spoken = logits && streams.find(({ subs }) => graph.ancestors(logits).has(subs[subs.length - 1].point) &&
    lastSteps(graph, subs[subs.length - 1].point, logits))
  const last = logits && spoken ? lastSteps(graph, spoken.subs[spoken.subs.length - 1].point, logits) : null
  const back = attentions.filter(({ kind }) => kind === 'masked'), isWritten = run.passes.some(({ kind }) => kind === 'token')
  return [
    ...(parts.length && out ? [room('parts', 'parts', [], { reads: [out], parts: { parts, logits, out } })] : []),
    ...(isWritten && back.length ? [room('habits', 'habits', [], { reads: back.map(one => one.out), parts: {
      layers: back, out: back[0].out } })] : []),
    ...(streams.length ? [room('stream', 'stream', [], {
      reads: streams.map(({ subs }) => subs[subs.length - 1].point),
      parts: { streams, last, spoken: spoken ? spoken.tower : null }
    })] : []),
    room('costs', 'costs', [], { reads: out ? [out] : [], parts: { out } })
  ]
}
