// The room that explains an answer: its numbers against the library and against plain loops in double precision.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_BARS, attributedName, listAnswers, nameOfToken, placeParts, sourceRows, waterfall } from '../../web/lib/attribution.js'
import { valueAt } from '../../web/lib/slice.js'
import { translator } from '../../web/lib/text.js'
import { defaultsOf } from '../../web/models/index.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { roomsOf } from '../../web/rooms/index.js'
import { attributeLogit } from '../../web/worker/attribution.js'
import { gf } from '../lib/engine.js'
import { openModel } from '../lib/imported_models.js'
import { everyNth } from '../lib/long.js'
import { stageData, makeDetachedRun, pageRun, toPageRun } from '../lib/page.js'
import { english } from '../lib/texts.js'
import { CASES as DECODERS, filesOf as decoderFiles } from '../models/family_cases.js'
import { cases, filesOf } from '../models/golden_models.js'
import { cases as ENCODERS, filesOf as encoderFiles } from '../models/hashed_weights.js'

const RUNS = Object.fromEntries(Object.entries({
  'dates': {}, 'dates, norm first': { normFirst: true }, 'dates in training': { training: true, dropout: 0.25 },
  'particles': { model: 'particles' }, 'stories': { model: 'stories' }, 'text': { model: 'text' },
  'stories, like a Llama': { model: 'stories', norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 },
  'a Llama of the reader\'s': { model: 'own' }
}).map(([name, settings]) => [name, pageRun(settings)]))
const near = (a, b, size, what) => assert.ok(Math.abs(a - b) <= size, `${what}: ${a} and ${b}`)
const sum = list => list.reduce((total, x) => total + x, 0)
const t = translator(english.page)

/** The room's data for an answer, as the page computes them. */
async function explain(run, row, isDifference) {
  const { logits, answer: { position, token }, rooms } = stageData(run, 'attribution', { row })
  const attribution = await attributeLogit(gf, run.workerRun.run, { logits, position, token, isDifference })
  const parts = placeParts(run, rooms, attribution)
  return { logits, position, attribution, parts, rooms, rows: sourceRows(run, rooms, parts) }
}

for (const [name, run] of Object.entries(RUNS)) test(
  `${name}: the parts are the library's, sum to the logit or the difference, and lead to rooms and cells`, async () => {
    const { logits } = stageData(run, 'attribution'), { values, shape: [, , V] } = run.workerRun.run.tensor(logits)
    const last = run.decoding.steps.length - 1
    for (const [row, isDifference] of [[0, false], [0, true], [last, false], [last, true]]) {
      const { position, attribution, parts, rooms, rows } = await explain(run, row, isDifference)
      const { id } = run.decoding.steps[row], own = Array.from(values.slice(position * V, (position + 1) * V))
      const others = own.filter((_, token) => token !== id), size = 2e-5 * Math.max(1, ...own.map(Math.abs))
      const expected = own[id] - (isDifference ? Math.max(...others) : 0)
      assert.equal(attribution.token, id)
      near(attribution.total, expected, 1e-12, 'total')
      near(sum(parts.map(({ value }) => value)), expected, size, 'sum')
      const library = gf.interpret.logitAttribution(run.workerRun.run, { logits, position, token: id,
        ...(isDifference && { against: attribution.against }), bySource: true })
      const read = list => list.map(({ name, value }) => [name, value])
      assert.deepEqual(read(parts), read(library.parts))
      for (const part of parts) {
        assert.ok(part.room && rooms.includes(part.room), `${part.name} has no room`)
        assert.match(attributedName(part, t), /\w/)
        if (!part.cell) assert.equal(part.role, 'position')
        else assert.equal(valueAt(run.tensors.get(part.tensor), part.cell),
          run.workerRun.run.tensor(part.name).at(...part.cell))
      }
      assert.equal(new Set(parts.map(part => attributedName(part, t))).size, parts.length, 'names differ')
      const heads = parts.filter(({ role }) => role === 'head')
      near(sum(rows.flatMap(row => row.values)), sum(heads.map(({ value }) => value)), size, 'tokens')
      for (const { tokens, values } of rows) assert.equal(tokens.length, values.length)
    }
  })

for (const isBySize of [false, true]) for (const isFolded of [false, true]) test(
  `the bars ${isBySize ? 'by size' : 'as computed'}${isFolded ? ', folded,' : ''} add up from 0 to the logit`, async () => {
    const { attribution: { total }, parts } = await explain(RUNS.dates, 5, false)
    const bars = waterfall(parts, { isBySize, isFolded })
    assert.equal(bars.length, isFolded ? MAX_BARS + 1 : parts.length)
    assert.equal(sum(bars.map(({ count }) => count)), parts.length)
    bars.forEach(({ from, to, value }, i) => {
      assert.equal(from, i ? bars[i - 1].to : 0)
      near(to - from, value, 1e-12, 'length')
    })
    near(bars.at(-1).to, total, 1e-5, 'end')
    const listed = bars.filter(({ part }) => part).map(({ part }) => part)
    const min = Math.min(...listed.map(({ value }) => Math.abs(value)))
    assert.ok(parts.every(part => listed.includes(part) || Math.abs(part.value) <= min))
    const order = (a, b) => (
      isBySize ? Math.abs(b.value) - Math.abs(a.value) : parts.indexOf(a) - parts.indexOf(b))
    assert.deepEqual(listed, [...listed].sort(order))
  })

test('what a head took from a token is its weight times what the token\'s value vector counts for', async () => {
  const run = RUNS['stories, like a Llama'], row = 2
  const { logits, position, parts, rooms } = await explain(run, row, false), { run: workerRun } = run.workerRun
  const read = name => workerRun.tensor(name), { id: token } = run.decoding.steps[row]
  const library = gf.interpret.logitAttribution(workerRun, { logits, position, token })
  for (const part of parts.filter(({ role }) => role === 'head')) {
    const { parts: { weights, v, heads, kvHeads } } = rooms.find(({ stage, parts: { out } }) => (
      stage === 'weights' && out === part.tensor))
    const { direction } = library.parts.find(({ name, head }) => name === part.name && head === part.head)
    const T = read(weights).shape[3], { shape, values } = read(v), D = direction.length
    const kv = Math.floor(part.head / (heads / kvHeads))
    part.sources.forEach((value, k) => {
      const start = shape.length === 4 ? (kv * T + k) * D : k * shape[2] + kv * D
      const all = sum(Array.from(direction, (factor, d) => factor * values[start + d]))
      near(value, read(weights).at(0, part.head, position, k) * all, 1e-9, `${part.name} ${part.head} ${k}`)
    })
    assert.ok(part.sources.slice(position + 1).every(value => value === 0))
  }
})

test('the room comes before the other rooms about the whole model; a model without an answer has none', () => {
  for (const run of Object.values(RUNS)) {
    const stages = roomsOf(run).map(({ stage }) => stage)
    const [first, second, third] = stages.slice(stages.indexOf('attribution'))
    assert.deepEqual([first, second === 'patching' ? third : second], ['attribution', 'ablation'])
  }
  assert.ok(!roomsOf(makeDetachedRun({ model: 'sentences' })).some(({ stage }) => stage === 'attribution'))
})

test('a changed number is a part of its own', async () => {
  const [{ name, index }] = stageData(RUNS.stories, 'ablation').parts.filter(({ kind }) => kind === 'sub')[1].edits
  const run = pageRun({ model: 'stories' }, [{ name, index: [0, 3, 0], value: 4 }])
  assert.equal(index.length, 3)
  const { parts, attribution: { total } } = await explain(run, 0, false)
  assert.ok(parts.some(({ role }) => role === 'edit'))
  near(sum(parts.map(({ value }) => value)), total, 1e-5, 'sum')
  run.dispose()
})

/** Imported models that generate, of every family, and those with a classification head. */
const IMPORTED = [
  ...['gpt2', 'marian', 't5', 'llama'].map(type => cases(type)[0]).map(item => [item.name, () => filesOf(item)]),
  ...everyNth(DECODERS, 4).map(item => [item.name, () => decoderFiles(item)]),
  ...ENCODERS.filter(({ name }) => /Sequence|TokenC|Question|ForPre/.test(name)).map(item => [item.name, () => encoderFiles(item)])
]
for (const [name, files] of IMPORTED) test(`${name}: the parts of an answer sum to its score`, async () => {
  const one = runOwn(gf, { ...defaultsOf('own'), beginning: '3 1 4 1 2' }, [], [await openModel(files())])
  const run = { ...toPageRun(gf, one), workerRun: one }, { logits } = stageData(run, 'attribution')
  const { values, shape } = one.run.tensor(logits), V = shape.at(-1), answers = listAnswers(run, logits)
  assert.equal(answers.length, one.decoding?.rows.length ?? (shape.length === 3 ? shape[1] : 1))
  for (const row of answers.keys()) {
    const { parts, attribution: { total, token }, position } = await explain(run, row, false)
    assert.notEqual(nameOfToken(run, logits, token), '')
    near(total, values[position * V + token], 0, 'score')
    near(sum(parts.map(({ value }) => value)), total, 2e-5 * Math.max(1, Math.abs(total)), 'sum')
    assert.ok(parts.length > 3, `${parts.length} parts`)
    for (const part of parts) assert.ok(part.room, `${part.name} (${part.role}) has no room`)
  }
  one.run.dispose()
})
