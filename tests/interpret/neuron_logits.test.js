// What neurons write to the vocabulary, against the product of weights in float64 and against attributions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'
import { ownModels } from './models.js'

const { logitAttribution, neuronLogits } = gf.interpret
const models = ownModels(), V = 11

test('a neuron writes its row of the output layer, through the last norm and the unembedding', () => {
  const { model, forward } = models.find(({ name }) => name === 'pre-norm'), run = gf.observe(() => forward())
  for (const layer of [0, 1]) for (const [row, position] of [[0, 3], [1, 0]]) for (const neuron of [0, 7, 19]) {
    const { logits, promoted, suppressed, ...found } = neuronLogits(run, { layer, neuron, row, position, top: 4 })
    const stream = run.tensor('layers.1.output').toArray()[row][position], C = stream.length
    const mean = stream.reduce((a, b) => a + b) / C
    const std = Math.sqrt(stream.reduce((sum, v) => sum + (v - mean) ** 2, 0) / C + 1e-5)
    const written = stream.map((_, c) => model.layers[layer].linear2.weight.at(c, neuron))
    const center = written.reduce((a, b) => a + b) / C
    const normed = written.map((v, c) => (v - center) / std * model.norm.weight.at(c))
    const logitOf = v => normed.reduce((sum, x, c) => sum + x * model.head.weight.at(v, c), 0)
    const expected = Array.from({ length: V }, (_, v) => logitOf(v))
    expected.forEach((value, v) => assert.ok(Math.abs(logits[v] - value) < 1e-6, `${v}: ${logits[v]}, not ${value}`))
    const tokens = [...expected.keys()].sort((a, b) => expected[b] - expected[a])
    assert.deepEqual(promoted, tokens.slice(0, 4).map(token => ({ token, value: logits[token] })))
    assert.deepEqual(suppressed, tokens.slice(-4).reverse().map(token => ({ token, value: logits[token] })))
    const activation = run.tensor(`layers.${layer}.activation`).at(row, position, neuron)
    assert.deepEqual(found, { name: `layers.${layer}.activation`, neuron, position, activation })
  }
})

test('activation × logits is the neuron\'s part of every logit, in models of every shape', () => {
  for (const { name: what, forward } of models) {
    const run = gf.observe(() => forward())
    for (const layer of [0, 1]) {
      const target = { position: 1, row: 1 }, isNetwork = part => part.layer === layer && part.neurons
      const parts = Array.from({ length: V }, (_, token) => (
        logitAttribution(run, { ...target, token, neurons: true }).parts.find(isNetwork).neurons.values))
      const sizes = parts[0].map((_, f) => parts.reduce((sum, own) => sum + Math.abs(own[f]), 0))
      const neuron = sizes.indexOf(Math.max(...sizes))
      const { logits, activation, name } = neuronLogits(run, { ...target, layer, neuron })
      parts.forEach((own, v) => assert.ok(Math.abs(own[neuron] - activation * logits[v]) < 1e-6, `${what}, ${layer}, ${v}`))
      assert.ok(activation !== 0)
      assert.deepEqual(neuronLogits(run, { ...target, name, neuron }).logits, logits)
    }
    run.dispose()
  }
})

test('a decoder that computes its last logits only, and models of the page', () => {
  const { model } = models.find(({ name }) => name === 'pre-norm without biases'), ids = [[3, 1, 4]]
  const keep = gf.observe(() => {
    let x = model.embedding(ids).add(model.position([[0, 1, 2]]))
    for (const layer of model.layers) x = layer(x, { isCausal: true })
    return model.head(model.norm(x.narrow(1, 2, 1)))
  })
  const all = gf.observe(() => model(ids)), options = { name: 'activation', neuron: 4 }
  const own = neuronLogits(keep, options), full = neuronLogits(all, { layer: 0, neuron: 4 })
  full.logits.forEach((value, v) => assert.ok(Math.abs(own.logits[v] - value) < 1e-7))
  for (const settings of [{}, { model: 'stories', norm: 'rms', activation: 'swiglu', kvHeads: 2 }]) {
    const { run } = pageRun(settings).workerRun, target = { logits: 'output', position: 3 }
    const { token, parts } = logitAttribution(run, { ...target, neurons: true })
    const { layer, neurons: { values } } = parts.findLast(({ neurons }) => neurons)
    const neuron = values.indexOf(Math.max(...values)), found = neuronLogits(run, { ...target, layer, neuron })
    assert.ok(values[neuron] > 1e-3)
    assert.ok(Math.abs(values[neuron] - found.activation * found.logits[token]) < 1e-5 * values[neuron])
  }
})

test('rejects wrong neurons, and ways that are not linear', () => {
  const [{ forward }] = models, run = gf.observe(() => forward()), options = { layer: 0, neuron: 1 }
  for (const [change, code, message] of [
    [{ layer: 2 }, 'index', /neuronLogits: layer must be one with a feed-forward network .*, 0, 1, got 2/],
    [{ neuron: 20 }, 'range', /neuron must be an integer from 0 to 19, got 20/],
    [{ layer: undefined }, 'type', /either layer or name \(of a tensor\) must be given, got neither/],
    [{ name: 'layers.0.activation' }, 'type', /got both/],
    [{ layer: undefined, name: 'layers.0.act' }, 'index', /layers\.0\.activation/],
    [{ position: 4 }, 'range', /position must be/],
    [{ top: 0 }, 'range', /top must be an integer from 1/],
    [{ head: 1 }, 'type', /no option "head"/],
    [{ layer: undefined, name: 'layers.0.self_attn.q' }, 'state', /not linear/]
  ]) assert.throws(() => neuronLogits(run, { ...options, ...change }), { code, message })
  assert.throws(() => neuronLogits({}, options), { code: 'type', message: /run must be a Run/ })
  assert.throws(() => neuronLogits(run, { name: 'head.weight', neuron: 1 }), { code: 'state' })
})
