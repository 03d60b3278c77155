// Variants of a model's files: shards, Blobs, other dtypes, and malformed files.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { writeGpt2 } from '../lib/large.js'
import { assertOutputs, cases, sampleTensors, filesOf } from './golden_models.js'

const [item] = cases('gpt2')
const rejects = (files, code, message) =>
  assert.rejects(gf.models.load(files), { name: 'GlassformerError', code, message })

test('loads shards with their index, in folders and as Blobs', async () => {
  const tensors = sampleTensors(item), names = Object.keys(tensors), half = names.length >> 1
  const part = (from, to) => gf.saveSafetensors(Object.fromEntries(names.slice(from, to).map(n => [n, tensors[n]])))
  const [first, second] = [part(0, half), part(half)], shardName = i => `model-0000${i}-of-00002.safetensors`
  const index = { metadata: {}, weight_map: Object.fromEntries(names.map((n, i) => [n, shardName(i < half ? 1 : 2)])) }
  const files = {
    'folder/config.json': new Blob([JSON.stringify(item.config)]),
    'folder/model.safetensors.index.json': JSON.stringify(index),
    [`folder/${shardName(1)}`]: new Blob([first]), [`folder/${shardName(2)}`]: second
  }
  assertOutputs((await gf.models.load(files)).model, item, 'shards')
  assert.deepEqual((await gf.models.inspect(files)).problems, [])
  const { [`folder/${shardName(2)}`]: _, ...rest } = files
  await rejects(rest, 'format', /model-00002-of-00002.safetensors is not among the files/)
  await rejects({ ...files, [`folder/${shardName(2)}`]: first }, 'format', /is in .*00001.* and in .*00002/)
  const wrong = { ...index, weight_map: { ...index.weight_map, [names[0]]: shardName(2) } }
  await rejects({ ...files, 'folder/model.safetensors.index.json': JSON.stringify(wrong) }, 'format', /should be in .*00002.*but is in/)
})

test('16-bit weights are read as float32', async () => {
  for (const [dtypes, tol] of [['F16', 0.02], ['BF16', 0.1], ['F64', 0]]) {
    const { model } = await gf.models.load(filesOf(item, { dtypes }))
    assert.equal(model.wte.weight.dtype, 'float32')
    assertOutputs(model, { ...item, tol: item.tol + tol }, dtypes)
  }
})

/** All outputs of a model for the inputs of a case, as flat arrays. */
const outputsOf = (model, { inputs: { ids } }) => gf.tidy(() => gf.noGrad(() =>
  Object.values(model.forward(ids, 'decoder' in model ? { decoderIds: ids } : {})).map(t => t.toArray().flat(Infinity))))

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) test(
  `${type}: load with a dtype equals quantize after load`, async () => {
    const [item] = cases(type), files = filesOf(item), { model: original } = await gf.models.load(files)
    const exact = outputsOf(original, item)
    for (const [dtype, tolerance] of [['float16', 0.01], ['bfloat16', 0.06], ['int8', 0.1]]) {
      const { model } = await gf.models.load(files, { dtype }), quantized = gf.quantize(original.clone(), { dtype })
      const outputs = outputsOf(model, item)
      assert.deepEqual(outputs, outputsOf(quantized, item))
      assert.ok(model.parameters().every(p => p.dtype === (p.isMatrix ? dtype : 'float32') && !p.requiresGrad))
      exact.forEach((row, i) => {
        const largest = Math.max(...row.map(Math.abs))
        const error = Math.max(...row.map((v, at) => Math.abs(v - outputs[i][at])))
        assert.ok(error > 0 && error < tolerance * largest, `${dtype}: off by ${error} of ${largest}`)
      })
      if (type !== 'bert') assert.ok(model.generate(item.inputs.ids[0].slice(0, 3), { maxNewTokens: 2 }).length > 0)
      model.dispose()
      quantized.dispose()
    }
  })

test('an embedding that is read in chunks has the values of the file, and in int8 those of quantize', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pieces-'))
  const { paths } = await writeGpt2(folder, { layers: 1, channels: 128, heads: 2, vocabSize: 33000, positions: 8 })
  const files = Object.fromEntries(await Promise.all(paths.map(async path => [basename(path), await readFile(path)])))
  await rm(folder, { recursive: true })
  const weights = files['model.safetensors'], from = 8 + Number(weights.readBigUInt64LE())
  const loaded = async options => (await gf.models.load(files, options)).model
  const float = await loaded(), table = float.wte.weight, bytes = table.numel() * 4
  assert.ok(bytes > 2 ** 24)
  assert.equal(Buffer.compare(Buffer.from(table.bytes), weights.subarray(from, from + bytes)), 0)
  const int8 = await loaded({ dtype: 'int8' })
  gf.quantize(float, { dtype: 'int8' })
  assert.equal(Buffer.compare(Buffer.from(int8.wte.weight.bytes), Buffer.from(float.wte.weight.bytes)), 0)
  for (const model of [int8, float]) model.dispose()
})

test('16-bit weights keep their bits', async () => {
  for (const [dtypes, dtype] of [['F16', 'float16'], ['BF16', 'bfloat16']]) {
    const files = filesOf(item, { dtypes }), { model } = await gf.models.load(files, { dtype })
    const { tensors } = gf.loadSafetensors(files['model.safetensors'], { dtypes: dtype })
    assert.deepEqual(model.wte.weight.toArray(), tensors['wte.weight'].toArray())
    assert.deepEqual(gf.saveSafetensors({ w: model.wte.weight }), gf.saveSafetensors({ w: tensors['wte.weight'] }))
  }
  const large = filesOf(item, { dtypes: 'BF16', change: tensors => {
    tensors['h.0.mlp.c_fc.weight'].data[3] = 1e6
    return tensors
  } })
  await assert.rejects(gf.models.load(large, { dtype: 'float16' }), { code: 'range', message: /finite.*bfloat16/ })
  await gf.models.load(large, { dtype: 'bfloat16' })
  await assert.rejects(gf.models.load(large, { dtype: 'int4' }), { code: 'range', message: /dtype.*int8/ })
})

test('missing tensors, wrong sizes and duplicate keys are refused by load and listed by inspect', async () => {
  const incomplete = filesOf(item, { change: ({ 'h.1.ln_2.bias': _, ...rest }) => rest })
  await rejects(incomplete, 'format', /missing tensor h.1.ln_2.bias/)
  assert.deepEqual(gf.models.inspect(incomplete).missing, ['h.1.ln_2.bias'])
  const wide = filesOf(item, { change: t => ({ ...t, 'wpe.weight': gf.rand([9, 12]) }) })
  await rejects(wide, 'format', /wpe.weight must have shape \[8, 12\], got \[9, 12\]/)
  assert.match(gf.models.inspect(wide).problems.join(), /wpe.weight must have shape/)
  const twice = filesOf(item, { change: t => ({ ...t, 'transformer.wpe.weight': gf.rand([8, 12]) }) })
  await rejects(twice, 'format', /wpe.weight is in the file twice/)
  assert.match(gf.models.inspect(twice).problems.join(), /wpe.weight is in the file twice/)
  const integers = filesOf(item, { change: t => ({ ...t, 'wpe.weight': gf.randint(0, 5, [8, 12]) }) })
  await rejects(integers, 'format', /wpe.weight must be floating point, got I32/)
})

for (const [type, count, list] of [['gpt2', 'n_layer', 'h'], ['bert', 'num_hidden_layers', 'encoder.layer'],
  ['llama', 'num_hidden_layers', 'layers'], ['t5', 'num_decoder_layers', 'decoder.block'],
  ['marian', 'encoder_layers', 'encoder.layers']]) test(`${type}: a layer missing from the file is a problem`, async () => {
  const [item] = cases(type), n = item.config[count], files = filesOf(item, { config: { [count]: n + 1 } })
  const message = new RegExp(`config.json has ${n + 1} layers ${list}.0 to ${list}.${n}, and the file has ${n} of`)
  const { problems, missing } = gf.models.inspect(files)
  assert.match(problems.join(), message)
  assert.ok(missing.length > 0 && missing.every(key => key.includes(`${list}.${n}.`)), String(missing))
  await rejects(files, 'format', message)
})

test('files that are not a model are refused', async () => {
  const { 'config.json': config, 'model.safetensors': weights } = filesOf(item)
  await rejects({ 'model.safetensors': weights }, 'format', /config.json is missing/)
  await rejects({ 'config.json': config }, 'format', /none of the files is called \*\.safetensors/)
  await rejects({ 'config.json': config, 'pytorch_model.bin': new Uint8Array(9) }, 'format', /pickle, which may run code/)
  for (const [name, reason] of [['pytorch_model-00001-of-00002.bin', /pickle, which may run code/], ['a.pt', /a\.pt is a pickle/],
    ['tf_model.h5', /tf_model\.h5 belongs to another framework/]]) {
    const blob = new Blob(['x']), files = { [name]: blob }
    blob.arrayBuffer = blob.slice = () => assert.fail('the file is read')
    assert.match((await gf.models.inspect(files)).problems.join(), reason)
    assert.match((await gf.models.inspect({ ...files, 'config.json': config })).problems.join(), reason)
    const complete = await gf.models.inspect({ ...files, 'config.json': config, 'model.safetensors': weights })
    assert.deepEqual(complete.problems, [], 'with model.safetensors the file is no problem')
  }
  await rejects({ 'config.json': '{', 'model.safetensors': weights }, 'format', /config.json is not JSON/)
  await rejects({ 'config.json': config.replace('{', '{"n_head":3,'), 'model.safetensors': weights }, 'format', /key "n_head" twice/)
  await rejects({ 'config.json': 3, 'model.safetensors': weights }, 'type', /config.json must be bytes, text, a Blob/)
  await rejects([weights], 'type', /files must be an object/)
  await rejects({ 'config.json': config, 'model.safetensors': weights.slice(0, 100) }, 'format', /header/)
  await assert.rejects(gf.models.load(filesOf(item), { dtype: 'int3' }), { code: 'range' })
  await assert.rejects(gf.models.load(filesOf(item), { quantize: true }), { code: 'type' })
})

test('a model too large for 32 bits is refused before memory is allocated', async () => {
  const files = filesOf(item, { config: { n_layer: 1000, n_embd: 1536, n_head: 12 } }), { bytes } = gf.memory()
  const { problems, parameters } = gf.models.inspect(files)
  assert.ok(parameters > 2 ** 30)
  assert.match(problems.join(), /parameters take \d+ bytes/)
  await rejects(files, 'format', /parameters take/)
  assert.ok(gf.memory().bytes - bytes < 2 ** 20)
})

test('load allocates the parameters, frees them on failure, and leaves the random generator unchanged', async () => {
  const files = filesOf(item), { bytes } = gf.models.inspect(files)
  gf.manualSeed(5)
  const expected = gf.rand([3]).toArray(), before = gf.memory()
  gf.manualSeed(5)
  const { model } = await gf.models.load(files)
  assert.deepEqual(gf.memory().bytes - before.bytes, bytes)
  assert.deepEqual(gf.rand([3]).toArray(), expected)
  model.dispose()
  const usedBytes = gf.memory().bytes, blob = new Blob([files['model.safetensors']]), slice = blob.slice.bind(blob)
  blob.slice = (from, to) => (from > 3000 ? { arrayBuffer: () => Promise.reject(new Error('gone')) } : slice(from, to))
  await assert.rejects(gf.models.load({ ...files, 'model.safetensors': blob }), /gone/)
  assert.equal(gf.memory().bytes, usedBytes)
})

test('a short read is an error, an inner folder is ignored, and invalid eos ids are ignored', async () => {
  const files = filesOf(item), blob = new Blob([files['model.safetensors']]), slice = blob.slice.bind(blob)
  blob.slice = (from, to) => slice(from, from > 3000 ? to - 8 : to)
  await assert.rejects(gf.models.load({ ...files, 'model.safetensors': blob }),
    { code: 'format', message: /expected \d+ bytes from \d+ to \d+, got \d+/ })
  assert.deepEqual(gf.models.inspect({ '1_Pooling/config.json': '{}', ...files }).problems, [])
  const config = JSON.parse(files['config.json'])
  const { model } = await gf.models.load({ ...files, 'config.json': JSON.stringify({ ...config, eos_token_id: [-1, 2, 2 ** 31] }) })
  assert.deepEqual(model.eosTokenIds, [2])
  model.dispose()
})

test('load reports progress, can be aborted, and then frees its memory', async () => {
  const files = filesOf(item), blobs = { ...files, 'model.safetensors': new Blob([files['model.safetensors']]) }
  for (const source of [files, blobs]) {
    /** @type {{ done: number, total: number }[]} */ const reports = []
    const { model } = await gf.models.load(source, { onProgress: progress => reports.push(progress) })
    const used = item.tensors.reduce((sum, [, shape]) => sum + 4 * shape.reduce((n, side) => n * side, 1), 0)
    const [{ done: start, total: all }] = reports
    assert.ok(reports.length > 2 && start === 0, `${reports.length}`)
    assert.ok(reports.every(({ done, total }, i) => total === all && (i === 0 || done >= reports[i - 1].done)))
    assert.equal(reports.at(-1).done, all)
    assert.ok(all <= used && all >= used / 2, `${all} of ${used}`)
    model.dispose()
    const { bytes } = gf.memory(), controller = new AbortController(), reason = new Error('enough')
    let calls = 0
    const onProgress = () => { if (++calls === 3) setTimeout(() => controller.abort(reason)) }
    await assert.rejects(gf.models.load(source, { signal: controller.signal, onProgress }), error => error === reason)
    assert.ok(calls < reports.length, 'loading does not continue to the end')
    assert.ok(gf.memory().bytes <= bytes)
    await assert.rejects(gf.models.load(source, { signal: AbortSignal.abort(reason) }), error => error === reason)
    for (const which of ['first', 'last']) await assert.rejects(gf.models.load(source, {
      onProgress: async ({ done, total }) => { if (done === (which === 'first' ? 0 : total)) throw reason }
    }), error => error === reason, `onProgress rejects at the ${which} report`)
    assert.ok(gf.memory().bytes <= bytes)
  }
  await assert.rejects(gf.models.load(files, { onProgress: true }), { code: 'type', message: /onProgress.*function/ })
  await assert.rejects(gf.models.load(files, { signal: {} }), { code: 'type', message: /signal.*AbortSignal/ })
})

test('load returns the tokenizer, also from a Blob, or null', async () => {
  const trained = gf.text.trainBPE('a model and a tokenizer, a tokenizer and a model', { vocabSize: 270 })
  const json = JSON.stringify(trained), files = filesOf(item)
  for (const content of [json, new Blob([json])]) {
    const { tokenizer } = await gf.models.load({ ...files, 'folder/tokenizer.json': content })
    assert.deepEqual(tokenizer.encode('a model').ids, trained.encode('a model').ids)
  }
  const lines = Array.from({ length: 50256 }, (_, id) => `${btoa(id < 256 ? String.fromCharCode(id) : `#${id}`)} ${id}`)
  const { tokenizer } = await gf.models.load({ ...files, 'folder/gpt2.tiktoken': lines.join('\n') })
  assert.deepEqual(tokenizer.encode('a<|endoftext|>').ids, [97, 50256])
  assert.equal((await gf.models.load(files)).tokenizer, null)
  assert.equal((await gf.models.load({ ...files, 'merges.txt': '' })).tokenizer, null, 'a tokenizer needs vocab.json, too')
  await rejects({ ...files, 'strange.model': new Uint8Array(3) }, 'format', /strange\.model/)
  await rejects({ ...files, 'tokenizer.json': '{' }, 'format', /tokenizer.json is not JSON/)
})
