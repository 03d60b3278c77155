// The native programs of this folder, built by build.sh under AddressSanitizer and UndefinedBehaviorSanitizer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const built = name => fileURLToPath(new URL(`../../build/native/${name}`, import.meta.url))
const run = name => execFileSync(built(name), { encoding: 'utf8', stdio: 'pipe' })

test('the elementary functions keep the accuracy they state', () => {
  assert.doesNotMatch(run('math_test'), /NOT OK/)
})

test('text kernels, natively under sanitizers', () => {
  run('text_test')
})

test('native and wasm builds compute the same bits', async () => {
  const native = run('digest').trim().split('\n').map(Number)
  const imports = { env: { emscripten_notify_memory_growth() {} } }
  const { instance } = await WebAssembly.instantiate(readFileSync(built('digest.wasm')), imports)
  assert.deepEqual(native.map((_, family) => instance.exports.gf_digest(family) >>> 0), native)
  assert.equal(native.length, 9)
})
