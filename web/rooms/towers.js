/** The towers of a run, each a stack of layers, and where their attentions begin. */

import { isStream, projection } from './graph_queries.js'
import { isSingleSoftmax } from './layers.js'

/** @import { Run, Step } from '../types.d.ts' */
/** @import { Graph } from './graph.js' */
/** @import { Towers } from './graph_queries.js' */

/**
 * The tower of each tensor. The keys of cross-attentions, and everything that they were computed from, belong to
 * the encoder.
 * @param {Graph} graph @param {Run['hints']} hints @returns {Towers}
 */
export function towersOf(graph, hints) {
  /** @param {string} name */
  const isRoot = name => {
    const about = graph.describe(name)
    return graph.makerOf(name)?.op === 'embedding' || (about?.role === 'given' && isStream(about))
  }
  /** @param {string} name */
  const rootsOf = name => [...graph.ancestors(name)].filter(isRoot)
  /** @param {Step} step */
  const isCross = step => {
    const { q, k } = graph.read(step)
    const keyAncestors = graph.ancestors(k)
    return rootsOf(q).some(root => !keyAncestors.has(root))
  }
  const crossings = graph.steps.filter(step => step.op === 'attention' && isCross(step))
  const encoder = new Set(crossings.flatMap(step => [...graph.ancestors(projection(graph, graph.read(step).k)?.x ??
    graph.read(step).k)]))
  /** @param {string} name */
  const nameOf = name => (crossings.length === 0 ? 'model' : encoder.has(name) ? 'encoder' : 'decoder')
  return { nameOf, isCross, mask: hints?.mask, isOpen: hints?.mask === 'mask' }
}

/**
 * The first step of each tower that attends, by the name of the tower.
 * @param {Graph} graph @param {Towers} towers @param {Step[]} steps in the order of the computation
 * @returns {Map<string, Step>}
 */
export function firstAttentions(graph, towers, steps) {
  const attending = steps.filter(step => step.op === 'attention' || isSingleSoftmax(graph, step))
  /** @type {Map<string, Step>} */ const firsts = new Map()
  for (const step of attending.toReversed()) firsts.set(towers.nameOf(step.outputs.out), step)
  return firsts
}
