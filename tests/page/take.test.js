// What is taken out of the page: weights that load back, ONNX that gives the run's logits in onnxruntime, a script with
// the keys and shapes of the model. Of the page's models, of one from the theatre, and of every class that is brought.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namedOutputs, sessionOf } from '../export/onnx.js'
import { stateOf } from '../export/python.js'
import { gf } from '../lib/engine.js'
import { opened } from '../lib/brought.js'
import { unzip } from '../lib/unzip.js'
import { made } from '../lib/page.js'
import { cases, filesOf } from '../models/drawn.js'
import { run as runOwn } from '../../web/models/own/run.js'
import { messageOf } from '../../web/worker/plain.js'
import { take } from '../../web/worker/take.js'

const own = async type => runOwn(gf, { beginning: '3 1 4' }, [], [await opened(filesOf(cases(type)[0]))])
const RUNS = {
  dates: () => made({ model: 'dates' }), particles: () => made({ model: 'particles' }),
  stories: () => made({ model: 'stories' }), positions: () => made({ model: 'positions' }), ...Object.fromEntries(
    ['gpt2', 'bert', 'marian', 't5', 'llama'].map(type => [`a ${type} of the reader's`, () => own(type)]))
}

/** Logits and hidden vectors are sums: two orders of adding differ by the size of the largest, not of a small one. */
function assertNear(actual, { shape, values }, name) {
  assert.deepEqual([...actual.dims], [...shape], name)
  const off = 1e-5 * Math.max(1, ...values.map(Math.abs))
  values.forEach((value, i) => assert.ok(Math.abs(actual.data[i] - value) <= off,
    `${name}[${i}]: onnxruntime has ${actual.data[i]}, the library ${value}`))
}

for (const [name, compute] of Object.entries(RUNS)) test(`${name} is taken out in three ways`, async () => {
  const one = await compute(), { taken } = one, { model, inputs } = taken, { tensors } = gf.memory()
  const { facts } = messageOf(gf, one)
  assert.equal(facts.isTakeable, true)
  assert.equal(facts.taken, undefined, 'the model itself stays')
  const weights = gf.loadSafetensors(take(gf, one, { format: 'safetensors' })), state = model.stateDict()
  assert.deepEqual(weights.metadata, { format: 'pt' })
  assert.deepEqual(Object.keys(weights.tensors), Object.keys(state))
  for (const [key, tensor] of Object.entries(state)) {
    assert.deepEqual(weights.tensors[key].toArray(), tensor.toArray(), key)
    weights.tensors[key].dispose()
  }
  const script = take(gf, one, { format: 'py' })
  const shapes = Object.entries(state).map(([key, { shape }]) => [key, [...shape]])
  assert.deepEqual(stateOf(script), Object.fromEntries(shapes))
  if (taken.files) {
    const out = unzip(Buffer.concat(take(gf, one, { format: 'zip' }))), type = one.brought.type
    const again = await gf.models.load(out)
    assert.deepEqual(Object.keys(out), [`${type}/config.json`, `${type}/model.safetensors`])
    for (const [key, tensor] of Object.entries(again.model.stateDict())) {
      assert.deepEqual(tensor.toArray(), state[key].toArray(), key)
    }
    again.model.dispose()
  } else assert.throws(() => take(gf, one, { format: 'zip' }), /no keys at Hugging Face/)
  assert.equal(facts.hasFiles, Boolean(taken.files))
  const session = await sessionOf(take(gf, one, { format: 'onnx' }))
  assert.ok(gf.memory().tensors <= tensors, 'nothing is left')
  const feeds = Object.fromEntries(Object.entries(inputs).map(([key, ids]) => [key, gf.tensor(ids, { dtype: 'int32' })]))
  const got = await session.run(feeds), { ids, ...options } = inputs
  const outputs = namedOutputs(gf.noGrad(() => (
    ids ? model.forward(ids, ...(options.decoderIds ? [options] : [])) : model.forward(...Object.values(inputs)))))
  const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i])
  for (const [key, output] of Object.entries(outputs)) {
    assert.ok(one.run.names.some(known => same(one.run.tensor(known).values, output.values)), `${key} is of this run`)
    assertNear(got[key], output, `${name}: ${key}`)
  }
  one.run.dispose()
})

test('what no script can be made of says so beforehand, and nothing else does', () => {
  const settings = [{}, { fault: 'swapped' }, { fault: 'tokenNorm' }, { fault: 'batchPositions' }, { positions: 'learned' },
    { positions: 'concatenated' }, { norm: 'rms', model: 'stories', positions: 'learned' }, { model: 'particles' }]
  for (const one of settings) {
    const run = made(one), { facts } = messageOf(gf, run), write = () => take(gf, run, { format: 'py' })
    if (facts.unscripted) assert.throws(write, /called in different ways in one run/, JSON.stringify(one))
    else assert.ok(write().length > 1000, JSON.stringify(one))
    assert.ok(take(gf, run, { format: 'onnx' }).length > 1000)
    run.run.dispose()
  }
})
