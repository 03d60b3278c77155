// How many threads each side has: one, or with `run.js --threads 2` two, ours and onnxruntime-web's.
import { ORT } from './peers.js'

export const THREADS = Number(globalThis.process?.env.BENCH_THREADS ?? 1)
export const ONE = 'one thread'

/** A work with several threads: beside ours alone, in the same engine, and onnxruntime-web's. */
export function divided({ sides }, gf) {
  const { ours } = sides, peers = Object.entries(sides).filter(([name]) => name.startsWith(ORT))
  return { ours, [ONE]: { run: () => gf.threads.alone(() => ours.run()) }, ...Object.fromEntries(peers) }
}
