// Sparse autoencoders on vectors whose features are known, and their results against plain JavaScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { createDecoder } from './decoders.js'

const { sparseAutoencoder } = gf.interpret
const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0)

/** Sums of few of 24 directions of 16 channels around a mean, 50 in each input. */
function superpose(count, offset) {
  gf.manualSeed(1)
  const directions = gf.randn([24, 16]).toArray().map(row => row.map(v => v / Math.sqrt(dot(row, row))))
  const chances = gf.rand([count, 24]).toArray(), sizes = gf.rand([count, 24]).toArray()
  const active = chances.map((row, n) => row.map((chance, f) => (chance < 0.05 ? 0.5 + sizes[n][f] : 0)))
  const vectors = active.map(row => directions[0].map((_, c) => offset + dot(row, directions.map(own => own[c]))))
  const inputs = Array.from({ length: count / 50 }, (_, i) => gf.tensor([vectors.slice(50 * i, 50 * i + 50)]))
  return { directions, vectors, inputs }
}

test('superposed features are recovered', async () => {
  const { directions, inputs } = superpose(2000, 3)
  const options = { model: x => x.mul(1), name: 'mul', inputs, features: 32, steps: 800 }
  const { sae, train, test: held, dead } = await sparseAutoencoder(options)
  const learned = sae.W_dec.toArray()
  for (const row of learned) assert.ok(Math.abs(dot(row, row) - 1) < 1e-5, 'directions have length 1')
  const cosines = directions.map(own => Math.max(...learned.map(row => dot(row, own))))
  assert.ok(Math.min(...cosines) > 0.95, `${Math.min(...cosines)}`)
  // Before training: random directions.
  gf.manualSeed(0)
  const random = gf.randn([32, 16]).toArray().map(row => row.map(v => v / Math.sqrt(dot(row, row))))
  assert.ok(Math.min(...directions.map(own => Math.max(...random.map(row => dot(row, own))))) < 0.7)
  assert.ok(held.explainedVariance > 0.85 && train.explainedVariance > 0.85)
  assert.ok(held.l0 < 4, `${held.l0} of 32 features are active, of 24 really 1.2`)
  assert.deepEqual([train.count, held.count], [1800, 200])
  assert.ok(dead.length < 6)
})

test('results are those of the weights, in plain JavaScript', async () => {
  const model = createDecoder(), inputs = Array.from({ length: 24 }, (_, n) => [[n % 11, n * n % 11, n * 7 % 11]])
  const options = { model, name: 'layers.0.output', inputs, features: 40, l1: 3, steps: 150, testSize: 0.25, top: 2 }
  gf.manualSeed(5)
  const expected = gf.rand([3]).toArray(), fractions = [], onProgress = f => fractions.push(f)
  gf.manualSeed(5)
  const { sae, train, test: held, dead, features } = await sparseAutoencoder({ ...options, onProgress })
  assert.deepEqual(gf.rand([3]).toArray(), expected)
  assert.ok(fractions.every((f, i) => f > (fractions[i - 1] ?? 0)) && fractions.at(-1) === 1)
  assert.deepEqual((await sparseAutoencoder(options)).sae.W_enc.toArray(), sae.W_enc.toArray())
  assert.notDeepEqual((await sparseAutoencoder({ ...options, seed: 1 })).sae.W_enc.toArray(), sae.W_enc.toArray())
  const [encoder, bias, decoder, center] = [sae.W_enc, sae.b_enc, sae.W_dec, sae.b_dec].map(tensor => tensor.toArray())
  model.eval()
  const texts = inputs.map(ids => {
    const { trace } = gf.trace(() => gf.noGrad(() => model(ids))), rows = trace.get('layers.0.output').toArray()[0]
    trace.dispose()
    return rows.map(x => {
      const centered = x.map((v, c) => v - center[c])
      const active = bias.map((b, f) => Math.max(0, b + dot(centered, encoder.map(row => row[f]))))
      return { x, active, decoded: center.map((b, c) => b + dot(active, decoder.map(row => row[c]))) }
    })
  })
  const all = texts.flat(), tensor = gf.tensor(all.map(({ x }) => x))
  const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-5, `${a}, not ${b}`)
  sae.encode(tensor).toArray().forEach((row, n) => row.forEach((value, f) => close(value, all[n].active[f])))
  sae(tensor).toArray().forEach((row, n) => row.forEach((value, c) => close(value, all[n].decoded[c])))
  // The shares of both parts together: l0 is the sum of the densities.
  const l0 = (train.l0 * train.count + held.l0 * held.count) / all.length
  close(l0, features.reduce((sum, { density }) => sum + density, 0))
  const densities = bias.map((_, f) => all.filter(({ active }) => active[f] > 1e-6).length / all.length)
  features.forEach(({ feature, density }) => close(density, densities[feature]))
  assert.deepEqual(dead, [...densities.keys()].filter(f => densities[f] === 0))
  assert.ok(dead.length > 0 && features.length > 2, `${dead.length} dead`)
  for (const { feature, texts: own } of features) {
    const largest = texts.map(rows => Math.max(...rows.map(({ active }) => active[feature]))).sort((a, b) => b - a)
    assert.ok(own.length > 0)
    own.forEach(({ value, input, position, ids }, i) => {
      close(value, largest[i])
      close(value, texts[input][position].active[feature])
      assert.deepEqual(ids, inputs[input][0])
    })
  }
  // Without a part held out the explained variance is that of all vectors.
  const whole = await sparseAutoencoder({ ...options, testSize: 0 }), { values } = whole.sae(tensor)
  const mean = center.map((_, c) => all.reduce((sum, { x }) => sum + x[c], 0) / all.length)
  const sumOf = of => all.reduce((sum, { x }, n) => sum + x.reduce((own, v, c) => own + (v - of(n, c)) ** 2, 0), 0)
  close(whole.train.explainedVariance, 1 - sumOf((n, c) => values[16 * n + c]) / sumOf((_, c) => mean[c]))
  assert.equal(whole.test, null)
})

test('a larger l1 gives fewer active features', async () => {
  const { inputs } = superpose(500, 0), options = { model: x => x.mul(1), name: 'mul', inputs, steps: 300 }
  const [few, many] = [await sparseAutoencoder({ ...options, l1: 3 }), await sparseAutoencoder({ ...options, l1: 0.3 })]
  assert.ok(few.train.l0 < many.train.l0 / 2)
  assert.ok(few.train.explainedVariance < many.train.explainedVariance)
  assert.deepEqual(few.sae.W_dec.shape, [64, 16])
})

test('rejects wrong arguments of sparse autoencoders', async () => {
  const model = createDecoder(), options = { model, name: 'layers.0.output', inputs: [[[1, 2, 3]]], steps: 1 }
  for (const [change, code, message] of [
    [{ features: 0 }, 'range', /sparseAutoencoder: features must be an integer from 1/],
    [{ l1: NaN }, 'range', /l1 must be a number >= 0, got NaN/],
    [{ batchSize: 0 }, 'range', /batchSize must be an integer from 1/],
    [{ learningRate: 0 }, 'range', /learningRate must be a number > 0/],
    [{ name: 'layers.2.output' }, 'index', /layers\.2\.output/],
    [{ labels: [] }, 'type', /no option "labels"/],
    [{ signal: AbortSignal.abort(new Error('stop')) }, undefined, /^stop$/]
  ]) await assert.rejects(sparseAutoencoder({ ...options, ...change }), { ...(code && { code }), message })
})
