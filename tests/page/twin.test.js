import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedDomain } from '../../web/lib/color.js'
import { defaults } from '../../web/models/state.js'
const DEFAULTS = defaults()
import { countSharedRows } from '../../web/twin/shared_prefix.js'
import { compareAnswers } from '../../web/twin/answers.js'
import { subtractSlices, pairSlices, withCommonScales, twinSettings } from '../../web/twin/index.js'
import { filesFor } from '../../web/models/index.js'
import { readTwin } from '../../web/twin/choice.js'
import { makeDetachedRun } from '../lib/page.js'

const part = (name, values, more) => (
  { name, axis: [0, 1], start: [0, 0], rows: 1, cols: values.length, values: Float32Array.from(values), ...more })

test('a twin is a setting of the model with another valid value', () => {
  assert.deepEqual(readTwin('scale:false', DEFAULTS), { name: 'scale', value: false, word: 'off', now: 'on' })
  assert.equal(readTwin('scale:true', DEFAULTS), null, 'the value it has')
  assert.equal(readTwin('causal:true', DEFAULTS), null, 'a setting of another model')
  assert.equal(readTwin('causal:true', defaults('sentences')).value, true)
  assert.deepEqual(readTwin('seed:43', DEFAULTS), { name: 'seed', value: 43 })
  for (const text of ['', 'seed', 'seed:many', 'constructor:1']) assert.equal(readTwin(text, DEFAULTS), null, text)
})

test('comparisons without a control: without edits, and with other weights', () => {
  const edits = [{ name: 'output', index: [0, 1, 2], value: 3 }]
  assert.equal(readTwin('edits:none', DEFAULTS), null, 'there are none')
  assert.deepEqual(readTwin('edits:none', { ...DEFAULTS, edits }).value, [])
  assert.equal(readTwin('weights:untrained', DEFAULTS).value, 'untrained')
  assert.equal(readTwin('weights:trained', defaults('sentences')), null)
})

test('exchanged parts can be compared, each with its own weights', () => {
  const state = defaults('stories')
  for (const [text, files] of [['norm:rms', 'stories_norm_rms'], ['positions:rotary', 'stories_positions_rotary'],
    ['positions:none', 'stories_positions_none'], ['activation:swiglu', 'stories_activation_swiglu'],
    ['kvHeads:1', 'stories_kv_heads_1']]) {
    const { name, value } = readTwin(text, state)
    assert.deepEqual(filesFor({ ...state, [name]: value }), [`${files}.safetensors`], text)
  }
  assert.deepEqual(filesFor(state), ['stories.safetensors'], 'nothing else is fetched')
  assert.deepEqual(filesFor({ ...state, norm: 'rms', kvHeads: 1 }), [], 'nobody has trained it')
  for (const text of ['kvHeads:3', 'positions:concatenated', 'norm:layer']) assert.equal(readTwin(text, state), null, text)
})

test('a slider can be compared, too', () => {
  assert.equal(readTwin('temperature:2', DEFAULTS).value, 2)
})

test('the second run reads the first one\'s answer, except in the decoding room', () => {
  const sizes = { dModel: 32, heads: 4, layers: 2, dimFeedforward: 64, weights: 'trained' }
  const run = { settings: sizes, decoding: { kind: 'greedy', steps: [{ id: 5 }, { id: 2 }] } }
  const setting = { name: 'weights', value: 'untrained' }
  const settings = twinSettings(run, { ...DEFAULTS, dModel: 16 }, setting, { stage: 'output' })
  assert.deepEqual([settings.target, settings.dModel, settings.weights], [[5, 2], 32, 'untrained'])
  assert.equal(twinSettings(run, DEFAULTS, setting, { stage: 'decoding' }).target, '')
  const givenRun = { ...run, decoding: { ...run.decoding, kind: 'given' } }
  assert.equal(twinSettings(givenRun, { ...DEFAULTS, target: '2026년' }, setting, { stage: 'output' }).target, '2026년')
})

test('differences are cell by cell, and equal infinities differ by 0', () => {
  const [a, two] = [part('a', [1, -Infinity, NaN, 2]), part('a', [1.5, -Infinity, NaN, -Infinity])]
  assert.deepEqual([...subtractSlices(a, two).values], [0.5, 0, 0, -Infinity])
  assert.equal(subtractSlices(a, two).name, 'a')
})

test('only matrices of equal shape are subtracted', () => {
  const hereData = { left: part('x', [1]), product: part('a', [1, 2]), after: part('b', [1]), text: 'no' }
  const two = { left: part('x', [2]), product: part('a', [3, 2]), after: part('b', [1, 2]), text: 'no' }
  assert.deepEqual(pairSlices(hereData, two, ['a', 'b']).map(({ name, part: { values } }) => [name, ...values]), [['a', 2, 0]])
})

test('decoders with different answers share a prefix', () => {
  const run = (...ids) => ({ decoding: { rows: [0] }, streams: { target: { tokens: [ids] } } })
  assert.equal(countSharedRows(run(1, 5, 3, 7), run(1, 5, 4, 7)), 2)
  assert.equal(countSharedRows(run(1, 5), run(1, 5, 4)), 2, 'one goes on')
  const rows = (values, count) => (
    { shares: part('a', values, { rows: count, cols: 1, rowLabels: [...'<25'].slice(0, count) }) })
  const [pairOfRows] = pairSlices(rows([1, 2, 3], 3), rows([1, 4], 2), ['a'], 2)
  assert.deepEqual([pairOfRows.part.rows, [...pairOfRows.part.values], pairOfRows.part.rowLabels], [2, [0, 2], ['<', '2']])
  assert.deepEqual(pairSlices(rows([1, 2, 3], 3), rows([1, 4], 2), ['a']), [])
})

test('both runs are drawn on a common scale', () => {
  const hereData = { domain: signedDomain(1), domains: { scores: signedDomain(5) }, part: 'q' }
  const two = { domain: signedDomain(3), domains: { scores: signedDomain(2) }, part: 'q' }
  const wide = { domain: signedDomain(3), domains: { scores: signedDomain(5) }, part: 'q' }
  assert.deepEqual([withCommonScales(hereData, two), withCommonScales(two, hereData)], [wide, wide])
})

/** Two runs as twins have them: the second reads the first one's answer, unless each reads its own. */
function twins(here, there, isForced) {
  const firstRun = makeDetachedRun(here), free = makeDetachedRun(there)
  if (!isForced) return [firstRun, { ...free, ownDecoding: free.decoding }]
  const target = firstRun.decoding.steps.map(({ id }) => id)
  return [firstRun, { ...makeDetachedRun({ ...there, target }), ownDecoding: free.decoding }]
}
const share = (run, step, id) => run.tensors.get('sampling.output').data[
  run.decoding.rows[step] * run.tensors.get('sampling.output').shape[2] + id]

test('answers of both: every token with its probability, and the change where both have read the same', () => {
  for (const isForced of [true, false]) {
    const [a, b] = twins({}, { positional: false }, isForced)
    const list = compareAnswers(a, b)
    const [mine, theirs] = [a.decoding.steps, b.ownDecoding.steps]
    const firstDifference = mine.findIndex(({ id }, i) => id !== theirs[i]?.id)
    assert.ok(firstDifference > 0 && firstDifference < mine.length - 1, 'the two part on the way')
    assert.deepEqual(list.map(({ here }) => here).filter(Boolean), mine.map(({ token }) => token))
    assert.deepEqual(list.map(({ there }) => there).filter(Boolean), theirs.map(({ token }) => token))
    mine.forEach(({ id }, i) => {
      assert.equal(list[i].hereProbability, share(a, i, id))
      const isKnown = isForced || i <= firstDifference
      assert.equal(list[i].change, isKnown ? share(b, i, id) - share(a, i, id) : null, `${isForced}: ${i}`)
    })
    theirs.forEach(({ id }, i) => (
      assert.equal(list[i].thereProbability, !isForced || i <= firstDifference ? share(b, i, id) : null, `${isForced}: ${i}`)))
    assert.deepEqual(list.map(item => item.isDifferent), list.map((_, i) => mine[i]?.id !== theirs[i]?.id))
  }
})

test('answers exist for gaps and stories, not where the reader types them or no model generates', () => {
  for (const [model, there] of [['particles', { positional: false }], ['stories', { edits: [] }]]) {
    const firstRun = makeDetachedRun({ model }), twinRun = makeDetachedRun({ model, ...there })
    const list = compareAnswers(firstRun, { ...twinRun, ownDecoding: twinRun.decoding })
    assert.equal(list.length, Math.max(firstRun.decoding.steps.length, twinRun.decoding.steps.length), model)
    assert.ok(list.every(({ hereProbability: hereShare }) => hereShare > 0 && hereShare <= 1), model)
  }
  for (const state of [{ target: '1999년' }, { model: 'sentences' }]) {
    const firstRun = makeDetachedRun(state)
    assert.equal(compareAnswers(firstRun, { ...firstRun, ownDecoding: firstRun.decoding }), null)
  }
})
