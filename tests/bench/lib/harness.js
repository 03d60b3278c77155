// Timing. Every side of a work takes its turn within one run, over and over, so that whatever else the machine does
// meets all of them; what counts is the ratio of the minima.

/** @typedef {{ min: number, median: number, runs: number }} Stats milliseconds */
/** @typedef {{ run?: () => unknown, time?: () => Promise<number>, result?: () => any, work?: number }} Side
 *    run: one repetition; or time: one repetition that takes its own time, in milliseconds */

const WARM_UP_RUNS = 4
/** A warm-up ends when its last third was no more than this much faster than what came before. */
const SETTLED = 0.97
const TURN_MS = 40
const LEAST_RUNS = 5

/** @param {Side} side */
async function timeOnce(side) {
  if (side.time) return side.time()
  const start = performance.now()
  const pending = side.run()
  if (pending instanceof Promise) await pending
  return performance.now() - start
}

const total = times => times.reduce((sum, ms) => sum + ms, 0)
const least = times => times.reduce((a, b) => Math.min(a, b), Infinity)

function isSettled(times) {
  const recent = Math.ceil(times.length / 3)
  return least(times.slice(-recent)) >= SETTLED * least(times.slice(0, -recent))
}

/** The engine compiles what is hot in the background; repeats until that has stopped making a difference. */
async function warmUp(side, ms) {
  const times = []
  for (;;) {
    times.push(await timeOnce(side))
    const spent = total(times)
    if (times.length >= WARM_UP_RUNS && spent >= ms && (isSettled(times) || spent >= 5 * ms)) return
  }
}

/** @param {number[]} times @returns {Stats} */
export function statsOf(times) {
  const sorted = Float64Array.from(times).sort()
  return { min: sorted[0], median: sorted[sorted.length >> 1], runs: sorted.length }
}

/**
 * @param {Record<string, Side>} sides
 * @param {number} seconds for each side at least
 * @returns {Promise<Record<string, Stats>>}
 */
export async function measure(sides, seconds) {
  const all = Object.entries(sides).map(([name, side]) => ({ name, side, times: [], spent: 0 }))
  for (const { side } of all) await warmUp(side, 500 * seconds)
  const isDone = ({ spent, times }) => spent >= 1000 * seconds && times.length >= LEAST_RUNS
  while (!all.every(isDone)) {
    for (const entry of all) {
      if (isDone(entry)) continue
      for (let turn = 0; turn < TURN_MS;) {
        const ms = await timeOnce(entry.side)
        entry.times.push(ms)
        entry.spent += ms
        turn += ms
      }
    }
  }
  return Object.fromEntries(all.map(({ name, times }) => [name, statsOf(times)]))
}
