// Exports of the page: weights that load again, ONNX that gives the run's logits in onnxruntime, a script with the keys
// and shapes of the model. They are made of the page's models, of a trained one, and of every imported class.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namedOutputs, sessionOf } from '../export/onnx.js'
import { scriptShapesOf } from '../export/python.js'
import { gf } from '../lib/engine.js'
import { openModel } from '../lib/imported_models.js'
import { unzip } from '../lib/unzip.js'
import { makeRun } from '../lib/page.js'
import { defaultsOf as pageSettings } from '../../web/models/index.js'
import { RUNS as PAGE_RUNS } from '../../web/models/runs.js'
import { createTokenizer } from '../../src/training/models/stories/data.js'
import { createSession } from '../../src/training/session.js'
import { defaultsOf } from '../../src/training/settings.js'
import { TASK_INFO } from '../../src/training/tasks/task_info.js'
import { cases, filesOf } from '../models/golden_models.js'
import { run as runImported } from '../../web/models/imported/run.js'
import { messageOf } from '../../web/worker/serialize_run.js'
import { exportModel } from '../../web/worker/export_model.js'

const makeImported = async type => runImported(gf, { beginning: '3 1 4' }, [], [await openModel(filesOf(cases(type)[0]))])
const MAKERS = {
  dates: () => makeRun({ model: 'dates' }), particles: () => makeRun({ model: 'particles' }),
  stories: () => makeRun({ model: 'stories' }), induction: () => makeRun({ model: 'induction' }), positions: () => makeRun({ model: 'positions' }), ...Object.fromEntries(
    ['gpt2', 'bert', 'marian', 't5', 'llama'].map(type => [`an imported ${type}`, () => makeImported(type)]))
}

/** Sums in another order differ by a fraction of the largest value, so the tolerance is relative to that. */
function assertClose(actual, { shape, values }, name) {
  assert.deepEqual([...actual.dims], [...shape], name)
  const tolerance = 1e-5 * Math.max(1, ...values.map(Math.abs))
  values.forEach((value, i) => assert.ok(Math.abs(actual.data[i] - value) <= tolerance,
    `${name}[${i}]: onnxruntime has ${actual.data[i]}, the library ${value}`))
}

for (const [name, make] of Object.entries(MAKERS)) test(`${name} is exported in every format`, async () => {
  const pageRun = await make(), { exportable } = pageRun, { model, inputs } = exportable
  const { tensors: tensorsBefore } = gf.memory()
  const { facts } = messageOf(gf, pageRun)
  assert.equal(facts.isExportable, true)
  assert.equal(facts.exportable, undefined, 'the model itself is not sent to the page')
  const weights = gf.loadSafetensors(exportModel(gf, pageRun, { format: 'safetensors' })), state = model.stateDict()
  assert.deepEqual(weights.metadata, { format: 'pt' })
  assert.deepEqual(Object.keys(weights.tensors), Object.keys(state))
  for (const [key, tensor] of Object.entries(state)) {
    assert.deepEqual(weights.tensors[key].toArray(), tensor.toArray(), key)
    weights.tensors[key].dispose()
  }
  const script = exportModel(gf, pageRun, { format: 'py' })
  const shapes = Object.entries(state).map(([key, { shape }]) => [key, [...shape]])
  assert.deepEqual(scriptShapesOf(script), Object.fromEntries(shapes))
  if (exportable.files && pageRun.imported) {
    const folder = unzip(Buffer.concat(exportModel(gf, pageRun, { format: 'zip' }))), type = pageRun.imported.type
    const reloaded = await gf.models.load(folder)
    assert.deepEqual(Object.keys(folder), [`${type}/config.json`, `${type}/model.safetensors`])
    for (const [key, tensor] of Object.entries(reloaded.model.stateDict())) {
      assert.deepEqual(tensor.toArray(), state[key].toArray(), key)
    }
    reloaded.model.dispose()
  } else if (!exportable.files) assert.throws(() => exportModel(gf, pageRun, { format: 'zip' }), /no Hugging Face class/)
  assert.equal(facts.hasHubFiles, Boolean(exportable.files))
  const session = await sessionOf(exportModel(gf, pageRun, { format: 'onnx' }))
  assert.ok(gf.memory().tensors <= tensorsBefore, 'the exports free their tensors')
  const feeds = Object.fromEntries(Object.entries(inputs).map(([key, ids]) => [key, gf.tensor(ids, { dtype: 'int32' })]))
  const onnxOutputs = await session.run(feeds), { ids, ...options } = inputs
  const outputs = namedOutputs(gf.noGrad(() => (
    ids ? model.forward(ids, ...(options.decoderIds ? [options] : [])) : model.forward(...Object.values(inputs)))))
  const isSame = (a, b) => a.length === b.length && a.every((value, i) => value === b[i])
  for (const [key, output] of Object.entries(outputs)) {
    assert.ok(pageRun.run.names.some(known => isSame(pageRun.run.tensor(known).values, output.values)), `${key} is of this run`)
    assertClose(onnxOutputs[key], output, `${name}: ${key}`)
  }
  pageRun.run.dispose()
})

test('every model of the page has a script and an ONNX file', () => {
  const settings = [{}, { fault: 'swapped' }, { fault: 'tokenNorm' }, { fault: 'batchPositions' }, { positions: 'learned' },
    { positions: 'concatenated' }, { norm: 'rms', model: 'stories', positions: 'learned' }, { model: 'particles' }]
  for (const changes of settings) {
    const pageRun = makeRun(changes)
    assert.ok(exportModel(gf, pageRun, { format: 'py' }).length > 1000, JSON.stringify(changes))
    assert.ok(exportModel(gf, pageRun, { format: 'onnx' }).length > 1000)
    pageRun.run.dispose()
  }
})

/** Asserts that the exported folder of a run loads again and gives the same logits, to the bit. */
async function checkFolder(pageRun, names) {
  const { model, inputs: { ids } } = pageRun.exportable
  const files = unzip(Buffer.concat(await exportModel(gf, pageRun, { format: 'zip' })))
  assert.deepEqual(Object.keys(files), names)
  const { type, missing, unused, problems } = await gf.models.inspect(files)
  assert.deepEqual([type, missing, unused, problems], ['gpt2', [], [], []])
  const reloaded = await gf.models.load(files)
  const [logits, reloadedLogits] = gf.noGrad(() => [model.forward(ids), reloaded.model.forward(ids).logits])
  assert.deepEqual(logits.toArray(), reloadedLogits.toArray())
  for (const disposable of [logits, reloadedLogits, reloaded.model]) disposable.dispose()
  return reloaded
}

test('stories are exported as GPT-2 where their parts allow it, with the same outputs', async () => {
  const variants = [{}, { positions: 'learned' }, { positions: 'none' }, { positions: 'concatenated' }, { activation: 'relu' },
    { scale: false }, { edits: [{ name: 'decoder.layers.0.linear1.weight', index: [0, 1], value: 2 }] }]
  for (const { edits = [], ...changes } of variants) {
    const pageRun = makeRun({ model: 'stories', ...changes }, edits)
    const folder = ['config.json', 'model.safetensors', 'tokenizer.json'].map(name => `stories/${name}`)
    const { tokenizer } = await checkFolder(pageRun, folder)
    assert.deepEqual([...tokenizer.encode(' the cat').ids], [...createTokenizer(gf).encode(' the cat').ids])
    pageRun.run.dispose()
  }
  for (const changes of [{ norm: 'rms' }, { positions: 'rotary' }, { activation: 'swiglu' }, { kvHeads: 2 }]) {
    const pageRun = makeRun({ model: 'stories', ...changes })
    assert.equal(messageOf(gf, pageRun).facts.hasHubFiles, false, JSON.stringify(changes))
    pageRun.run.dispose()
  }
})

test('models from the training page are exported as GPT-2 where their parts allow it', async () => {
  const sizes = { layers: 1, dModel: 16, dimFeedforward: 24, heads: 2, steps: 20, batch: 4 }
  const text = '나비가 날아와요. 꽃이 피어요. '.repeat(40)
  for (const [task, changes, names] of [
    ['stories', {}, ['config.json', 'model.safetensors', 'tokenizer.json']],
    ['text', { positions: 'learned' }, ['config.json', 'model.safetensors']],
    ['text', { unit: 'pairs', size: 280 }, ['config.json', 'model.safetensors', 'tokenizer.json']],
    ['text', { norm: 'rms' }, null]
  ]) {
    const session = createSession(gf, { ...defaultsOf(task), ...sizes, ...changes }, task === 'text' ? text : undefined)
    for (let n = 0; n < 3; n++) session.step()
    const options = {
      ...pageSettings(task), beginning: TASK_INFO[task].sample, weights: 'theatre', // trained on the training page
      trainedFileId: `${task} ${JSON.stringify(changes)}`
    }
    const pageRun = PAGE_RUNS[task](gf, options, [], [session.file()])
    if (names) await checkFolder(pageRun, names.map(name => `${task}/${name}`))
    else assert.equal(messageOf(gf, pageRun).facts.hasHubFiles, false)
    pageRun.run.dispose()
    session.dispose()
  }
})
