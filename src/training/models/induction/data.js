/**
 * Sequences in which something comes again: a block of random tokens over and over, or pairs of a name and a thing of
 * which each name is asked for again. Only what has come before can be predicted, so only there is a target.
 */

import { createRandom } from '../random.js'
import { GROUPS, LONGEST, START_ID, TOKENS, WORDS, idOf } from './tokens.js'

/** @import { Random } from '../random.js' */

/** A sequence without <start>, and whether the token after each position is one that came before in the same place. */
/** @typedef {{ ids: number[], isPredictable: (at: number) => boolean }} Sequence */
/** Whether a token may follow another. @typedef {(first: number, second: number) => boolean} MayFollow */

export const IGNORE_INDEX = -100

/** The lengths of a block, so that the longest is repeated once. */
const [MIN_BLOCK, MAX_BLOCK] = [2, 23]
/** The numbers of pairs. */
const [MIN_PAIRS, MAX_PAIRS] = [2, 8]
/** One pair of neighbors in so many is never trained on. */
const HELD_OUT_SHARE = 8

const ALL = TOKENS.map((_, id) => id).slice(1)
const GROUP_IDS = GROUPS.map(group => group.map(idOf))
const WORD_IDS = Object.values(WORDS).map(({ names, things }) => ({ names: names.map(idOf), things: things.map(idOf) }))

/** Whether two tokens are never neighbors in training, in this order. @type {MayFollow} */
export const isHeldOut = (first, second) => (
  Math.imul(first * TOKENS.length + second, 0x9e3779b1) >>> 0 < 2 ** 32 / HELD_OUT_SHARE)
/** @type {MayFollow} */
const isTrained = (first, second) => !isHeldOut(first, second)

/**
 * Different tokens, each of which may follow the one before, and the first of the block the last; null where the
 * choice ends early.
 * @param {Random} draw @param {readonly number[]} from @param {number} count @param {number} lead tokens before it
 * @param {MayFollow} mayFollow
 */
function tryTokens(draw, from, count, lead, mayFollow) {
  const tokens = [draw.pick(from)]
  while (tokens.length < count) {
    const next = from.filter(id => !tokens.includes(id) && mayFollow(tokens[tokens.length - 1], id))
    if (next.length === 0) return null
    tokens.push(draw.pick(next))
  }
  return mayFollow(tokens[count - 1], tokens[lead]) ? tokens : null
}

/**
 * A block of different tokens, repeated up to a length; others may come before it.
 * @param {Random} draw @param {number} length
 * @param {{ from?: readonly number[], size?: number, hasLead?: boolean, mayFollow?: MayFollow }} [options] size: of the
 *   block, random by default
 * @returns {Sequence}
 */
export function repeatedBlock(draw, length, { from = ALL, size, hasLead = false, mayFollow = isTrained } = {}) {
  for (;;) {
    const own = size ?? MIN_BLOCK + draw.below(Math.min(MAX_BLOCK, from.length - 1) - MIN_BLOCK + 1)
    const lead = hasLead ? draw.below(Math.min(length - 2 * own, from.length - own) + 1) : 0
    const tokens = tryTokens(draw, from, lead + own, lead, mayFollow)
    if (tokens) {
      const ids = Array.from({ length }, (_, i) => tokens[i < lead ? i : lead + (i - lead) % own])
      return { ids, isPredictable: at => at >= lead + own }
    }
  }
}

/**
 * Different names, each with a thing of its own that may follow it; fewer than asked for where the choice ends early.
 * @param {Random} draw @param {number} count @param {MayFollow} mayFollow @returns {[number, number][]}
 */
function choosePairs(draw, count, mayFollow) {
  const { names, things } = draw.pick(WORD_IDS)
  /** @type {[number, number][]} */ const chosen = []
  for (const left = [...names]; chosen.length < count && left.length > 0;) {
    const [name] = left.splice(draw.below(left.length), 1)
    const own = things.filter(thing => mayFollow(name, thing) && chosen.every(([, other]) => other !== thing))
    const last = chosen.at(-1)?.[1]
    if (own.length && (last === undefined || isTrained(last, name))) chosen.push([name, draw.pick(own)])
  }
  return chosen
}

/**
 * Pairs of a name and a thing, then the same pairs again and again in any order.
 * @param {Random} draw @param {number} length @param {MayFollow} [mayFollow] which thing may follow a name
 * @returns {Sequence}
 */
export function pairs(draw, length, mayFollow = isTrained) {
  for (;;) {
    const chosen = choosePairs(draw, MIN_PAIRS + draw.below(MAX_PAIRS - MIN_PAIRS + 1), mayFollow), list = [...chosen]
    for (let next = chosen; chosen.length >= MIN_PAIRS && 2 * list.length < length && next.length;) {
      const [, last] = list[list.length - 1]
      next = chosen.filter(([name]) => isTrained(last, name))
      if (next.length) list.push(draw.pick(next))
    }
    if (2 * list.length < length) continue
    return { ids: list.flat().slice(0, length), isPredictable: at => at >= 2 * chosen.length && at % 2 === 0 }
  }
}

/** @param {Random} draw @returns {Sequence} */
function sequence(draw) {
  const kind = draw.below(4)
  if (kind === 0) return pairs(draw, LONGEST)
  return repeatedBlock(draw, LONGEST, { hasLead: draw.chance(0.8), ...(kind === 1 && { from: draw.pick(GROUP_IDS) }) })
}

/**
 * Inputs, and the target of every position at which it is known.
 * @param {readonly Sequence[]} sequences @returns {{ input: number[][], target: number[] }}
 */
export const batchOf = sequences => ({
  input: sequences.map(({ ids }) => [START_ID, ...ids.slice(0, -1)]),
  target: sequences.flatMap(({ ids, isPredictable }) => (
    ids.map((id, at) => (at > 0 && isPredictable(at - 1) ? id : IGNORE_INDEX))))
})

/** The sequences of a training step. @param {number} seed @param {number} count @returns {Sequence[]} */
export function sequences(seed, count) {
  const draw = createRandom(seed)
  return Array.from({ length: count }, () => sequence(draw))
}

/**
 * Repeated random blocks, and pairs, whose tokens never follow each other in training.
 * @param {number} seed @param {number} count @returns {Sequence[]}
 */
export function heldOutSequences(seed, count) {
  const draw = createRandom(seed)
  return Array.from({ length: count }, (_, n) => (
    n % 4 ? repeatedBlock(draw, LONGEST, { mayFollow: isHeldOut }) : pairs(draw, LONGEST, isHeldOut)))
}

/** Example beginnings. */
export const BEGINNINGS = [
  ['ko', '하준 사과 미나 배 하준'], ['ko', '가 나 다 라 마 바 가 나'], ['en', 'Kara tea Ben milk Kara'], ['en', 'A B C D A'],
  ['en', '3 1 4 5 9 2 6 3']
]
