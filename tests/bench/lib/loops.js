// What the machine gives to several threads, as sides that take their turns beside ours: bare loops of multiply-adds at
// once, which share nothing, and one of them alone. Where these gain less than 2 from two threads, nothing else can.
import { MULTIPLY_ADD, multiplyAdd } from './limit.js'

export const LOOP = 'one loop', LOOPS = 'loops at once'
/** What the threads tell each other: how often they were sent off, and how many loops have ended. */
export const SENT = 0, ENDED = 1

/** @param {number} threads @returns {Promise<Record<string, import('./harness.js').Side>>} */
export async function loops(threads) {
  const { Worker } = await import('node:worker_threads')
  const { [MULTIPLY_ADD]: { run } } = await multiplyAdd(), told = new Int32Array(new SharedArrayBuffer(8))
  for (let n = 1; n < threads; n++) new Worker(new URL('loop.js', import.meta.url), { workerData: told }).unref()
  const atOnce = () => {
    const all = Atomics.load(told, ENDED) + threads - 1
    Atomics.add(told, SENT, 1)
    Atomics.notify(told, SENT)
    run()
    while (Atomics.load(told, ENDED) < all);
  }
  return { [LOOP]: { run }, [LOOPS]: { run: atOnce } }
}
