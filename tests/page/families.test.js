// Imported models of every family: the rooms, their numbers and their texts come from the run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recompute } from '../../web/check/recompute.js'
import { getTensor, readRun } from '../../web/lib/run.js'
import { translator } from '../../web/lib/text.js'
import { importFiles } from '../../web/models/imported/open.js'
import { RUNS } from '../../web/models/runs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { headContributions, nearest } from '../../web/worker/interpret.js'
import { gradientsOf, messageOf } from '../../web/worker/serialize_run.js'
import { CASES as DECODERS, filesOf as decoderFiles } from '../models/family_cases.js'
import { fileOf as ggufOf } from '../models/gguf_file.js'
import { cases as ENCODERS, filesOf as encoderFiles } from '../models/hashed_weights.js'
import { gf } from '../lib/engine.js'
import { llamaGguf, openModel } from '../lib/imported_models.js'
import { withPositions } from '../lib/labels.js'
import { everyNth } from '../lib/long.js'
import { createView, loadStageData, stageData, toPageRun } from '../lib/page.js'
import { english, korean } from '../lib/texts.js'

const TEXT = '3 1 4 1 5 2'
const FILES = Object.fromEntries([
  ...DECODERS.map(item => [item.name, () => decoderFiles(item)]),
  ...ENCODERS.map(item => [item.name, () => encoderFiles(item)])
])
const TEXTS = [[korean.page, korean.models.own], [english.page, english.models.own]]
  .map(([page, own]) => translator(page, { own: () => own }))

/** A run of a model on a text; `use` gets it as the page has it, before it is disposed. */
async function withRun(name, use, settings = {}, files = FILES[name]()) {
  const opened = await openModel(files), made = RUNS.own(gf, { beginning: TEXT, ...settings }, [], [opened])
  try {
    return await use(toPageRun(gf, made), made, opened)
  } finally {
    made.run.dispose()
    opened.model.dispose()
  }
}

/** Numbers that are NaN and texts with undefined, anywhere in the data of a stage. */
function findBroken(data, seen = new Set()) {
  if (typeof data === 'number') return Number.isNaN(data)
  if (typeof data === 'string') return /undefined|NaN/.test(data)
  if (data === null || typeof data !== 'object' || seen.has(data)) return false
  seen.add(data)
  if (ArrayBuffer.isView(data)) return data.some(Number.isNaN)
  return Object.entries(data).some(([key, value]) => key !== 'run' && findBroken(value, seen))
}

/** One model of each type, and those whose rooms are special. */
const isFirst = (name, i, list) => list.findIndex(other => other.split(':')[0] === name.split(':')[0]) === i
const SPECIAL = /caps|experts$|alibi$|clipped|cohere: norms|QuestionAnswering$|TokenClassification$|PreTraining|EncoderModel$|: convolution$|longrope beyond/
const names = everyNth(Object.keys(FILES), 1000, (name, i, list) => isFirst(name, i, list) || SPECIAL.test(name))

for (const name of names) test(`${name}: every room has data, a picture and texts, and the check agrees`, () => (
  withRun(name, (run, made) => {
    const rooms = roomsOf(run)
    assert.ok(rooms.every(({ stage }) => stage !== 'weight_blocks'), 'its weights are in float32')
    for (const room of rooms) {
      const view = createView(run, room.id), stage = stageOf(room.stage)
      assert.ok(!findBroken(stage.data(run, view)), `${name}: ${room.id}`)
      stage.picture(run, view)
      for (const t of TEXTS) for (const part of ['name', 'title', 'what', 'try']) t(`stages.${room.words}.${part}`)
    }
    const results = recompute({ ...run, gradients: gradientsOf(made.run) })
    assert.deepEqual(results.filter(({ errorRatio }) => errorRatio > 1), [])
    const outputs = new Set(run.steps.flatMap(({ outputs: all }) => Object.values(all)))
    const skipped = results.filter(({ part, name: own, difference, op }) => (
      part === 'value' && difference === null && outputs.has(own) && op !== 'dropout'))
    assert.deepEqual(new Set(skipped.map(({ op }) => op).filter(op => !['norm', 'amax'].includes(op))), new Set())
  }, { maxNewTokens: /longrope/.test(name) ? 16 : 3 })))

test('a GGUF file whose matrices stay in blocks: rooms, numbers and check are those of any model', () => {
  const file = ggufOf(name => (name === 'blk.0.attn_v' ? 'Q6_K' : 'Q4_K'))
  return withRun('', (run, { exportable, run: made }) => {
    assert.equal(exportable.model.stateDict()['embed_tokens.weight'].dtype, 'q4_k')
    for (const { id } of roomsOf(run)) assert.ok(!findBroken(loadStageData(run, made, id)), id)
    const results = recompute({ ...run, gradients: gradientsOf(made) })
    assert.ok(results.length > 40, `${results.length}`)
    assert.deepEqual(results.filter(({ errorRatio }) => errorRatio > 1), [])
    const { inputs: { x, weight }, outputs: { out } } = run.steps.find(({ inputs: all }) => all.weight?.endsWith('o_proj.weight'))
    const heads = headContributions(gf, made, { x, weight, heads: 4 }), sums = getTensor(run, out).data
    const total = i => heads.reduce((all, { values }) => all + values[i], 0)
    sums.forEach((sum, i) => assert.ok(Math.abs(total(i) - sum) < 1e-5))
    const table = Object.keys(exportable.model.stateDict())[0], [name] = made.names.filter(own => own.endsWith(table))
    const [first] = nearest(gf, made, { name, index: [7, 0], table: name })
    assert.ok(first.row === 7 && Math.abs(first.cosine - 1) < 1e-5, 'a row of the table is the nearest to itself')
  }, {}, { 'model.gguf': file })
})

/** The ids of the rooms with some texts. */
const roomsWith = (run, words) => roomsOf(run).filter(room => room.words === words).map(({ id }) => id)

test('a mixture of experts: probabilities, chosen experts, and the tokens of each', () => withRun('mixtral: experts', run => {
  const [id] = roomsWith(run, 'experts'), { router, weights, choices } = stageData(run, id)
  choices.forEach(({ token, experts }, row) => {
    assert.equal(token, withPositions(run.streams.text.tokens[0])[row])
    const probabilities = [...router.values.subarray(row * router.cols, (row + 1) * router.cols)]
    const order = probabilities.map((_, i) => i).sort((a, b) => probabilities[b] - probabilities[a])
    assert.deepEqual(experts.map(({ expert }) => expert), order.slice(0, experts.length))
    assert.ok(Math.abs(experts.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-6)
  })
  assert.equal(weights.rows, router.rows)
  const selected = roomsOf(run).filter(({ words, expert, layer }) => (
    words === 'selected' && expert !== undefined && layer === 0))
  assert.ok(selected.length > 1)
  for (const { id: room, expert } of selected) {
    const own = choices.filter(({ experts }) => experts.some(choice => choice.expert === expert))
    const tokens = own.map(({ token }) => token)
    assert.deepEqual(stageData(run, room).out.rowLabels, tokens, `expert ${expert}`)
  }
  const sums = roomsWith(run, 'scattered')
  assert.deepEqual(stageData(run, sums[0]).out.rowLabels, withPositions(run.streams.text.tokens[0]))
}))

test('rooms of another selection are made anew, although every shape is the same', async () => {
  const opened = await openModel(FILES['mixtral: experts']())
  let last = null
  for (const beginning of ['3 1 4 1 5 2', '2 5 1 4 1 3', '9 8 7 6 5 4']) {
    const made = RUNS.own(gf, { beginning, maxNewTokens: 2 }, [], [opened])
    last = readRun(messageOf(gf, made, { signature: last?.signature }), last)
    for (const { id } of roomsOf(last).filter(({ words, expert }) => words === 'selected' && expert !== undefined)) {
      const { out, matrices: [before] } = stageData(last, id), rows = before.values
      out.rowLabels.forEach((label, row) => {
        const own = out.values.subarray(row * out.cols, (row + 1) * out.cols)
        const isLabeled = before.rowLabels.some((token, i) => token === label &&
          own.every((value, col) => value === rows[i * before.cols + col]))
        assert.ok(isLabeled, `${beginning}: ${id} ${label}`)
      })
    }
    made.run.dispose()
  }
  opened.model.dispose()
})

test('a window hides what lies further back, ALiBi adds its bias, and each has its texts', async () => {
  await withRun('mistral: window', (run, { exportable: { model } }) => {
    const [id] = roomsWith(run, 'windowCausal'), { after } = stageData(run, id), { window } = model.description.layers[0]
    after.values.forEach((value, at) => {
      const [i, j] = [Math.floor(at / after.cols), at % after.cols]
      assert.equal(value === -Infinity, j > i || i - j >= window)
    })
  })
  await withRun('bloom: heads 3', run => {
    const [table] = roomsWith(run, 'alibiBias'), ids = roomsOf(run).map(({ id }) => id)
    assert.equal(roomsWith(run, 'alibiBias').length, 1)
    for (const head of [0, 2]) {
      const bias = stageData(run, table, { head }).out
      for (const id of roomsWith(run, 'alibi')) {
        assert.ok(ids.indexOf(table) < ids.indexOf(id))
        const { before, after } = stageData(run, id, { head })
        after.values.forEach((value, at) => {
          const isLater = at % after.cols > Math.floor(at / after.cols)
          assert.equal(value, isLater ? -Infinity : Math.fround(before.values[at] + bias.values[at]))
        })
      }
    }
  })
})

test('query and key norms are between the projections and the rotation, head by head', () => withRun('qwen3: norms', run => {
  const own = roomsOf(run).filter(({ id }) => id.startsWith('0.self_attn.')).map(({ words }) => words)
  assert.deepEqual(own.slice(0, 4), ['qkv', 'qkNorm', 'qkNorm', 'rotary'])
  const [id] = roomsWith(run, 'qkNorm'), rotary = roomsWith(run, 'rotary')[0]
  for (const head of [0, 1]) {
    const { after } = stageData(run, id, { head }), { before } = stageData(run, rotary, { head, part: 'q' })
    assert.deepEqual([...after.values], [...before.values])
    assert.deepEqual(after.rowLabels, withPositions(run.streams.text.tokens[0]))
  }
}))

test('a soft cap is a curve, and no score is beyond it', () => withRun('gemma2: caps', (run, { exportable: { model } }) => {
  const caps = roomsOf(run).filter(({ words }) => words === 'softCap')
  assert.ok(caps.every(({ stage, parts }) => stage === 'activation' && parts.kind === 'tanh'))
  const { attentionSoftCap, logitSoftCap, layers } = model.description
  assert.equal(caps.length, layers.length + Number(Boolean(logitSoftCap)))
  assert.ok(attentionSoftCap > 0)
}))

/** A row of a matrix. */
const rowOf = ({ values, cols }, row) => values.subarray(row * cols, (row + 1) * cols)
/** What the answer of a head must be, from the model's own outputs. */
const largest = values => values.indexOf(values.reduce((max, value) => Math.max(max, value), -Infinity))

test('a classification head answers with its most probable label, where the answer stands', () => (
  withRun('bert: SequenceClassification', (run, _, { model }) => {
    const { logits } = gf.tidy(() => ({ logits: [...model.forward([TEXT.split(' ').map(Number)]).logits.values] }))
    const [id] = roomsWith(run, 'labels'), { after } = stageData(run, id), labels = model.labels ?? after.colLabels
    assert.deepEqual(after.colLabels, [...labels])
    assert.ok(Math.abs(after.values.reduce((sum, value) => sum + value, 0) - 1) < 1e-6)
    assert.ok(run.classification.text.startsWith(`${labels[largest(logits)]} (0.`), run.classification.text)
    const floors = stageOf('house').data(run, createView(run, 'house')).towers.flatMap(({ floors: all }) => all)
    assert.deepEqual(floors.at(-1).tokens, run.classification.items)
    assert.ok(floors.at(-1).isAnswer)
    assert.equal(run.decoding, undefined)
  })))

test('token labels, spans and replaced tokens have a row or a column for each token', async () => {
  const tokens = TEXT.split(' ')
  await withRun('bert: TokenClassification', run => {
    const { after } = stageData(run, roomsWith(run, 'labels')[0])
    assert.deepEqual(after.rowLabels, withPositions(tokens))
    run.classification.items.forEach((item, row) => (
      assert.equal(item, `${tokens[row]} ${after.colLabels[largest(rowOf(after, row))]}`)))
  })
  await withRun('bert: QuestionAnswering', run => {
    const { after } = stageData(run, roomsWith(run, 'span')[0]), [start, end] = [0, 1].map(row => rowOf(after, row))
    assert.deepEqual([after.rowLabels, after.colLabels], [['start', 'end'], withPositions(tokens)])
    let best = { probability: -1 }
    start.forEach((p, first) => end.forEach((q, last) => {
      if (last >= first && p * q > best.probability) best = { probability: p * q, first, last }
    }))
    assert.deepEqual(run.classification.items, tokens.slice(best.first, best.last + 1))
  })
  await withRun('electra: ForPreTraining, embeddings of 8', run => {
    const { after } = stageData(run, roomsWith(run, 'replaced')[0])
    assert.deepEqual(after.colLabels, withPositions(tokens))
    assert.deepEqual(run.classification.items, tokens.filter((_, i) => after.values[i] >= 0.5))
  })
})

test('parallel sub-layers both write to the residual stream', () => withRun('gpt_neox: parallel', run => {
  const { streams: [{ subs }] } = roomsOf(run).find(({ stage }) => stage === 'residual_stream').parts
  assert.deepEqual(subs.map(({ layer }) => layer), [0, 0, 1, 1])
  for (const { input, change, sum } of subs) {
    const [a, b, c] = [input, change, sum].map(name => getTensor(run, name).data)
    assert.ok(c.every((value, i) => value === Math.fround(a[i] + b[i])))
  }
}))

test('a GGUF file is described and opened like a folder', async () => {
  const files = { 'tiny.gguf': new Blob(llamaGguf()) }
  const { type, problems, missing, hasTokenizer } = await importFiles(gf, files)
  assert.deepEqual([type, problems, missing, hasTokenizer], ['llama', [], [], false])
  const tokens = { 'tokenizer.ggml.tokens': ['array', ['string', ['a', 'b']]] }
  assert.equal((await importFiles(gf, { 'tiny.gguf': new Blob(llamaGguf(tokens)) })).hasTokenizer, true)
  await withRun('gguf', (run, made) => {
    assert.ok(roomsOf(run).length > 20)
    const results = recompute({ ...run, gradients: gradientsOf(made.run) })
    assert.deepEqual(results.filter(({ errorRatio }) => errorRatio > 1), [])
  }, {}, files)
})
