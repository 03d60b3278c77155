import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summary } from '../../web/check/dialog.js'
import { recompute } from '../../web/check/recompute.js'
import { listAnswers } from '../../web/lib/attribution.js'
import { roomsOf } from '../../web/rooms/index.js'
import { gradientsOf } from '../../web/worker/serialize_run.js'
import { run as runImported } from '../../web/models/imported/run.js'
import { openModel } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { pageRun, toPageRun } from '../lib/page.js'
import { cases, filesOf } from '../models/golden_models.js'

/** The parts of every token of the answer, as the page asks for them. */
function explain(run) {
  const { run: own } = run.workerRun, logits = roomsOf(run).find(({ stage }) => stage === 'attribution')?.parts.logits
  return (logits ? listAnswers(run, logits) : []).map(({ position, token }) => {
    const { parts, token: id } = gf.interpret.logitAttribution(own, { logits, position, token })
    return { name: logits, position, token: id, parts: parts.map(({ value }) => value) }
  })
}
const check = run => recompute({ ...run, gradients: gradientsOf(run.workerRun.run), explained: explain(run) })
const findWrong = results => results.filter(({ errorRatio }) => !(errorRatio <= 1))
const maxErrorRatio = (results, kind) => (
  results.reduce((max, { part, errorRatio }) => (part === kind ? Math.max(max, errorRatio) : max), 0))
const countCompared = (results, kind) => (
  results.reduce((sum, { part, count, difference }) => sum + (part === kind && difference !== null ? count : 0), 0))

/** Imported models; GPT-2 uses GELU's approximation with tanh. */
const IMPORTED = await Promise.all(['gpt2', 'llama', 'bert', 'marian', 't5'].map(async type => (
  [`a ${type} that was brought`, await openModel(filesOf(cases(type)[0]))])))
function makeImportedRun(model) {
  const workerRun = runImported(gf, { beginning: '3 1 4' }, [], [model])
  return { ...toPageRun(gf, workerRun), workerRun, dispose: () => workerRun.run.dispose() }
}

const SENTENCES = { model: 'sentences', text: 'one two three\nfour five', dModel: 8, heads: 2, maxLength: 6 }
const RUNS = {
  ...Object.fromEntries([
    { norm: 'rms' }, { positions: 'rotary' }, { positions: 'learned' }, { positions: 'none' }, { activation: 'swiglu' },
    { activation: 'relu' }, { kvHeads: 2 }, { kvHeads: 1 },
    { norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 },
    { norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 1, training: true, dropout: 0.2, scale: false }
  ].map(changes => [`stories, ${JSON.stringify(changes)}`, () => pageRun({ model: 'stories', target: '갔어요', ...changes })])),
  'a Llama that was brought': () => pageRun({ model: 'own' }),
  ...Object.fromEntries(IMPORTED.map(([name, model]) => [name, () => makeImportedRun(model)])),
  'stories, drawn': () => pageRun({ model: 'stories', decoding: 'sample', seed: 3, topK: 20 }),
  'induction': () => pageRun({ model: 'induction' }),
  'induction, in training, no scale, drawn': () => pageRun({
    model: 'induction', training: true, dropout: 0.3, scale: false, decoding: 'sample', temperature: 1.5, topK: 9
  }),
  'particles, two gaps': () => pageRun({ model: 'particles', gapped: '나[?] 빵[?] 먹었다', topK: 3, temperature: 0.7 }),
  'sentences': () => pageRun(SENTENCES),
  'sentences, causal, dropout, concatenated': () => pageRun({
    ...SENTENCES, causal: true, training: true, dropout: 0.3, positions: 'concatenated', base: 100
  }),
  'the translator': () => pageRun({}),
  'a random one, norm first, gelu, no scale, padded': () => pageRun({
    weights: 'untrained', normFirst: true, activation: 'gelu', scale: false, padding: true, tgtIsCausal: false,
    target: '2026년', dModel: 8, heads: 2, layers: 1, dimFeedforward: 12
  }),
  'the translator, other positions': () => pageRun({
    positions: 'concatenated', base: 300
  }),
  'the translator, positions to be learned': () => pageRun({
    positions: 'learned', training: true, dropout: 0.1
  }),
  'the translator in training, every dropout on, cut and tempered': () => pageRun({
    training: true, dropout: 0.3, topK: 5, topP: 0.9, temperature: 1.7, target: '2026년 11월'
  }),
  'the translator, a score and a weight changed': () => {
    const edits = [
      { name: 'transformer.encoder.layers.0.self_attn.scores', index: [0, 1, 2, 3], value: 4 },
      { name: 'transformer.decoder.layers.0.linear1.weight', index: [3, 1], value: -2 },
      { name: 'transformer.encoder.layers.1.self_attn.dots', index: [0, 2, 4, 1], value: -3 },
      { name: 'transformer.encoder.layers.1.self_attn.weights', index: [0, 0, 40, 1], value: 9 },
      { name: 'log_probs', index: [2, 5], value: -1 }, { name: 'sampling.tempered', index: [0, 4, 7], value: 30 }
    ]
    return { ...pageRun({}, edits), edits }
  },
  'the translator, a head, a sub-layer, a residual and a layer switched off, a masked cell opened': () => {
    const layer = 'transformer.decoder.layers', all = [null, null, null]
    const edits = [
      { name: `${layer}.0.self_attn.heads`, index: [null, null, [8, 16]], value: 0 },
      { name: `${layer}.0.residual2`, index: all, from: `${layer}.0.norm1.output` },
      { name: `${layer}.1.residual1`, index: all, from: `${layer}.1.self_attn.output` },
      { name: 'transformer.encoder.layers.1.output', index: all, from: 'transformer.encoder.layers.0.output' },
      { name: `${layer}.1.self_attn.masked_scores`, index: [null, null, 1, 4], from: `${layer}.1.self_attn.scores` }
    ]
    return { ...pageRun({}, edits), edits }
  }
}

for (const [title, make] of Object.entries(RUNS)) {
  test(`${title}: every number and every gradient agrees with double precision`, t => {
    const run = make(), results = check(run)
    t.diagnostic(`${countCompared(results, 'value')} numbers, of their bounds at most ${maxErrorRatio(results, 'value').toFixed(2)}; ` +
      `${countCompared(results, 'gradient')} gradients, ${maxErrorRatio(results, 'gradient').toFixed(2)}; ` +
      `${countCompared(results, 'sum')} sums, ${maxErrorRatio(results, 'sum').toFixed(2)}`)
    assert.deepEqual(findWrong(results), [])
    const given = results.filter(({ part, difference }) => part === 'value' && difference === null)
    assert.deepEqual(given.filter(({ name }) => !/weight$|bias$|mask(:2)?$/.test(name)).map(({ name }) => name), [])
    assert.ok(countCompared(results, 'value') > 500 && countCompared(results, 'gradient') > 500)
    run.dispose()
  })
}

test('the bounds are tight: a number that is off by four units in its last place is found', () => {
  const run = pageRun(SENTENCES)
  for (const name of ['positions.output', 'self_attn.scores', 'self_attn.masked_scores', 'positions.pe']) {
    const { data } = run.tensors.get(name), at = data.findIndex(v => Math.abs(v) > 0.1), right = data[at]
    data[at] += 4 * 2 ** -23 * Math.abs(right)
    assert.ok(findWrong(check(run)).some(item => item.name === name), name)
    data[at] = right
  }
  run.dispose()
})

test('a score whose parts do not sum to it is found: one is missing or off', () => {
  for (const settings of [{}, { model: 'stories' }, { model: 'particles' }]) {
    const run = pageRun(settings), explained = explain(run)
    const wrongSums = changed => findWrong(recompute({ ...run, explained: changed })).map(({ part }) => part)
    assert.ok(explained.length > 0)
    assert.deepEqual(wrongSums(explained), [])
    for (const [i, { parts, ...rest }] of explained.entries()) {
      const at = parts.findIndex(value => Math.abs(value) > 1e-3)
      for (const other of [parts.toSpliced(at, 1), parts.with(at, parts[at] + 5e-4)]) {
        assert.deepEqual(wrongSums(explained.with(i, { ...rest, parts: other })), ['sum'], JSON.stringify(settings))
      }
    }
    run.dispose()
  }
})

test('a gradient that is wrong is found', () => {
  const run = pageRun({}), name = 'transformer.decoder.layers.0.linear1.weight'
  const gradients = gradientsOf(run.workerRun.run)
  gradients.get(name)[7] += 1e-6
  const wrong = findWrong(recompute({ ...run, gradients }))
  assert.deepEqual(wrong.map(item => [item.name, item.part]), [[name, 'gradient']])
  run.dispose()
})

test('in training a wrong number behind a dropout is found, and a wrong loss, mask and choice', () => {
  const heads = 'transformer.decoder.layers.0.self_attn.heads'
  for (const [name, at] of [[heads, 5], ['log_probs', 3], ['loss', 0], ['sampling.choice.mask', 0],
    ['transformer.encoder.layers.0.dropout1.mask', 3]]) {
    const run = pageRun({ training: true, dropout: 0.2, topK: 3 })
    run.tensors.get(name).data[at] += 0.5
    if (name === 'sampling.choice.mask') run.tensors.get(name).data.fill(0)
    assert.ok(findWrong(check(run)).some(item => item.name === name), name)
    run.dispose()
  }
  const run = pageRun({})
  run.decoding.steps[3] = { ...run.decoding.steps[3], id: 1 }
  assert.ok(findWrong(check(run)).some(({ part }) => part === 'choice'))
  run.dispose()
})

test('a tensor that nothing should have computed is found', () => {
  const run = pageRun(SENTENCES)
  run.tensors.set('twice', { ...run.tensors.get('positions.output'), name: 'twice' })
  assert.deepEqual(findWrong(check(run)).map(({ name }) => name), ['twice'])
  run.dispose()
})

test('one wrong number is found in operations that only imported models have', () => {
  const foundOps = new Set()
  for (const [type, model] of IMPORTED) {
    const run = makeImportedRun(model)
    const ops = run.steps.filter(({ op, outputs, parameters }) => run.tensors.has(outputs.out) &&
      (['tanh', 'transpose'].includes(op) || (op === 'mul' && 'number' in parameters)))
    for (const { op, outputs: { out } } of ops) {
      const tensor = run.tensors.get(out), data = Float32Array.from(tensor.data)
      data[0] += 1e-3
      run.tensors.set(out, { ...tensor, data })
      assert.ok(findWrong(recompute(run)).some(({ name, part }) => name === out && part === 'value'), `${type}: ${out}`)
      run.tensors.set(out, tensor)
      foundOps.add(op)
    }
    run.dispose()
  }
  assert.deepEqual([...foundOps].sort(), ['mul', 'tanh', 'transpose'])
})

test('the check finds the faults of the bug hunt', () => {
  for (const fault of ['swapped', 'tokenNorm', 'batchPositions']) {
    const run = pageRun({ fault })
    assert.ok(findWrong(check(run)).length > 0, fault)
    run.dispose()
  }
})

test('the summary counts given and sampled values separately', () => {
  const value = { part: 'value', errorRatio: 0 }
  const results = [
    { ...value, name: 'a', op: 'given', count: 3, difference: null },
    { ...value, name: 'b', op: 'dropout', count: 4, difference: null },
    { ...value, name: 'c', op: 'add', count: 5, difference: 1e-7 },
    { ...value, name: 'd', op: 'add', count: 6, difference: 1, errorRatio: 3 },
    { part: 'gradient', name: 'd', op: null, count: 6, difference: 0, errorRatio: 0.5 }
  ]
  const { given, drawn: sampled, count, gradients, isRight, rooms, errorRatio } = summary(results, () => null)
  assert.deepEqual([given, sampled, count, gradients, isRight, rooms.length, errorRatio], [3, 4, 11, 6, false, 1, 3])
})

test('the laboratory agrees with the check, and a wrong gradient is found', () => {
  const run = pageRun({ model: 'positions' }), gradients = gradientsOf(run.workerRun.run)
  const results = recompute({ ...run, gradients })
  assert.deepEqual(findWrong(results), [])
  assert.ok(countCompared(results, 'value') > 400_000 && countCompared(results, 'gradient') > 1000)
  gradients.get('shuffle.placed_here')[0] += 0.01
  assert.ok(findWrong(recompute({ ...run, gradients })).some(({ name }) => name === 'shuffle.placed_here'))
  run.dispose()
})
