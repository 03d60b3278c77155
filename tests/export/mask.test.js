// attentionMask is an input of the exported graph: other masks than the example's give the library's numbers. The
// example's mask may be a list, an int32 tensor or a bool tensor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'
import { cases, filesOf } from '../models/golden_models.js'
import { caseOf, filesOf as hashedFiles } from '../models/hashed_weights.js'
import { FunctionModule } from './modules.js'
import { assertNear, assertRuns, namedOutputs, sessionOf } from './onnx.js'

const { nn, functional: F } = gf
const int = rows => gf.tensor(rows, { dtype: 'int32' })
const ONES = [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]], MASKED = [[1, 1, 0, 1, 1], [1, 1, 1, 0, 0]]
const OTHER_MASKS = [[[1, 1, 1, 1, 0], [1, 0, 1, 1, 1]], [[0, 0, 1, 1, 1], [1, 1, 0, 0, 0]], ONES]
const FORMS = { 'a list': rows => rows, 'an int32 tensor': int, 'a bool tensor': rows => int(rows).to('bool') }

const loaded = async type => (await gf.models.load(filesOf(cases(type)[0]))).model
const ids = (rows = 2) => int(Array.from({ length: rows }, (_, b) => [1, 2, 3, 4, 5].map(id => (id + 3 * b) % 10)))
const decoder = (type, rows) => (['marian', 't5'].includes(type) ? { decoderIds: ids(rows).narrow(1, 0, 3) } : {})

for (const type of ['bert', 'gpt2', 'llama', 't5', 'marian']) for (const [form, make] of Object.entries(FORMS)) {
  test(`${type}: with ${form} as the example's mask, other masks give the library's numbers`, async () => {
    const model = await loaded(type)
    for (const example of [ONES, MASKED]) {
      const session = await sessionOf(gf.toOnnx(model, { ids: ids(), attentionMask: make(example), ...decoder(type) }))
      for (const rows of [...OTHER_MASKS, [[1, 1, 1, 0, 0], [1, 0, 1, 0, 1], [1, 1, 1, 1, 1]]]) {
        const attentionMask = form === 'a list' ? int(rows) : make(rows), more = decoder(type, rows.length)
        const feeds = { ids: ids(rows.length), ...more, attentionMask }
        assert.deepEqual([...session.inputs].sort(), Object.keys(feeds).sort())
        const expected = namedOutputs(gf.noGrad(() => model.forward(feeds.ids, { ...more, attentionMask })))
        const outputs = await session.run(feeds)
        for (const [key, tensor] of Object.entries(expected)) assertNear(outputs[key], tensor, `${rows}: ${key}`)
      }
    }
  })
}

for (const name of ['roberta: body', 'modernbert: body', 'deberta-v2: as version 3', 'deberta-v2: convolution', 't5: EncoderModel', 'albert: one group',
  'bert: TokenClassification', 'modernbert: MaskedLM', 'sentence: bert, mean_tokens',
  'sentence: bert, cls_token+mean_tokens+max_tokens+mean_sqrt_len_tokens+lasttoken', 'mbart: generation, scale_embedding']) {
  test(`${name}: other masks than the example's give the library's numbers`, async () => {
    const { model } = await gf.models.load(hashedFiles(caseOf(name))), more = /mbart/.test(name) ? { decoderIds: ids() } : {}
    const session = await sessionOf(gf.toOnnx(model, { ids: ids(), attentionMask: int(ONES), ...more }))
    for (const rows of [MASKED, ...OTHER_MASKS]) {
      const feeds = { ids: ids(), attentionMask: int(rows), ...more }, { ids: first, ...options } = feeds
      const expected = namedOutputs(gf.noGrad(() => model.forward(first, options))), outputs = await session.run(feeds)
      for (const [key, tensor] of Object.entries(expected)) assertNear(outputs[key], tensor, `${rows}: ${key}`)
    }
  })
}

test('ids may have no batch; a mask of booleans in a list is a constant', async () => {
  const model = await loaded('gpt2'), sequence = int([1, 2, 3, 4, 5]), attentionMask = int([1, 0, 1, 1, 1])
  await assertRuns(model, { ids: sequence, attentionMask: int([1, 1, 1, 1, 1]) }, { ids: sequence, attentionMask },
    () => model.forward(sequence, { attentionMask }))
  const fixed = MASKED.map(row => row.map(Boolean))
  await assertRuns(model, { ids: ids(), attentionMask: fixed }, { ids: ids() },
    () => model.forward(ids(), { attentionMask: MASKED }))
})

test('a bool attention mask and rotary positions are inputs', async () => {
  const x = gf.randn([2, 3, 8]), mha = new nn.MultiheadAttention(8, 2)
  const mask = rows => gf.tensor(rows.map(row => row.map(Boolean)))
  const attnMask = mask([[0, 1, 1], [0, 0, 1], [1, 0, 0]])
  await assertRuns(mha, { query: x, attnMask: mask([[0, 0, 0], [1, 0, 0], [0, 0, 0]]) }, { query: x, attnMask },
    () => mha.forward(x, undefined, undefined, { attnMask }))
  for (const options of [{}, { base: 100, heads: 2, layout: 'interleaved' }, { frequencies: [1, 0.5, 0.1, 0.01] }]) {
    const rotate = new FunctionModule((a, positions) => F.rotary(a, { ...options, positions }))
    for (const positions of [int([[5, 700, 2], [0, 2000, 9]]), int([3, 1, 2])]) {
      const plain = positions.shape.length === 2 ? int([[0, 1, 2], [0, 1, 2]]) : int([0, 1, 2])
      await assertRuns(rotate, [x, plain], { input_0: x, input_1: positions }, () => rotate.forward(x, positions))
    }
  }
})

test('masks that hide all keys of a query, and masks that broadcast, give the same numbers', async () => {
  const attend = (q, mask) => F.scaledDotProductAttention(q, q, q, { attnMask: mask })
  const q = gf.randn([2, 2, 3, 4]), mask = int([[1, 0, 0], [0, 0, 0], [1, 1, 1]]).to('bool')
  const rows = int([[0, 1, 1], [0, 0, 0]]).to('bool'), seen = gf.ones([3, 3]).to('bool')
  const fixed = new FunctionModule(x => attend(x, mask)), model = new FunctionModule(attend)
  await assertRuns(model, [q, seen], { input_0: q, input_1: mask }, () => attend(q, mask))
  await assertRuns(fixed, q, { input: q }, () => attend(q, mask))
  const layer = new nn.TransformerEncoderLayer(8, 2, 8, 0), src = gf.randn([2, 3, 8]), padding = rows.logicalNot()
  await assertRuns(layer, { src, srcKeyPaddingMask: rows }, { src, srcKeyPaddingMask: padding },
    () => layer.forward(src, { srcKeyPaddingMask: padding }))
  const wide = rows.reshape(2, 1, 1, 3), more = gf.cat([q, q.mul(2).narrow(0, 0, 1)])
  const widest = gf.cat([wide, wide]).narrow(0, 1, 3)
  await assertRuns(model, [q, wide], { input_0: more, input_1: widest }, () => attend(more, widest))
})

test('unused inputs are left out, and inputs that only JavaScript reads are refused by name', async () => {
  const x = gf.randn([2, 3]), y = gf.randn([2, 3])
  const session = await sessionOf(gf.toOnnx(new FunctionModule(a => a.mul(2)), [x, y]))
  assert.deepEqual(session.inputs, ['input_0'])
  for (const read of [t => t.toArray()[0][0], t => t.data[0], t => t.sum().item() && t.at(0, 0)]) {
    const model = new FunctionModule((a, b) => a.mul(read(b)))
    for (const write of ['toOnnx', 'toPyTorch']) {
      assertRejects(() => gf[write](model, [x, y]), 'type', `${write}: JavaScript reads the values of input_1`)
    }
  }
  assert.equal(y.toArray().length, 2)
  assert.deepEqual(Object.keys(y), Object.keys(x))
})

for (const type of ['bert', 'gpt2', 'llama', 't5', 'marian']) test(`${type}: toPyTorch computes with the mask`, async () => {
  const model = await loaded(type), example = { ids: ids(), ...decoder(type) }
  const script = gf.toPyTorch(model, { ...example, attentionMask: int(ONES) }), plain = gf.toPyTorch(model, example)
  assert.match(script, /attention_mask != 0/)
  const idInputs = Object.values(example).map(t => `torch.randint(0, 11, (2, ${t.shape[1]}), device=device)`)
  assert.ok(script.includes(`inputs = [${idInputs.join(', ')}, INPUTS[${idInputs.length}].to(device)]`),
    'training uses the mask of the example')
  assert.ok(script.includes('yield inputs, inputs[-2]'), 'the target of training is ids, not the mask')
  for (const text of [script, plain]) for (const [, head, body] of text.matchAll(
    / {4}def forward\(self, (.*)\):\n((?: {8}.*\n|\n)+)/g)) {
    for (const name of head.split(', ')) assert.match(body, new RegExp(`\\b${name}\\b`), `${name} is declared and not used`)
  }
})
