import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

for (const item of cases('gpt2')) {
  test(`${item.name}: equals PyTorch's numbers`, async () => {
    const files = filesOf(item), { model, config, tokenizer } = await gf.models.load(files)
    assertOutputs(model, item, item.name)
    assert.deepEqual(config, item.config)
    assert.equal(tokenizer, null)
    assert.equal(model.training, false)
    const size = item.tensors.reduce((sum, [, shape]) => sum + shape.reduce((n, side) => n * side, 1), 0)
    assert.deepEqual(gf.models.inspect(files),
      { type: 'gpt2', parameters: size, bytes: 4 * size, dtype: 'float32', missing: [], unused: [], problems: [] })
    model.dispose()
  })
}

const [first] = cases('gpt2'), { ids } = first.inputs

test('gpt2: padding on either side does not change the tokens', async () => {
  const { model } = await gf.models.load(filesOf(first)), T = 4, sentence = ids[0].slice(0, T)
  const logits = (row, attentionMask) => gf.noGrad(() => model.forward([row], { attentionMask })).logits.toArray()[0]
  const plain = logits(sentence)
  assert.deepEqual(logits([...sentence, 7, 7], [[1, 1, 1, 1, 0, 0]]).slice(0, T), plain)
  assert.deepEqual(logits([7, 7, ...sentence], [[0, 0, 1, 1, 1, 1]]).slice(2), plain)
  assert.deepEqual(logits([7, 7, ...sentence], [[false, false, true, true, true, true]]).slice(2), plain)
  assert.ok(logits([7, 7, ...sentence], [[0, 0, 1, 1, 1, 1]]).flat().every(Number.isFinite), 'no NaN in padding')
  const single = gf.noGrad(() => model.forward(sentence)).logits
  assert.deepEqual(single.toArray()[0], plain, 'a single sequence may be a flat list')
})

test('gpt2: forward refuses invalid arguments', async () => {
  const { model } = await gf.models.load(filesOf(first))
  const refuse = (call, code, message) =>
    assert.throws(() => gf.tidy(call), { name: 'GlassformerError', code, message })
  refuse(() => model.forward([[0, 1, 2, 3, 4, 5, 6, 7, 8]]), 'range', /ids has 9 positions, and the model has at most 8/)
  refuse(() => model.forward([[[1]]]), 'shape', /ids must have shape \[B, T\]/)
  refuse(() => model.forward([[11]]), 'index', /ids must be from 0 to 10/)
  refuse(() => model.forward([[1, 2]], { attentionMask: [[1]] }), 'shape', /attentionMask must have shape \[1, 2\]/)
  refuse(() => model.forward([[1, 2]], { attentionMask: [[1, 2]] }), 'type', /attentionMask must be 1 .* got 2/)
  refuse(() => model.forward([[1, 2]], { mask: [[1, 1]] }), 'type', /no option "mask"/)
})

test('gpt2: a traced run of a loaded model is explained like any other', async () => {
  const { model } = await gf.models.load(filesOf(first))
  const { trace } = gf.tidy(() => gf.trace(() => model.forward([[1, 2, 3]])))
  assert.ok(trace.names.includes('h.0.self_attn.scores'))
  const { value, computed } = trace.explain('h.1.self_attn.weights', [0, 0, 2, 1])
  assert.ok(Math.abs(value - computed) < 1e-6)
  trace.dispose()
})

test('gpt2: configurations that are not supported are refused, by load and by inspect', async () => {
  for (const [config, message] of [
    [{ model_type: 'mamba' }, /model_type must be one of .*gpt2.*, got "mamba"/],
    [{ activation_function: 'swiglu' }, /activation_function must be one of/],
    [{ n_head: 5 }, /n_embd must be divisible by n_head/],
    [{ n_layer: '2' }, /n_layer must be an integer/],
    [{ quantization_config: { bits: 4 } }, /quantization_config = .* is not supported/],
    [{ add_cross_attention: true }, /add_cross_attention = true is not supported/]
  ]) {
    const files = filesOf(first, { config })
    await assert.rejects(gf.models.load(files), { name: 'GlassformerError', code: 'format', message })
    assert.match(gf.models.inspect(files).problems.join(), message)
  }
})

test('gpt2: causal mask buffers are ignored', async () => {
  const files = filesOf(first, { change: t => ({
    ...t, 'h.0.attn.bias': gf.rand([1, 1, 8, 8]), 'h.1.attn.masked_bias': gf.tensor(-10000)
  }) })
  assert.deepEqual(gf.models.inspect(files).unused, [])
  assertOutputs((await gf.models.load(files)).model, first, 'with buffers')
})

test('gpt2: a file without biases, as nanoGPT writes by default, equals one with biases of 0', async () => {
  const isBias = key => /\.bias$/.test(key) && !/\.attn\.bias$/.test(key)
  const changed = change => filesOf(first, { change: tensors => Object.fromEntries(Object.entries(tensors).flatMap(
    ([key, tensor]) => (isBias(key) ? change(key, tensor) : [[key, tensor]]))) })
  const files = changed(() => []), { model } = await gf.models.load(files)
  const zeros = await gf.models.load(changed((key, tensor) => [[key, gf.zeros(tensor.shape)]]))
  const run = one => gf.tidy(() => gf.noGrad(() => one.forward(ids)).logits.toArray())
  assert.deepEqual(run(model), run(zeros.model))
  assert.ok(!Object.keys(model.stateDict()).some(isBias))
  const saved = gf.models.save(model), again = await gf.models.load(saved)
  assert.deepEqual(run(again.model), run(model))
  assert.deepEqual(gf.models.inspect(saved).problems, [])
  const partly = changed((key, tensor) => (key.includes('h.0.attn.c_attn') ? [] : [[key, tensor]]))
  await assert.rejects(gf.models.load(partly), { code: 'format', message: /the model has no .*h\.0\..*bias/ })
})

test('gpt2: several passes with a cache give the same bits as one pass, also with padding', async () => {
  const { model } = await gf.models.load(filesOf(first)), row = [5, 1, 2, 3, 4], mask = [0, 1, 1, 1, 1]
  for (const padded of [false, true]) gf.tidy(() => gf.noGrad(() => {
    const attentionMask = upTo => (padded ? { attentionMask: [mask.slice(0, upTo)] } : {})
    const all = model.forward([row], attentionMask(5)).logits.toArray()[0], cache = new gf.decoding.Cache(8)
    const parts = [[0, 2], [2, 3], [3, 5]].map(([from, to]) =>
      model.forward([row.slice(from, to)], { cache, ...attentionMask(to) }).logits.toArray()[0])
    assert.deepEqual(parts.flat(), all)
    cache.dispose()
  }))
})

for (const type of ['gpt2', 'llama']) test(`${type}: logitsToKeep gives the bits of the last logits, and invalid values are refused by name`, async () => {
  const [item] = cases(type), { model } = await gf.models.load(filesOf(item))
  for (const rows of [[[5, 1, 2, 3, 4]], [[5, 1, 2, 3, 4], [1, 1, 2, 9, 0]]]) gf.tidy(() => {
    const all = model.forward(rows).logits.toArray()
    for (const count of [1, 2, 5, 9]) {
      const { logits, hidden } = model.forward(rows, { logitsToKeep: count })
      assert.deepEqual(logits.toArray(), all.map(row => row.slice(-count)))
      assert.equal(hidden.shape[1], 5)
    }
    assert.deepEqual(model.forward(rows, { logitsToKeep: null }).logits.toArray(), all)
  })
  for (const wrong of [0, 1.5, '2']) {
    assert.throws(() => model.forward([1, 2], { logitsToKeep: wrong }), /logitsToKeep must be/)
  }
})
