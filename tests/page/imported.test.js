// Files of a reader's that do not belong together: what is said, and that the model before stays.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { importFiles, open, openIn } from '../../web/models/imported/open.js'
import { run } from '../../web/models/imported/run.js'
import { recompute } from '../../web/check/recompute.js'
import { retainedLayersOf, layersOf } from '../../web/models/imported/retained_layers.js'
import { NotRetained, getTensor } from '../../web/lib/run.js'
import { roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { explainCell, firstUse, recipes } from '../../web/worker/queries.js'
import { gradientsOf } from '../../web/worker/serialize_run.js'
import { cases, filesOf } from '../models/golden_models.js'
import { gf } from '../lib/engine.js'
import { toPageRun, createView } from '../lib/page.js'
import { t5Files, translatorFiles } from '../lib/imported_models.js'
import { writeGpt2 } from '../lib/large.js'

const [llama] = cases('llama')
const blobs = files => Object.fromEntries(Object.entries(files).map(([name, content]) => [name, new Blob([content])]))

test('a tokenizer of another model is rejected with both sizes, and the previous model stays', async () => {
  const before = await open(gf, blobs(filesOf(llama)), () => {})
  const ids = before.model.generate([1, 2, 3], { maxNewTokens: 4 })
  const otherTokenizer = gf.text.trainBPE('the bird and the boat', { vocabSize: 270, minFrequency: 2 })
  const files = { ...filesOf(llama), 'tokenizer.json': JSON.stringify(otherTokenizer) }
  await assert.rejects(open(gf, blobs(files), () => {}),
    /tokenizer has \d+ tokens, but the model knows 11: it is of another model; choose the tokenizer/)
  const now = await openIn(gf)
  assert.deepEqual(now.model.generate([1, 2, 3], { maxNewTokens: 4 }), ids)
})

test('a translator with two vocabularies reads the text by one and answers by the other', async () => {
  const opened = await open(gf, blobs(translatorFiles()), () => {}), { tokenizer: source } = opened, { target } = source
  const settings = { beginning: 'The weights', target: 'The sum', maxNewTokens: 20 }, made = run(gf, settings, [], [opened])
  const { streams: { text, target: answer }, passes } = toPageRun(gf, made), { ids } = target.encode(settings.target)
  assert.deepEqual(text.ids[0], source.encode(settings.beginning, { special: true }).ids)
  assert.deepEqual(answer.ids[0], [opened.model.decoderStartTokenId, ...ids.slice(0, -1)])
  const spell = id => target.tokenOf(id).replaceAll('▁', '␣')
  assert.deepEqual(answer.tokens[0].slice(1), ids.slice(0, -1).map(spell))
  assert.deepEqual(passes.slice(1).map(({ token }) => token), ids.map(spell))
  assert.deepEqual([text.vocabulary.length, answer.vocabulary.length], [source.size, target.size])
  made.run.dispose()
  const generated = run(gf, { ...settings, target: '' }, [], [opened])
  assert.ok(generated.decoding.steps.length > 0)
  generated.run.dispose()
})

test('files that are not part of a model are not read', async () => {
  const otherFile = Object.assign(new Blob(['x']), { arrayBuffer: () => assert.fail('read'), slice: () => assert.fail('read') })
  const files = { ...blobs(filesOf(llama)), 'tf_model.h5': otherFile, 'picture.png': otherFile }
  const { problems, missing, names } = await importFiles(gf, files)
  assert.deepEqual([problems, missing, names], [[], [], Object.keys(files)])
  const { type } = await open(gf, files, () => {})
  assert.equal(type, 'llama')
})

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) test(
  `${type}: run after run, and after files that were refused, the engine holds what it held`, async () => {
    const [item] = cases(type)
    await open(gf, blobs(filesOf(item)), () => {})
    const waitForMemory = async () => {
      run(gf, { beginning: '3 1 4' }, [], [await openIn(gf)]).run.dispose()
      const { tensors, bytes } = gf.memory()
      return { tensors, bytes }
    }
    const first = await waitForMemory()
    assert.deepEqual(await waitForMemory(), first)
    const otherTokenizer = gf.text.trainBPE('the bird and the boat', { vocabSize: 270, minFrequency: 2 })
    await assert.rejects(open(gf, blobs({ ...filesOf(item), 'tokenizer.json': JSON.stringify(otherTokenizer) }), () => {}), /another model/)
    assert.deepEqual(await waitForMemory(), first)
  })

for (const [type, name] of [['gpt2', 'h.0.linear1.weight'], ['t5', 'encoder.relative_attention_bias.weight'],
  ['marian', 'encoder.embedding.weight'], ['bert', 'embeddings.token_type_embeddings.weight']]) test(
  `${type}: what was edited has its own value again when the edit is gone, and its first one behind the next edit`, async () => {
    const [item] = cases(type)
    await open(gf, blobs(filesOf(item)), () => {})
    const importedModel = await openIn(gf)
    const runWith = edits => {
      const modelRun = run(gf, { beginning: '3 1 4', target: '5 6' }, edits, [importedModel])
      assert.equal(modelRun.valuesBeforeEdits.get(`${name}:0,1`), edits.length ? first.value : undefined)
      const results = { value: modelRun.run.tensor(name).values[1], output: [...modelRun.run.tensor(type === 'bert' ? 'tanh' : 'linear').values] }
      modelRun.run.dispose()
      return results
    }
    let first = null
    first = runWith([])
    const edited = runWith([{ name, index: [0, 1], value: 5 }])
    assert.equal(edited.value, 5)
    assert.notDeepEqual(edited.output, first.output)
    assert.deepEqual(runWith([{ name, index: [null, 1], value: 5 }, { name, index: [0, 1], value: 7 }]).value, 7)
    assert.deepEqual(runWith([]), first)
  })

/** A GPT-2 of five layers, opened. */
async function deep() {
  const folder = await mkdtemp(join(tmpdir(), 'deep-'))
  const { paths } = await writeGpt2(folder, { layers: 5, channels: 8, heads: 2, vocabSize: 300, positions: 64 })
  const files = await Promise.all(paths.map(async path => [basename(path), new Blob([await readFile(path)])]))
  await rm(folder, { recursive: true })
  return open(gf, Object.fromEntries(files), () => {})
}
const TEXT = { beginning: 'the house at the sea', target: 'is' }
/** Products, scores, masked scores, weights. */
const MATRICES = 4
const isMatrix = name => /\.(dots|scores|masked_scores|weights)$/.test(name)

test('the memory of attention matrices is known in advance: half is allocated, gradients are the rest', async () => {
  for (const type of ['gpt2', 'bert', 'llama', 'marian', 't5']) {
    const [item] = cases(type)
    await open(gf, blobs(filesOf(item)), () => {})
    const importedModel = await openIn(gf), modelRun = run(gf, { beginning: '3 1 4', target: '5 6' }, [], [importedModel])
    const { inputs } = modelRun.exportable
    const lengths = { text: inputs.ids[0].length, target: inputs.decoderIds?.[0].length ?? 0 }
    const estimated = layersOf(importedModel.model, lengths), names = modelRun.run.names.filter(isMatrix)
    const actual = names.reduce((sum, name) => sum + 4 * modelRun.run.tensor(name).numel(), 0)
    assert.equal(estimated.reduce((sum, { bytes }) => sum + bytes, 0), 2 * actual, type)
    assert.equal(estimated.flatMap(({ paths }) => paths).length * MATRICES, names.length, type)
    assert.equal(modelRun.retained, undefined, 'it fits')
    modelRun.run.dispose()
  }
})

test('layers that fit retain their matrices: the chosen ones, the first, the last, and at least one', async () => {
  const { model } = await deep(), lengths = { text: 10, target: 0 }
  const layerBytes = 2 * MATRICES * 4 * 2 * 10 * 10
  assert.deepEqual(layersOf(model, lengths).map(({ bytes }) => bytes), Array(5).fill(layerBytes))
  const retainedLayers = (bytes, chosen = '') => retainedLayersOf(model, lengths, { keptBytes: bytes, kept: chosen })?.layers ?? null
  assert.equal(retainedLayers(5 * layerBytes), null)
  assert.deepEqual(retainedLayers(5 * layerBytes - 1), [0, 1, 2, 4])
  assert.deepEqual(retainedLayers(2 * layerBytes), [0, 4])
  assert.deepEqual(retainedLayers(2 * layerBytes, '3'), [0, 3])
  assert.deepEqual(retainedLayers(2 * layerBytes, '2,3'), [2, 3])
  assert.deepEqual(retainedLayers(1), [0])
  assert.deepEqual(retainedLayers(1, '9,x,4'), [4], 'what no layer has is passed over')
  const { total, room, of, paths } = retainedLayersOf(model, lengths, { keptBytes: layerBytes, kept: '1' })
  assert.deepEqual({ total, room, of, paths }, { total: 5 * layerBytes, room: layerBytes, of: 5, paths: ['h.1.self_attn'] })
})

test('a run without memory for all matrices reports missing ones, and every other value is the same', async () => {
  const importedModel = await deep()
  const fullRun = run(gf, TEXT, [], [importedModel]), all = toPageRun(gf, fullRun), before = gradientsOf(fullRun.run)
  const fullValues = Object.fromEntries(fullRun.run.names.map(name => [name, fullRun.run.read(name)]))
  const bytes = gf.memory().bytes
  fullRun.run.dispose()
  const part = run(gf, { ...TEXT, keptBytes: 1, kept: '3' }, [], [importedModel]), page = toPageRun(gf, part)
  assert.deepEqual(part.retained.layers, [3])
  const missing = part.run.names.filter(name => !part.run.describe(name).isKept)
  assert.deepEqual(missing, part.run.names.filter(name => isMatrix(name) && !name.startsWith('h.3.')))
  const gradients = gradientsOf(part.run)
  assert.ok(gf.memory().bytes < bytes)
  for (const name of part.run.names) {
    if (missing.includes(name)) assert.throws(() => getTensor(page, name), NotRetained)
    else assert.deepEqual([part.run.read(name), gradients.get(name)], [fullValues[name], before.get(name)], name)
  }
  assert.deepEqual(roomsOf(page).map(({ id }) => id), roomsOf(all).map(({ id }) => id), 'no room is lost')
  for (const room of roomsOf(page)) {
    const read = () => stageOf(room.stage).data(page, createView(page, room.id))
    const isAbout = room.block === 'masked' && ['scores', 'scale', 'mask', 'weights', 'heads'].includes(room.stage)
    if (isAbout && room.layer !== 3) assert.throws(read, NotRetained, room.id)
    else if (room.stage !== 'house') read()
  }
  part.run.dispose()
})

test('cells computed from missing matrices have no explanation and no links, and the check skips them', async () => {
  const importedModel = await deep(), modelRun = run(gf, { ...TEXT, keptBytes: 1, kept: '3' }, [], [importedModel])
  const explain = (name, index, isGradient) => explainCell(modelRun, { name, index, isGradient })
  assert.equal(explain('h.0.self_attn.heads', [0, 1, 0]).missingReason, 'notRetained')
  assert.equal(explain('h.0.self_attn.weights', [0, 0, 0, 0]).missingReason, 'notRetained')
  assert.equal(explain('h.0.self_attn.v', [0, 0, 0], true).missingReason, 'notRetained')
  assert.equal(explain('h.0.self_attn.v', [0, 0, 0]).missingReason, undefined)
  assert.deepEqual(explain('h.0.self_attn.v', [0, 0, 0]).users, [])
  assert.deepEqual(explain('h.3.self_attn.v', [0, 0, 0]).users, ['h.3.self_attn.heads'])
  assert.ok(firstUse(modelRun.run, { name: 'h.3.self_attn.v', index: [0, 0, 0] }, 'h.3.self_attn.heads'))
  assert.equal(explain('h.0.linear1.output', [0, 0, 0], true).missingReason, undefined)
  assert.deepEqual(recipes(modelRun.run, ['h.0.self_attn.weights', 'h.0.self_attn.q']).map(({ name }) => name), ['h.0.self_attn.q'])
  const page = toPageRun(gf, modelRun)
  const tensors = new Map([...page.tensors].filter(([, { isKept }]) => isKept))
  const results = recompute({ ...page, tensors, gradients: gradientsOf(modelRun.run) })
  const largestError = results.reduce((max, result) => (result.errorRatio > max.errorRatio ? result : max))
  assert.ok(largestError.errorRatio <= 1, `${largestError.name}, ${largestError.part}: ${largestError.errorRatio}`)
  const comparedNames = part => results.filter(result => result.part === part &&
    result.difference !== null).map(({ name }) => name)
  assert.ok(comparedNames('value').includes('h.3.self_attn.heads') && !comparedNames('value').includes('h.0.self_attn.heads'))
  assert.ok(comparedNames('gradient').includes('h.3.self_attn.q') && !comparedNames('gradient').includes('h.0.self_attn.q'))
  assert.ok(comparedNames('gradient').includes('h.0.self_attn.in_proj_weight'))
  modelRun.run.dispose()
})

/** The sum of −log p over the tokens of an answer, from logits that the model gives for it. */
function lossOf(model, source, ids) {
  const { logits } = model.forward([source], { decoderIds: [[model.decoderStartTokenId, ...ids.slice(0, -1)]] })
  const V = logits.shape.at(-1)
  return gf.functional.crossEntropy(logits.reshape(-1, V), ids).item()
}

for (const [type, make, texts] of [
  ['marian', () => blobs(filesOf(cases('marian')[0])), { beginning: '3 1 4', target: '5 6 2' }],
  ['t5', () => blobs(t5Files()), { beginning: 'the boat', target: 'the bird' }]
]) test(`${type}: an answer that the reader types is read token by token in place of the model's own`, async () => {
  const importedModel = await open(gf, make(), () => {}), { model, tokenizer } = importedModel
  const ids = tokenizer ? [...tokenizer.encode(texts.target, { special: false }).ids] : [5, 6, 2]
  const modelRun = run(gf, texts, [], [importedModel]), { decoding, exportable } = modelRun
  assert.deepEqual([decoding.kind, decoding.steps.map(({ id }) => id)], ['given', ids])
  assert.deepEqual(exportable.inputs.decoderIds, [[model.decoderStartTokenId, ...ids.slice(0, -1)]])
  assert.deepEqual(modelRun.run.streams.target.ids, exportable.inputs.decoderIds)
  assert.deepEqual(decoding.rows, ids.map((_, t) => t))
  assert.equal(modelRun.run.loss, gf.tidy(() => gf.noGrad(() => lossOf(model, exportable.inputs.ids[0], ids))))
  const ownAnswer = run(gf, { ...texts, target: '' }, [], [importedModel])
  assert.equal(ownAnswer.decoding.kind, 'greedy')
  assert.notDeepEqual(ownAnswer.decoding.steps.map(({ id }) => id), ids)
  const written = ownAnswer.decoding.steps.map(({ id }) => id)
  const forced = run(gf, { ...texts, target: written }, [], [importedModel])
  assert.equal(forced.run.loss, ownAnswer.run.loss, 'its own answer, read, is what it was when it was written')
  const heads = modelRun.run.names.find(name => name.endsWith('.heads'))
  const edited = run(gf, texts, [{ name: heads, index: [null, null, null], value: 0 }], [importedModel])
  assert.notEqual(edited.run.loss, modelRun.run.loss)
  assert.deepEqual(edited.decoding.steps, decoding.steps, 'whatever is changed, what is read stays')
  const long = run(gf, { ...texts, target: Array(40).fill(texts.target).join(' ') }, [], [importedModel])
  assert.equal(long.decoding.steps.length, Math.min(16, model.maxPositions ?? 16), 'no more than the page takes')
  const none = run(gf, { ...texts, target: ' \n ' }, [], [importedModel])
  assert.deepEqual([none.decoding.kind, none.decoding.steps], ['greedy', ownAnswer.decoding.steps], 'no token is no answer')
  if (!tokenizer) {
    for (const [text, piece] of [['no ids', 'no'], ['5 11', '11'], ['5 -1', '-1'], ['5 2.5', '2.5']]) {
      assert.throws(() => run(gf, { ...texts, target: text }, [], [importedModel]),
        { code: 'id', message: `target: ids are from 0 to 10, got ${piece}` })
    }
  }
  for (const item of [modelRun, ownAnswer, forced, edited, long, none]) item.run.dispose()
})
