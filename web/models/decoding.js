/** From logits to tokens: temperature, top-k and top-p over all of them, and three ways to pick one after another. */

import { ranking } from '../lib/ranking.js'

/**
 * What an answer begins with and how it ends.
 * @typedef {{ start: readonly number[], end: number, longest: number }} Frame longest: tokens of the answer, its end
 *   included
 */

/** The largest value's place. @param {Float32Array} row */
export const greedy = (row) => row.reduce((best, value, i) => (value > row[best] ? i : best), 0)

/**
 * What top-k and then top-p keep of one row of logits.
 * @param {ArrayLike<number>} row logits, divided by the temperature
 * @param {{ topK: number, topP: number }} cuts topK 0 and topP 1 keep everything
 * @returns {Set<number>}
 */
export function kept(row, { topK, topP }) {
  const order = ranking(row).slice(0, topK > 0 ? topK : row.length)
  if (topP >= 1) return new Set(order)
  const shares = order.map((i) => Math.exp(row[i] - row[order[0]]))
  const total = shares.reduce((sum, share) => sum + share, 0)
  let before = 0
  return new Set(order.filter((_, n) => {
    const isIn = before < topP * total
    before += shares[n]
    return isIn
  }))
}

/** 0 for what is kept and −∞ for what is cut, for rows of logits one after the other. */
export function cutMask(values, size, cuts) {
  const mask = new Float32Array(values.length)
  for (let start = 0; start < values.length; start += size) {
    const keeps = kept(values.subarray(start, start + size), cuts)
    for (let i = 0; i < size; i++) mask[start + i] = keeps.has(i) ? 0 : -Infinity
  }
  return mask
}

/**
 * The token a draw between 0 and 1 falls on when the shares lie side by side, the largest first.
 * @param {ArrayLike<number>} shares
 * @param {number} draw
 */
export function drawn(shares, draw) {
  const order = ranking(shares).filter((i) => shares[i] > 0)
  let end = 0
  return order.find((i) => (end += shares[i]) > draw) ?? order.at(-1)
}

/** The draws of all steps: torch.rand after torch.manual_seed. @param {any} gf @param {number} seed @param {number} count */
export function draws(gf, seed, count) {
  gf.manualSeed(seed)
  return gf.tidy(() => Array.from(gf.rand([count]).values))
}

/**
 * One token after the other until the end. A guess at the answer saves passes: all its tokens are looked at in one
 * pass, and what lies before the first wrong one is what step by step would have given, since no row sees later ones.
 * @param {(input: number[]) => Float32Array} logitsOf rows of logits for the tokens so far, the start first
 * @param {(row: Float32Array, step: number) => number} choose
 * @param {number[]} guess
 * @param {Frame} frame
 * @returns {number[]} ids, the end token last unless the answer grew too long
 */
export function decode(logitsOf, choose, guess, { start, end, longest }) {
  const before = start.length - 1
  let answer = []
  let draft = guess
  for (;;) {
    const input = [...start, ...draft].slice(0, before + longest)
    const logits = logitsOf(input)
    const size = logits.length / input.length
    const chosen = input.slice(before).map((_, t) => {
      const at = (before + t) * size
      return t < answer.length ? answer[t] : choose(logits.subarray(at, at + size), t)
    })
    const wrong = chosen.findIndex((id, t) => id === end || id !== draft[t])
    answer = chosen.slice(0, wrong + 1 || chosen.length)
    if (answer.at(-1) === end || answer.length === longest) return answer
    draft = [...answer, ...draft.slice(answer.length)]
  }
}

/**
 * @typedef {{ id: number, parent: number, step: number, logProbability: number, score: number, isKept: boolean,
 *   isEnd: boolean }} Branch parent: place in the list, -1 for the start; score: the sum of the logarithms up to here
 */

/** The live branches' ids from the start on. @param {Branch[]} tree @param {number} at */
export function pathTo(tree, at) {
  const ids = []
  for (let i = at; i >= 0; i = tree[i].parent) ids.unshift(tree[i].id)
  return ids
}

/** The best continuations of every live branch, and which of them go on. */
function grow(tree, live, rows, { width, step, end }) {
  const candidates = live.flatMap((parent, n) => ranking(rows[n]).slice(0, width).map((id) => ({
    id, parent, step, logProbability: rows[n][id], score: (tree[parent]?.score ?? 0) + rows[n][id], isEnd: id === end
  })))
  const best = [...candidates].sort((a, b) => b.score - a.score).slice(0, width)
  return candidates.map((one) => ({ ...one, isKept: best.includes(one) }))
}

/**
 * Beam search: at each step the `width` best beginnings go on. No bonus for length: the sum of logarithms decides.
 * @param {(inputs: number[][]) => Float32Array[]} logProbabilitiesOf the last row of each
 * @param {number} width
 * @param {Frame} frame
 * @returns {{ tree: Branch[], best: number }}
 */
export function beam(logProbabilitiesOf, width, { start, end, longest }) {
  const tree = []
  let live = [-1]
  for (let step = 0; step < longest && live.length; step++) {
    const rows = logProbabilitiesOf(live.map((at) => [...start, ...pathTo(tree, at)]))
    const first = tree.length
    tree.push(...grow(tree, live, rows, { width, step, end }))
    live = tree.map((_, i) => i).filter((i) => i >= first && tree[i].isKept && !tree[i].isEnd)
  }
  const ends = tree.map((_, i) => i).filter((i) => tree[i].isKept && tree[i].isEnd)
  const candidates = ends.length ? ends : live.length ? live : [tree.length - 1]
  return { tree, best: candidates.reduce((a, b) => (tree[b].score > tree[a].score ? b : a)) }
}
