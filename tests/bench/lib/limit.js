// The limit of this machine, as sides that take their turns beside the kernels: see limit.c.
export const MULTIPLY_ADD = 'multiply-add loop'
export const READ = 'memory read'

const ROUNDS = 1_000_000
const OPERATIONS_A_ROUND = 96
/** As many bytes as the weights of the 12 blocks: far more than any cache holds. */
export const READ_BYTES = 340e6

/** In Node from its file, in a page from the server of engines.js. */
async function bytes() {
  if (globalThis.document) return (await fetch('limit.wasm')).arrayBuffer()
  const { readFile } = await import('node:fs/promises')
  return readFile(new URL('../../../build/bench/limit.wasm', import.meta.url))
}
const exportsOf = async () => (await WebAssembly.instantiate(await bytes())).instance.exports

/** `work` is what one run does, in floating-point operations or in bytes. */
export async function multiplyAdd() {
  const { limit_multiply_add: loop } = await exportsOf()
  return { [MULTIPLY_ADD]: { run: () => loop(ROUNDS, 0.5, 1), work: ROUNDS * OPERATIONS_A_ROUND } }
}

/** Blocks of memory that were written to: pages that never were are all the same one, and that one is in the cache. */
async function withBlocks(count, floats) {
  const exports = await exportsOf(), addresses = Array.from({ length: count }, () => exports.limit_block(4 * floats))
  for (const address of addresses) new Float32Array(exports.memory.buffer, address, floats).fill(1)
  return { exports, addresses }
}

export async function read() {
  const floats = Math.floor(READ_BYTES / 4 / 32) * 32
  const { exports: { limit_read: sum }, addresses: [address] } = await withBlocks(1, floats)
  return { [READ]: { run: () => sum(address, floats), work: 4 * floats } }
}

export const MEMORY = 'memory alone'

/** What memory has to do for so many values: read one each, or write one for one or two that are read. */
export async function move(floats, kind) {
  const { exports: c, addresses: [out, a, b] } = await withBlocks(3, floats)
  const run = {
    read: () => c.limit_read(a, floats),
    copy: () => c.limit_copy(out, a, floats),
    add: () => c.limit_add(out, a, b, floats)
  }[kind]
  return { [MEMORY]: { run } }
}
