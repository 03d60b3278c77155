// The training of works/training.js as a page of a browser has it: both sides in one page, on its main thread.
import works from '../works/training.js'

const [{ prepare }] = works
const ready = prepare()

/** Losses of the first steps, by side. */
globalThis.firstLosses = async () => {
  const { sides } = await ready
  return Object.fromEntries(Object.entries(sides).map(([name, { result }]) => [name, [...result()]]))
}

/** The least milliseconds of a step, by side, each in turn. @param {number} rounds @param {number} steps of each */
globalThis.leastStep = async (rounds, steps) => {
  const { sides } = await ready
  const least = Object.fromEntries(Object.keys(sides).map(name => [name, Infinity]))
  for (let round = 0; round < rounds; round++) for (const [name, { run }] of Object.entries(sides)) {
    const start = performance.now()
    for (let n = 0; n < steps; n++) run()
    least[name] = Math.min(least[name], (performance.now() - start) / steps)
  }
  return least
}
