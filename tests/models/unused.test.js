// Tensors of a file that the model does not use: heads of other classes, and weights and scales inside layers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

const refuses = async (files, message, options) => {
  await assert.rejects(gf.models.load(files, options), { name: 'GlassformerError', code: 'format', message })
  assert.match(gf.models.inspect(files).problems.join('\n'), message)
}

/** Types of models, Hugging Face's classes with heads that are not supported, and the keys of these heads. */
const HEADS = [
  ['bert', 'BertForMultipleChoice', 'classifier.weight', 'classifier.bias'],
  ['gpt2', 'GPT2DoubleHeadsModel', 'multiple_choice_head.summary.weight', 'multiple_choice_head.summary.bias'],
  ['t5', 'T5ForTokenClassification', 'classifier.weight', 'classifier.bias']
]

for (const [type, architecture, ...keys] of HEADS) test(`${architecture}: its head is refused by name, or ignored with ignoreHead`, async () => {
  const [item] = cases(type), shapeOf = key => (key.endsWith('bias') ? [3] : [3, 12])
  const more = Object.fromEntries(keys.map(key => [key, gf.rand(shapeOf(key))]))
  const change = tensors => ({ ...tensors, ...more }), config = { architectures: [architecture] }
  const named = new RegExp(`${architecture} has a head .*${keys[0]}.*ignoreHead: true`)
  await refuses(filesOf(item, { change, config }), named)
  await refuses(filesOf(item, { change }), new RegExp(`has no .*${keys[0]}.*ignoreHead: true`))
  await refuses(filesOf(item, { config }), new RegExp(`${architecture} has a head .*ignoreHead: true`))
  assert.deepEqual(gf.models.inspect(filesOf(item, { change, config })).unused.sort(), [...keys].sort())
  const { model } = await gf.models.load(filesOf(item, { change, config }), { ignoreHead: true })
  assertOutputs(model, item, architecture)
  model.dispose()
})

test('a next sentence prediction head alone is refused, and ignored beside a masked language modeling head', async () => {
  const [body, masked] = cases('bert')
  await refuses(filesOf(body, { config: { architectures: ['BertForNextSentencePrediction'] } }), /BertForNextSentencePrediction/)
  for (const name of ['BertForPreTraining', 'BertForMaskedLM', 'BertModel']) {
    (await gf.models.load(filesOf(masked, { config: { architectures: [name] } }))).model.dispose()
  }
  await assert.rejects(gf.models.load(filesOf(body), { ignoreHead: 1 }),
    { code: 'type', message: /ignoreHead must be true or false/ })
})

test('unused tensors inside layers are refused, with and without ignoreHead', async () => {
  const [llama] = cases('llama'), add = (key, shape) => tensors => ({ ...tensors, [key]: gf.rand(shape) })
  for (const [key, shape, message] of [
    ['model.layers.0.self_attn.q_proj.bias', [12], /has no model\.layers\.0\.self_attn\.q_proj\.bias, and the output/],
    ['model.layers.1.self_attn.q_norm.weight', [2], /has no .*q_norm\.weight/],
    ['model.layers.0.mlp.up_proj.weight_scale_inv', [1, 1], /scales.*not applied: .*up_proj\.weight_scale_inv/],
    ['model.layers.0.mlp.up_proj.weight_scale', [1], /scales.*not applied: .*weight_scale/],
    ['model.norm.bias', [12], /has no model\.norm\.bias/]
  ]) {
    const files = filesOf(llama, { change: add(key, shape) })
    for (const ignoreHead of [false, true]) await refuses(files, message, { ignoreHead })
  }
  for (const name of ['quantization_config', 'quantization', 'compression_config']) {
    const files = filesOf(llama, { config: { [name]: { bits: 8, quant_method: 'fp8' } } })
    await refuses(files, new RegExp(`${name} = .* not supported`))
  }
})

test('layers after those of config.json are refused, but for those that predict later tokens', async () => {
  const [item] = cases('llama'), [gpt] = cases('gpt2'), change = tensors => ({
    ...tensors, 'model.layers.2.self_attn.q_proj.weight': gf.rand([12, 12])
  })
  await refuses(filesOf(item, { change }), /config\.json has fewer layers than the file, which also has layers\.2/)
  await refuses(filesOf(gpt, { config: { n_layer: 1 } }), /the file, which also has h\.1, and the output/)
  const { model } = await gf.models.load(filesOf(item, { change, config: { num_nextn_predict_layers: 1 } }))
  assertOutputs(model, item, 'with a predictor')
})

test('integer tensors and rotary tables are ignored', async () => {
  const [item] = cases('llama'), change = tensors => ({
    ...tensors, 'model.layers.0.self_attn.position_ids': gf.tensor([1, 2], { dtype: 'int32' }),
    'model.layers.0.self_attn.rotary_emb.cos_cached': gf.rand([4, 2])
  })
  const { model } = await gf.models.load(filesOf(item, { change }))
  assertOutputs(model, item, 'with more')
  assert.deepEqual(gf.models.inspect(filesOf(item, { change })).problems, [])
})
