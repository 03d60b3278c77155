// The digests of every family of kernels, from the native and the wasm build of digest.c.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns the digests of a native program and of a WebAssembly module.
 * @param {string} program path
 * @param {string} module path
 */
export async function digestsOf(program, module) {
  const native = execFileSync(program, { encoding: 'utf8' }).trim().split('\n').map(Number)
  const imports = { env: { emscripten_notify_memory_growth() {} } }
  const { instance } = await WebAssembly.instantiate(readFileSync(module), imports)
  return { native, wasm: native.map((_, family) => instance.exports.gf_digest(family) >>> 0) }
}
