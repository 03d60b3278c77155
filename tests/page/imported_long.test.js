// Long texts before a model of a reader's: how much is read and what is said of the rest, which scores are kept, how an
// answer is written and ended early.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { recompute } from '../../web/check/recompute.js'
import { NotLoaded, getAxisLabels } from '../../web/lib/run.js'
import { thumbnailsOf } from '../../web/lib/thumbnails.js'
import { generate } from '../../web/models/generation.js'
import { defaultsOf } from '../../web/models/index.js'
import { bytesOf, bytesPerToken, firstLogitsRow, textRoom, tokensThatFit } from '../../web/models/imported/text_limits.js'
import { open, openIn } from '../../web/models/imported/open.js'
import { run, generateAnswer } from '../../web/models/imported/run.js'
import { roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { logitLens } from '../../web/worker/interpret.js'
import { createGeneration } from '../../web/worker/generation.js'
import { gradientsOf } from '../../web/worker/serialize_run.js'
import { explainCell } from '../../web/worker/queries.js'
import { cases, filesOf } from '../models/golden_models.js'
import { bertFiles, t5Files } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { toPageRun, createView } from '../lib/page.js'
import { writeGpt2 } from '../lib/large.js'
import { longTest } from '../lib/long.js'

const blobs = files => Object.fromEntries(Object.entries(files).map(([name, content]) => [name, new Blob([content])]))

/** A GPT-2 of some shape, opened. */
async function gpt2(shape, engine = gf) {
  const folder = await mkdtemp(join(tmpdir(), 'long-'))
  const { paths } = await writeGpt2(folder,
    { layers: 2, channels: 8, heads: 2, vocabSize: 300, positions: 64, ...shape })
  const files = await Promise.all(paths.map(async path => [basename(path), new Blob([await readFile(path)])]))
  await rm(folder, { recursive: true })
  return open(engine, Object.fromEntries(files), () => {})
}

/** As many tokens of one letter that stands alone. */
const text = count => Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i % 26)).join('.')
  .slice(0, 2 * count - 1)
const tokensOf = (imported, words) => imported.tokenizer.encode(words).ids.length

test('a text is truncated to the model\'s positions, and the answer to those that are left', async () => {
  const imported = await gpt2({ positions: 64 }), long = text(100), count = tokensOf(imported, long)
  const modelRun = run(gf, { beginning: long }, [], [imported])
  assert.deepEqual(modelRun.truncated, {
    text: { read: 63, of: count, limit: 'places' }, target: { read: 2, of: 16, limit: 'places' }
  })
  assert.equal(modelRun.exportable.inputs.ids[0].length, 64)
  assert.equal(modelRun.decoding.steps.length, 2)
  const short = run(gf, { beginning: text(5) }, [], [imported])
  assert.equal(short.truncated, undefined)
  assert.equal(short.decoding.steps.length, 16)
  for (const item of [modelRun, short]) item.run.dispose()
})

test('an answer has the requested length; a longer typed one reports its truncation', async () => {
  const imported = await gpt2({ positions: 128 })
  const long = run(gf, { beginning: 'the sea', maxNewTokens: 80 }, [], [imported])
  assert.equal(long.decoding.steps.length, 80)
  const typed = text(30), count = tokensOf(imported, typed)
  const modelRun = run(gf, { beginning: 'the sea', target: typed, maxNewTokens: 8 }, [], [imported])
  assert.equal(modelRun.decoding.steps.length, 8)
  assert.deepEqual(modelRun.truncated, { target: { read: 8, of: count, limit: 'setting' } })
  for (const item of [long, modelRun]) item.run.dispose()
})

test('the page reads at most 1,024 tokens, also for T5, which has no limit', async () => {
  const imported = await gpt2({ layers: 1, positions: 1500 }), long = text(900)
  assert.ok(tokensOf(imported, long) > 1024)
  const modelRun = run(gf, { beginning: long, maxNewTokens: 2 }, [], [imported])
  assert.deepEqual(modelRun.truncated, { text: { read: 1024, of: tokensOf(imported, long), limit: 'page' } })
  modelRun.run.dispose()
  const t5 = await open(gf, blobs(t5Files()), () => {})
  assert.deepEqual(textRoom(t5.model), { max: 1024, limit: 'page' })
})

test('a truncated text keeps the special token at its end', async () => {
  const imported = await open(gf, blobs(bertFiles()), () => {}), long = 'the bird and the boat '.repeat(40)
  const all = imported.tokenizer.encode(long, { special: true }).ids,
    modelRun = run(gf, { beginning: long }, [], [imported])
  assert.ok(all.length > 64)
  assert.deepEqual(modelRun.exportable.inputs.ids[0], [...all.slice(0, 63), all.at(-1)])
  assert.equal(imported.tokenizer.tokenOf(all.at(-1)), '[SEP]')
  assert.deepEqual(modelRun.truncated, { text: { read: 64, of: all.length, limit: 'places' } })
  modelRun.run.dispose()
})

test('the memory per token is never underestimated, and overestimated at most twofold', async () => {
  for (const type of ['gpt2', 'llama', 'bert', 'marian', 't5']) for (const item of cases(type)) {
    const imported = await open(gf, blobs(filesOf(item)), () => {})
    const modelRun = run(gf, { beginning: '3 1 4 1 5', target: '5 6' }, [], [imported]), V = imported.config.vocab_size
    const isCounted = (name, { role, shape }) => role !== 'parameter' && shape.at(-1) !== V &&
      !/\.(dots|scores|masked_scores|weights)$|^sampling|log_probs/.test(name)
    const actualBytes = modelRun.run.names.filter(name => isCounted(name, modelRun.run.describe(name)))
      .reduce((sum, name) => sum + 4 * modelRun.run.tensor(name).numel(), 0)
    const estimatedBytes = bytesPerToken(imported.model) * modelRun.exportable.inputs.ids[0].length
    assert.ok(actualBytes <= 1.05 * estimatedBytes && estimatedBytes < 2 * actualBytes, `${type}: ${actualBytes} of ${estimatedBytes}`)
    modelRun.run.dispose()
  }
})

test('a text fits the available memory, and is at least a sentence long', () => {
  const model = (size, layers) => ({ positions: 4096, stateDict: () => ({
    'wte.weight': { shape: [1000, 1000], dtype: 'float32', numel: () => size },
    ...Object.fromEntries(Array.from({ length: layers }, (_, i) => [`h.${i}.linear1.weight`, { shape: [4096, 1024], dtype: 'float32', numel: () => 0 }]))
  }) })
  assert.equal(tokensThatFit(model(1e9, 1)), 16)
  const largeModel = model(3e8, 24), fits = tokensThatFit(largeModel)
  assert.ok(fits > 16 && fits < 4096)
  assert.ok(2 * bytesOf(largeModel) + 2 * fits * bytesPerToken(largeModel) < 2 ** 32)
  assert.deepEqual(textRoom(largeModel), fits < 1024 ? { max: fits, limit: 'memory' } : { max: 1024, limit: 'page' })
})

test('with a large vocabulary the last logits are retained, at least those of the answer', () => {
  assert.equal(firstLogitsRow(20, 16, 50257), 0)
  assert.equal(firstLogitsRow(1000, 16, 300), 0)
  assert.equal(firstLogitsRow(1000, 16, 50257), 999 + 16 - 190)
  assert.equal(firstLogitsRow(1000, 256, 50257), 999)
})

const WORDS = 50257
const LONG = { beginning: text(150), maxNewTokens: 4 }

const logitsOf = page => roomsOf(page).find(({ stage }) => stage === 'sampling').parts.logits

/** A model of very many words before a text whose scores do not all fit. */
async function scored(settings = {}, edits = []) {
  const imported = await gpt2({ layers: 1, vocabSize: WORDS, positions: 512 })
  return { opened: imported, made: run(gf, { ...LONG, ...settings }, edits, [imported]) }
}

test('logits of the last tokens alone have the same bits, labels and explanations', async () => {
  const { opened: imported, made: modelRun } = await scored(), page = toPageRun(gf, modelRun), { decoding } = modelRun
  const name = logitsOf(page), logitsTensor = modelRun.run.tensor(name), [, rows, V] = logitsTensor.shape
  const [input] = modelRun.exportable.inputs.ids
  assert.ok(decoding.first > 0)
  assert.equal(rows, input.length - decoding.first)
  gf.tidy(() => gf.noGrad(() => {
    const all = imported.model.forward([input]).logits.values
    assert.deepEqual(logitsTensor.values.slice(), all.slice(decoding.first * V))
  }))
  assert.deepEqual(getAxisLabels(page, page.tensors.get(name), 1), page.streams.text.tokens[0].slice(decoding.first))
  decoding.steps.forEach(({ id }, t) => {
    const row = logitsTensor.values.slice(decoding.rows[t] * V, (decoding.rows[t] + 1) * V)
    assert.equal(row.indexOf(row.reduce((max, item) => Math.max(max, item))), id, `step ${t}`)
  })
  const explanation = explainCell(modelRun, { name, index: [0, 1, 7] }), x = explanation.sources.find(source => source.name === 'ln_f.output')
  assert.equal(x.index[1], decoding.first + 1)
  const room = roomsOf(page).find(({ stage }) => stage === 'residual_stream')
  const question = stageOf('residual_stream').data(page, createView(page, room.id)).early
  const last = logitLens(gf, modelRun.run, question).at(-1)
  assert.deepEqual(last.map(({ tokens: [word] }) => word), decoding.steps.map(({ id }) => id))
  modelRun.run.dispose()
})

longTest('every room works, the check agrees, and an edited score is the same token in every pass', async () => {
  const { opened: imported, made: modelRun } = await scored(), page = toPageRun(gf, modelRun), { decoding } = modelRun
  for (const room of roomsOf(page)) if (room.stage !== 'house') {
    try {
      stageOf(room.stage).data(page, createView(page, room.id))
    } catch (error) {
      assert.ok(error instanceof NotLoaded, `${room.id}: ${error.message}`)
    }
  }
  const tensors = new Map(modelRun.run.names.map(name => [name,
    { ...modelRun.run.describe(name), data: modelRun.run.read(name) }]))
  const results = recompute({ ...page, tensors, steps: modelRun.run.steps, gradients: gradientsOf(modelRun.run) })
  const largestError = results.reduce((max, result) => (result.errorRatio > max.errorRatio ? result : max))
  assert.ok(largestError.errorRatio <= 1, `${largestError.name}, ${largestError.part}: ${largestError.errorRatio}`)
  const edits = [{ name: logitsOf(page), index: [0, decoding.rows[2], 123], value: 1000 }]
  const editedRun = run(gf, { ...defaultsOf('own'), ...LONG }, edits, [imported])
  assert.deepEqual(editedRun.decoding.steps.map(({ id }) => id).slice(0, 3),
    [...decoding.steps.slice(0, 2).map(({ id }) => id), 123])
  for (const item of [modelRun, editedRun]) item.run.dispose()
})

test('sampling and beam search give the same answer with a cache and without', async () => {
  const imported = await gpt2({ positions: 128 })
  for (const settings of [{ decoding: 'sample', temperature: 1.5, topK: 40, topP: 0.9, seed: 7 }, { decoding: 'beam', beams: 3 }]) {
    const all = { ...defaultsOf('own'), beginning: 'the house at the sea', maxNewTokens: 12, ...settings }
    const modelRun = run(gf, all, [], [imported]), start = modelRun.exportable.inputs.ids[0].slice(0, -11)
    const generatedAgain = generate(gf, all, rows => imported.model.forward(rows).logits,
      { start, end: imported.model.eosTokenIds[0], longest: 12, V: 300, isCausal: true }, [])
    assert.deepEqual(modelRun.decoding.steps.map(({ id }) => id), generatedAgain.ids, settings.decoding)
    assert.deepEqual(modelRun.decoding.steps.map(({ sample }) => sample),
      generatedAgain.ids.map((_, t) => generatedAgain.random?.[t] ?? null))
    assert.deepEqual(modelRun.decoding.tree?.map(({ id, parent, isKept }) => [id, parent, isKept]),
      generatedAgain.tree?.map(({ id, parent, isKept }) => [id, parent, isKept]))
    modelRun.run.dispose()
  }
})

const baseSettings = { ...defaultsOf('own'), edits: [], beginning: 'the house at the sea', maxNewTokens: 40 }

// Both in engines of their own: what other tests leave behind is freed in the shared one at any time.
test('generation reports every token; stopped it returns the answer so far, superseded it throws', async () => {
  const gf = await load(), imported = await gpt2({ positions: 128 }, gf),
    fullIds = run(gf, baseSettings, [], [imported]).decoding.steps.map(({ id }) => id)
  const generation = createGeneration(), reports = []
  const writes = onProgress => generation.generate(onProgress,
    waiting => generateAnswer(gf, baseSettings, imported, waiting))
  const all = await writes(progress => reports.push(progress))
  assert.deepEqual(all.ids, fullIds)
  assert.deepEqual(reports.map(({ written }) => written), [...Array(41).keys(), 40])
  assert.deepEqual(reports.map(({ isDone = false }) => isDone), [...Array(41).fill(false), true])
  const some = await writes(({ written }) => written === 5 && void generation.finish({}))
  assert.deepEqual(some.ids, fullIds.slice(0, 5))
  const stoppedEarly = await writes(({ written }) => written === 0 && void setTimeout(() => generation.finish({})))
  assert.ok(stoppedEarly.ids.length >= 1 && stoppedEarly.ids.length < 40, 'at least one token')
  const bytes = gf.memory().bytes
  await assert.rejects(writes(({ written }) => written === 3 && void generation.finish({ isSuperseded: true })), { code: 'superseded' })
  assert.equal(gf.memory().bytes, bytes, 'the cache is given back')
  await generation.finish({})
  const modelRun = run(gf, baseSettings, [], [await openIn(gf), some])
  assert.deepEqual(modelRun.decoding.steps.map(({ id }) => id), fullIds.slice(0, 5))
  modelRun.run.dispose()
})

test('generation with edits and by beam search reports progress and can be stopped, too', async () => {
  const gf = await load(), imported = await gpt2({ positions: 128 }, gf), edits = [{ name: 'wte.weight', index: [3, 2], value: 0.5 }]
  const sampling = { decoding: 'sample', temperature: 2 }
  for (const more of [{ edits, ...sampling }, { decoding: 'beam', beams: 3 }, { edits, decoding: 'beam', beams: 2 }]) {
    const settings = { ...baseSettings, maxNewTokens: 12, ...more }, generation = createGeneration(), reports = []
    const modelRun = run(gf, settings, settings.edits, [imported]),
      fullIds = modelRun.decoding.steps.map(({ id }) => id)
    modelRun.run.dispose()
    /** An answer that was written before is looked at in one pass: another one comes in between. */
    const writes = onProgress => {
      run(gf, { ...settings, ...sampling, seed: 9 }, edits, [imported]).run.dispose()
      return generation.generate(onProgress, waiting => generateAnswer(gf, settings, imported, waiting))
    }
    const all = await writes(({ written }) => reports.push(written))
    assert.deepEqual(all.ids, fullIds)
    assert.deepEqual(reports, [...Array(13).keys(), 12])
    const bytes = gf.memory().bytes
    const some = await writes(({ written }) => written === 5 && void generation.finish({}))
    assert.equal(some.ids.length, 5)
    if (!some.tree) assert.deepEqual(some.ids, fullIds.slice(0, 5))
    assert.equal(gf.memory().bytes, bytes)
  }
})

test('a thumbnail holds means; the channels of a head stay together', () => {
  const axes = [{ name: 'batch' }, { name: 'token' }, { name: 'channel' }], shape = [1, 128, 768]
  const values = Float32Array.from({ length: 128 * 768 }, (_, i) => (i % 768) % 2)
  const stamps = thumbnailsOf({ shape, axes }, values)
  assert.equal(stamps.length, 64 * 384)
  assert.ok(stamps.every(mean => mean === 0.5))
})
