// The kernels with relaxed SIMD: as exact as the others against the references, chosen only where the engine has them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import os from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import './lib/relaxed_simd.js'
import { load } from '../src/js/index.js'
import { withGuards } from './lib/guarded.js'

os.availableParallelism = () => 4
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RELAXED_MADD = Buffer.from([0xfd, 0x85, 0x02])

test('relaxed: the build has fused multiply-adds, and no other build has', async () => {
  for (const name of ['relaxed.', 'relaxed.threads.', '', 'threads.']) {
    const bytes = await readFile(`${ROOT}dist/glassformer.${name}wasm`)
    assert.equal(bytes.includes(RELAXED_MADD), name.startsWith('relaxed'), name)
  }
})

test('relaxed: gf.variant names the kernels', async () => {
  assert.equal((await load()).variant, 'simd128')
  assert.equal((await load({ relaxed: false })).variant, 'simd128')
  assert.equal((await load({ relaxed: true })).variant, 'relaxed-simd')
})

test('relaxed: an engine without relaxed SIMD gets the plain kernels', async t => {
  t.mock.method(WebAssembly, 'validate', () => false)
  const gf = await load({ relaxed: true })
  assert.equal(gf.variant, 'simd128')
  assert.equal(gf.ones([3, 3]).matmul(gf.ones([3, 3])).sum().item(), 27)
})

test('relaxed: rejects what is no boolean, and kernels that are chosen twice', async () => {
  await assert.rejects(load({ relaxed: 1 }), /load: relaxed must be true or false, got 1/)
  const wasm = new URL('../dist/glassformer.wasm', import.meta.url)
  for (const options of [{ wasm }, { threads: { count: 2, wasm } }]) {
    await assert.rejects(load({ relaxed: true, ...options }), /relaxed chooses the kernels itself, so wasm and threads.wasm/)
  }
})

/** The largest difference between a product and its sums in double precision, of values between 0 and 1. */
function errorOf(product, a, b) {
  const [rows, columns] = product.shape, K = a.shape[1], [c, x, y] = [product, a, b].map(tensor => tensor.data)
  let error = 0
  for (let m = 0; m < rows; m++) {
    for (let n = 0; n < columns; n++) {
      let sum = 0
      for (let k = 0; k < K; k++) sum += x[m * K + k] * y[k * columns + n]
      error = Math.max(error, Math.abs(c[m * columns + n] - sum))
    }
  }
  return error
}

/** a b, where the kernel reads a transposed: the gradient of a weight. */
function multiplyTransposed(gf, a, b) {
  const weight = gf.zeros([a.shape[0], b.shape[1]], { requiresGrad: true })
  a.t().contiguous().matmul(weight).backward(b)
  return weight.grad
}

test('relaxed: products of any number of rows, which are computed in groups of six and four', async () => {
  const gf = await withGuards(() => load({ relaxed: true })), counts = [...Array(40).keys()].slice(1)
  for (const rows of [...counts, 126, 127, 128, 129, 131, 133, 135, 259]) {
    for (const [K, columns] of [[1, 3], [6, 17], [29, 40]]) {
      gf.tidy(() => {
        const a = gf.rand([rows, K]), b = gf.rand([K, columns])
        const products = [a.matmul(b), multiplyTransposed(gf, a, b), gf.functional.linear(a, b.t().contiguous())]
        for (const product of products) assert.ok(errorOf(product, a, b) < K * 2 ** -21, `${rows} x ${K} x ${columns}`)
      })
    }
  }
})

test('relaxed: several threads compute the same bits as one', async () => {
  const results = await Promise.all([1, { count: 2, minWork: 0 }].map(async threads => {
    const gf = await load({ relaxed: true, threads })
    assert.deepEqual([gf.variant, gf.threads.reason], ['relaxed-simd', null])
    gf.manualSeed(7)
    const a = gf.randn([67, 33]), q = gf.randn([2, 2, 9, 16])
    const data = [a.matmul(gf.randn([33, 130])), gf.functional.scaledDotProductAttention(q, q, q, { isCausal: true })]
      .map(tensor => tensor.toArray())
    gf.threads.stop()
    return data
  }))
  assert.deepEqual(results[0], results[1])
})

/** Runs the tests of all operations that meet a float64 reference, within the same bounds, and returns their lines. */
async function runOperations() {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const files = (await readdir(`${ROOT}tests/ops`)).filter(file => file.endsWith('.test.js')).map(file => `./tests/ops/${file}`)
  const imports = ['./tests/lib/relaxed_simd.js', ...files].flatMap(file => ['--import', file])
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--test-name-pattern', 'equals the reference', '--test-reporter', 'tap', ...imports, '--eval', ''
  ], { cwd: ROOT, env: { ...env, KERNELS: 'relaxed' }, maxBuffer: 2 ** 28 }).catch(error => error)
  return stdout.split('\n')
}

test('relaxed: every operation equals its reference', async () => {
  const lines = await runOperations()
  assert.deepEqual(lines.filter(line => /^\s*not ok/.test(line)), [])
  const passed = lines.filter(line => /^\s*ok .*equals the reference$/.test(line)).length
  assert.ok(passed > 100, `${passed} tests`)
})
