// Memory that tells on kernels: blocks hold NaN until something is written, and nobody may write behind them.
import assert from 'node:assert/strict'

const GUARD = 64, MARK = 0xff

/** The kernels with an allocator that marks what it gives, and looks at the marks when it is given back. */
function guarded(exports) {
  /** @type {Map<number, number>} bytes of each block by its address */ const blocks = new Map()
  const bytesAt = (address, n) => new Uint8Array(exports.memory.buffer, address, n)
  const assertUntouched = (address, bytes) => assert.ok(bytesAt(address + bytes, GUARD).every(byte => byte === MARK),
    `something was written behind a block of ${bytes} bytes`)
  const gf_alloc = bytes => {
    const address = exports.gf_alloc(bytes + GUARD) >>> 0
    if (!address) return 0
    bytesAt(address, bytes + GUARD).fill(MARK)
    blocks.set(address, bytes)
    return address
  }
  const gf_free = address => {
    if (blocks.has(address)) assertUntouched(address, blocks.get(address))
    blocks.delete(address)
    exports.gf_free(address)
  }
  // An error here, unlike one of a test, ends the process: it is nobody's test that failed.
  process.on('exit', () => blocks.forEach((bytes, address) => assertUntouched(address, bytes)))
  return { ...exports, gf_alloc, gf_free }
}

/** Calls `load`, which gets such kernels. @template T @param {() => Promise<T>} load @returns {Promise<T>} */
export async function withGuards(load) {
  const { instantiate } = WebAssembly
  WebAssembly.instantiate = async (...words) => {
    const made = await instantiate(...words), { exports } = made.instance ?? made
    const instance = { exports: guarded(exports) }
    return made.instance ? { ...made, instance } : instance
  }
  try {
    return await load()
  } finally {
    WebAssembly.instantiate = instantiate
  }
}
