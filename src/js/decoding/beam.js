import { describe, expect, expectInteger } from '../errors.js'
import { rankIndices } from './choose.js'

/**
 * Beam search: at each step the `width` best partial sequences are extended.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 *
 * @typedef {object} Branch
 * @property {number} id the token
 * @property {number} parent index in the tree of the branch it extends, −1 for the prompt
 * @property {number} step
 * @property {number} logProbability of the token given all before it
 * @property {number} score the sum of the log probabilities up to here
 * @property {boolean} isKept whether it is among the `width` best of its step
 * @property {boolean} isEnd
 */

/**
 * The ids from the prompt, which is not included, to a branch.
 * @param {readonly Branch[]} tree @param {number} at index of the branch, −1 for the prompt
 * @returns {number[]}
 * @throws {import('../errors.js').GlassformerError} 'range' for a parent that does not precede its branch
 */
export function pathTo(tree, at) {
  expect(Array.isArray(tree), 'type', () => `pathTo: tree must be a list of branches, got ${describe(tree)}`)
  const ids = []
  let last = tree.length
  for (let i = expectInteger('pathTo', 'at', at, -1, tree.length - 1); i >= 0; i = tree[i].parent) {
    expect(i < last, 'range', () => `pathTo: parent of tree[${last}] must be an index from -1 to ${last - 1}, got ${describe(i)}`)
    last = i
    ids.push(tree[i].id)
  }
  return ids.reverse()
}

/**
 * The best continuations of every live branch, in the order of the branches; `isKept` marks the `width` best of all.
 * @param {readonly Branch[]} tree @param {readonly number[]} live @param {Tensor} logProbabilities [live, V]
 * @param {number} width @param {number} step @param {(id: number) => boolean} isEnd @returns {Branch[]}
 */
export function expandBeams(tree, live, logProbabilities, width, step, isEnd) {
  const { engine, shape: [, V] } = logProbabilities
  const candidates = live.flatMap((parent, n) => engine.tidy(() => {
    const row = engine.view(logProbabilities, [V], n * V), ids = rankIndices(row, Math.min(width, V))
    return Array.from(ids, id => ({
      id, parent, step, logProbability: row.values[id], score: (tree[parent]?.score ?? 0) + row.values[id],
      isKept: false, isEnd: isEnd(id)
    })).filter(({ logProbability }) => logProbability > -Infinity)
  }))
  const best = [...candidates].sort((a, b) => b.score - a.score).slice(0, width)
  for (const branch of best) branch.isKept = true
  return candidates
}

/**
 * The indices of the branches where a sequence ends, the best first, of those that ended and of the live ones. Scores
 * are divided by length^lengthPenalty, since longer sequences have smaller products of probabilities.
 * @param {readonly Branch[]} tree @param {readonly number[]} live @param {number} lengthPenalty @returns {number[]}
 */
export function rankBranches(tree, live, lengthPenalty) {
  const ends = tree.flatMap((branch, i) => (branch.isKept && branch.isEnd ? [i] : []))
  const score = (/** @type {number} */ i) => tree[i].score / (tree[i].step + 1) ** lengthPenalty
  return [...ends, ...live].sort((a, b) => score(b) - score(a) || a - b)
}

/**
 * The index of the best branch.
 * @param {readonly Branch[]} tree @param {readonly number[]} live @param {number} lengthPenalty
 */
export const findBest = (tree, live, lengthPenalty) => rankBranches(tree, live, lengthPenalty)[0]
