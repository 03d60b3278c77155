// Position ids with attention masks: encoders count masked tokens, as Hugging Face does, and decoders do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { gf } from '../lib/engine.js'
import { cases, sampleTensors, filesOf } from './golden_models.js'
import { ACTIVATIONS, encode, modulesOf } from './post_norm.js'

const MASKS = { 'a hole': [1, 1, 0, 1, 0, 1], 'on the left': [0, 0, 1, 1, 1, 1], 'on the right': [1, 1, 1, 1, 0, 0] }
const IDS = [3, 1, 4, 1, 5, 9]

/** A function from names to nested arrays of the tensors' values. */
function lookup(tensors) {
  const all = Object.fromEntries(Object.entries(tensors).map(([key, tensor]) => [key, tensor.toArray()]))
  return name => all[name]
}

const BERT = {
  q: 'encoder.layer.{n}.attention.self.query', k: 'encoder.layer.{n}.attention.self.key',
  v: 'encoder.layer.{n}.attention.self.value', out: 'encoder.layer.{n}.attention.output.dense',
  norm1: 'encoder.layer.{n}.attention.output.LayerNorm', up: 'encoder.layer.{n}.intermediate.dense',
  down: 'encoder.layer.{n}.output.dense', norm2: 'encoder.layer.{n}.output.LayerNorm'
}

for (const [name, mask] of Object.entries(MASKS)) test(`bert: padding ${name}: hidden states and pooled output equal the reference`, async () => {
  const [item] = cases('bert'), { model } = await gf.models.load(filesOf(item)), { config } = item
  const weight = lookup(sampleTensors(item)), { linear, norm } = modulesOf(weight, config.layer_norm_eps)
  const table = kind => weight(`embeddings.${kind}_embeddings.weight`)
  const embedded = IDS.map((id, t) => norm('embeddings.LayerNorm',
    table('word')[id].map((value, c) => value + table('position')[t][c] + table('token_type')[0][c])))
  const expected = encode({ weight, names: BERT, layers: config.num_hidden_layers, heads: config.num_attention_heads,
    eps: config.layer_norm_eps, activation: ACTIVATIONS.gelu }, embedded, mask)
  for (const attentionMask of [[mask], [mask.map(Boolean)], gf.tensor([mask], { dtype: 'int32' })]) {
    const { hidden, pooled } = gf.noGrad(() => model.forward([IDS], { attentionMask }))
    assertClose(hidden, gf.tensor([expected]), { tol: 2e-5 })
    assertClose(pooled, gf.tensor([linear('pooler.dense', expected[0]).map(Math.tanh)]), { tol: 2e-5 })
  }
})

const MARIAN = {
  q: 'encoder.layers.{n}.self_attn.q_proj', k: 'encoder.layers.{n}.self_attn.k_proj',
  v: 'encoder.layers.{n}.self_attn.v_proj', out: 'encoder.layers.{n}.self_attn.out_proj',
  norm1: 'encoder.layers.{n}.self_attn_layer_norm', up: 'encoder.layers.{n}.fc1', down: 'encoder.layers.{n}.fc2',
  norm2: 'encoder.layers.{n}.final_layer_norm'
}

for (const [name, mask] of Object.entries(MASKS)) test(`marian: padding ${name}: the output of the encoder equals the reference`, async () => {
  const [item] = cases('marian'), { model } = await gf.models.load(filesOf(item)), { config } = item, C = config.d_model
  const tensors = lookup(sampleTensors(item)), weight = key => tensors(`model.${key}`)
  const sinusoid = (t, c) => {
    const pair = c % (C / 2), angle = t / 10000 ** (2 * pair / C)
    return c < C / 2 ? Math.sin(angle) : Math.cos(angle)
  }
  const embedded = IDS.map((id, t) => weight('shared.weight')[id].map((value, c) => value * Math.sqrt(C) + sinusoid(t, c)))
  const expected = encode({ weight, names: MARIAN, layers: config.encoder_layers, heads: config.encoder_attention_heads,
    eps: 1e-5, activation: ACTIVATIONS.swish }, embedded, mask)
  const ids = gf.tensor([IDS], { dtype: 'int32' })
  const memory = gf.noGrad(() => model.encode(ids, model.readAttentionMask([mask], [1, IDS.length])))
  assertClose(memory, gf.tensor([expected]), { tol: 2e-5 })
})

for (const type of ['gpt2', 'llama']) test(`${type}: a decoder does not count masked tokens, so a gap does not change the tokens after it`, async () => {
  const { model } = await gf.models.load(filesOf(cases(type)[0]))
  const logits = (row, attentionMask) => gf.noGrad(() => model.forward([row], { attentionMask })).logits.toArray()[0]
  const plain = logits([3, 1, 4, 1]), masked = logits([3, 7, 1, 7, 4, 1], [[1, 0, 1, 0, 1, 1]])
  assertClose(gf.tensor([0, 2, 4, 5].map(t => masked[t])), gf.tensor(plain), { tol: 2e-6 })
})

test('mistral: padding that a window does not lead out of does not change the numbers of tokens', async () => {
  const { model } = await gf.models.load(filesOf(cases('llama')[0], { config: { model_type: 'mistral', sliding_window: 2 } }))
  const rows = (ids, attentionMask) => gf.noGrad(() => model.forward([ids], { attentionMask })).hidden.toArray()[0]
  const alone = gf.tensor(rows([3, 1, 4]))
  assertClose(gf.tensor(rows([3, 1, 4, 0, 0, 0, 0], [[1, 1, 1, 0, 0, 0, 0]]).slice(0, 3)), alone, { tol: 2e-6 })
  assertClose(gf.tensor(rows([0, 0, 0, 0, 3, 1, 4], [[0, 0, 0, 0, 1, 1, 1]]).slice(4)), alone, { tol: 2e-6 })
})

for (const type of ['gpt2', 'llama', 'bert']) test(`${type}: explicit positions replace the counted ones`, async () => {
  const { model } = await gf.models.load(filesOf(cases(type)[0])), ids = [[3, 1, 4, 1]], out = options =>
    gf.tidy(() => gf.noGrad(() => model.forward(ids, options).hidden.toArray()))
  assert.deepEqual(out({ positionIds: [[0, 1, 2, 3]] }), out({}))
  assert.deepEqual(out({ positionIds: [0, 1, 2, 3] }), out({}))
  assert.notDeepEqual(out({ positionIds: [[0, 2, 3, 5]] }), out({}))
  const reject = (positionIds, code, message) => assert.throws(() => out({ positionIds }), { name: 'GlassformerError', code, message })
  reject([[0, 1]], 'shape', /positionIds must have shape \[1, 4\], got \[1, 2\]/)
  reject([[0, 1, 2, -1]], 'range', /positionIds/)
  reject([[0, 1, 2, 10000]], 'range', /positionIds must be from 0 to \d+, got 10000/)
  model.dispose()
})

for (const type of ['gpt2', 'bert', 't5']) test(`${type}: embed pools the hidden states`, async () => {
  const { model } = await gf.models.load(filesOf(cases(type)[0]))
  const ids = [[3, 1, 4, 1], [5, 2, 0, 0]], attentionMask = [[1, 1, 1, 1], [1, 1, 0, 0]]
  gf.tidy(() => gf.noGrad(() => {
    const states = type === 't5' ? model.encode(model.toBatch('ids', ids), model.readAttentionMask(attentionMask, [2, 4]))
      : model.forward(ids, { attentionMask }).hidden
    const rows = states.toArray(), sumOf = (list, c) => list.reduce((sum, row) => sum + row[c], 0)
    const mean = list => list[0].map((_, c) => sumOf(list, c) / list.length)
    const expected = {
      mean: [mean(rows[0]), mean(rows[1].slice(0, 2))], cls: [rows[0][0], rows[1][0]], last: [rows[0][3], rows[1][1]]
    }
    const near = (a, b) => a.toArray().flat().forEach((v, i) => assert.ok(Math.abs(v - b.flat()[i]) < 1e-5))
    for (const [pooling, value] of Object.entries(expected)) near(model.embed(ids, { attentionMask, pooling }), value)
    near(model.embed(ids, { attentionMask }), expected.mean)
    const unit = model.embed(ids, { attentionMask, normalize: true }).square().sum(1).toArray()
    for (const length of unit) assert.ok(Math.abs(length - 1) < 1e-5)
  }))
  assert.throws(() => model.embed(ids, { pooling: 'max' }), { code: 'range', message: /pooling/ })
  model.dispose()
})
