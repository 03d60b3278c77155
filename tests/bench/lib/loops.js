// Measures how much faster the machine is with several threads: independent loops of multiply-adds in parallel, and one
// of them alone, as sides of a work. If two threads make these less than twice as fast, no kernel can do better.
import { MULTIPLY_ADD, multiplyAdd } from './limit.js'

export const LOOP = 'one loop', LOOPS = 'loops at once'
/** Indices of shared counters: how often the threads were started, and how many loops have finished. */
export const STARTED = 0, FINISHED = 1

/** @param {number} threads @returns {Promise<Record<string, import('./harness.js').Side>>} */
export async function loops(threads) {
  const { Worker } = await import('node:worker_threads')
  const { [MULTIPLY_ADD]: { run } } = await multiplyAdd(), counters = new Int32Array(new SharedArrayBuffer(8))
  for (let n = 1; n < threads; n++) new Worker(new URL('loop.js', import.meta.url), { workerData: counters }).unref()
  const runInParallel = () => {
    const finished = Atomics.load(counters, FINISHED) + threads - 1
    Atomics.add(counters, STARTED, 1)
    Atomics.notify(counters, STARTED)
    run()
    while (Atomics.load(counters, FINISHED) < finished);
  }
  return { [LOOP]: { run }, [LOOPS]: { run: runInParallel } }
}
