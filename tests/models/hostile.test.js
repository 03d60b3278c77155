// Malformed files are refused by their headers, with an error that names the file, and no memory is allocated.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { HOSTILE, SHUFFLED, oversized } from '../lib/hostile.js'

for (const [name, [files, reason]] of Object.entries(HOSTILE)) test(`${name}: reported by inspect, refused by load, no memory allocated`,
  async () => {
    const { bytes, tensors } = gf.memory(), start = performance.now()
    const { problems, missing } = gf.models.inspect(files)
    assert.match([...problems, ...missing].join('; '), reason)
    await assert.rejects(gf.models.load(files), { name: 'GlassformerError', message: reason })
    assert.deepEqual([gf.memory().bytes, gf.memory().tensors], [bytes, tensors])
    assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`)
  })

test('a header in another order than the values is valid', async () => {
  const { model } = await gf.models.load(SHUFFLED), { tensors } = gf.loadSafetensors(SHUFFLED['model.safetensors'])
  assert.deepEqual(model.embed_tokens.weight.toArray(), tensors['model.embed_tokens.weight'].toArray())
  for (const tensor of [model, ...Object.values(tensors)]) tensor.dispose()
})

test('a model of more than 4 GB is detected from the header alone', async () => {
  const { head, size, config } = oversized(), readSizes = []
  assert.ok(size > 4 * 2 ** 30)
  const lazy = { size, slice: (from, to) => {
    readSizes.push(to - from)
    assert.ok(to <= head.length, 'only the header is read')
    return { arrayBuffer: async () => head.slice(from, to).buffer }
  }, arrayBuffer: () => assert.fail('the whole file is read') }
  const { bytes } = gf.memory(), files = { 'config.json': config, 'model.safetensors': lazy }
  const { problems, parameters } = await gf.models.inspect(files)
  assert.ok(parameters > 2 ** 30)
  assert.match(problems.join(), /parameters take \d+ bytes, and at most \d+ are available|more than 4 GB/)
  await assert.rejects(gf.models.load(files), { code: 'format' })
  assert.equal(gf.memory().bytes, bytes)
  assert.deepEqual(readSizes, [8, head.length - 8, 8, head.length - 8])
})
