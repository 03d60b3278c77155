// GGUF models whose quantized matrices stay in their blocks: dtypes and memory, outputs, and operations on the weights.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { Parameter } from '../../src/js/nn/parameter.js'
import { blockFormats } from '../../src/reference/blocks.js'
import { assertClose, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { SIZES, fileOf } from './gguf_file.js'

const { C, V, F, HEADS, KV_HEADS } = SIZES, IDS = [[3, 1, 23, 7, 7]]
/** The norms that Qwen 3 has besides. */
const QK_NORMS = { 'blk.0.attn_q_norm': [C / HEADS], 'blk.0.attn_k_norm': [C / HEADS] }
const loadFile = async (bytes, options, engine = gf) => (await engine.models.load({ 'model.gguf': bytes }, options)).model
const logitsOf = (model, engine = gf, ids = IDS) =>
  engine.tidy(() => engine.noGrad(() => plain(model.forward(ids).logits)))
const largest = ({ data }) => data.reduce((max, value) => Math.max(max, Math.abs(value)), 0)

/**
 * Asserts that a model has the logits of one whose matrices were unpacked. Products with blocks round their input to
 * integers of 15 or 16 bits, once in every layer; tests/ops/blocks.test.js has the exact bounds of a single product.
 */
function assertLogits(model, wide, tolerance = 2 ** -13) {
  const expected = logitsOf(wide)
  assert.ok(largest(expected) > 1e-3 && expected.data.every(Number.isFinite))
  assertClose(logitsOf(model), expected, { tol: tolerance * largest(expected) })
}

for (const type of Object.keys(blockFormats)) test(`${type}: a model keeps its blocks and takes the bytes of the file`, async () => {
  // An engine of its own has no tensors of other tests, whose memory could be freed meanwhile.
  const file = fileOf(() => type), alone = await load(), before = alone.memory().bytes
  const counted = await loadFile(file, {}, alone), own = alone.memory().bytes - before
  counted.dispose()
  const model = await loadFile(file)
  const report = await gf.models.inspect({ 'model.gguf': file })
  assert.ok(own <= file.length + 1000 && own > 0.95 * file.length, `${own} of ${file.length}`)
  assert.equal(report.bytes, own)
  assert.deepEqual([report.missing, report.problems], [[], []])
  for (const [key, tensor] of Object.entries(model.stateDict())) {
    assert.equal(tensor.dtype, tensor.shape.length === 2 ? type.toLowerCase() : 'float32', key)
    assert.equal(tensor.requiresGrad, false)
  }
  const wide = await loadFile(file, { dtype: 'float32' })
  assert.ok(Object.values(wide.stateDict()).every(({ dtype, requiresGrad }) => dtype === 'float32' && requiresGrad))
  assertLogits(model, wide)
  assert.deepEqual(logitsOf(model, gf, [IDS[0].slice(0, 2)]).data, logitsOf(model).data.slice(0, 2 * V), 'the same bits alone')
  const whole = model.generate(IDS[0], { maxNewTokens: 6, end: [], cache: false })
  assert.deepEqual(model.generate(IDS[0], { maxNewTokens: 6, end: [] }), whole)
  const saved = gf.models.save(model), { model: again } = await gf.models.load(saved)
  assert.equal(JSON.parse(saved['config.json']).torch_dtype, 'float32')
  assertLogits(again, wide)
  for (const each of [model, wide, again]) each.dispose()
})

test('every matrix has the type of its tensor; others are float32', async () => {
  const types = { 'token_embd': 'Q6_K', 'blk.0.attn_v': 'Q6_K', 'blk.0.ffn_down': 'Q8_0', 'blk.0.attn_output': 'F32' }
  const file = fileOf(name => types[name] ?? 'Q4_K'), model = await loadFile(new Blob([file])), state = model.stateDict()
  const matrices = Object.entries(state).filter(([, { shape }]) => shape.length === 2)
  const dtypes = Object.fromEntries(matrices.map(([key, { dtype }]) => [key, dtype]))
  assert.deepEqual(dtypes, {
    'embed_tokens.weight': 'q6_k', 'layers.0.self_attn.q_proj.weight': 'q4_k', 'layers.0.self_attn.k_proj.weight': 'q4_k',
    'layers.0.self_attn.v_proj.weight': 'q6_k', 'layers.0.self_attn.o_proj.weight': 'float32', 'layers.0.mlp.gate_proj.weight': 'q4_k',
    'layers.0.mlp.up_proj.weight': 'q4_k', 'layers.0.mlp.down_proj.weight': 'q8_0'
  })
  const wide = await loadFile(file, { dtype: 'float32' })
  assertLogits(model, wide)
  for (const dtype of ['float16', 'bfloat16', 'int8']) {
    const other = await loadFile(file, { dtype })
    assert.equal(other.stateDict()['embed_tokens.weight'].dtype, dtype)
    other.dispose()
  }
  for (const each of [model, wide]) each.dispose()
})

/** The row of a file of llama.cpp that is row i in Hugging Face's order. */
function fileRow(i) {
  const size = C / HEADS, at = i % size
  return i - at + 2 * (at % (size / 2)) + (at >= size / 2 ? 1 : 0)
}

test("queries' and keys' rows get Hugging Face's order, in blocks and in every dtype", async () => {
  const own = { architecture: 'qwen3', shapes: QK_NORMS, settings: { 'attention.key_length': C / HEADS } }
  for (const type of Object.keys(blockFormats)) for (const dtype of [undefined, 'float32', 'bfloat16', 'int8']) {
    // llama.cpp's converter leaves Qwen's rows as they are.
    const model = await loadFile(new Blob([fileOf(() => type)]), { dtype })
    const unchanged = await loadFile(fileOf(() => type, own), { dtype })
    for (const key of ['q', 'k', 'v'].map(name => `layers.0.self_attn.${name}_proj.weight`)) {
      const tensor = model.stateDict()[key], rows = unchanged.stateDict()[key].toArray()
      assert.equal(tensor.dtype, dtype ?? type.toLowerCase())
      assert.deepEqual(tensor.toArray(), rows.map((row, i) => (key.includes('v_proj') ? row : rows[fileRow(i)])), `${type} ${dtype} ${key}`)
    }
    for (const each of [model, unchanged]) each.dispose()
  }
})

test('parts of a tensor of the file, an untied head and experts stay in blocks', async () => {
  const rows = C + 2 * KV_HEADS * C / HEADS, qkv = ['blk.0.attn_q', 'blk.0.attn_k', 'blk.0.attn_v']
  const biases = {
    'output_norm.bias': [C], 'blk.0.attn_norm.bias': [C], 'blk.0.ffn_norm.bias': [C], 'blk.0.attn_qkv.bias': [3 * C],
    'blk.0.attn_output.bias': [C], 'blk.0.ffn_up.bias': [F], 'blk.0.ffn_down.bias': [C]
  }
  for (const [options, key] of [
    [{ architecture: 'phi3', without: [...qkv, 'blk.0.ffn_gate'], shapes: { 'blk.0.attn_qkv': [rows, C], 'blk.0.ffn_up': [2 * F, C], 'output': [V, C] } },
      'layers.0.mlp.gate_proj.weight'],
    [{ without: ['blk.0.ffn_gate', 'blk.0.ffn_up', 'blk.0.ffn_down'], settings: { expert_count: 3, expert_used_count: 2 }, shapes: {
      'blk.0.ffn_gate_inp': [3, C], 'blk.0.ffn_gate_exps': [3, F, C], 'blk.0.ffn_up_exps': [3, F, C], 'blk.0.ffn_down_exps': [3, C, F], 'output': [V, C]
    } }, 'layers.0.mlp.experts.2.down_proj.weight'],
    [{ architecture: 'gpt2', settings: { 'attention.layer_norm_epsilon': 1e-5 }, without: [...qkv, 'blk.0.ffn_gate'], shapes: {
      'position_embd': [64, C], 'blk.0.attn_qkv': [3 * C, C], ...biases } }, 'h.0.self_attn.in_proj_weight']
  ]) {
    const file = fileOf(name => (/inp$/.test(name) ? 'F32' : 'Q5_K'), options), model = await loadFile(file)
    assert.equal(model.stateDict()[key].dtype, 'q5_k')
    const wide = await loadFile(file, { dtype: 'float32' })
    assert.deepEqual(model.stateDict()[key].toArray(), wide.stateDict()[key].toArray())
    assertLogits(model, wide)
    for (const each of [model, wide]) each.dispose()
  }
})

test('a LoRA is trained over blocks, and merged into the saved matrices', async () => {
  const options = { r: 2, loraAlpha: 8, targetModules: ['q_proj', 'down_proj'] }
  const model = gf.models.addAdapter(await loadFile(fileOf(() => 'Q4_K')), options)
  const trained = model.parameters().filter(p => p.requiresGrad), optimizer = new gf.optim.Adam(trained, { lr: 0.02 })
  assert.equal(trained.length, 4)
  const losses = Array.from({ length: 8 }, () => gf.tidy(() => {
    optimizer.zeroGrad()
    const loss = gf.functional.crossEntropy(model.forward(IDS).logits.reshape(5, V), [1, 23, 7, 7, 2])
    loss.backward()
    optimizer.step()
    return loss.item()
  }))
  assert.ok(losses.at(-1) < losses[0] - 0.01, losses.join())
  const { model: merged } = await gf.models.load(gf.models.save(model))
  assertLogits(model, merged)
  for (const each of [model, merged]) each.dispose()
})

test('what blocks are not for is refused, with what to write', async () => {
  const model = await loadFile(fileOf(() => 'Q5_0'))
  assertRejects(() => model.requiresGrad_(), 'type', 'embed_tokens.weight', 'q5_0')
  assertRejects(() => new gf.optim.SGD(model.parameters()), 'type', 'q5_0')
  assertRejects(() => gf.toOnnx(model, { ids: IDS }), 'type', 'toOnnx', 'q5_0', "dtype: 'float32'")
  assertRejects(() => model.loadStateDict(gf.tidy(() => Object.fromEntries(Object.entries(model.stateDict()).map(
    ([key, tensor]) => [key, gf.engine.keep(tensor.to('float32'))])))), 'type', 'q5_0', "dtype: 'float32'")
  await assert.rejects(gf.models.load({ 'a.gguf': fileOf(() => 'Q8_0') }, { dtype: 'q5_0' }), { code: 'range', message: /dtype.*float32/ })
  model.dispose()
  const file = fileOf(() => 'Q8_0')
  await assert.rejects(loadFile(file.subarray(0, file.length - 1)), { code: 'format', message: /must end at byte/ })
  const other = await load()
  await assert.rejects(loadFile(file, { signal: AbortSignal.abort() }, other))
  assert.deepEqual(other.memory().bytes, 0, 'no memory stays in use')
  const freed = await loadFile(file, {}, other)
  freed.dispose()
  assert.deepEqual([other.memory().bytes, other.memory().tensors], [0, 0])
})

test('the kernels for blocks are loaded from where load says', async () => {
  const url = new URL('../../dist/glassformer.blocks.wasm', import.meta.url), bytes = await readFile(url), file = fileOf(() => 'Q4_0')
  for (const blocks of [url, bytes, new WebAssembly.Module(bytes)]) {
    const other = await load({ blocks })
    assert.ok(!other.engine.c.gf_blocks_product, 'fetched when they are needed')
    assert.deepEqual(logitsOf(await loadFile(file, {}, other), other), logitsOf(await loadFile(file)))
  }
  const missing = await load({ blocks: new URL('none.wasm', url) })
  await assert.rejects(loadFile(file, {}, missing), { code: 'format', message: /ENOENT.*load\(\{ blocks \}\).*glassformer\.blocks\.wasm.*'float32'/ })
  const wide = await loadFile(file, { dtype: 'float32' }, missing)
  assert.equal(wide.stateDict()['embed_tokens.weight'].dtype, 'float32')
  for (const blocks of [new Uint8Array(3), await readFile(new URL('../../dist/glassformer.wasm', import.meta.url))]) {
    await assert.rejects(loadFile(file, {}, await load({ blocks })), { code: 'format', message: /blocks is not a build of glassformer\.blocks\.wasm/ })
  }
  await assert.rejects(loadFile(file, {}, await load({ blocks: 3 })), { code: 'type', message: /blocks must be a URL/ })
})

test('where threads share the memory, the bits are the same', { skip: availableParallelism() < 2 }, async () => {
  const two = await load({ threads: { count: 2, minWork: 0 } })
  for (const type of Object.keys(blockFormats)) {
    const file = fileOf(() => type), there = await loadFile(file, {}, two), here = await loadFile(file)
    assert.equal(two.threads.count, 2)
    for (const ids of [IDS, [[3]], [Array.from({ length: 17 }, (_, i) => i)]]) {
      assert.deepEqual(logitsOf(there, two, ids), logitsOf(here, gf, ids), type)
    }
    for (const each of [there, here]) each.dispose()
  }
  const weight = new Parameter(two.engine, [4096, 512], undefined, 'q8_0', true), x = two.ones([1, 512]), { taken } = two.threads
  for (let left = 200; two.threads.taken === taken && left > 0; left--) two.functional.linear(x, weight).dispose()
  assert.ok(two.threads.taken > taken, 'a worker has multiplied blocks')
  two.threads.stop()
  assert.equal(two.threads.count, 1)
})

test('kernels for blocks can be added after the workers were stopped', { skip: availableParallelism() < 2 }, async () => {
  const file = fileOf(() => 'Q4_0'), two = await load({ threads: { count: 2, minWork: 0 } })
  two.threads.stop()
  assert.deepEqual(logitsOf(await loadFile(file, {}, two), two), logitsOf(await loadFile(file)))
  assert.equal(two.threads.count, 1)
})
