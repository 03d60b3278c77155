// What is claimed of a measured work: one number each, with the target of the project beside it.
import { LOOP, LOOPS } from './loops.js'

/** @typedef {import('./harness.js').Stats} Stats */
/**
 * @typedef {object} Claim
 * @property {string} against what it is compared with
 * @property {Stats} [ours]
 * @property {Stats} [theirs]
 * @property {number} value
 * @property {string} unit
 * @property {number} [target] missing: only to know
 * @property {boolean} [atMost] whether the target is a ceiling
 */

/** The fastest of a peer's formulations: sides that are called 'peer' or 'peer, something'. */
function fastest(stats, peer) {
  const names = Object.keys(stats).filter(name => name === peer || name.startsWith(`${peer}, `))
  const [best] = names.sort((a, b) => stats[a].min - stats[b].min)
  return { against: best, theirs: stats[best] }
}

/** Ours is faster by this factor. */
export const faster = (peer, target) => ({ stats }) => {
  const { against, theirs } = fastest(stats, peer)
  return { against, ours: stats.ours, theirs, value: theirs.min / stats.ours.min, unit: 'x', target }
}

/** Ours reaches this share of what the machine can do. `work` is in the limit's own unit. */
export const ofLimit = (limit, target) => ({ stats, sides, work }) => {
  const share = work / stats.ours.min / (sides[limit].work / stats[limit].min)
  return { against: limit, ours: stats.ours, theirs: stats[limit], value: 100 * share, unit: '%', target }
}

/** Ours takes no longer than the slower of the two that it cannot be faster than, but for this share. */
export const ofSlower = (one, other, target) => ({ stats }) => {
  const limit = stats[one].min > stats[other].min ? one : other
  const value = 100 * stats[limit].min / stats.ours.min
  return { against: limit, ours: stats.ours, theirs: stats[limit], value, unit: '%', target }
}

/** What ours gains from several threads, as a share of what bare loops gain that share nothing (lib/loops.js). */
export const gains = (one, threads, target) => ({ stats }) => {
  const { ours, [one]: alone, [LOOP]: loop, [LOOPS]: loops } = stats
  const value = 100 * (alone.min / ours.min) / (threads * loop.min / loops.min)
  return { against: `${threads} bare loops`, ours, theirs: loops, value, unit: '%', target }
}

/** Side `what` takes no more than this percentage longer than side `than`. */
export const costs = (what, than, target) => ({ stats }) => ({
  against: what === 'ours' ? than : what,
  ours: stats.ours,
  theirs: stats[what === 'ours' ? than : what],
  value: 100 * (stats[what].min / stats[than].min - 1),
  unit: '% cost',
  target,
  atMost: true
})

export const megabytesASecond = target => ({ stats, work }) => ({
  against: 'the clock', ours: stats.ours, value: work / 1e6 / (stats.ours.min / 1000), unit: 'MB/s', target
})

export const milliseconds = target => ({ stats }) => ({
  against: 'the clock', ours: stats.ours, value: stats.ours.min, unit: 'ms', target, atMost: true
})

export const isMet = ({ value, target, atMost }) =>
  target === undefined ? undefined : atMost ? value <= target : value >= target
