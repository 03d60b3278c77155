// Linear probes against softmax regression in float64, and on the date translator of the page.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createTranslator } from '../../src/training/models/dates/model.js'
import { DAYS, FORMATS, SOURCE_TOKENS, TARGET_TOKENS, dateOf, encode, idsOf, splitSource, splitTarget } from '../../src/training/models/dates/data.js'
import { gf } from '../lib/engine.js'
import { createDecoder } from './decoders.js'

const WEIGHTS = new URL('../../web/models/dates/date_translator.safetensors', import.meta.url)
const INPUTS = Array.from({ length: 80 }, (_, n) => [[n * 7 % 11, n * n % 11, (n >> 2) % 11, n * 3 % 11]])
const LABELS = INPUTS.map(([ids]) => ['b', 'c', 'a'][(ids[1] + ids[3]) % 3])
const { linearProbe } = gf.interpret

/** The last position's vector of layer 1 for each input, as numbers. */
const vectorsOf = model => INPUTS.map(ids => {
  const { trace } = gf.trace(() => gf.noGrad(() => model(ids))), rows = trace.get('layers.1.output').toArray()[0]
  trace.dispose()
  return rows.at(-1)
})

/** The minimum of mean cross entropy + l2 / 2 × the squared weights of standardized channels, by gradient descent. */
function regress(x, y, K, l2) {
  const [N, C] = [x.length, x[0].length], columns = x[0].map((_, c) => x.map(row => row[c]))
  const means = columns.map(column => column.reduce((a, b) => a + b) / N)
  const stds = columns.map((column, c) => Math.sqrt(column.reduce((sum, v) => sum + (v - means[c]) ** 2, 0) / N))
  const z = x.map(row => [...row.map((v, c) => (v - means[c]) / stds[c]), 1])
  let w = Array.from({ length: K }, () => Array(C + 1).fill(0)), old = w, loss = 0
  for (let step = 0; step < 1200; step++) {
    // Nesterov's momentum; the curvature of the loss is at most (C + 1) / 2 + l2.
    const at = w.map((row, k) => row.map((v, c) => v + 0.96 * (v - old[k][c])))
    const slope = at.map(row => row.map((v, c) => (c < C ? l2 * v : 0)))
    loss = at.flatMap(row => row.slice(0, C)).reduce((sum, v) => sum + l2 / 2 * v * v, 0)
    z.forEach((row, n) => {
      const logits = at.map(own => own.reduce((sum, v, c) => sum + v * row[c], 0))
      const sum = logits.reduce((all, v) => all + Math.exp(v), 0)
      loss -= (logits[y[n]] - Math.log(sum)) / N
      logits.forEach((v, k) => row.forEach((value, c) => {
        slope[k][c] += (Math.exp(v) / sum - (k === y[n])) * value / N
      }))
    })
    old = w
    w = at.map((row, k) => row.map((v, c) => v - slope[k][c] / ((C + 1) / 2 + l2)))
  }
  const weight = w.map(row => row.slice(0, C).map((v, c) => v / stds[c]))
  return { loss, weight, bias: w.map((row, k) => row[C] - weight[k].reduce((sum, v, c) => sum + v * means[c], 0)) }
}

test('a probe is at the minimum of the softmax regression', async () => {
  const model = createDecoder(), x = vectorsOf(model.eval())
  for (const l2 of [0.01, 0.3]) {
    const options = { model, name: 'layers.1.output', inputs: INPUTS, labels: LABELS, testSize: 0, l2 }
    const { probe, classes, loss, train, test: held } = await linearProbe(options)
    // The rate falls to 0, so that a large one ends near the minimum, too.
    const { loss: rough } = await linearProbe({ ...options, l2: 0.01, learningRate: 3, steps: 100 })
    assert.ok(l2 !== 0.01 || rough - loss < 2e-4, `${rough}, not ${loss}`)
    assert.deepEqual(classes, ['a', 'b', 'c'])
    const y = LABELS.map(label => classes.indexOf(label)), own = regress(x, y, 3, l2)
    assert.ok(Math.abs(loss - own.loss) < 1e-5, `${loss}, not ${own.loss}`)
    own.weight.forEach((row, k) => row.forEach((v, c) => {
      assert.ok(Math.abs(probe.weight.at(k, c) - v) < 2e-3, `${k}, ${c}: ${probe.weight.at(k, c)}, not ${v}`)
    }))
    // The biases may all be shifted by one number.
    own.bias.forEach((v, k) => assert.ok(Math.abs(probe.bias.at(k) - probe.bias.at(0) - v + own.bias[0]) < 2e-3))
    const predicted = x.map(row => own.weight.map((w, k) => w.reduce((sum, v, c) => sum + v * row[c], own.bias[k])))
    const correct = predicted.filter((logits, n) => logits[y[n]] === Math.max(...logits)).length
    assert.equal(train.accuracy, correct / 80)
    assert.equal(train.majority, Math.max(...[0, 1, 2].map(k => y.filter(label => label === k).length)) / 80)
    assert.equal(train.count, 80)
    assert.equal(held, null)
    assert.equal('control' in train, false)
  }
})

test('the split and the control depend on the seed alone, and the random stream goes on', async () => {
  const model = createDecoder(), where = { model, module: model.layers[1] }
  const options = { ...where, inputs: INPUTS, labels: LABELS, control: true, steps: 200 }
  gf.manualSeed(5)
  const expected = gf.rand([3]).toArray()
  gf.manualSeed(5)
  const first = await linearProbe(options), fractions = []
  assert.deepEqual(gf.rand([3]).toArray(), expected)
  const again = await linearProbe({ ...options, onProgress: fraction => fractions.push(fraction) })
  const other = await linearProbe({ ...options, seed: 1 })
  assert.deepEqual(again.probe.weight.toArray(), first.probe.weight.toArray())
  assert.deepEqual([again.train, again.test], [first.train, first.test])
  assert.notDeepEqual(other.probe.weight.toArray(), first.probe.weight.toArray())
  assert.deepEqual([first.train.count, first.test.count], [64, 16])
  assert.ok(first.train.accuracy > 0.85, `${first.train.accuracy}`)
  assert.ok(first.train.control < first.train.accuracy, 'shuffled labels are harder to fit')
  assert.ok(fractions.every((f, i) => f > (fractions[i - 1] ?? 0)) && fractions.at(-1) === 1)
  assert.equal(model.training, true)
  const stopped = { ...options, signal: AbortSignal.abort(new Error('stop')) }
  await assert.rejects(linearProbe(stopped), { message: 'stop' })
})

test('labels may be one for each position', async () => {
  const model = createDecoder(), inputs = INPUTS.slice(0, 40)
  const all = { model, module: model.embedding, inputs, testSize: 0.25 }
  // The embedding knows its token: labels that depend on it are read without error.
  const own = inputs.map(([ids]) => ids.map(id => (id === 0 ? null : id % 2)))
  const { classes, train, test: held } = await linearProbe({ ...all, position: 'all', labels: own, l2: 1e-3 })
  assert.deepEqual(classes, [0, 1])
  assert.equal(train.count + held.count, own.flat().filter(label => label !== null).length)
  assert.equal(held.accuracy, 1)
  // Inputs may have several sequences.
  const batch = [0, 1, 2, 3].map(n => [INPUTS[n][0], INPUTS[n + 4][0]])
  const labels = batch.map(rows => rows.map(ids => ids[0] % 2))
  const several = await linearProbe({ ...all, inputs: batch, labels, testSize: 0, position: -4 })
  assert.deepEqual([several.train.count, several.train.accuracy], [8, 1])
  // One label for all positions of an input.
  assert.equal((await linearProbe({ ...all, labels: inputs.map((_, n) => n % 2), position: 'all' })).train.count, 120)
})

test('the date translator gets the month by the first cross-attention of its decoder', async () => {
  const model = createTranslator(gf), { transformer: { decoder: { layers: [layer] } } } = model
  model.loadStateDict(gf.loadSafetensors(await readFile(WEIGHTS)).tensors)
  const [sourceIds, targetIds] = [SOURCE_TOKENS, TARGET_TOKENS].map(idsOf)
  const dates = Array.from({ length: 300 }, (_, n) => dateOf(n * 7919 % DAYS)), labels = dates.map(([, month]) => month)
  const inputs = dates.map((date, n) => ({
    source: [encode(splitSource(FORMATS[n % 4](...date)), sourceIds, 0)],
    target: [encode(['<s>', ...splitTarget(`${date[0]}년`)], targetIds, 0)]
  }))
  const options = { model: ({ source, target }) => model(source, target), inputs, labels, control: true }
  const before = await linearProbe({ ...options, module: layer.norm1 })
  const after = await linearProbe({ ...options, module: layer.norm2 })
  assert.deepEqual(after.classes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  assert.ok(before.test.accuracy < 0.25, `${before.test.accuracy}`)
  assert.ok(after.test.accuracy > 0.9, `${after.test.accuracy}`)
  assert.ok(after.test.majority < 0.25 && after.test.control < 0.25)
})

test('rejects probes without what they need', async () => {
  const model = createDecoder(), options = { model, name: 'layers.1.output', inputs: INPUTS, labels: LABELS, steps: 1 }
  for (const [change, code, message] of [
    [{ labels: LABELS.slice(1) }, 'shape', /labels must be an array of 80, one for each input, got an array of 79/],
    [{ labels: LABELS.with(3, ['a', 'b']) }, 'shape', /labels\[3\] must be one label or an array of 1.*got an array of 2/],
    [{ labels: LABELS.with(3, {}) }, 'type', /labels\[3\] must be a string, a number or null, got an object/],
    [{ labels: LABELS.map(() => 'a') }, 'range', /labels must have two classes or more .* got only "a"/],
    [{ labels: undefined }, 'type', /labels must be given/],
    [{ name: undefined }, 'type', /either name \(of a tensor\) or module must be given, got neither/],
    [{ module: model.layers[0] }, 'type', /either name .* or module must be given, got both/],
    [{ name: 'layer.1.output' }, 'index', /layers\.1\.output/],
    [{ name: 'layers.0.self_attn.masked_scores', position: 'all' }, 'range', /all activations must be finite, got -Infinity of inputs\[0\]/],
    [{ inputs: [[[1, 2]], [[1, 2, 3]]], labels: [0, 1], name: 'layers.0.self_attn.weights' }, 'shape', /must have 8 channels/],
    [{ inputs: [] }, 'type', /inputs must be an array of inputs/],
    [{ position: 4 }, 'range', /position must be an integer from -4 to 3, got 4/],
    [{ position: 'first' }, 'type', /position must be 'last', 'mean', 'all' or an integer/],
    [{ testSize: 1 }, 'range', /testSize must be a number from 0 up to 1/],
    [{ l2: -1 }, 'range', /l2 must be a number >= 0/],
    [{ steps: 0 }, 'range', /steps must be an integer from 1/],
    [{ learningRate: 0 }, 'range', /learningRate must be a number > 0/],
    [{ targets: 'heads' }, 'type', /no option "targets"/]
  ]) await assert.rejects(linearProbe({ ...options, ...change }), { code, message })
})
