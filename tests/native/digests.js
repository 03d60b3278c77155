// What digest.c makes of every family of kernels, built twice.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The numbers of a native program and of a WebAssembly module. @param {string} program @param {string} module paths */
export async function digestsOf(program, module) {
  const native = execFileSync(program, { encoding: 'utf8' }).trim().split('\n').map(Number)
  const imports = { env: { emscripten_notify_memory_growth() {} } }
  const { instance } = await WebAssembly.instantiate(readFileSync(module), imports)
  return { native, wasm: native.map((_, family) => instance.exports.gf_digest(family) >>> 0) }
}
