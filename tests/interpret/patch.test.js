// Activation patching against runs with hooks, and its identities.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { load } from '../../src/js/index.js'
import { RunGraph } from '../../src/js/interpret/run_graph.js'
import { SubLayers } from '../../src/js/interpret/sub_layers.js'
import { CASES, filesOf } from '../models/family_cases.js'
import { createDecoder, createFunction } from './decoders.js'
import { ownModels } from './models.js'

const CLEAN = [[3, 1, 4, 1, 5]], CORRUPTED = [[3, 7, 4, 1, 9]]
const metric = logits => logits.at(0, 4, 2) - logits.at(0, 4, 6)
const run = (model, ids) => (model instanceof gf.nn.Module ? model.eval()(ids) : model(ids))
const plain = (model, ids) => gf.tidy(() => gf.noGrad(() => metric(run(model, ids))))

test('a map has a row for each layer and a number for each position', async () => {
  const model = createDecoder(), map = await gf.interpret.patch({ model, clean: CLEAN, corrupted: CORRUPTED, metric })
  assert.deepEqual(map.axes, ['layer', 'position'])
  assert.deepEqual(map.rows, [{ name: 'add', layer: 0 }, { name: 'layers.0.output', layer: 1 }])
  assert.deepEqual(map.values.map(row => row.length), [5, 5])
  assert.equal(map.clean, plain(model, CLEAN))
  assert.equal(map.corrupted, plain(model, CORRUPTED))
  // Positions 0, 2 and 3 of layer 0 have the same token in both.
  for (const position of [0, 2, 3]) assert.equal(map.values[0][position], map.corrupted)
  for (const position of [1, 4]) assert.notEqual(map.values[0][position], map.corrupted)
})

test('everything from the clean run gives the clean answer, nothing the corrupted one', async () => {
  for (const model of [createDecoder(), createDecoder(false), createFunction()]) {
    const options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
    const all = await gf.interpret.patch({ ...options, positions: 'all' })
    assert.deepEqual(all.axes, ['layer'])
    assert.deepEqual(all.values, [plain(model, CLEAN), plain(model, CLEAN)])
    const same = await gf.interpret.patch({ ...options, clean: CORRUPTED, targets: 'heads' })
    assert.deepEqual(new Set(same.values.flat(2)), new Set([plain(model, CORRUPTED)]))
    const both = await gf.interpret.patch({ ...options, positions: 'all', normalize: true })
    assert.deepEqual(both.values, [1, 1])
  }
})

test('single patches equal runs with forward hooks', async () => {
  const model = createDecoder().eval(), clean = gf.trace(() => model(CLEAN)).trace
  const patched = (module, name, position) => {
    const own = clean.get(name)
    const handle = module.registerForwardHook((_, inputs, output) => {
      const y = (Array.isArray(output) ? output[0] : output).clone()
      for (let c = 0; c < 16; c++) y.data[position * y.shape[2] + c] = own.at(0, position, c)
      return Array.isArray(output) ? [y, output[1]] : y
    })
    const value = plain(model, CORRUPTED)
    handle.remove()
    return value
  }
  for (const [targets, moduleOf, nameOf] of [
    ['attention', layer => layer.self_attn, n => `layers.${n}.self_attn.output`],
    ['feedForward', layer => layer.linear2, n => `layers.${n}.linear2.output`]
  ]) {
    const { values } = await gf.interpret.patch({ model, clean: CLEAN, corrupted: CORRUPTED, metric, targets })
    for (const n of [0, 1]) for (const t of [0, 1, 2, 3, 4]) {
      assert.equal(values[n][t], patched(moduleOf(model.layers[n]), nameOf(n), t), `${targets} ${n} ${t}`)
    }
  }
  // A head: the input of the output projection.
  const options = { model, clean: CLEAN, corrupted: CORRUPTED, metric, targets: 'heads' }
  const { values, axes } = await gf.interpret.patch(options)
  assert.deepEqual(axes, ['layer', 'position', 'head'])
  for (const n of [0, 1]) for (const t of [1, 4]) for (const head of [0, 1, 2, 3]) {
    const own = clean.get(`layers.${n}.self_attn.heads`)
    const handle = model.layers[n].self_attn.out_proj.registerForwardPreHook((_, [x]) => {
      const y = x.clone()
      for (let c = 4 * head; c < 4 * head + 4; c++) y.data[t * 16 + c] = own.at(0, t, c)
      return [y]
    })
    const expected = plain(model, CORRUPTED)
    handle.remove()
    assert.equal(values[n][t][head], expected, `head ${n} ${t} ${head}`)
  }
})

test('a function without modules has the same points, heads made of single operations too', async () => {
  const model = createFunction(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const { rows, values } = await gf.interpret.patch({ ...options, targets: 'heads', positions: 'all' })
  assert.deepEqual(rows.map(({ layer }) => layer), [0, 1])
  assert.deepEqual(values.map(heads => heads.length), [4, 4])
  const clean = gf.trace(() => model(CLEAN)).trace
  for (const head of [0, 1, 2, 3]) {
    const edits = [{ name: 'matmul:5', index: [null, head, null, null], from: clean }]
    const { output, trace } = gf.trace(() => model(CORRUPTED), { edits })
    assert.equal(values[0][head], metric(output))
    trace.dispose()
  }
  for (const targets of ['attention', 'feedForward']) {
    assert.equal((await gf.interpret.patch({ ...options, targets })).rows.length, 2)
  }
})

test('tensors can be named, and positions chosen', async () => {
  const model = createDecoder(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const full = await gf.interpret.patch({ ...options, targets: ['layers.1.residual1', 'layers.0.self_attn.weights'] })
  assert.deepEqual(full.axes, ['tensor', 'position'])
  const some = await gf.interpret.patch({ ...options, targets: ['layers.1.residual1'], positions: [4, 1] })
  assert.deepEqual(some.values, [[full.values[0][4], full.values[0][1]]])
  assert.notEqual(full.values[1][1], full.corrupted)
})

test('a logit difference as metric, and numbers of the trace', async () => {
  const model = createDecoder(), options = { model, clean: CLEAN, corrupted: CORRUPTED }
  const named = await gf.interpret.patch({ ...options, metric: { token: 2, against: 6 } })
  const own = await gf.interpret.patch({ ...options, metric })
  named.values.flat().forEach((value, i) => assert.ok(Math.abs(value - own.values.flat()[i]) < 1e-6))
  const one = await gf.interpret.patch({ ...options, metric: { token: 2, position: 1 } })
  assert.equal(one.values[1][1], one.clean)
  assert.equal(one.values[1][4], one.corrupted, 'an earlier position does not see a later one')
  const inner = await gf.interpret.patch({
    ...options, metric: (_, trace) => trace.get('layers.1.residual1').at(0, 4, 0), positions: 'all'
  })
  assert.equal(inner.values[0], inner.clean)
})

const SOME = CASES.filter((_, i) => i % 4 === 0)
for (const { name, config, tensors } of SOME) test(`${name}: points, and the identity`, async () => {
  const { model } = await gf.models.load(filesOf({ config, tensors }))
  const [clean, corrupted] = [[1, 2, 3, 4], [1, 5, 3, 6]], own = logits => logits.at(0, 3, 1)
  const { trace } = gf.trace(() => gf.noGrad(() => model.forward(clean)))
  const subs = new SubLayers(new RunGraph(trace)).list, layers = model.layers.length
  assert.deepEqual(subs.map(({ kind, layer }) => `${kind} ${layer}`),
    Array.from({ length: layers }, (_, n) => [`attention ${n}`, `feedForward ${n}`]).flat())
  trace.dispose()
  const before = gf.memory().tensors
  const { values, clean: answer } = await gf.interpret.patch({ model, clean, corrupted, metric: own, positions: 'all' })
  for (const value of values) assert.equal(value, answer)
  assert.ok(gf.memory().tensors <= before)
  model.dispose()
})

test('layers of a decoder that reads an encoder are counted from 0, and path patching means these', async () => {
  const { model } = ownModels().find(({ name }) => name === 'translator, norm first'), source = [[7, 8, 2, 4]]
  const options = {
    model: ids => model(source, ids), modules: { model }, clean: [[1, 2, 3, 4]], corrupted: [[1, 5, 3, 6]],
    metric: logits => logits.at(0, 3, 1)
  }
  const { rows } = await gf.interpret.patch({ ...options, positions: 'all' })
  assert.deepEqual(rows.map(({ layer }) => layer), [0, 0, 1])
  assert.match(rows[2].name, /decoder\.layers\.0\.output$/)
  const attention = 'model.transformer.decoder.layers.0.self_attn.heads', all = [null, null, [4, 8]]
  const receivers = { layer: 1, head: 0, input: 'v' }
  const [numbered, named] = await Promise.all([{ layer: 0, head: 1 }, { name: attention, index: all }].map(
    sender => gf.interpret.pathPatch({ ...options, sender, receivers })))
  assert.equal(numbered.value, named.value)
  assert.notEqual(numbered.value, numbered.corrupted)
})

test('an input tensor that is patched keeps its values, and so do modes, gradients and the random stream', async () => {
  gf.manualSeed(5)
  const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2, { dropout: 0.5 }), 2)
  const [clean, corrupted] = [0, 1].map(() => gf.randn([1, 4, 8])), before = corrupted.toArray()
  const state = gf.getRngState(), own = output => output.at(0, 3, 0)
  const map = await gf.interpret.patch({ model, clean, corrupted, metric: own, positions: 'all' })
  assert.deepEqual(map.rows[0], { name: 'src', layer: 0 })
  assert.equal(map.values[0], map.clean)
  assert.deepEqual(corrupted.toArray(), before)
  assert.deepEqual(gf.getRngState(), state)
  assert.ok(model.training && model.layers[1].dropout1.training)
  assert.ok(model.parameters().every(({ grad }) => grad === null))
})

test('layers before the patched tensor are not computed again, with the same bits', async () => {
  const model = createDecoder(), options = { model, clean: CLEAN, corrupted: CORRUPTED }, calls = [0, 0]
  for (const n of [0, 1]) model.layers[n].registerForwardHook(() => { calls[n]++ })
  for (const targets of ['residual', 'heads', 'feedForward', ['layers.1.residual1']]) {
    calls.fill(0)
    const { values } = await gf.interpret.patch({ ...options, targets, metric })
    const [first, second] = calls
    const full = await gf.interpret.patch({ ...options, targets, metric: (logits, trace) => trace && metric(logits) })
    assert.deepEqual(values, full.values)
    const runs = values.flat(2).length
    assert.equal(second, 2 + runs)
    assert.equal(first, 2 + (Array.isArray(targets) ? 0 : targets === 'residual' ? runs : runs / 2), String(targets))
    assert.deepEqual(calls, [first + 2 + runs, second + 2 + runs])
  }
})

test('a module that is called twice is computed again', async () => {
  gf.manualSeed(8)
  const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dropout: 0 }), table = new gf.nn.Embedding(11, 8)
  const other = new gf.nn.TransformerEncoderLayer(8, 2, { dropout: 0 }), modules = { layer, table, other }
  const own = y => y.at(0, 4, 2)
  const residual = ids => {
    const x = layer(table(ids))
    return other(x.add(layer(x)))
  }
  for (const model of [residual, ids => other(layer(layer(table(ids)))), ids => layer(other(layer(table(ids))))]) {
    const options = { model, clean: CLEAN, corrupted: CORRUPTED, modules, targets: 'attention' }
    const { values } = await gf.interpret.patch({ ...options, metric: own })
    const full = await gf.interpret.patch({ ...options, metric: (y, trace) => trace && own(y) })
    assert.deepEqual(values, full.values)
  }
})

test('memory is flat over 50 patches, also after an abort and an error', async () => {
  const model = createDecoder(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  await gf.interpret.patch(options)
  const before = gf.memory()
  let runs = 0
  const seen = []
  for (let i = 0; i < 5; i++) {
    await gf.interpret.patch({ ...options, onProgress: fraction => { runs++; seen.push(fraction) } })
  }
  assert.equal(runs, 50)
  assert.deepEqual(seen.slice(0, 10), Array.from({ length: 10 }, (_, i) => (i + 1) / 10))
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('enough')), { signal } = controller
  await assert.rejects(gf.interpret.patch({ ...options, signal, onProgress: abort }), /enough/)
  let calls = 0
  const broken = () => {
    if (++calls > 4) throw new Error('broken')
    return 1
  }
  await assert.rejects(gf.interpret.patch({ ...options, metric: broken }), /broken/)
  const after = gf.memory()
  assert.ok(after.tensors <= before.tensors && after.bytes <= before.bytes)
})

test('rejects wrong arguments', async () => {
  const model = createDecoder(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const isClean = ids => ids[0].join() === CLEAN[0].join()
  // 1 and 1 + 2⁻²⁰; and logits of 100 whose differences are 0 and 2⁻¹⁵.
  const tinyChange = logits => 1 + (logits.at(0, 4, 2) === cleanLogit ? 2 ** -20 : 0)
  const cleanLogit = model.eval()(CLEAN).at(0, 4, 2)
  const nearlyEqual = ids => {
    const row = Array.from({ length: 11 }, (_, v) => 100 + (isClean(ids) && v === 1 ? 2 ** -15 : 0))
    return model(ids).mul(0).add(gf.tensor(row))
  }
  for (const [change, code, message] of [
    [{ model: 3 }, 'type', /patch: model must be a module, or a function of the input, got 3/],
    [{ clean: undefined }, 'type', /patch: clean must be given/],
    [{ metric: 'logit' }, 'type', /metric must be a function of the logits, or \{ token, against, position \}, got "logit"/],
    [{ metric: { token: 11 } }, 'range', /metric\.token must be an integer from 0 to 10, got 11/],
    [{ metric: { token: 1, position: 5 } }, 'range', /metric\.position must be an integer from 0 to 4, got 5/],
    [{ metric: { tokn: 1 } }, 'type', /no option "tokn"/],
    [{ metric: logits => logits }, 'type', /metric must return a number or a tensor of one value, got/],
    [{ targets: 'neurons' }, 'type', /targets must be residual, attention, feedForward, heads or an array of names/],
    [{ targets: ['layers.0.residul1'] }, 'index', /layers\.0\.residual1/],
    [{ positions: 'some' }, 'type', /positions must be 'each', 'all' or an array of positions, got "some"/],
    [{ positions: [5] }, 'range', /positions\[0\] must be an integer from 0 to 4, got 5/],
    [{ clean: [[1, 2, 3]] }, 'shape', /clean and corrupted must have the same number of tokens/],
    [{ clean: CORRUPTED, normalize: true }, 'range', /normalize needs a metric that differs/],
    [{ normalize: true, metric: tinyChange }, 'range', /by more than rounding, got 1\.0000\d+ and 1/],
    [{ normalize: true, clean: CLEAN, model: nearlyEqual, metric: { token: 1, against: 2 } }, 'range', /by more than rounding/],
    [{ normalize: 1 }, 'type', /normalize must be true or false/],
    [{ onProgress: 1 }, 'type', /onProgress must be a function/],
    [{ signal: 1 }, 'type', /signal must be an AbortSignal/],
    [{ target: 'heads' }, 'type', /no option "target"/],
    [{ model: ids => gf.functional.embedding(ids, gf.ones([11, 11])), metric: () => 1 }, 'state', /the run has no residual/]
  ]) await assert.rejects(gf.interpret.patch({ ...options, ...change }), { code, message }, String(message))
  const other = await load()
  await assert.rejects(other.interpret.patch(options), { code: 'state' })
})
