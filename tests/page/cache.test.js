// The room of the cache: which models have one, and what stands in it at a step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomsOf } from '../../web/rooms/index.js'
import { withPositions } from '../lib/labels.js'
import { stageData, toPageRun, makeDetachedRun, createView } from '../lib/page.js'
import { bertFiles, openModel, t5Files } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { RUNS } from '../../web/models/runs.js'

const dates = makeDetachedRun({}), stories = makeDetachedRun({ model: 'stories', kvHeads: 2 })

/** The cells of one head's rows of keys or values, each token in its turn. */
function cellsOf(run, name, { head, kvHeads, count }) {
  const { shape: [, , C], data } = run.tensors.get(name), width = C / kvHeads
  return Array.from({ length: count }, (_, t) => [...data.slice(t * C + head * width, t * C + (head + 1) * width)])
}
const columns = ({ rows, cols, values }) => (
  Array.from({ length: cols }, (_, c) => Array.from({ length: rows }, (_, r) => values[r * cols + c])))

test('models that generate token by token have the room, once', () => {
  const cacheRooms = run => roomsOf(run).filter(({ stage }) => stage === 'cache').map(({ id }) => id)
  for (const run of [dates, stories, makeDetachedRun({ model: 'induction' }), makeDetachedRun({ model: 'text' }),
    makeDetachedRun({ model: 'own', beginning: '3 1 4' })]) {
    assert.deepEqual(cacheRooms(run), ['cache'])
  }
  for (const run of [makeDetachedRun({ model: 'particles' }), makeDetachedRun({ model: 'sentences', causal: true })]) {
    assert.deepEqual(cacheRooms(run), [])
  }
})

test('an encoder has no cache room, an encoder-decoder has one for its answer', async () => {
  const runOf = async files => toPageRun(gf, RUNS.own(gf, { beginning: 'the bird' }, [], [await openModel(files)]))
  const bert = await runOf(bertFiles()), t5 = await runOf(t5Files())
  assert.ok(roomsOf(bert).every(({ stage }) => stage !== 'cache'))
  const { layers } = roomsOf(t5).find(({ stage }) => stage === 'cache').parts
  assert.ok(layers.length && layers.every(({ k }) => k.startsWith('decoder') && k.includes('SelfAttention')))
})

test('a decoder keeps keys and values of its own text, layer by layer', () => {
  const { layers, heads } = createView(dates, 'cache').room.parts
  assert.deepEqual([layers.length, heads], [2, 4])
  layers.forEach(({ k, v }, i) => {
    assert.equal(k, `transformer.decoder.layers.${i}.self_attn.k`)
    assert.equal(v, `transformer.decoder.layers.${i}.self_attn.v`)
  })
})

test('a step displays the columns up to its token; earlier ones are unchanged', () => {
  for (const [run, more] of [[dates, { layer: 1, head: 3 }], [stories, { layer: 0, head: 3 }]]) {
    const { layers: all } = createView(run, 'cache').room.parts, { k, v, heads, kvHeads } = all[more.layer]
    const { rows } = run.decoding
    const head = Math.floor(more.head * kvHeads / heads)
    for (const [step, row] of rows.entries()) {
      const { keys, values, added, columns: maxColumns } = stageData(run, 'cache', { ...more, step }), count = row + 1
      assert.deepEqual(columns(keys), cellsOf(run, k, { head, kvHeads, count }))
      assert.deepEqual(columns(values), cellsOf(run, v, { head, kvHeads, count }))
      assert.deepEqual([added, maxColumns], [step ? 1 : rows[0] + 1, rows.at(-1) + 1])
      const tokens = withPositions((run.streams.target ?? run.streams.text).tokens[0])
      assert.deepEqual(keys.colLabels, tokens.slice(0, count))
    }
  }
})

test('without a step all columns are displayed', () => {
  const { rows } = dates.decoding
  const { keys, step, now } = stageData(dates, 'cache', {})
  assert.deepEqual([keys.cols, step, now], [rows.at(-1) + 1, rows.length - 1, -1])
})

test('a layer index beyond the model selects the last layer', () => {
  const last = stageData(dates, 'cache', { layer: 9 }).keys.name
  assert.equal(last, 'transformer.decoder.layers.1.self_attn.k')
})

test('heads that share keys and values are named together, others not', () => {
  const sharing = (run, head) => stageData(run, 'cache', { layer: 0, head }).sharing
  assert.deepEqual([0, 1, 2, 3].map(head => sharing(stories, head)),
    [[0, 1], [0, 1], [2, 3], [2, 3]].map(([first, last]) => ({ first, last, count: 2 })))
  assert.equal(sharing(dates, 1), null)
})
