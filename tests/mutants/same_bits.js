// Ends with an error where a digest of native code and one of WebAssembly differ: node same_bits.js program module
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const [program, module] = process.argv.slice(2)
const native = execFileSync(program, { encoding: 'utf8' }).trim().split('\n').map(Number)
const imports = { env: { emscripten_notify_memory_growth() {} } }
const { instance } = await WebAssembly.instantiate(readFileSync(module), imports)
assert.deepEqual(native.map((_, family) => instance.exports.gf_digest(family) >>> 0), native)
