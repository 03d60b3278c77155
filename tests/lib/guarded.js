// An allocator that finds wrong kernels: blocks hold NaN until they are written, and guard bytes behind each block show
// writes beyond its end.
import assert from 'node:assert/strict'

const GUARD_BYTES = 64, FILL = 0xff

/**
 * The kernels with an allocator that fills blocks and their guard bytes, and checks the guard bytes on free and on
 * exit.
 */
function guarded(exports) {
  /** @type {Map<number, number>} bytes of each block by its address */ const blocks = new Map()
  const bytesAt = (address, n) => new Uint8Array(exports.memory.buffer, address, n)
  const checkGuard = (address, bytes) => assert.ok(bytesAt(address + bytes, GUARD_BYTES).every(byte => byte === FILL),
    `a kernel wrote beyond the end of a block of ${bytes} bytes`)
  const gf_alloc = bytes => {
    const address = exports.gf_alloc(bytes + GUARD_BYTES) >>> 0
    if (!address) return 0
    bytesAt(address, bytes + GUARD_BYTES).fill(FILL)
    blocks.set(address, bytes)
    return address
  }
  const gf_free = address => {
    if (blocks.has(address)) checkGuard(address, blocks.get(address))
    blocks.delete(address)
    exports.gf_free(address)
  }
  // This runs outside of any test, so that an error ends the process instead of failing a test.
  process.on('exit', () => blocks.forEach((bytes, address) => checkGuard(address, bytes)))
  return { ...exports, gf_alloc, gf_free }
}

/**
 * Calls `load` so that it instantiates guarded kernels.
 * @template T @param {() => Promise<T>} load @returns {Promise<T>}
 */
export async function withGuards(load) {
  const { instantiate } = WebAssembly
  WebAssembly.instantiate = async (...args) => {
    const result = await instantiate(...args), { exports } = result.instance ?? result
    const instance = { exports: guarded(exports) }
    return result.instance ? { ...result, instance } : instance
  }
  try {
    return await load()
  } finally {
    WebAssembly.instantiate = instantiate
  }
}
