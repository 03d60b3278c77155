// Timing. A work is one benchmark, and its sides are the implementations that it compares. The sides take turns many
// times, so that other load of the machine affects all of them; the ratio of the minima counts. Runs that are short
// compared with the resolution of the clock are timed several at a time.

/** @typedef {{ min: number, median: number, runs: number }} Stats milliseconds */
/**
 * run: does one repetition; or time: does one repetition and returns its milliseconds; result: the values to check;
 * work: operations or bytes of one repetition.
 * @typedef {{ run?: () => unknown, time?: () => Promise<number>, result?: () => any, work?: number }} Side
 */

const WARM_UP_RUNS = 4
/** A warm-up ends when the minimum of its last third is at least this fraction of the earlier minimum. */
const SETTLED = 0.97
const TURN_MS = 40
const MIN_RUNS = 5
/** A timed interval has at least so many steps of the clock, for an error of at most 1 %. */
const MIN_CLOCK_STEPS = 100

/** The resolution of the clock in milliseconds; browsers reduce it. */
function clockResolution() {
  let step = Infinity
  for (let i = 0; i < 20; i++) {
    const start = performance.now()
    let now = start
    while (now === start) now = performance.now()
    step = Math.min(step, now - start)
  }
  return step
}

/** The milliseconds of one run, as the mean of `count` consecutive runs. @param {Side} side */
async function timeOnce(side, count = 1) {
  if (side.time) return side.time()
  const start = performance.now()
  for (let n = 0; n < count; n++) {
    const pending = side.run()
    if (pending instanceof Promise) await pending
  }
  return (performance.now() - start) / count
}

/** Lets a page handle events, because browsers report a page that does not as hung. */
const yieldToEvents = () => globalThis.document && new Promise(resolve => { setTimeout(resolve) })

const total = times => times.reduce((sum, ms) => sum + ms, 0)
const minOf = times => times.reduce((a, b) => Math.min(a, b), Infinity)

function isSettled(times) {
  const recent = Math.ceil(times.length / 3)
  return minOf(times.slice(-recent)) >= SETTLED * minOf(times.slice(0, -recent))
}

/**
 * Repeats a side until it does not get faster any more: engines compile hot code in the background.
 * @returns {Promise<number>} the minimum time
 */
async function warmUp(side, ms) {
  const times = []
  for (;;) {
    times.push(await timeOnce(side))
    const spent = total(times)
    if (times.length >= WARM_UP_RUNS && spent >= ms && (isSettled(times) || spent >= 5 * ms)) return minOf(times)
    if (times.length % 16 === 0) await yieldToEvents()
  }
}

/** @param {number[]} times @returns {Stats} */
export function statsOf(times) {
  const sorted = Float64Array.from(times).sort()
  return { min: sorted[0], median: sorted[sorted.length >> 1], runs: sorted.length }
}

/**
 * Measures all sides in turns.
 * @param {Record<string, Side>} sides
 * @param {number} seconds minimum for each side
 * @returns {Promise<Record<string, Stats>>}
 */
export async function measure(sides, seconds) {
  const all = Object.entries(sides).map(([name, side]) => ({ name, side, times: [], spent: 0, count: 1 }))
  const minInterval = MIN_CLOCK_STEPS * clockResolution()
  for (const entry of all) entry.count = Math.max(1, Math.ceil(minInterval / (await warmUp(entry.side, 500 * seconds))))
  const isDone = ({ spent, times }) => spent >= 1000 * seconds && times.length >= MIN_RUNS
  while (!all.every(isDone)) {
    for (const entry of all) {
      if (isDone(entry)) continue
      for (let turn = 0; turn < TURN_MS;) {
        const ms = await timeOnce(entry.side, entry.count)
        entry.times.push(ms)
        entry.spent += ms * entry.count
        turn += ms * entry.count
      }
      await yieldToEvents()
    }
  }
  return Object.fromEntries(all.map(({ name, times }) => [name, statsOf(times)]))
}
