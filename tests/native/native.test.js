import test from 'node:test'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'

const build = name => new URL(`../../build/native/${name}`, import.meta.url)
const run = (name, ...args) => execFileSync(build(name), args, { encoding: 'utf8', stdio: 'pipe' })

test('the elementary functions keep the accuracy they state', () => run('math_test'))
test('text kernels, natively under sanitizers', () => run('text_test'))

test('native and wasm builds compute the same bits', async () => {
  const native = run('digest').trim().split('\n').map(Number)
  const { instance } = await WebAssembly.instantiate(await readFile(build('digest.wasm')), { env: { emscripten_notify_memory_growth() {} } })
  const wasm = native.map((_, family) => instance.exports.gf_digest(family) >>> 0)
  assert.deepEqual(wasm, native)
  assert.equal(native.length, 7)
})
