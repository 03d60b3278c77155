// The native programs of this folder, built by build.sh under AddressSanitizer and UndefinedBehaviorSanitizer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isLong } from '../lib/long.js'
import { digestsOf } from './digests.js'

const built = name => fileURLToPath(new URL(`../../build/native/${name}`, import.meta.url))
const run = name => execFileSync(built(name), { encoding: 'utf8', stdio: 'pipe' })

/** What only gives memory, or belongs to threads. */
const NOT_RUN = ['gf_alloc', 'gf_free', 'gf_set_stack', 'gf_generator_size']

test('the elementary functions keep the accuracy they state', () => {
  assert.doesNotMatch(run('math_test'), /NOT OK/)
})

test('text kernels, natively under sanitizers', () => {
  run('text_test')
})

test('text kernels go on when any block of memory is refused', () => {
  run('allocation_test')
})

test('native and wasm builds compute the same bits', async () => {
  const { native, wasm } = await digestsOf(built('digest'), built('digest.wasm'))
  assert.deepEqual(wasm, native)
  assert.equal(native.length, 10)
})

test('every kernel is run natively', () => {
  const read = path => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
  const programs = readdirSync(new URL('.', import.meta.url)).filter(name => /\.[ch]$/.test(name)).map(name => read(name)).join('')
  const kernels = read('../../src/c/glassformer.h').match(/(?<=GF_EXPORT [^;(]*)\bgf_\w+(?=\()/g)
  const isRun = name => new RegExp(`\\b${name}\\b`).test(programs)
  assert.ok(kernels.length > 100)
  assert.deepEqual(kernels.filter(name => !isRun(name)), NOT_RUN)
})

/** How long each is fuzzed, in seconds, from the committed inputs on. */
const FUZZED = isLong ? 60 : 20

for (const [what, name, options] of [
  ['kernels of any size keep to their memory', 'kernel_fuzz', ['-max_len=8']],
  ['any text is read', 'text_fuzz', ['-timeout=5']]
]) test(`${what}: the committed inputs, and ${FUZZED} seconds of others`, () => {
  const corpus = fileURLToPath(new URL(`corpus/${name}`, import.meta.url)), fresh = mkdtempSync(join(tmpdir(), name))
  try {
    execFileSync(built(name), [`-max_total_time=${FUZZED}`, ...options, fresh, corpus], { stdio: 'pipe', cwd: fresh })
  } finally {
    rmSync(fresh, { recursive: true })
  }
})

/** Each compiler as it is and as it optimises; undefined where there is none. */
const COMPILERS = [['gcc', '-O0'], ['gcc', '-O2'], ['clang', '-O0'], ['clang', '-O2']]
for (const [compiler, level] of COMPILERS) {
  test(`${compiler} ${level} computes the same bits`, { skip: !isLong && 'in the long tests' }, () => {
    const root = fileURLToPath(new URL('../../', import.meta.url)), program = built(`digest_${compiler}${level}`)
    const command = `${compiler} -std=gnu11 -ffp-contract=off -w ${level} src/c/*.c src/c/*/*.c tests/native/digest.c -lm`
    execFileSync('sh', ['-c', `${command} -o ${program}`], { cwd: root, stdio: 'pipe' })
    assert.equal(execFileSync(program, { encoding: 'utf8' }), run('digest'))
  })
}
