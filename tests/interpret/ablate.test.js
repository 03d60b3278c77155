// Ablations against edits and means computed by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { createDecoder, createFunction } from './decoders.js'

const INPUT = [[3, 1, 4, 1, 5]], DATASET = [[[2, 7, 1, 8, 2]], [[1, 6, 1, 8, 0]]]
const metric = logits => logits.at(0, logits.shape[1] - 1, 2)
const close = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-5, `${what}: ${a}, not ${b}`)

/** The metric with edits, and what `read` returns of the trace. */
function measure(model, input, edits, read = () => null) {
  const { output, trace } = gf.trace(() => gf.noGrad(() => model(input)), { edits })
  const found = { value: metric(output), read: read(trace) }
  trace.dispose()
  return found
}

test('a head set to zero equals an edit', async () => {
  const model = createDecoder().eval(), before = gf.memory().tensors
  const { values, axes, rows, baseline } = await gf.interpret.ablate({ model, input: INPUT, metric })
  assert.deepEqual(axes, ['layer', 'head'])
  assert.deepEqual(rows.map(({ name }) => name), ['layers.0.self_attn.heads', 'layers.1.self_attn.heads'])
  assert.ok(gf.memory().tensors <= before)
  assert.equal(baseline, measure(model, INPUT, []).value)
  for (const n of [0, 1]) for (const head of [0, 1, 2, 3]) {
    const edits = [{ name: `layers.${n}.self_attn.heads`, index: [null, null, [4 * head, 4 * head + 4]], value: 0 }]
    assert.equal(values[n][head], measure(model, INPUT, edits).value)
  }
  const options = { model, input: INPUT, metric, targets: 'feedForward', positions: 'each' }
  const { values: each } = await gf.interpret.ablate(options)
  const edits = [{ name: 'layers.1.dropout2.output', index: [null, 4, null], value: 0 }]
  assert.equal(each[1][4], measure(model, INPUT, edits).value)
})

test('a mean is that of all positions of the dataset, whose texts may have other lengths', async () => {
  const dataset = [...DATASET, [[4, 4, 9]]]
  for (const [model, name, isJoined] of [
    [createDecoder().eval(), 'layers.1.self_attn.heads', true], [createFunction(), '', false]
  ]) {
    const before = gf.memory().tensors
    const { values } = await gf.interpret.ablate({ model, input: INPUT, metric, method: 'mean', dataset })
    assert.ok(gf.memory().tensors <= before)
    const isHeads = trace => one => trace.get(one).shape.join() === '1,4,5,4' && one.startsWith('matmul')
    const own = isJoined ? name : measure(model, INPUT, [], trace => trace.names.filter(isHeads(trace)).at(-1)).read
    const vectors = dataset.flatMap(input => measure(model, input, [], trace => {
      const x = trace.get(own).toArray()[0]
      return isJoined ? x.map(row => row.slice(8, 12)) : x[2]
    }).read)
    const mean = [0, 1, 2, 3].map(c => vectors.reduce((sum, row) => sum + row[c], 0) / vectors.length)
    assert.equal(vectors.length, 13)
    const edits = mean.flatMap((value, c) => [0, 1, 2, 3, 4].map(t => (
      { name: own, index: isJoined ? [0, t, 8 + c] : [0, 2, t, c], value })))
    close(values[1][2], measure(model, INPUT, edits).value, name)
  }
})

test('resampling is the mean over the inputs of the dataset', async () => {
  const model = createDecoder().eval(), fractions = []
  const onProgress = fraction => fractions.push(fraction)
  const { values } = await gf.interpret.ablate({
    model, input: INPUT, metric, method: 'resample', dataset: DATASET, targets: 'attention', onProgress
  })
  assert.deepEqual(fractions, [0.25, 0.5, 0.75, 1])
  for (const n of [0, 1]) {
    const name = `layers.${n}.dropout1.output`, own = DATASET.map(input => {
      const from = gf.trace(() => model(input)).trace
      const { value } = measure(model, INPUT, [{ name, index: [null, null, null], from }])
      from.dispose()
      return value
    })
    close(values[n], (own[0] + own[1]) / 2, name)
  }
  const same = await gf.interpret.ablate({ model, input: INPUT, metric, method: 'resample', dataset: [INPUT] })
  assert.deepEqual(new Set(same.values.flat()), new Set([same.baseline]))
})

test('rejects ablations without what they need', async () => {
  const options = { model: createDecoder(), input: INPUT, metric }
  for (const [change, code, message] of [
    [{ method: 'noise' }, 'type', /ablate: method must be 'zero', 'mean' or 'resample', got "noise"/],
    [{ method: 'mean' }, 'type', /dataset must be an array of inputs, got undefined/],
    [{ method: 'resample', dataset: [] }, 'type', /dataset must be an array of inputs/],
    [{ method: 'resample', dataset: [[[1, 2]]] }, 'shape', /cells of shape/],
    [{ input: undefined }, 'type', /input must be given/],
    [{ clean: INPUT }, 'type', /no option "clean"/]
  ]) await assert.rejects(gf.interpret.ablate({ ...options, ...change }), { code, message })
})
