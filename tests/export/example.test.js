// Example inputs for modules; they are created without random numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExample } from '../../src/js/export/pytorch_example.js'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from '../models/golden_models.js'
import { SmallGPT } from './modules.js'

const { nn } = gf
const layer = () => new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12 })
const decoderLayer = () => new nn.TransformerDecoderLayer(8, 2, { dimFeedforward: 12 })

/** Modules with the expected shapes of inputs: one, or one for each name. */
const MODULES = {
  'Linear': [new nn.Linear(6, 3), [2, 5, 6]],
  'LayerNorm': [new nn.LayerNorm(7), [2, 5, 7]],
  'RMSNorm': [new nn.RMSNorm(7), [2, 5, 7]],
  'GELU': [new nn.GELU(), [2, 5, 4]],
  'Sequential': [new nn.Sequential(new nn.Linear(3, 9), new nn.Linear(9, 2)), [2, 5, 3]],
  'empty Sequential': [new nn.Sequential(), [2, 5, 4]],
  'PositionalEncoding': [new nn.PositionalEncoding(8, 0.1, 12), [2, 5, 8]],
  'LearnedPositionalEncoding': [new nn.LearnedPositionalEncoding(12, 6), [2, 5, 6]],
  'MultiheadAttention': [new nn.MultiheadAttention(8, 2, { kdim: 5, vdim: 6 }),
    { query: [2, 5, 8], key: [2, 5, 5], value: [2, 5, 6] }],
  'TransformerEncoderLayer': [layer(), [2, 5, 8]],
  'TransformerEncoder of one': [new nn.TransformerEncoder(layer(), 1), [2, 5, 8]],
  'TransformerDecoderLayer': [decoderLayer(), { tgt: [2, 5, 8], memory: [2, 4, 8] }],
  'TransformerDecoder of one': [new nn.TransformerDecoder(decoderLayer(), 1), { tgt: [2, 5, 8], memory: [2, 4, 8] }],
  'Transformer': [new nn.Transformer(8, 2, 1, 1, { dimFeedforward: 12 }), { src: [2, 5, 8], tgt: [2, 5, 8] }]
}

for (const [name, [module, expected]] of Object.entries(MODULES)) test(`${name}: example inputs`, () => {
  const inputs = createExample(module)
  assert.deepEqual(Array.isArray(expected) ? [...inputs.shape]
    : Object.fromEntries(Object.entries(inputs).map(([key, t]) => [key, [...t.shape]])), expected)
  const [first] = Array.isArray(expected) ? [inputs] : Object.values(inputs)
  assert.deepEqual([...first.data.slice(0, 3)], [1, 1.7, 2.4].map(v => Math.fround(Math.sin(v))))
})

test('an embedding: ids that advance by 3, modulo the number of rows', () => {
  assert.deepEqual(createExample(new nn.Embedding(9, 4)), [[1, 4, 7, 1, 4], [2, 5, 8, 2, 5]])
  assert.deepEqual(createExample(new nn.Embedding(3, 4)), [[1, 1, 1, 1, 1], [2, 2, 2, 2, 2]])
})

test('a custom class has no example', () => assert.equal(createExample(new SmallGPT()), null))

/** The example of the first model of a type, with another maximum length. */
async function example(type, positions) {
  const { model } = await gf.models.load(filesOf(cases(type)[0]))
  if (positions !== undefined) Object.defineProperty(model, 'maxPositions', { value: positions })
  const inputs = createExample(model)
  model.dispose()
  return inputs
}

/** Ids of two sequences, smaller than `rows`. */
const ids = (rows, count, step) => [1, 2].map(first =>
  Array.from({ length: count }, (_, i) => (first + i * step) % rows))

test('language models: ids below the size of every embedding except token types, at most as many as the maximum length', async () => {
  // All models have 11 tokens. GPT-2 and BERT also have an embedding of 8 positions, T5 one of 8 distances.
  for (const [type, rows] of [['gpt2', 8], ['llama', 11], ['bert', 8]]) {
    assert.deepEqual(await example(type), { ids: ids(rows, 5, 3) }, type)
    assert.deepEqual(await example(type, 2), { ids: ids(rows, 2, 3) }, type)
  }
  for (const [type, rows] of [['marian', 11], ['t5', 8]]) {
    for (const [positions, count, decoderCount] of [[undefined, 5, 4], [0, 5, 4], [null, 5, 4], [3, 3, 3]]) {
      assert.deepEqual(await example(type, positions),
        { ids: ids(rows, count, 3), decoderIds: ids(rows, decoderCount, 2) }, `${type} ${positions}`)
    }
  }
})

test('distributed training looks for unused parameters only if there are some', () => {
  const looksForUnused = model => gf.toPyTorch(model, [[1, 2, 3], [4, 5, 6]]).includes('find_unused_parameters=True')
  assert.ok(looksForUnused(new SmallGPT()))
  const positions = new nn.PositionalEncoding(4, 0.1, 8)
  assert.ok(!looksForUnused(new nn.Sequential(new nn.Embedding(9, 4), positions, new nn.Linear(4, 2))))
})
