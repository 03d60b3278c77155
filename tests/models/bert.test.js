import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

for (const item of cases('bert')) {
  test(`${item.name}: equals PyTorch's numbers`, async () => {
    const files = filesOf(item), { model } = await gf.models.load(files)
    assertOutputs(model, item, item.name)
    const { type, missing, unused, problems } = gf.models.inspect(files)
    assert.deepEqual({ type, missing, unused, problems }, { type: 'bert', missing: [], unused: [], problems: [] })
  })
}

const [item, masked] = cases('bert'), { ids: [row] } = item.inputs

test('bert: padding on the right changes neither the tokens nor the pooled output', async () => {
  const { model } = await gf.models.load(filesOf(item)), T = 4, sentence = row.slice(0, T)
  const run = (ids, attentionMask) => gf.noGrad(() => {
    const { hidden, pooled } = model.forward([ids], { attentionMask })
    return { hidden: hidden.toArray()[0], pooled: pooled.toArray()[0] }
  })
  const plain = run(sentence), close = (actual, expected) =>
    assertClose(gf.tensor(actual), gf.tensor(expected), { tol: 1e-6 })
  const right = run([...sentence, 7, 7], [[1, 1, 1, 1, 0, 0]])
  close(right.hidden.slice(0, T), plain.hidden)
  close(right.pooled, plain.pooled)
})

test('bert: tokenTypeIds are zeros by default and must have the shape of ids', async () => {
  const { model } = await gf.models.load(filesOf(item)),
    run = options => gf.noGrad(() => model.forward([row], options)).hidden
  assert.deepEqual(run().toArray(), run({ tokenTypeIds: [row.map(() => 0)] }).toArray())
  assert.throws(() => run({ tokenTypeIds: [[0, 1]] }), { code: 'shape', message: /tokenTypeIds must have shape \[1, 6\], got \[1, 2\]/ })
  assert.throws(() => run({ tokenTypeIds: [row.map(() => 2)] }), { code: 'index' })
})

test('bert: position ids, the tied head and the next sentence prediction head are ignored', async () => {
  const files = filesOf(masked, { change: t => ({
    ...t, 'bert.embeddings.position_ids': gf.tensor([[0, 1, 2]], { dtype: 'int32' }),
    'cls.predictions.decoder.weight': gf.rand([11, 12]), 'cls.predictions.decoder.bias': gf.rand([11]),
    'cls.seq_relationship.weight': gf.rand([2, 12])
  }) })
  assert.deepEqual(gf.models.inspect(files).unused, [])
  assertOutputs((await gf.models.load(files)).model, masked, 'with more')
})

test('bert: refuses to pool a sequence without tokens', async () => {
  const { model } = await gf.models.load(filesOf(item))
  assert.throws(() => model.forward([[]]),
    { code: 'shape', message: 'Bert: ids must have at least one token, which is pooled, got [1, 0]' })
})

test('bert: relative positions and decoders are refused', async () => {
  for (const config of [{ position_embedding_type: 'relative_key' }, { is_decoder: true }, { embedding_size: 6 },
    { tie_word_embeddings: false }]) {
    const [name] = Object.keys(config)
    await assert.rejects(gf.models.load(filesOf(item, { config })),
      { code: 'format', message: new RegExp(`${name} = .* not supported`) })
  }
})

test('bert: the bias of the head may have the name of the tied head', async () => {
  const change = ({ 'cls.predictions.bias': bias, ...rest }) => ({ ...rest, 'cls.predictions.decoder.bias': bias })
  assertOutputs((await gf.models.load(filesOf(masked, { change }))).model, masked, 'renamed')
})
