// Runs the native programs of this folder, which build.sh compiles with Address- and UndefinedBehaviorSanitizer.
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

/** Kernels without a native test: memory and threads. */
const NOT_RUN = ['gf_alloc', 'gf_free', 'gf_set_stack', 'gf_generator_size']

test('the elementary functions are within their documented errors', () => {
  assert.doesNotMatch(run('math_test'), /NOT OK/)
})

test('the text kernels pass their native tests under sanitizers', () => {
  run('text_test')
})

test('the text kernels survive every failing allocation', () => {
  run('allocation_test')
})

test('native and wasm builds compute the same bits', async () => {
  const { native, wasm } = await digestsOf(built('digest'), built('digest.wasm'))
  assert.deepEqual(wasm, native)
  assert.equal(native.length, 11)
})

test('a native program runs every kernel', () => {
  const read = path => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
  const programs = readdirSync(new URL('.', import.meta.url)).filter(name => /\.[ch]$/.test(name)).map(name => read(name)).join('')
  const kernels = ['glassformer.h', 'blocks/blocks.h'].map(name => read(`../../src/c/${name}`)).join('').match(/(?<=GF_EXPORT [^;(]*)\bgf_\w+(?=\()/g)
  const isRun = name => new RegExp(`\\b${name}\\b`).test(programs)
  assert.ok(kernels.length > 100)
  assert.deepEqual(kernels.filter(name => !isRun(name)), NOT_RUN)
})

/** Seconds of fuzzing per program, starting from the committed corpus. */
const FUZZ_SECONDS = isLong ? 60 : 20

for (const [title, name, options] of [
  ['kernels of any size access only their buffers', 'kernel_fuzz', ['-max_len=8']],
  ['text kernels accept any text', 'text_fuzz', ['-timeout=5']]
]) test(`${title}: the committed corpus and ${FUZZ_SECONDS} seconds of fuzzing`, () => {
  const corpus = fileURLToPath(new URL(`corpus/${name}`, import.meta.url)), temporary = mkdtempSync(join(tmpdir(), name))
  try {
    execFileSync(built(name), [`-max_total_time=${FUZZ_SECONDS}`, ...options, temporary, corpus], { stdio: 'pipe', cwd: temporary })
  } finally {
    rmSync(temporary, { recursive: true })
  }
})

/** Compilers and optimization levels that must compute the same bits. */
const COMPILERS = [['gcc', '-O0'], ['gcc', '-O2'], ['clang', '-O0'], ['clang', '-O2']]
for (const [compiler, level] of COMPILERS) {
  test(`${compiler} ${level} computes the same bits`, { skip: !isLong && 'in the long tests' }, () => {
    const root = fileURLToPath(new URL('../../', import.meta.url)), program = built(`digest_${compiler}${level}`)
    const command = `${compiler} -std=gnu11 -ffp-contract=off -w ${level} src/c/*.c src/c/*/*.c tests/native/digest.c -lm`
    execFileSync('sh', ['-c', `${command} -o ${program}`], { cwd: root, stdio: 'pipe' })
    assert.equal(execFileSync(program, { encoding: 'utf8' }), run('digest'))
  })
}
