// The claims of a work: functions that compute one number of its measurements, to compare with a target of the project.
import { LOOP, LOOPS } from './loops.js'

/** @typedef {import('./harness.js').Stats} Stats */
/**
 * @typedef {object} Claim
 * @property {string} against the side that ours is compared with
 * @property {Stats} [ours]
 * @property {Stats} [theirs]
 * @property {number} value
 * @property {string} unit
 * @property {number} [target] none: the number is only reported
 * @property {boolean} [atMost] whether the target is a maximum
 */

/** The fastest formulation of a peer, whose sides are called 'peer' or 'peer, formulation'. */
function fastest(stats, peer) {
  const names = Object.keys(stats).filter(name => name === peer || name.startsWith(`${peer}, `))
  const [best] = names.sort((a, b) => stats[a].min - stats[b].min)
  return { against: best, theirs: stats[best] }
}

/** The speed-up over a peer, at least `target`. */
export const faster = (peer, target) => ({ stats }) => {
  const { against, theirs } = fastest(stats, peer)
  return { against, ours: stats.ours, theirs, value: theirs.min / stats.ours.min, unit: 'x', target }
}

/** The speed-up of a side over another. */
export const fasterThan = (side, baseline, target, label = baseline) => ({ stats }) => ({
  against: `${side} than ${label}`, ours: stats[side], theirs: stats[baseline], value: stats[baseline].min / stats[side].min,
  unit: 'x', target
})

/** The throughput in percent of the machine's limit. `work` is in the unit of the limit. */
export const ofLimit = (limit, target) => ({ stats, sides, work }) => {
  const fraction = work / stats.ours.min / (sides[limit].work / stats[limit].min)
  return { against: limit, ours: stats.ours, theirs: stats[limit], value: 100 * fraction, unit: '%', target }
}

/** The speed in percent of the slower of two sides, both of which are lower bounds of our time. */
export const ofSlower = (a, b, target) => ({ stats }) => {
  const limit = stats[a].min > stats[b].min ? a : b
  const value = 100 * stats[limit].min / stats.ours.min
  return { against: limit, ours: stats.ours, theirs: stats[limit], value, unit: '%', target }
}

/** The speed-up by several threads, in percent of the speed-up of independent loops (lib/loops.js). */
export const gains = (singleThread, threads, target) => ({ stats }) => {
  const { ours, [singleThread]: single, [LOOP]: loop, [LOOPS]: loops } = stats
  const value = 100 * (single.min / ours.min) / (threads * loop.min / loops.min)
  return { against: `${threads} bare loops`, ours, theirs: loops, value, unit: '%', target }
}

/** How many percent longer a side takes than a baseline, one of them being 'ours'; at most `target`. */
export const costs = (side, baseline, target) => ({ stats }) => ({
  against: side === 'ours' ? baseline : side,
  ours: stats.ours,
  theirs: stats[side === 'ours' ? baseline : side],
  value: 100 * (stats[side].min / stats[baseline].min - 1),
  unit: '% cost',
  target,
  atMost: true
})

export const megabytesPerSecond = target => ({ stats, work }) => ({
  against: 'the clock', ours: stats.ours, value: work / 1e6 / (stats.ours.min / 1000), unit: 'MB/s', target
})

export const milliseconds = target => ({ stats }) => ({
  against: 'the clock', ours: stats.ours, value: stats.ours.min, unit: 'ms', target, atMost: true
})

export const isMet = ({ value, target, atMost }) =>
  target === undefined ? undefined : atMost ? value <= target : value >= target
