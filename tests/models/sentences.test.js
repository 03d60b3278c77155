// Sentence embeddings: the folders of sentence-transformers, with a pooling and perhaps a normalization.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { assertOutputs, assertSaved, caseOf, cases, filesOf } from './hashed_weights.js'

const refuses = (files, message) => assert.rejects(gf.models.load(files), { name: 'GlassformerError', code: 'format', message })
const inFolder = (files, folder) => Object.fromEntries(Object.entries(files).map(([path, file]) => [`${folder}/${path}`, file]))
const MEAN = caseOf('sentence: bert, mean_tokens')
const withModules = types => ({ ...filesOf(MEAN), 'modules.json': JSON.stringify(types.map((type, i) => (
  { idx: i, name: `${i}`, path: i ? `${i}_${type}` : '', type: `sentence_transformers.models.${type}` }))) })
const withPooling = config => ({ ...filesOf(MEAN), '1_Pooling/config.json': JSON.stringify(config) })

for (const item of cases.filter(({ modules }) => modules)) test(`${item.name}: equals PyTorch's numbers`, async () => {
  for (const files of [filesOf(item), inFolder(filesOf(item), 'a folder/of files')]) {
    const { model, config } = await gf.models.load(files)
    assert.equal(config.model_type, item.config.model_type)
    assertOutputs(model, item)
    const saved = item.config.model_type === 'bert' ? assertSaved(model, item) : gf.models.save(model)
    assert.deepEqual(JSON.parse(saved['modules.json']), JSON.parse(item.modules['modules.json']))
    assertOutputs((await gf.models.load(saved)).model, item)
    model.dispose()
  }
})

test('the order of the files does not matter, nor the folder of the model', async () => {
  const { 'config.json': config, 'model.safetensors': weights, 'modules.json': json, ...rest } = filesOf(MEAN)
  const modules = json.replace('"path": ""', '"path": "0_Transformer"')
  const files = { ...rest, 'modules.json': modules, '0_Transformer/config.json': config, '0_Transformer/model.safetensors': weights }
  for (const entries of [Object.entries(files), Object.entries(files).reverse()]) {
    const { model } = await gf.models.load(Object.fromEntries(entries))
    assertOutputs(model, MEAN)
    assertOutputs((await gf.models.load(gf.models.save(model))).model, MEAN)
    model.dispose()
  }
  const vocab = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'a', 'b', 'c', 'd', 'e', 'f'].join('\n')
  for (const order of [1, -1]) {
    const all = Object.entries({ ...filesOf(MEAN), 'vocab.txt': vocab })
    const { tokenizer } = await gf.models.load(Object.fromEntries(order > 0 ? all : all.reverse()))
    assert.deepEqual(tokenizer.encode('a b', { special: true }).ids, [2, 5, 6, 3])
  }
})

test('a decoder with a cache has no embedding, and generates', async () => {
  const { model } = await gf.models.load(filesOf(caseOf('sentence: llama, lasttoken')))
  gf.tidy(() => {
    const outputs = gf.noGrad(() => model.forward([[3, 4]], { cache: new gf.decoding.Cache(8) }))
    assert.deepEqual(Object.keys(outputs).sort(), ['hidden', 'logits'])
  })
  assert.equal(model.generate([3, 4], { maxNewTokens: 2 }).length, 2)
})

test('padding on the left takes the last token, too', async () => {
  const { model } = await gf.models.load(filesOf(caseOf('sentence: llama, lasttoken')))
  const rows = gf.tidy(() => gf.noGrad(() => model.forward([[0, 0, 3, 4], [3, 4, 0, 0]],
    { attentionMask: [[0, 0, 1, 1], [1, 1, 0, 0]] }).embedding.toArray()))
  rows[0].forEach((value, i) => assert.ok(Math.abs(value - rows[1][i]) < 1e-6))
})

test('modules that are not supported are refused by name, and ignoreHead loads the model alone', async () => {
  for (const [files, message] of [
    [withModules(['Transformer', 'Pooling', 'Dense', 'Normalize']), /modules\.json: Dense is not supported.*ignoreHead: true/],
    [withModules(['Transformer', 'Pooling', 'Dense', 'LayerNorm']), /Dense, LayerNorm are not supported/],
    [withModules(['Transformer', 'Normalize']), /in this order, got Transformer, Normalize/],
    [withModules(['Pooling']), /in this order, got Pooling/],
    [withModules([]), /in this order, got none/],
    [withPooling({ pooling_mode_weightedmean_tokens: true }), /1_Pooling\/config\.json: pooling_mode_weightedmean_tokens is not/],
    [withPooling({ pooling_mode: 'weightedmean' }), /pooling_mode "weightedmean" is not supported/],
    [withPooling({ include_prompt: false }), /include_prompt = false is not supported/],
    [withPooling({ pooling_mode_mean_tokens: false }), /no pooling mode is true/],
    [{ ...filesOf(caseOf('bart: generation')), ...MEAN.modules }, /embeddings of bart, an encoder-decoder, are not supported/]
  ]) {
    await refuses(files, message)
    assert.match(gf.models.inspect(files).problems.join('\n'), message)
    const { model } = await gf.models.load(files, { ignoreHead: true })
    assert.ok(!('embedding' in gf.tidy(() => gf.noGrad(() => model.forward([[3, 4]])))))
    model.dispose()
  }
  for (const json of ['{}', '[', '[{}]', '[{"type": "Pooling", "path": 1}]']) {
    await refuses({ ...filesOf(MEAN), 'modules.json': json }, /modules\.json must be a list of modules/)
  }
  const { '1_Pooling/config.json': _, ...files } = filesOf(MEAN)
  const { model } = await gf.models.load(files)
  assert.deepEqual(gf.tidy(() => Object.keys(gf.noGrad(() => model.forward([[3, 4]])))), ['hidden'])
})

test('a pooling without modes, or with a name, is the mean', async () => {
  for (const config of [{}, { pooling_mode: 'mean' }, { pooling_mode: 'mean', pooling_mode_cls_token: true }]) {
    const { model } = await gf.models.load(withPooling(config))
    assertOutputs(model, MEAN)
    model.dispose()
  }
})
