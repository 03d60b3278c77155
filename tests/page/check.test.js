import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { runPipeline } from '../../src/js/pipeline.js'
import { recompute } from '../../web/check/recompute.js'
import { recipes } from '../../web/glass.js'
import { runTranslation } from '../../web/model/run.js'

const file = (path) => readFile(new URL(`../../${path}`, import.meta.url))
const gf = await load({ wasm: await file('dist/glassformer.wasm') })
const weights = new Uint8Array(await file('web/model/date_translator.safetensors'))
const CLOSE = 2e-5

const check = (run) => recompute(run, recipes(run, [...run.tensors.keys()]))
const worst = (results) => results.reduce((most, one) => Math.max(most, (one.difference ?? 0) / (1 + one.peak)), 0)

const SENTENCES = { texts: ['one two three', 'four five'], dModel: 8, heads: 2, maxLength: 6 }
const RUNS = {
  sentences: () => runPipeline(gf, SENTENCES),
  'sentences, causal, dropout, concatenated': () => runPipeline(gf, {
    ...SENTENCES, causal: true, training: true, dropout: 0.3, positions: 'concatenated', base: 100
  }),
  'the translator': () => runTranslation(gf, { model: 'trained' }, [], weights),
  'a random one, norm first, gelu, no scale, padded': () => runTranslation(gf, {
    model: 'untrained', normFirst: true, activation: 'gelu', scale: false, padding: true, target: '2026년', dModel: 8,
    heads: 2, layers: 1, dimFeedforward: 12
  }),
  'the translator, a score and a weight changed': () => {
    const edits = [
      { name: 'transformer.encoder.layers.0.self_attn.scores', index: [0, 1, 2, 3], value: 4 },
      { name: 'transformer.decoder.layers.0.linear1.weight', index: [3, 1], value: -2 }
    ]
    return { ...runTranslation(gf, { model: 'trained' }, edits, weights), edits }
  }
}

for (const [title, make] of Object.entries(RUNS)) {
  test(`${title}: every number again in double`, (t) => {
    const results = check(make())
    const computed = results.filter(({ difference }) => difference !== null)
    const given = results.filter(({ difference, op }) => difference === null && op !== 'given')
    t.diagnostic(`${computed.reduce((sum, { count }) => sum + count, 0)} numbers, at worst ${worst(results)}`)
    for (const { name, difference, peak } of computed) assert.ok(difference < CLOSE * (1 + peak), `${name}: ${difference}`)
    assert.ok(given.every(({ op }) => ['dropout', 'cross_entropy'].includes(op)), given.map(({ name }) => name).join())
    assert.ok(computed.length > 8)
  })
}

test('a number that is wrong is found, and everything else stays right', () => {
  const run = runPipeline(gf, SENTENCES)
  run.tensors.get('self_attn.weights').data[5] += 1e-3
  const wrong = check(run).filter(({ difference }) => difference > 1e-4)
  assert.deepEqual(wrong.map(({ name }) => name), ['self_attn.weights'])
})
