// Long texts before a model of a reader's: how much is read and what is said of the rest, which scores are kept, how an
// answer is written and ended early.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { recompute } from '../../web/check/recompute.js'
import { getAxisLabels } from '../../web/lib/run.js'
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
async function gpt2(shape) {
  const folder = await mkdtemp(join(tmpdir(), 'long-'))
  const { paths } = await writeGpt2(folder,
    { layers: 2, channels: 8, heads: 2, vocabSize: 300, positions: 64, ...shape })
  const files = await Promise.all(paths.map(async path => [basename(path), new Blob([await readFile(path)])]))
  await rm(folder, { recursive: true })
  return open(gf, Object.fromEntries(files), () => {})
}

/** As many tokens of one letter that stands alone. */
const text = count => Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i % 26)).join('.')
  .slice(0, 2 * count - 1)
const tokensOf = (opened, words) => opened.tokenizer.encode(words).ids.length

test('a text is truncated to the model\'s positions, and the answer to those that are left', async () => {
  const opened = await gpt2({ positions: 64 }), long = text(100), count = tokensOf(opened, long)
  const made = run(gf, { beginning: long }, [], [opened])
  assert.deepEqual(made.truncated, {
    text: { read: 63, of: count, limit: 'places' }, target: { read: 2, of: 16, limit: 'places' }
  })
  assert.equal(made.exportable.inputs.ids[0].length, 64)
  assert.equal(made.decoding.steps.length, 2)
  const short = run(gf, { beginning: text(5) }, [], [opened])
  assert.equal(short.truncated, undefined)
  assert.equal(short.decoding.steps.length, 16)
  for (const one of [made, short]) one.run.dispose()
})

test('an answer has the requested length; a longer typed one reports its truncation', async () => {
  const opened = await gpt2({ positions: 128 })
  const long = run(gf, { beginning: 'the sea', maxNewTokens: 80 }, [], [opened])
  assert.equal(long.decoding.steps.length, 80)
  const typed = text(30), count = tokensOf(opened, typed)
  const made = run(gf, { beginning: 'the sea', target: typed, maxNewTokens: 8 }, [], [opened])
  assert.equal(made.decoding.steps.length, 8)
  assert.deepEqual(made.truncated, { target: { read: 8, of: count, limit: 'setting' } })
  for (const one of [long, made]) one.run.dispose()
})

test('the page reads at most 1,024 tokens, also for T5, which has no limit', async () => {
  const opened = await gpt2({ layers: 1, positions: 1500 }), long = text(900)
  assert.ok(tokensOf(opened, long) > 1024)
  const made = run(gf, { beginning: long, maxNewTokens: 2 }, [], [opened])
  assert.deepEqual(made.truncated, { text: { read: 1024, of: tokensOf(opened, long), limit: 'page' } })
  made.run.dispose()
  const t5 = await open(gf, blobs(t5Files()), () => {})
  assert.deepEqual(textRoom(t5.model), { max: 1024, limit: 'page' })
})

test('a truncated text keeps the special token at its end', async () => {
  const opened = await open(gf, blobs(bertFiles()), () => {}), long = 'the bird and the boat '.repeat(40)
  const all = opened.tokenizer.encode(long, { special: true }).ids, made = run(gf, { beginning: long }, [], [opened])
  assert.ok(all.length > 64)
  assert.deepEqual(made.exportable.inputs.ids[0], [...all.slice(0, 63), all.at(-1)])
  assert.equal(opened.tokenizer.tokenOf(all.at(-1)), '[SEP]')
  assert.deepEqual(made.truncated, { text: { read: 64, of: all.length, limit: 'places' } })
  made.run.dispose()
})

test('the memory per token is never underestimated, and overestimated at most twofold', async () => {
  for (const type of ['gpt2', 'llama', 'bert', 'marian', 't5']) for (const item of cases(type)) {
    const opened = await open(gf, blobs(filesOf(item)), () => {})
    const made = run(gf, { beginning: '3 1 4 1 5', target: '5 6' }, [], [opened]), V = opened.config.vocab_size
    const isCounted = (name, { role, shape }) => role !== 'parameter' && shape.at(-1) !== V &&
      !/\.(dots|scores|masked_scores|weights)$|^sampling|log_probs/.test(name)
    const taken = made.run.names.filter(name => isCounted(name, made.run.describe(name)))
      .reduce((sum, name) => sum + 4 * made.run.tensor(name).numel(), 0)
    const known = bytesPerToken(opened.model) * made.exportable.inputs.ids[0].length
    assert.ok(taken <= 1.05 * known && known < 2 * taken, `${type}: ${taken} of ${known}`)
    made.run.dispose()
  }
})

test('a text fits the available memory, and is at least a sentence long', () => {
  const model = (size, layers) => ({ positions: 4096, stateDict: () => ({
    'wte.weight': { shape: [1000, 1000], numel: () => size },
    ...Object.fromEntries(Array.from({ length: layers }, (_, i) => [`h.${i}.linear1.weight`, { shape: [4096, 1024], numel: () => 0 }]))
  }) })
  assert.equal(tokensThatFit(model(1e9, 1)), 16)
  const one = model(3e8, 24), fits = tokensThatFit(one)
  assert.ok(fits > 16 && fits < 4096)
  assert.ok(2 * bytesOf(one) + 2 * fits * bytesPerToken(one) < 2 ** 32)
  assert.deepEqual(textRoom(one), fits < 1024 ? { max: fits, limit: 'memory' } : { max: 1024, limit: 'page' })
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
  const opened = await gpt2({ layers: 1, vocabSize: WORDS, positions: 512 })
  return { opened, made: run(gf, { ...LONG, ...settings }, edits, [opened]) }
}

test('logits of the last tokens alone have the same bits, labels and explanations', async () => {
  const { opened, made } = await scored(), page = toPageRun(gf, made), { decoding } = made
  const name = logitsOf(page), kept = made.run.tensor(name), [, rows, V] = kept.shape
  const [input] = made.exportable.inputs.ids
  assert.ok(decoding.first > 0)
  assert.equal(rows, input.length - decoding.first)
  gf.tidy(() => gf.noGrad(() => {
    const all = opened.model.forward([input]).logits.values
    assert.deepEqual(kept.values.slice(), all.slice(decoding.first * V))
  }))
  assert.deepEqual(getAxisLabels(page, page.tensors.get(name), 1), page.streams.text.tokens[0].slice(decoding.first))
  decoding.steps.forEach(({ id }, t) => {
    const row = kept.values.slice(decoding.rows[t] * V, (decoding.rows[t] + 1) * V)
    assert.equal(row.indexOf(row.reduce((most, one) => Math.max(most, one))), id, `step ${t}`)
  })
  const told = explainCell(made, { name, index: [0, 1, 7] }), x = told.sources.find(one => one.name === 'ln_f.output')
  assert.equal(x.index[1], decoding.first + 1)
  const room = roomsOf(page).find(({ stage }) => stage === 'stream')
  const question = stageOf('stream').data(page, createView(page, room.id)).early
  const last = logitLens(gf, made.run, question).at(-1)
  assert.deepEqual(last.map(({ tokens: [word] }) => word), decoding.steps.map(({ id }) => id))
  made.run.dispose()
})

longTest('every room works, the check agrees, and an edited score is the same token in every pass', async () => {
  const { opened, made } = await scored(), page = toPageRun(gf, made), { decoding } = made
  for (const room of roomsOf(page)) if (room.stage !== 'house') {
    try {
      stageOf(room.stage).data(page, createView(page, room.id))
    } catch (error) {
      assert.equal(error.constructor.name, 'Unread', `${room.id}: ${error.message}`)
    }
  }
  const tensors = new Map(made.run.names.map(name => [name, { ...made.run.describe(name), data: made.run.read(name) }]))
  const results = recompute({ ...page, tensors, steps: made.run.steps, gradients: gradientsOf(made.run) })
  const worst = results.reduce((most, one) => (one.errorRatio > most.errorRatio ? one : most))
  assert.ok(worst.errorRatio <= 1, `${worst.name}, ${worst.part}: ${worst.errorRatio}`)
  const edits = [{ name: logitsOf(page), index: [0, decoding.rows[2], 123], value: 1000 }]
  const other = run(gf, { ...defaultsOf('own'), ...LONG }, edits, [opened])
  assert.deepEqual(other.decoding.steps.map(({ id }) => id).slice(0, 3),
    [...decoding.steps.slice(0, 2).map(({ id }) => id), 123])
  for (const one of [made, other]) one.run.dispose()
})

test('sampling and beam search give the same answer with a cache and without', async () => {
  const opened = await gpt2({ positions: 128 })
  for (const settings of [{ decoding: 'sample', temperature: 1.5, topK: 40, topP: 0.9, seed: 7 }, { decoding: 'beam', beams: 3 }]) {
    const all = { ...defaultsOf('own'), beginning: 'the house at the sea', maxNewTokens: 12, ...settings }
    const made = run(gf, all, [], [opened]), start = made.exportable.inputs.ids[0].slice(0, -11)
    const anew = generate(gf, all, rows => opened.model.forward(rows).logits,
      { start, end: opened.model.eosTokenIds[0], longest: 12, V: 300, isCausal: true }, [])
    assert.deepEqual(made.decoding.steps.map(({ id }) => id), anew.ids, settings.decoding)
    assert.deepEqual(made.decoding.steps.map(({ sample }) => sample), anew.ids.map((_, t) => anew.random?.[t] ?? null))
    assert.deepEqual(made.decoding.tree?.map(({ id, parent, isKept }) => [id, parent, isKept]),
      anew.tree?.map(({ id, parent, isKept }) => [id, parent, isKept]))
    made.run.dispose()
  }
})

const settled = { ...defaultsOf('own'), edits: [], beginning: 'the house at the sea', maxNewTokens: 40 }

test('generation reports every token; stopped it returns the answer so far, superseded it throws', async () => {
  const opened = await gpt2({ positions: 128 }),
    whole = run(gf, settled, [], [opened]).decoding.steps.map(({ id }) => id)
  const generation = createGeneration(), told = []
  const writes = tell => generation.generate(tell, waiting => generateAnswer(gf, settled, opened, waiting))
  const all = await writes(progress => told.push(progress))
  assert.deepEqual(all.ids, whole)
  assert.deepEqual(told.map(({ written }) => written), [...Array(41).keys(), 40])
  assert.deepEqual(told.map(({ isDone = false }) => isDone), [...Array(41).fill(false), true])
  const some = await writes(({ written }) => written === 5 && void generation.finish({}))
  assert.deepEqual(some.ids, whole.slice(0, 5))
  const early = await writes(({ written }) => written === 0 && void setTimeout(() => generation.finish({})))
  assert.ok(early.ids.length >= 1 && early.ids.length < 40, 'at least one token')
  const bytes = gf.memory().bytes
  await assert.rejects(writes(({ written }) => written === 3 && void generation.finish({ isSuperseded: true })), { code: 'superseded' })
  assert.equal(gf.memory().bytes, bytes, 'the cache is given back')
  await generation.finish({})
  const made = run(gf, settled, [], [await openIn(gf), some])
  assert.deepEqual(made.decoding.steps.map(({ id }) => id), whole.slice(0, 5))
  made.run.dispose()
})

test('generation with edits and by beam search reports progress and can be stopped, too', async () => {
  const opened = await gpt2({ positions: 128 }), edits = [{ name: 'wte.weight', index: [3, 2], value: 0.5 }]
  const drawn = { decoding: 'sample', temperature: 2 }
  for (const more of [{ edits, ...drawn }, { decoding: 'beam', beams: 3 }, { edits, decoding: 'beam', beams: 2 }]) {
    const settings = { ...settled, maxNewTokens: 12, ...more }, generation = createGeneration(), told = []
    const made = run(gf, settings, settings.edits, [opened]), whole = made.decoding.steps.map(({ id }) => id)
    made.run.dispose()
    /** An answer that was written before is looked at in one pass: another one comes in between. */
    const writes = tell => {
      run(gf, { ...settings, ...drawn, seed: 9 }, edits, [opened]).run.dispose()
      return generation.generate(tell, waiting => generateAnswer(gf, settings, opened, waiting))
    }
    const all = await writes(({ written }) => told.push(written))
    assert.deepEqual(all.ids, whole)
    assert.deepEqual(told, [...Array(13).keys(), 12])
    const bytes = gf.memory().bytes
    const some = await writes(({ written }) => written === 5 && void generation.finish({}))
    assert.equal(some.ids.length, 5)
    if (!some.tree) assert.deepEqual(some.ids, whole.slice(0, 5))
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
