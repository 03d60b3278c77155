import { describe, expect, wholeNumber } from '../errors.js'
import { ranking } from './choose.js'

/**
 * Beam search: at each step the `width` best beginnings go on.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 *
 * @typedef {object} Branch
 * @property {number} id the token
 * @property {number} parent place in the tree of the beginning it continues, −1 for the prompt
 * @property {number} step
 * @property {number} logProbability of the token after its beginning
 * @property {number} score the sum of the logarithms up to here
 * @property {boolean} isKept whether it is among the best of its step
 * @property {boolean} isEnd
 */

/**
 * The ids from the prompt on to a branch. @param {readonly Branch[]} tree @param {number} at its place
 * @returns {number[]}
 * @throws {import('../errors.js').GlassformerError} 'range' for a parent that does not stand before its branch
 */
export function pathTo(tree, at) {
  expect(Array.isArray(tree), 'type', () => `pathTo: tree must be a list of branches, got ${describe(tree)}`)
  const ids = []
  let last = tree.length
  for (let i = wholeNumber('pathTo', 'at', at, -1, tree.length - 1); i >= 0; i = tree[i].parent) {
    expect(i < last, 'range', () => `pathTo: parent of tree[${last}] must be a place from -1 to ${last - 1}, got ${describe(i)}`)
    last = i
    ids.push(tree[i].id)
  }
  return ids.reverse()
}

/**
 * The best continuations of every live branch, in the order of the branches, and which of them go on.
 * @param {readonly Branch[]} tree @param {readonly number[]} live @param {Tensor} logProbabilities [live, V]
 * @param {number} width @param {number} step @param {(id: number) => boolean} isEnd @returns {Branch[]}
 */
export function grow(tree, live, logProbabilities, width, step, isEnd) {
  const { engine, shape: [, V] } = logProbabilities
  const candidates = live.flatMap((parent, n) => engine.tidy(() => {
    const row = engine.view(logProbabilities, [V], n * V), ids = ranking(row, Math.min(width, V))
    return Array.from(ids, id => ({
      id, parent, step, logProbability: row.values[id], score: (tree[parent]?.score ?? 0) + row.values[id],
      isKept: false, isEnd: isEnd(id)
    }))
  }))
  const best = [...candidates].sort((a, b) => b.score - a.score).slice(0, width)
  for (const branch of best) branch.isKept = true
  return candidates
}

/**
 * The branch to end with: the best of those that ended, else of those that are alive. Longer answers have smaller
 * products of probabilities; the score is divided by length^lengthPenalty.
 * @param {readonly Branch[]} tree @param {readonly number[]} live @param {number} lengthPenalty
 */
export function bestOf(tree, live, lengthPenalty) {
  const ends = tree.flatMap((branch, i) => (branch.isKept && branch.isEnd ? [i] : []))
  const candidates = ends.length ? ends : live
  const score = (/** @type {number} */ i) => tree[i].score / (tree[i].step + 1) ** lengthPenalty
  return candidates.reduce((a, b) => (score(b) > score(a) ? b : a))
}
