// The kernels in the parts that the page fetches: those of a first run, and the rest in the same memory.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { MODELS, READY } from '../../web/models/index.js'
import { addKernels, lacksKernels } from '../../web/worker/rest_of_kernels.js'
import { gf } from '../lib/engine.js'
import { makeRun, toPageRun } from '../lib/page.js'

const read = name => readFile(new URL(`../../dist/glassformer.${name}wasm`, import.meta.url))
const [first, rest, text, all] = await Promise.all(['first.', 'rest.', 'text.', ''].map(read))
const restModule = new WebAssembly.Module(rest)
const namesOf = bytes => WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map(({ name }) => name).filter(name => name.startsWith('gf_'))

const bytesOf = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)
const isSame = (a, b) => bytesOf(a).equals(bytesOf(b))

/** Compares values and gradients with those of a run of all kernels. */
function expectSame(settings, engine) {
  const [all, parts] = [gf, engine].map(own => makeRun(settings, [], own))
  assert.deepEqual(parts.run.names, all.run.names)
  let count = 0
  for (const name of all.run.names) {
    assert.ok(isSame(parts.run.tensor(name).values, all.run.tensor(name).values), `${settings.model} ${name}`)
    const gradients = [all, parts].map(({ run }) => {
      try {
        return run.gradient(name)
      } catch ({ code }) {
        return code
      }
    })
    if (typeof gradients[0] === 'string') assert.equal(gradients[1], gradients[0])
    else {
      assert.ok(isSame(gradients[1], gradients[0]), `${settings.model} gradient of ${name}`)
      count += 1
    }
  }
  for (const { run } of [all, parts]) run.dispose()
  return count
}

test('a first run needs only its own kernels', async () => {
  const engine = await load({ wasm: first }), model = MODELS[0].id
  assert.ok(lacksKernels(engine))
  const [whole, own] = [gf, engine].map(each => toPageRun(each, makeRun({ model }, [], each)))
  for (const [name, { data }] of whole.tensors) assert.ok(isSame(own.tensors.get(name).data, data), name)
  assert.ok(lacksKernels(engine))
})

test('with the rest, every model has the same values and gradients as with all kernels in one', async t => {
  const engine = await load({ wasm: first })
  await addKernels(engine, restModule)
  assert.ok(!lacksKernels(engine))
  for (const { id } of READY.filter(({ needsText }) => !needsText)) t.diagnostic(`${id}: ${expectSame({ model: id }, engine)} gradients`)
  assert.ok(expectSame({ model: 'dates', training: true }, engine) > 100)
})

test('the parts together are all kernels', () => {
  const parts = new Set([first, rest, text].flatMap(namesOf)), own = new Set(namesOf(all))
  assert.deepEqual([...own].filter(name => !parts.has(name)), ['gf_matmul_part'], 'only threads split products')
  assert.deepEqual([...parts].filter(name => !own.has(name)).sort(), ['gf_multiply', 'gf_pack_panels'], 'which the rest imports')
})
