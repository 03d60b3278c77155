// Encoders and encoder-decoders of every family, with each setting that changes numbers, against PyTorch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertOutputs, assertSaved, caseOf, cases, filesOf } from './hashed_weights.js'

const isBody = ({ modules, config: { architectures: [name] } }) =>
  !modules && !/Classification|QuestionAnswering|^ElectraForPreTraining/.test(name)
const refuses = (files, message) => assert.rejects(gf.models.load(files), { name: 'GlassformerError', code: 'format', message })

for (const item of cases.filter(isBody)) test(`${item.name}: equals PyTorch's numbers`, async () => {
  const { model } = await gf.models.load(filesOf(item)), files = assertSaved(model, item)
  assertOutputs(model, item)
  assertOutputs((await gf.models.load(files)).model, item)
  assert.equal(model.labels, null)
  model.dispose()
})

const argmax = values => values.indexOf(Math.max(...values))
for (const item of cases.filter(({ config: { architectures: [name] } }) => /ConditionalGeneration/.test(name))) {
  test(`${item.name}: generates the same with a cache as without`, async () => {
    const { model } = await gf.models.load(filesOf(item)), [source] = item.inputs.ids
    const target = [model.decoderStartTokenId]
    for (let i = 0; i < 4; i++) target.push(gf.tidy(() => argmax(
      gf.noGrad(() => model.forward([source], { decoderIds: [target] })).logits.toArray()[0].at(-1))))
    const options = { maxNewTokens: 4, end: [] }
    assert.deepEqual(model.generate(source, options), target.slice(1))
    assert.deepEqual(model.generate(source, { ...options, cache: false }), target.slice(1))
    model.dispose()
  })
}

test('settings that the models do not have are refused by name', async () => {
  for (const [name, config, message] of [
    ['deberta-v2: convolution', { conv_kernel_size: 4 }, /conv_kernel_size must be odd, got 4/],
    ['deberta-v2: convolution', { conv_groups: 5 }, /hidden_size must be divisible by conv_groups, got 12 and 5/],
    ['deberta-v2: convolution', { conv_act: 'sine' }, /conv_act must be one of/],
    ['deberta-v2: as version 3', { embedding_size: 8 }, /embedding_size = 8/],
    ['deberta-v2: as version 3', { relative_attention: false }, /relative_attention = false/],
    ['deberta-v2: as version 3', { relative_attention: undefined }, /relative_attention = false/],
    ['deberta-v2: as version 3', { attention_head_size: 8 }, /attention_head_size = 8/],
    ['deberta-v2: as version 3', { pos_att_type: 'p2p' }, /pos_att_type must be a list of c2p and p2c/],
    ['modernbert: body', { decoder_bias: false }, /decoder_bias = false/],
    ['modernbert: body', { tie_word_embeddings: false }, /tie_word_embeddings = false/],
    ['modernbert: body', { layer_types: ['full_attention'] }, /layer_types must be 4 times/],
    ['roberta: body', { position_embedding_type: 'relative_key' }, /position_embedding_type = "relative_key"/],
    ...['roberta: body', 'xlm-roberta: XLMRobertaForMaskedLM', 'm2m_100: generation, scale_embedding, activation_function'].map(name =>
      [name, { pad_token_id: 1e6 }, /pad_token_id must be an id below \d+, got 1000000/]),
    ['bart: generation', { normalize_before: true }, /normalize_before = true/]
  ]) await refuses(filesOf(caseOf(name), { config }), message)
})

test('padding does not change the numbers of the other rows, even where a window has nothing else', async () => {
  for (const name of ['modernbert: body', 'deberta-v2: as version 3', 'deberta-v2: convolution', 'roberta: body']) {
    const item = caseOf(name), { model } = await gf.models.load(filesOf(item)), { ids, attentionMask } = item.inputs
    const n = attentionMask[1].lastIndexOf(1) + 1
    gf.tidy(() => gf.noGrad(() => {
      const padded = model.forward(ids, { attentionMask }).hidden.toArray()[1].slice(0, n).flat()
      const alone = model.forward([ids[1].slice(0, n)]).hidden.toArray()[0].flat()
      alone.forEach((value, i) => assert.ok(Math.abs(value - padded[i]) < 2e-5, `${name}: ${value}, ${padded[i]}`))
    }))
    model.dispose()
  }
})

for (const [dtype, tol] of [['float16', 0.02], ['bfloat16', 0.15], ['int8', 0.3]]) {
  test(`weights in ${dtype} give nearly the same numbers`, async () => {
    const types = [...new Set(cases.map(({ config }) => config.model_type))]
    for (const item of types.map(type => cases.find(({ config }) => config.model_type === type))) {
      const { model } = await gf.models.load(filesOf(item), { dtype })
      const { model: plain } = await gf.models.load(filesOf(item))
      const { ids, ...options } = item.inputs
      gf.tidy(() => gf.noGrad(() => {
        const expected = plain.forward(ids, options), actual = model.forward(ids, options)
        for (const [key, { shape, data }] of Object.entries(expected)) {
          assertClose({ shape, data: actual[key].data }, { shape, data: [...data] }, { tol, name: `${item.name}: ${key}` })
        }
      }))
      for (const each of [model, plain]) each.dispose()
    }
  })
}
