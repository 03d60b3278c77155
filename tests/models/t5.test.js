import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf, sampleTensors } from './golden_models.js'

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

test('t5: T5EncoderModel loads only the encoder, with the numbers it has in the whole model', async () => {
  const config = { architectures: ['T5EncoderModel'] }, { model } = await gf.models.load(filesOf(item)), sentence = row.slice(0, 6)
  const isOfEncoder = ([key]) => !/^decoder|^lm_head/.test(key)
  const change = tensors => Object.fromEntries(Object.entries(tensors).filter(isOfEncoder))
  const ids = [sentence, [...sentence.slice(0, 4), 7, 7]]
  const options = { attentionMask: [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]] }
  const expected = gf.noGrad(() => model.hiddenOf(ids, options))
  for (const files of [filesOf(item, { config, change }), filesOf(item, { config })]) {
    const { model: encoder } = await gf.models.load(files)
    assert.equal(encoder.architecture, 'encoder')
    assert.deepEqual(gf.noGrad(() => encoder.forward(ids, options)).hidden.toArray(), expected.toArray())
    assert.throws(() => encoder.generate(sentence), { code: 'state', message: /T5Encoder: the model is an encoder/ })
    assert.throws(() => encoder.forward(ids, { decoderIds: ids }), { message: /T5Encoder: .*decoderIds/ })
    const { tensors } = gf.loadSafetensors(gf.models.save(encoder)['model.safetensors'])
    assert.deepEqual(Object.keys(tensors).sort(), Object.keys(change(sampleTensors(item))).sort())
    gf.models.addAdapter(encoder, { r: 2 })
    const adapter = JSON.parse(gf.models.saveAdapter(encoder)['adapter_config.json'])
    assert.deepEqual([adapter.target_modules, adapter.task_type], [['q', 'v'], null])
  }
})

test('t5: an encoder with the modules of a sentence embedding gives one', async () => {
  const modules = ['', '1_Pooling'].map((path, i) => ({ path, type: `sentence_transformers.models.${['Transformer', 'Pooling'][i]}` }))
  const files = {
    ...filesOf(item, { config: { architectures: ['T5EncoderModel'] } }), 'modules.json': JSON.stringify(modules),
    '1_Pooling/config.json': '{ "pooling_mode_mean_tokens": true }'
  }
  const { model } = await gf.models.load(files), { hidden, embedding } = gf.noGrad(() => model.forward([row]))
  assertClose(embedding, hidden.mean({ dim: 1 }), { tol: 1e-6 })
})
