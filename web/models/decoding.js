/** Generation for the page: yields the answer after each step, with the values that every token was chosen from. */

import { expandBeams, findBest } from '../../src/js/decoding/beam.js'
import { RandomStream, filterLogits } from '../../src/js/decoding/choose.js'

/** @import { SamplingOptions } from '../../src/js/decoding/choose.js' */
/** @import { Branch, Library } from '../types.d.ts' */

/**
 * The prompt and the limits of an answer.
 * @typedef {{ start: readonly number[], end: number, longest: number, V?: number }} Frame longest: tokens of the
 *   answer, including the end token; V: the vocabulary size, needed where the first tokens have no logits
 */

/**
 * A row that a token can be chosen from. Weights or edits may produce NaN, or nothing but −∞, which the library
 * refuses; the page reports it beside the figure and continues with the first token, so that the numbers can
 * be inspected.
 * @param {Float32Array} row of logits @returns {Float32Array}
 */
export function ensureChoosable(row) {
  const isBroken = row.some(Number.isNaN) || !row.some(logit => logit > -Infinity)
  return isBroken ? row.map((_, id) => (id ? -Infinity : 0)) : row
}

/**
 * The mask of top-k and top-p, 0 or −∞, for consecutive rows of logits.
 * @param {Pick<Library, 'engine'>} gf @param {Float32Array} values @param {number} size @param {SamplingOptions} cuts
 */
export function cutMask({ engine }, values, size, { topK = 0, topP = 1 }) {
  const mask = new Float32Array(values.length)
  if (topK === 0 && topP >= 1) return mask
  for (let start = 0; start < values.length; start += size) {
    const { ids } = filterLogits(engine, ensureChoosable(values.subarray(start, start + size)), { topK, topP })
    mask.fill(-Infinity, start, start + size)
    for (const id of ids) mask[start + id] = 0
  }
  return mask
}

/**
 * The random numbers of all steps: torch.rand after torch.manual_seed.
 * @param {any} gf @param {number} seed @param {number} count
 */
export function randomNumbers({ engine }, seed, count) {
  const stream = new RandomStream(engine, seed)
  const list = Array.from({ length: count }, () => stream.next())
  stream.dispose()
  return list
}

/**
 * Generates token by token until the end. As in speculative decoding, a guess at the answer saves passes: all its
 * tokens are read in one pass, and those before the first mismatch are correct, since no row attends to later ones.
 * @param {(input: number[]) => Float32Array} logitsOf rows of logits for the tokens so far, starting with the prompt
 * @param {(row: Float32Array, step: number) => number} choose
 * @param {number[]} guess
 * @param {Frame} frame
 * @returns {Generator<number[], void>} the ids so far after each pass; the last list ends with the end token, unless
 *   the answer grew too long
 */
export function* generateTokens(logitsOf, choose, guess, { start, end, longest, V }) {
  const offset = start.length - 1
  /** @type {number[]} */ let answer = []
  let draft = guess
  for (;;) {
    const input = [...start, ...draft].slice(0, offset + longest)
    const logits = logitsOf(input)
    const size = V ?? logits.length / input.length, first = input.length - logits.length / size
    const chosen = input.slice(offset).map((_, t) => {
      const at = (offset - first + t) * size
      return t < answer.length ? answer[t] : choose(logits.subarray(at, at + size), t)
    })
    const mismatch = chosen.findIndex((id, t) => id === end || id !== draft[t])
    answer = chosen.slice(0, mismatch + 1 || chosen.length)
    yield answer
    if (answer.at(-1) === end || answer.length === longest) return
    draft = [...answer, ...draft.slice(answer.length)]
  }
}

/**
 * Beam search, with its whole tree. Scores are sums of log probabilities, without length normalization.
 * @param {any} gf
 * @param {(at: number[], tree: Branch[]) => Float32Array[]} logProbabilitiesOf the last row of each live
 *   branch
 * @param {number} width
 * @param {Frame} frame
 * @returns {Generator<{ tree: Branch[], best: number }, void>} the search after each step
 */
export function* searchBeams(gf, logProbabilitiesOf, width, { end, longest }) {
  /** @type {Branch[]} */ const tree = []
  let live = [-1]
  for (let step = 0; step < longest && live.length; step++) {
    const rows = logProbabilitiesOf(live, tree)
    const first = tree.length
    gf.tidy(() => {
      const values = Float32Array.from(rows.flatMap(row => [...row]))
      const all = gf.tensor(values, { shape: [rows.length, rows[0].length] })
      tree.push(...expandBeams(tree, live, all, width, step, id => id === end))
    })
    live = tree.map((_, i) => i).filter(i => i >= first && tree[i].isKept && !tree[i].isEnd)
    yield { tree, best: findBest(tree, live, 0) }
  }
}
