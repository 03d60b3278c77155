import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

for (const item of cases('t5')) {
  test(`${item.name}: equals PyTorch's numbers`, async () => {
    const files = filesOf(item), { model } = await gf.models.load(files)
    assertOutputs(model, item, item.name)
    const { type, missing, unused, problems } = gf.models.inspect(files)
    assert.deepEqual({ type, missing, unused, problems }, { type: 't5', missing: [], unused: [], problems: [] })
  })
}

const [item] = cases('t5'), { ids: [row], decoderIds: [target] } = item.inputs

test('t5: padding on either side does not change the logits', async () => {
  const { model } = await gf.models.load(filesOf(item)), sentence = row.slice(0, 6)
  const run = (ids, attentionMask) => gf.noGrad(
    () => model.forward([ids], { attentionMask, decoderIds: [target] })).logits
  const plain = run(sentence), tol = 1e-5
  assertClose(run([...sentence, 7, 7], [[1, 1, 1, 1, 1, 1, 0, 0]]), plain, { tol })
  assertClose(run([7, 7, ...sentence], [[0, 0, 1, 1, 1, 1, 1, 1]]), plain, { tol })
})

test('t5: the decoder starts with the padding token', async () => {
  const { model } = await gf.models.load(filesOf(item)),
    run = options => gf.noGrad(() => model.forward([row], options)).logits
  assert.deepEqual(run().toArray(), run({ decoderIds: [[0]] }).toArray())
})

test('t5: every weight gets a gradient', async () => {
  const { model } = await gf.models.load(filesOf(item))
  gf.functional.crossEntropy(model.forward([row], { decoderIds: [target] }).logits.reshape(13, 11), target).backward()
  for (const [name, parameter] of model.namedParameters()) assert.ok(parameter.grad, name)
})

test('t5: unsupported feed-forward networks are refused', async () => {
  const files = filesOf(item, { config: { feed_forward_proj: 'gated-swish2' } })
  await assert.rejects(gf.models.load(files), { code: 'format', message: /feed_forward_proj must be one of relu, gated-gelu/ })
})

test('t5: generation for a source longer than d_model is the same with a cache', async () => {
  const { model } = await gf.models.load(filesOf(item)), { shape: [, channels] } = model.shared.weight
  const ids = Array.from({ length: channels + 3 }, (_, i) => row[i % row.length])
  const options = { maxNewTokens: 4, end: [] }
  assert.deepEqual(model.generate(ids, options), model.generate(ids, { ...options, cache: false }))
})
