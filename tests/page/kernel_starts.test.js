// Kernels that are asked for early, or that do not arrive as they were sent.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createEngines } from '../../web/worker/engines.js'
import { lacksKernels } from '../../web/worker/rest_of_kernels.js'

const read = name => readFile(new URL(`../../dist/glassformer.${name}.wasm`, import.meta.url))
const [wasm, rest] = await Promise.all([read('first'), read('rest')])

test('kernels that are asked for while the first engine starts are there when it has', async () => {
  const engines = createEngines(), starting = engines.start({ wasm, rest })
  await Promise.all([starting, engines.completeAll()])
  assert.equal(lacksKernels(await engines.get('page')), false)
})

test('damaged kernels are called broken, missing ones a matter of the network', async t => {
  const cases = [[() => new Response(Uint8Array.of(1, 2, 3)), 'broken'], [() => new Response('', { status: 404 }), 'network'],
    [() => { throw new TypeError('Failed to fetch') }, 'network']]
  for (const [respond, code] of cases) {
    t.mock.method(globalThis, 'fetch', async () => respond())
    const engines = createEngines()
    await engines.start({ wasm, rest: 'https://glassformer.invalid/rest.wasm' })
    await assert.rejects(engines.completeAll(), { code })
  }
})
