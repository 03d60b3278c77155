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

test('shards with their index, in folders, as Blobs', async () => {
  const tensors = sampleTensors(item), names = Object.keys(tensors), half = names.length >> 1
  const part = (from, to) => gf.saveSafetensors(Object.fromEntries(names.slice(from, to).map(n => [n, tensors[n]])))
  const [first, second] = [part(0, half), part(half)], called = i => `model-0000${i}-of-00002.safetensors`
  const index = { metadata: {}, weight_map: Object.fromEntries(names.map((n, i) => [n, called(i < half ? 1 : 2)])) }
  const files = {
    'folder/config.json': new Blob([JSON.stringify(item.config)]),
    'folder/model.safetensors.index.json': JSON.stringify(index),
    [`folder/${called(1)}`]: new Blob([first]), [`folder/${called(2)}`]: second
  }
  assertOutputs((await gf.models.load(files)).model, item, 'shards')
  assert.deepEqual((await gf.models.inspect(files)).problems, [])
  const { [`folder/${called(2)}`]: gone, ...rest } = files
  await rejects(rest, 'format', /model-00002-of-00002.safetensors is not among the files/)
  await rejects({ ...files, [`folder/${called(2)}`]: first }, 'format', /is in .*00001.* and in .*00002/)
  const wrong = { ...index, weight_map: { ...index.weight_map, [names[0]]: called(2) } }
  await rejects({ ...files, 'folder/model.safetensors.index.json': JSON.stringify(wrong) }, 'format', /should be in .*00002.*but is in/)
})

test('16-bit weights are read as float32', async () => {
  for (const [dtypes, tol] of [['F16', 0.02], ['BF16', 0.1], ['F64', 0]]) {
    const { model } = await gf.models.load(filesOf(item, { dtypes }))
    assert.equal(model.wte.weight.dtype, 'float32')
    assertOutputs(model, { ...item, tol: item.tol + tol }, dtypes)
  }
})

/** Everything that a model gives for the inputs of a case. */
const answersOf = (model, { inputs: { ids } }) => gf.tidy(() => gf.noGrad(() =>
  Object.values(model.forward(ids, 'decoder' in model ? { decoderIds: ids } : {})).map(t => t.toArray().flat(Infinity))))

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) test(
  `${type}: load with a dtype equals quantize after load`, async () => {
    const [one] = cases(type), files = filesOf(one), { model: whole } = await gf.models.load(files)
    const exact = answersOf(whole, one)
    for (const [dtype, part] of [['float16', 0.01], ['bfloat16', 0.06], ['int8', 0.1]]) {
      const { model } = await gf.models.load(files, { dtype }), stored = gf.quantize(whole.clone(), { dtype })
      const own = answersOf(model, one)
      assert.deepEqual(own, answersOf(stored, one))
      assert.ok(model.parameters().every(p => p.dtype === (p.isMatrix ? dtype : 'float32') && !p.requiresGrad))
      exact.forEach((row, i) => {
        const most = Math.max(...row.map(Math.abs)), off = Math.max(...row.map((v, at) => Math.abs(v - own[i][at])))
        assert.ok(off > 0 && off < part * most, `${dtype}: off by ${off} of ${most}`)
      })
      if (type !== 'bert') assert.ok(model.generate(one.inputs.ids[0].slice(0, 3), { maxNewTokens: 2 }).length > 0)
      model.dispose()
      stored.dispose()
    }
  })

test('an embedding read in several chunks has the values of the file, and in int8 those of quantize', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pieces-'))
  const { paths } = await writeGpt2(folder, { layers: 1, channels: 128, heads: 2, words: 33000, places: 8 })
  const files = Object.fromEntries(await Promise.all(paths.map(async path => [basename(path), await readFile(path)])))
  await rm(folder, { recursive: true })
  const weights = files['model.safetensors'], from = 8 + Number(weights.readBigUInt64LE())
  const loaded = async options => (await gf.models.load(files, options)).model
  const whole = await loaded(), table = whole.wte.weight, bytes = table.numel() * 4
  assert.ok(bytes > 2 ** 24)
  assert.equal(Buffer.compare(Buffer.from(table.bytes), weights.subarray(from, from + bytes)), 0)
  const own = await loaded({ dtype: 'int8' })
  gf.quantize(whole, { dtype: 'int8' })
  assert.equal(Buffer.compare(Buffer.from(own.wte.weight.bytes), Buffer.from(whole.wte.weight.bytes)), 0)
  for (const model of [own, whole]) model.dispose()
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
  const lacking = filesOf(item, { change: ({ 'h.1.ln_2.bias': _, ...rest }) => rest })
  await rejects(lacking, 'format', /missing tensor h.1.ln_2.bias/)
  assert.deepEqual(gf.models.inspect(lacking).missing, ['h.1.ln_2.bias'])
  const wide = filesOf(item, { change: t => ({ ...t, 'wpe.weight': gf.rand([9, 12]) }) })
  await rejects(wide, 'format', /wpe.weight must have shape \[8, 12\], got \[9, 12\]/)
  assert.match(gf.models.inspect(wide).problems.join(), /wpe.weight must have shape/)
  const twice = filesOf(item, { change: t => ({ ...t, 'transformer.wpe.weight': gf.rand([8, 12]) }) })
  await rejects(twice, 'format', /wpe.weight is in the file twice/)
  assert.match(gf.models.inspect(twice).problems.join(), /wpe.weight is in the file twice/)
  const whole = filesOf(item, { change: t => ({ ...t, 'wpe.weight': gf.randint(0, 5, [8, 12]) }) })
  await rejects(whole, 'format', /wpe.weight must be floating point, got I32/)
})

for (const [type, count, list] of [['gpt2', 'n_layer', 'h'], ['bert', 'num_hidden_layers', 'encoder.layer'],
  ['llama', 'num_hidden_layers', 'layers'], ['t5', 'num_decoder_layers', 'decoder.block'],
  ['marian', 'encoder_layers', 'encoder.layers']]) test(`${type}: a layer missing from the file is a problem`, async () => {
  const [one] = cases(type), has = one.config[count], files = filesOf(one, { config: { [count]: has + 1 } })
  const message = new RegExp(`config.json has ${has + 1} layers ${list}.0 to ${list}.${has}, and the file has ${has} of`)
  const { problems, missing } = gf.models.inspect(files)
  assert.match(problems.join(), message)
  assert.ok(missing.length > 0 && missing.every(key => key.includes(`${list}.${has}.`)), String(missing))
  await rejects(files, 'format', message)
})

test('files that are not a model are refused', async () => {
  const { 'config.json': config, 'model.safetensors': weights } = filesOf(item)
  await rejects({ 'model.safetensors': weights }, 'format', /config.json is missing/)
  await rejects({ 'config.json': config }, 'format', /none of the files is called \*\.safetensors/)
  await rejects({ 'config.json': config, 'pytorch_model.bin': new Uint8Array(9) }, 'format', /program in Python/)
  for (const [name, reason] of [['pytorch_model-00001-of-00002.bin', /program in Python/], ['a.pt', /a\.pt is a program/],
    ['q4.gguf', /q4\.gguf is a file of llama\.cpp/], ['tf_model.h5', /tf_model\.h5 belongs to another framework/]]) {
    const blob = new Blob(['x']), files = { [name]: blob }
    blob.arrayBuffer = blob.slice = () => assert.fail('nothing of it is read')
    assert.match((await gf.models.inspect(files)).problems.join(), reason)
    assert.match((await gf.models.inspect({ ...files, 'config.json': config })).problems.join(), reason)
    const whole = await gf.models.inspect({ ...files, 'config.json': config, 'model.safetensors': weights })
    assert.deepEqual(whole.problems, [], 'beside the weights it is none')
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
  const held = gf.memory().bytes, blob = new Blob([files['model.safetensors']]), whole = blob.slice.bind(blob)
  blob.slice = (from, to) => (from > 3000 ? { arrayBuffer: () => Promise.reject(new Error('gone')) } : whole(from, to))
  await assert.rejects(gf.models.load({ ...files, 'model.safetensors': blob }), /gone/)
  assert.equal(gf.memory().bytes, held)
})

test('a short read is an error, an inner folder is ignored, and invalid eos ids are ignored', async () => {
  const files = filesOf(item), blob = new Blob([files['model.safetensors']]), whole = blob.slice.bind(blob)
  blob.slice = (from, to) => whole(from, from > 3000 ? to - 8 : to)
  await assert.rejects(gf.models.load({ ...files, 'model.safetensors': blob }),
    { code: 'format', message: /expected \d+ bytes from \d+ to \d+, got \d+/ })
  assert.deepEqual(gf.models.inspect({ '1_Pooling/config.json': '{}', ...files }).problems, [])
  const config = JSON.parse(files['config.json'])
  const { model } = await gf.models.load({ ...files, 'config.json': JSON.stringify({ ...config, eos_token_id: [-1, 2, 2 ** 31] }) })
  assert.deepEqual(model.eosTokenIds, [2])
  model.dispose()
})

test('load reports progress, can be aborted, and then frees its memory', async () => {
  const files = filesOf(item), blob = { ...files, 'model.safetensors': new Blob([files['model.safetensors']]) }
  for (const given of [files, blob]) {
    /** @type {{ done: number, total: number }[]} */ const told = []
    const { model } = await gf.models.load(given, { onProgress: one => told.push(one) })
    const used = item.tensors.reduce((sum, [, shape]) => sum + 4 * shape.reduce((n, side) => n * side, 1), 0)
    assert.ok(told.length > 2 && told[0].done === 0, `${told.length}`)
    assert.ok(told.every(({ done, total }, i) => total === told[0].total && (i === 0 || done >= told[i - 1].done)))
    assert.equal(told.at(-1).done, told[0].total)
    assert.ok(told[0].total <= used && told[0].total >= used / 2, `${told[0].total} of ${used}`)
    model.dispose()
    const { bytes } = gf.memory(), controller = new AbortController(), reason = new Error('enough')
    let calls = 0
    const onProgress = () => { if (++calls === 3) setTimeout(() => controller.abort(reason)) }
    await assert.rejects(gf.models.load(given, { signal: controller.signal, onProgress }), one => one === reason)
    assert.ok(calls < told.length, 'not to the end')
    assert.ok(gf.memory().bytes <= bytes)
    await assert.rejects(gf.models.load(given, { signal: AbortSignal.abort(reason) }), one => one === reason)
    for (const which of ['first', 'last']) await assert.rejects(gf.models.load(given, {
      onProgress: async ({ done, total }) => { if (done === (which === 'first' ? 0 : total)) throw reason }
    }), one => one === reason, `a promise that is broken, ${which}`)
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
  assert.equal((await gf.models.load(files)).tokenizer, null)
  assert.equal((await gf.models.load({ ...files, 'merges.txt': '' })).tokenizer, null, 'half of one is none')
  await rejects({ ...files, 'strange.model': new Uint8Array(3) }, 'format', /strange\.model/)
  await rejects({ ...files, 'tokenizer.json': '{' }, 'format', /tokenizer.json is not JSON/)
})
