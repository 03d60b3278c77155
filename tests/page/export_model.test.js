// What is taken out of the page: weights that load back, ONNX that gives the run's logits in onnxruntime, a script with
// the keys and shapes of the model. Of the page's models, of one from the theatre, and of every class that is brought.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namedOutputs, sessionOf } from '../export/onnx.js'
import { stateOf } from '../export/python.js'
import { gf } from '../lib/engine.js'
import { opened } from '../lib/imported_models.js'
import { unzip } from '../lib/unzip.js'
import { made } from '../lib/page.js'
import { defaultsOf as pageDefaults } from '../../web/models/index.js'
import { RUNS as PAGE_RUNS } from '../../web/models/runs.js'
import { createTokenizer } from '../../web/models/stories/data.js'
import { createSession } from '../../web/theatre/session.js'
import { defaultsOf } from '../../web/theatre/settings.js'
import { TASK_INFO } from '../../web/theatre/tasks/task_info.js'
import { cases, filesOf } from '../models/golden_models.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { messageOf } from '../../web/worker/serialize_run.js'
import { exportModel } from '../../web/worker/export_model.js'

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
  const one = await compute(), { exportable } = one, { model, inputs } = exportable, { tensors } = gf.memory()
  const { facts } = messageOf(gf, one)
  assert.equal(facts.isExportable, true)
  assert.equal(facts.exportable, undefined, 'the model itself stays')
  const weights = gf.loadSafetensors(exportModel(gf, one, { format: 'safetensors' })), state = model.stateDict()
  assert.deepEqual(weights.metadata, { format: 'pt' })
  assert.deepEqual(Object.keys(weights.tensors), Object.keys(state))
  for (const [key, tensor] of Object.entries(state)) {
    assert.deepEqual(weights.tensors[key].toArray(), tensor.toArray(), key)
    weights.tensors[key].dispose()
  }
  const script = exportModel(gf, one, { format: 'py' })
  const shapes = Object.entries(state).map(([key, { shape }]) => [key, [...shape]])
  assert.deepEqual(stateOf(script), Object.fromEntries(shapes))
  if (exportable.files && one.imported) {
    const out = unzip(Buffer.concat(exportModel(gf, one, { format: 'zip' }))), type = one.imported.type
    const again = await gf.models.load(out)
    assert.deepEqual(Object.keys(out), [`${type}/config.json`, `${type}/model.safetensors`])
    for (const [key, tensor] of Object.entries(again.model.stateDict())) {
      assert.deepEqual(tensor.toArray(), state[key].toArray(), key)
    }
    again.model.dispose()
  } else if (!exportable.files) assert.throws(() => exportModel(gf, one, { format: 'zip' }), /no keys at Hugging Face/)
  assert.equal(facts.hasFiles, Boolean(exportable.files))
  const session = await sessionOf(exportModel(gf, one, { format: 'onnx' }))
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

test('exactly the models without a script are reported in advance', () => {
  const settings = [{}, { fault: 'swapped' }, { fault: 'tokenNorm' }, { fault: 'batchPositions' }, { positions: 'learned' },
    { positions: 'concatenated' }, { norm: 'rms', model: 'stories', positions: 'learned' }, { model: 'particles' }]
  for (const one of settings) {
    const run = made(one), { facts } = messageOf(gf, run), write = () => exportModel(gf, run, { format: 'py' })
    if (facts.unscripted) assert.throws(write, /called in different ways in one run/, JSON.stringify(one))
    else assert.ok(write().length > 1000, JSON.stringify(one))
    assert.ok(exportModel(gf, run, { format: 'onnx' }).length > 1000)
    run.run.dispose()
  }
})

/** The folder of a run says what the run says, to the bit. */
async function holdsToFolder(one, names) {
  const { model, inputs: { ids } } = one.exportable, files = unzip(Buffer.concat(await exportModel(gf, one, { format: 'zip' })))
  assert.deepEqual(Object.keys(files), names)
  const { type, missing, unused, problems } = await gf.models.inspect(files)
  assert.deepEqual([type, missing, unused, problems], ['gpt2', [], [], []])
  const again = await gf.models.load(files)
  const [own, other] = gf.noGrad(() => [model.forward(ids), again.model.forward(ids).logits])
  assert.deepEqual(own.toArray(), other.toArray())
  for (const gone of [own, other, again.model]) gone.dispose()
  return again
}

test('stories are exported as GPT-2 where their parts allow it, with the same outputs', async () => {
  const exchanged = [{}, { positions: 'learned' }, { positions: 'none' }, { positions: 'concatenated' }, { activation: 'relu' },
    { scale: false }, { edits: [{ name: 'decoder.layers.0.linear1.weight', index: [0, 1], value: 2 }] }]
  for (const { edits = [], ...more } of exchanged) {
    const one = made({ model: 'stories', ...more }, edits)
    const folder = ['config.json', 'model.safetensors', 'tokenizer.json'].map(name => `stories/${name}`)
    const { tokenizer } = await holdsToFolder(one, folder)
    assert.deepEqual([...tokenizer.encode(' the cat').ids], [...createTokenizer(gf).encode(' the cat').ids])
    one.run.dispose()
  }
  for (const more of [{ norm: 'rms' }, { positions: 'rotary' }, { activation: 'swiglu' }, { kvHeads: 2 }]) {
    const one = made({ model: 'stories', ...more })
    assert.equal(messageOf(gf, one).facts.hasFiles, false, JSON.stringify(more))
    one.run.dispose()
  }
})

test('so are models from the training page, as long as their parts are GPT-2\'s', async () => {
  const sizes = { layers: 1, dModel: 16, dimFeedforward: 24, heads: 2, steps: 20, batch: 4 }
  const text = '나비가 날아와요. 꽃이 피어요. '.repeat(40), weights = 'theatre'
  for (const [task, more, names] of [
    ['stories', {}, ['config.json', 'model.safetensors', 'tokenizer.json']],
    ['text', { positions: 'learned' }, ['config.json', 'model.safetensors']],
    ['text', { unit: 'pairs', size: 280 }, ['config.json', 'model.safetensors', 'tokenizer.json']],
    ['text', { norm: 'rms' }, null]
  ]) {
    const session = createSession(gf, { ...defaultsOf(task), ...sizes, ...more }, task === 'text' ? text : undefined)
    for (let n = 0; n < 3; n++) session.step()
    const options = { ...pageDefaults(task), beginning: TASK_INFO[task].sample, weights, lent: `${task} ${JSON.stringify(more)}` }
    const one = PAGE_RUNS[task](gf, options, [], [session.file()])
    if (names) await holdsToFolder(one, names.map(name => `${task}/${name}`))
    else assert.equal(messageOf(gf, one).facts.hasFiles, false)
    one.run.dispose()
    session.dispose()
  }
})
