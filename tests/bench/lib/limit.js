// Loops that measure the limits of this machine. They are sides of a work, measured in turns with the kernels: see
// limit.c.
export const MULTIPLY_ADD = 'multiply-add loop'
export const READ = 'memory read'

const ROUNDS = 1_000_000
const OPERATIONS_PER_ROUND = 96
/** The size of the weights of the 12 blocks in works/blocks.js, far more than any cache holds. */
export const READ_BYTES = 340e6

/** The wasm of the loops: in Node from its file, in a page from the server of engines.js. */
async function readWasm() {
  if (globalThis.document) return (await fetch('limit.wasm')).arrayBuffer()
  const { readFile } = await import('node:fs/promises')
  return readFile(new URL('../../../build/bench/limit.wasm', import.meta.url))
}
const instantiateLoops = async () => (await WebAssembly.instantiate(await readWasm())).instance.exports

/** A side that only multiplies and adds. Its `work` is in floating-point operations. */
export async function multiplyAdd() {
  const { limit_multiply_add: loop } = await instantiateLoops()
  return { [MULTIPLY_ADD]: { run: () => loop(ROUNDS, 0.5, 1), work: ROUNDS * OPERATIONS_PER_ROUND } }
}

/**
 * Allocates blocks of memory and writes to them. The operating system maps all pages that were never written to one
 * page of zeros, which would be read from the cache.
 */
async function withBlocks(count, floats) {
  const exports = await instantiateLoops()
  const addresses = Array.from({ length: count }, () => exports.limit_block(4 * floats))
  for (const address of addresses) new Float32Array(exports.memory.buffer, address, floats).fill(1)
  return { exports, addresses }
}

/** A side that only reads memory. Its `work` is in bytes. */
export async function read() {
  const floats = Math.floor(READ_BYTES / 4 / 32) * 32
  const { exports: { limit_read: sum }, addresses: [address] } = await withBlocks(1, floats)
  return { [READ]: { run: () => sum(address, floats), work: 4 * floats } }
}

export const MEMORY = 'memory alone'

/** A side with the memory traffic of an operation on `floats` values: 'read' one tensor, 'copy' it, or 'add' two. */
export async function move(floats, kind) {
  const { exports: c, addresses: [out, a, b] } = await withBlocks(3, floats)
  const run = {
    read: () => c.limit_read(a, floats),
    copy: () => c.limit_copy(out, a, floats),
    add: () => c.limit_add(out, a, b, floats)
  }[kind]
  return { [MEMORY]: { run } }
}
