// The number of threads of ours and of onnxruntime-web: 1, or that of `run.js --threads`.
import { loops } from './loops.js'
import { ORT } from './peers.js'

export const THREADS = Number(globalThis.process?.env.BENCH_THREADS ?? 1)
export const SINGLE_THREAD = 'one thread'

/**
 * The sides of a work with several threads: ours, ours with one thread, onnxruntime-web, and the limit of the machine.
 */
export async function threadedSides({ sides }, gf) {
  const { ours } = sides, peers = Object.entries(sides).filter(([name]) => name.startsWith(ORT))
  const single = { [SINGLE_THREAD]: { run: () => gf.threads.alone(() => ours.run()) } }
  return { ours, ...single, ...Object.fromEntries(peers), ...await loops(THREADS) }
}
