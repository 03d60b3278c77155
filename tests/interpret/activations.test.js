// Histograms and the largest activations against counting and sorting in plain JavaScript.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { createDecoder, createFunction } from './decoders.js'

const INPUTS = [[[3, 1, 4, 1, 5]], [[9, 2, 6], [5, 3, 5]], [[8, 9]], [[7, 9, 3, 2, 3, 8]]]
const { activationHistogram, topActivations } = gf.interpret
const close = (a, b) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${a}, not ${b}`)

/** What `read` makes of a tensor of each input's run. */
const valuesOf = (model, name) => INPUTS.map(ids => {
  const { trace } = gf.trace(() => gf.noGrad(() => model(ids))), values = trace.get(name).toArray()
  trace.dispose()
  return values
})

/** Counts, moments and zeros of numbers by their definitions. */
function describeNumbers(numbers, edges) {
  const n = numbers.length, mean = numbers.reduce((a, b) => a + b) / n
  const isIn = (v, i) => v >= edges[i] && (v < edges[i + 1] || (i === edges.length - 2 && v === edges[i + 1]))
  return {
    counts: Array.from({ length: edges.length - 1 }, (_, i) => numbers.filter(v => isIn(v, i)).length), mean,
    std: Math.sqrt(numbers.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1)), min: Math.min(...numbers),
    max: Math.max(...numbers), zeros: numbers.filter(v => v === 0).length / n
  }
}

function compare(found, expected) {
  assert.deepEqual([...found.counts], expected.counts)
  for (const name of ['min', 'max', 'zeros']) assert.equal(found[name], expected[name])
  for (const name of ['mean', 'std']) close(found[name], expected[name])
}

test('a histogram counts every value, of all channels and of each', async () => {
  const model = createDecoder().eval(), name = 'layers.0.activation'
  const rows = valuesOf(model, name).flat(2)
  for (const [options, low, high] of [[{}], [{ bins: 7 }], [{ bins: 4, range: [0, 0.2] }, 0, 0.2]]) {
    const found = await activationHistogram({ model, name, inputs: INPUTS, perChannel: true, ...options })
    const all = rows.flat(), { bins = 50 } = options, [from, to] = [low ?? Math.min(...all), high ?? Math.max(...all)]
    assert.equal(found.edges.length, bins + 1)
    found.edges.forEach((edge, i) => close(edge, from + (to - from) * i / bins))
    compare(found, describeNumbers(all, found.edges))
    found.channels.forEach((own, c) => compare(own, describeNumbers(rows.map(row => row[c]), found.edges)))
    assert.equal(found.count, 19 * 24)
    assert.deepEqual(found.dead, [...rows[0].keys()].filter(c => rows.every(row => row[c] === 0)))
  }
})

test('a neuron that never fires is dead, and edges follow numpy', async () => {
  const model = createDecoder().eval(), [layer] = model.layers
  for (const channel of [2, 5]) layer.linear1.weight.values.fill(0, 16 * channel, 16 * (channel + 1))
  layer.linear1.bias.values.fill(-1, 2, 3)
  layer.linear1.bias.values.fill(0, 5, 6)
  const options = { model, name: 'layers.0.activation', inputs: INPUTS }
  const { dead, channels } = await activationHistogram(options)
  assert.ok(dead.includes(2) && dead.includes(5))
  assert.equal(channels, undefined)
  model.embedding.weight.values.fill(0.75)
  const flat = { model, module: model.embedding, inputs: INPUTS, bins: 4 }
  const { edges, counts } = await activationHistogram(flat)
  assert.deepEqual([...edges], [0.25, 0.5, 0.75, 1, 1.25])
  assert.deepEqual([...counts], [0, 0, 19 * 16, 0])
  // Values on edges belong to the bin on their right, whatever the division rounds to: linspace(0, 0.7, 8).
  const edge = i => Math.fround(0.7) * i / 7
  const identity = { model: x => x.mul(1), name: 'mul', bins: 7 }
  const x = gf.tensor([[0, 1, 2, 3, 4, 5, 6, 7].map(i => edge(i))])
  const found = await activationHistogram({ ...identity, inputs: [x], range: [0, Math.fround(0.7)] })
  const isRight = [...x.values].map(v => [...found.edges].findLastIndex(own => own <= v)).map(i => Math.min(i, 6))
  assert.deepEqual([...found.counts], [0, 1, 2, 3, 4, 5, 6].map(i => isRight.filter(bin => bin === i).length))
  // 0.2 + 4.2 × 3 / 7 is above 2 in float64, though (2 − 0.2) / 4.2 × 7 is 3; and 1 / 49 × 49 is below 1.
  const below = await activationHistogram({ ...identity, inputs: [gf.tensor([[2]])], range: [0.2, 4.4] })
  assert.deepEqual([...below.counts], [0, 0, 1, 0, 0, 0, 0])
  const above = await activationHistogram({ ...identity, bins: 49, inputs: [gf.tensor([[1]])], range: [0, 49] })
  assert.equal(above.counts[1], 1)
})

test('the largest activations of each channel, with their texts', async () => {
  const model = createDecoder(), name = 'layers.1.activation', all = valuesOf(model.eval(), name)
  const positions = all.flatMap((rows, input) => rows.flatMap((own, row) => own.map((vector, position) => (
    { vector, input, row, position, activations: own }))))
  for (const oncePerText of [true, false]) {
    const lists = await topActivations({ model, name, inputs: INPUTS, top: 4, oncePerText })
    assert.equal(lists.length, 24)
    lists.forEach((list, c) => {
      const sorted = [...positions].sort((a, b) => b.vector[c] - a.vector[c])
      const isFirst = ({ input, row }, i) => sorted.findIndex(own => own.input === input && own.row === row) === i
      const expected = sorted.filter((own, i) => !oncePerText || isFirst(own, i)).slice(0, 4)
      assert.deepEqual(list.map(({ value }) => value), expected.map(({ vector }) => vector[c]))
      list.forEach(({ value, input, row, position, ids, activations }) => {
        assert.equal(all[input][row][position][c], value)
        assert.deepEqual(ids, INPUTS[input][row])
        assert.deepEqual(activations, all[input][row].map(vector => vector[c]))
      })
    })
  }
  const [only] = await topActivations({ model, name, inputs: INPUTS, channels: [7], top: 1, position: 'last' })
  const last = all.flatMap(rows => rows.map(row => row.at(-1)[7]))
  assert.equal(only.length, 1)
  assert.equal(only[0].value, Math.max(...last))
})

test('ids are read from tensors and lists, and other inputs have none', async () => {
  const run = createFunction(), ids = [[1, 2, 3]], name = 'relu'
  const model = input => run('shape' in input ? input.toArray() : input.ids ?? input)
  const found = await topActivations({ model, name, inputs: [ids, gf.tensor(ids, { dtype: 'int32' }), { ids }], channels: [0], top: 3 })
  assert.deepEqual(found[0].map(({ input, ids: own }) => [input, own]), [[0, ids[0]], [1, ids[0]], [2, undefined]])
})

test('rejects wrong arguments of histograms and largest activations', async () => {
  const model = createDecoder(), options = { model, name: 'layers.0.output', inputs: INPUTS }
  for (const [change, code, message] of [
    [{ bins: 0 }, 'range', /activationHistogram: bins must be an integer from 1/],
    [{ range: [1, 1] }, 'range', /range must be \[min, max\] with min < max, got \[1,1\]/],
    [{ range: 3 }, 'type', /range must be \[min, max\].* got 3/],
    [{ perChannel: 1 }, 'type', /perChannel must be true or false/],
    [{ name: 'layers.7.output' }, 'index', /layers\.7\.output/]
  ]) await assert.rejects(activationHistogram({ ...options, ...change }), { code, message })
  for (const [change, code, message] of [
    [{ channels: 3 }, 'type', /topActivations: channels must be an array of integers, got 3/],
    [{ channels: [16] }, 'range', /channels\[0\] must be an integer from 0 to 15, got 16/],
    [{ top: 0 }, 'range', /top must be an integer from 1/],
    [{ oncePerText: 'yes' }, 'type', /oncePerText must be true or false/]
  ]) await assert.rejects(topActivations({ ...options, ...change }), { code, message })
})
