// Tying of the head to the token embedding, and the scale of T5's output, as in Hugging Face's library: a head that
// differs from the embedding is used, and a copy of the embedding is tied.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

const tableOf = (tensors, name) => tensors[Object.keys(tensors).find(key => key.endsWith(name))]
const copyOf = name => tensors => ({ ...tensors, 'lm_head.weight': tableOf(tensors, name) })
const differentHead = tensors => ({ ...tensors, 'lm_head.weight': gf.full([11, 12], 0.25) })
/** A copy that differs in the last value, which inspect does not read of a large table. */
const almostCopyOf = name => tensors => {
  const head = tableOf(tensors, name).clone()
  head.data[head.data.length - 1] += 1
  return { ...tensors, 'lm_head.weight': head }
}
const logitsOf = (model, { ids, ...options }) => gf.noGrad(() => model.forward(ids, options)).logits
const withoutTieSetting = ({ config: { tie_word_embeddings: _, ...config }, ...item }) => ({ ...item, config })

test('t5: a lm_head.weight that equals the embedding is tied and scaled, with any configuration', async () => {
  const [item] = cases('t5')
  const explicit = { tie_word_embeddings: true }
  for (const config of [{}, explicit, { ...explicit, scale_decoder_outputs: true }]) {
    const files = filesOf(withoutTieSetting(item), { config, change: copyOf('shared.weight') })
    const { model } = await gf.models.load(files)
    assert.equal(model.lm_head, null)
    assertOutputs(model, item, JSON.stringify(config))
    assert.deepEqual(gf.models.inspect(files).unused, [])
  }
})

test('t5: a separate head is used and scaled by scale_decoder_outputs, by default by tie_word_embeddings', async () => {
  const [tied, untied] = cases('t5'), width = untied.config.d_model
  const { model: plain } = await gf.models.load(filesOf(untied)), expected = logitsOf(plain, untied.inputs)
  const scaled = gf.mul(expected, width ** -0.5)
  for (const [config, logits] of [
    [{ tie_word_embeddings: true, scale_decoder_outputs: false }, expected], [{ tie_word_embeddings: false }, expected],
    [{ tie_word_embeddings: false, scale_decoder_outputs: true }, scaled], [{ tie_word_embeddings: true }, scaled],
    [{}, scaled]
  ]) {
    const { model } = await gf.models.load(filesOf(withoutTieSetting(untied), { config }))
    const name = JSON.stringify(config)
    assert.notEqual(model.lm_head, null, name)
    assertClose(logitsOf(model, untied.inputs), logits, { tol: 1e-5, name })
    const reloaded = (await gf.models.load(gf.models.save(model))).model
    const savedLogits = logitsOf(reloaded, untied.inputs)
    assert.deepEqual(savedLogits.toArray(), logitsOf(model, untied.inputs).toArray(), `${name}, saved`)
  }
  const { model } = await gf.models.load(filesOf(tied, { config: { scale_decoder_outputs: false } }))
  const { model: usual } = await gf.models.load(filesOf(tied))
  assertClose(logitsOf(model, tied.inputs), gf.mul(logitsOf(usual, tied.inputs), Math.sqrt(width)), { tol: 1e-5 })
  await assert.rejects(gf.models.load(filesOf(tied, { config: { scale_decoder_outputs: 1 } })), /scale_decoder_outputs/)
})

for (const [type, key, ties] of [['gpt2', 'wte.weight', [undefined, true]], ['llama', 'embed_tokens.weight', [true]]]) {
  test(`${type}: a copy of the token embedding is tied, a different head is used even if tie_word_embeddings is true`, async () => {
    const item = cases(type).find(({ tensors }) => !tensors.some(([name]) => name === 'lm_head.weight'))
    for (const tie of ties) {
      const config = tie === undefined ? {} : { tie_word_embeddings: tie }, load = change =>
        gf.models.load(filesOf(withoutTieSetting(item), { config, change })).then(({ model }) => model)
      const copy = await load(copyOf(key)), different = await load(differentHead)
      assert.equal(copy.lm_head, null)
      assertOutputs(copy, item, `${tie}`)
      const { hidden } = gf.noGrad(() => different.forward(item.inputs.ids))
      const expected = gf.matmul(hidden, gf.full([12, 11], 0.25))
      assertClose(logitsOf(different, item.inputs), expected, { tol: 1e-5 })
      assert.notEqual((await load(almostCopyOf(key))).lm_head, null)
    }
    const files = filesOf(item, { config: { tie_word_embeddings: false }, change: copyOf(key) })
    assert.notEqual((await gf.models.load(files)).model.lm_head, null)
  })
}

test('an embedding that is stored as lm_head.weight only is tied', async () => {
  const [item] = cases('gpt2'), rename = ({ 'wte.weight': table, ...rest }) => ({ ...rest, 'lm_head.weight': table })
  assertOutputs((await gf.models.load(filesOf(item, { change: rename }))).model, item, 'renamed')
})
