import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summary } from '../../web/check/dialog.js'
import { recompute } from '../../web/check/recompute.js'
import { pageRun } from '../lib/page.js'

const CLOSE = 2e-5

const check = run => recompute(run)
const worst = results => results.reduce((most, one) => Math.max(most, (one.difference ?? 0) / (1 + one.peak)), 0)

const SENTENCES = { model: 'sentences', text: 'one two three\nfour five', dModel: 8, heads: 2, maxLength: 6 }
const RUNS = {
  ...Object.fromEntries([
    { norm: 'rms' }, { positions: 'rotary' }, { positions: 'learned' }, { positions: 'none' }, { activation: 'swiglu' },
    { activation: 'relu' }, { kvHeads: 2 }, { kvHeads: 1 },
    { norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 },
    { norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 1, training: true, dropout: 0.2, scale: false }
  ].map(own => [`stories, ${JSON.stringify(own)}`, () => pageRun({ model: 'stories', target: '갔어요', ...own })])),
  'a Llama that was brought': () => pageRun({ model: 'own' }),
  'stories, drawn': () => pageRun({ model: 'stories', decoding: 'sample', seed: 3, topK: 20 }),
  'particles, two gaps': () => pageRun({ model: 'particles', gapped: '나[?] 빵[?] 먹었다', topK: 3, temperature: 0.7 }),
  'sentences': () => pageRun(SENTENCES),
  'sentences, causal, dropout, concatenated': () => pageRun({
    ...SENTENCES, causal: true, training: true, dropout: 0.3, positions: 'concatenated', base: 100
  }),
  'the translator': () => pageRun({}),
  'a random one, norm first, gelu, no scale, padded': () => pageRun({
    weights: 'untrained', normFirst: true, activation: 'gelu', scale: false, padding: true, tgtIsCausal: false,
    target: '2026년', dModel: 8, heads: 2, layers: 1, dimFeedforward: 12
  }),
  'the translator, other positions': () => pageRun({
    positions: 'concatenated', base: 300
  }),
  'the translator, positions to be learned': () => pageRun({
    positions: 'learned', training: true, dropout: 0.1
  }),
  'the translator in training, every dropout on, cut and tempered': () => pageRun({
    training: true, dropout: 0.3, topK: 5, topP: 0.9, temperature: 1.7, target: '2026년 11월'
  }),
  'the translator, a score and a weight changed': () => {
    const edits = [
      { name: 'transformer.encoder.layers.0.self_attn.scores', index: [0, 1, 2, 3], value: 4 },
      { name: 'transformer.decoder.layers.0.linear1.weight', index: [3, 1], value: -2 },
      { name: 'transformer.encoder.layers.1.self_attn.dots', index: [0, 2, 4, 1], value: -3 },
      { name: 'transformer.encoder.layers.1.self_attn.weights', index: [0, 0, 40, 1], value: 9 },
      { name: 'log_probs', index: [2, 5], value: -1 }, { name: 'sampling.tempered', index: [0, 4, 7], value: 30 }
    ]
    return { ...pageRun({}, edits), edits }
  }
}

for (const [title, make] of Object.entries(RUNS)) {
  test(`${title}: every number again in double`, t => {
    const results = check(make())
    const computed = results.filter(({ difference }) => difference !== null)
    const given = results.filter(({ difference, op }) => difference === null && op !== null)
    t.diagnostic(`${computed.reduce((sum, { count }) => sum + count, 0)} numbers, at worst ${worst(results)}`)
    for (const { name, difference, peak } of computed) {
      assert.ok(difference < CLOSE * (1 + peak), `${name}: ${difference}`)
    }
    const names = given.map(({ name }) => name).join()
    assert.ok(given.every(({ name }) => name.includes('mask')), names)
    assert.deepEqual(results.filter(({ difference, op, name }) => (
      difference === null && op === null && !/weight$|bias$|dropout\.mask$/.test(name))).map(({ name }) => name), [])
    assert.ok(computed.length > 8)
  })
}

test('in training a wrong number behind a dropout is found, and a wrong loss', () => {
  const settings = { training: true, dropout: 0.2 }
  const heads = 'transformer.decoder.layers.0.self_attn.heads'
  for (const [name, at] of [[heads, 5], ['log_probs', 3], ['loss', 0], ['sampling.choice.mask', 0]]) {
    const run = pageRun({ ...settings, topK: 3 })
    run.tensors.get(name).data[at] += 0.5
    if (name === 'sampling.choice.mask') run.tensors.get(name).data.fill(0)
    assert.deepEqual(check(run).filter(({ difference }) => difference > 1e-2).map(one => one.name), [name])
    run.dispose()
  }
})

test('the summary counts apart what was given and what was drawn', () => {
  const results = [
    { name: 'a', op: 'given', count: 3, peak: 1, difference: null },
    { name: 'b', op: 'dropout', count: 4, peak: 1, difference: null },
    { name: 'c', op: 'add', count: 5, peak: 1, difference: 1e-7 },
    { name: 'd', op: 'add', count: 6, peak: 1, difference: 1 }
  ]
  const { given, drawn, count, isRight, rooms } = summary(results, () => null)
  assert.deepEqual([given, drawn, count, isRight, rooms.length], [3, 4, 11, false, 1])
})

test('a number that is wrong is found, and everything else stays right', () => {
  const run = pageRun(SENTENCES)
  run.tensors.get('self_attn.weights').data[5] += 1e-3
  const wrong = check(run).filter(({ difference }) => difference > 1e-4)
  assert.deepEqual(wrong.map(({ name }) => name), ['self_attn.weights'])
})
