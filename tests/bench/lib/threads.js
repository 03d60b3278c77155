// How many threads each side has: one, or with `run.js --threads 2` two, ours and onnxruntime-web's.
import { loops } from './loops.js'
import { ORT } from './peers.js'

export const THREADS = Number(globalThis.process?.env.BENCH_THREADS ?? 1)
export const ONE = 'one thread'

/** A work with several threads: beside ours alone, onnxruntime-web's, and what the machine gives. */
export async function divided({ sides }, gf) {
  const { ours } = sides, peers = Object.entries(sides).filter(([name]) => name.startsWith(ORT))
  const alone = { [ONE]: { run: () => gf.threads.alone(() => ours.run()) } }
  return { ours, ...alone, ...Object.fromEntries(peers), ...await loops(THREADS) }
}
