// Timing. Every side of a work takes its turn within one run, over and over, so that whatever else the machine does
// meets all of them; what counts is the ratio of the minima. Runs that are short beside the step of the clock are timed
// together, each as its part of them.

/** @typedef {{ min: number, median: number, runs: number }} Stats milliseconds */
/** @typedef {{ run?: () => unknown, time?: () => Promise<number>, result?: () => any, work?: number }} Side
 *    run: one repetition; or time: one repetition that takes its own time, in milliseconds */

const WARM_UP_RUNS = 4
/** A warm-up ends when its last third was no more than this much faster than what came before. */
const SETTLED = 0.97
const TURN_MS = 40
const LEAST_RUNS = 5
/** A time is at least so many steps of the clock: one in a hundred is lost to it. */
const STEPS = 100

/** The least difference that the clock tells, in milliseconds: browsers round it. */
function stepOfClock() {
  let step = Infinity
  for (let i = 0; i < 20; i++) {
    const start = performance.now()
    let now = start
    while (now === start) now = performance.now()
    step = Math.min(step, now - start)
  }
  return step
}

/** The milliseconds of one run, of `count` in a row. @param {Side} side */
async function timeOnce(side, count = 1) {
  if (side.time) return side.time()
  const start = performance.now()
  for (let n = 0; n < count; n++) {
    const pending = side.run()
    if (pending instanceof Promise) await pending
  }
  return (performance.now() - start) / count
}

/** A page has to answer now and then, or its browser takes it for hung. */
const breathe = () => globalThis.document && new Promise(resolve => { setTimeout(resolve) })

const total = times => times.reduce((sum, ms) => sum + ms, 0)
const least = times => times.reduce((a, b) => Math.min(a, b), Infinity)

function isSettled(times) {
  const recent = Math.ceil(times.length / 3)
  return least(times.slice(-recent)) >= SETTLED * least(times.slice(0, -recent))
}

/**
 * The engine compiles what is hot in the background; repeats until that has stopped making a difference.
 * @returns {Promise<number>} the least time
 */
async function warmUp(side, ms) {
  const times = []
  for (;;) {
    times.push(await timeOnce(side))
    const spent = total(times)
    if (times.length >= WARM_UP_RUNS && spent >= ms && (isSettled(times) || spent >= 5 * ms)) return least(times)
    if (times.length % 16 === 0) await breathe()
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
  const all = Object.entries(sides).map(([name, side]) => ({ name, side, times: [], spent: 0, count: 1 }))
  const shortest = STEPS * stepOfClock()
  for (const entry of all) entry.count = Math.max(1, Math.ceil(shortest / (await warmUp(entry.side, 500 * seconds))))
  const isDone = ({ spent, times }) => spent >= 1000 * seconds && times.length >= LEAST_RUNS
  while (!all.every(isDone)) {
    for (const entry of all) {
      if (isDone(entry)) continue
      for (let turn = 0; turn < TURN_MS;) {
        const ms = await timeOnce(entry.side, entry.count)
        entry.times.push(ms)
        entry.spent += ms * entry.count
        turn += ms * entry.count
      }
      await breathe()
    }
  }
  return Object.fromEntries(all.map(({ name, times }) => [name, statsOf(times)]))
}
