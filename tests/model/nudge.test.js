// The slope of the loss by finite differences (nudges) equals the gradient, and finds a wrong one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { STEPS } from '../../web/lib/finite_difference.js'
import { finiteDifference } from '../../web/worker/finite_difference.js'
import { makeRun } from '../lib/page.js'

const [STEP] = STEPS

const [gf, other] = [await load(), await load()]
const computeWith = engine => async ({ edits, ...settings }) => makeRun(settings, edits, engine)
const [compute, computeAside] = [gf, other].map(computeWith)

const CASES = [
  [{ source: '5/6/2026' }, {
    'output': [0, 3, 9], 'transformer.decoder.norm.weight': [4], 'source_embedding.output': [0, 6, 3],
    'transformer.encoder.output': [0, 0, 12]
  }],
  [{ training: true, dropout: 0.3 }, {
    'transformer.encoder.layers.0.linear1.output': [0, 2, 18], 'output.bias': [5],
    'transformer.decoder.layers.1.multihead_attn.q': [0, 2, 20]
  }],
  [{ model: 'sentences', text: 'one two\nthree four five', dModel: 8, heads: 2 }, {
    'self_attn.v': [0, 1, 2], 'self_attn.scores': [1, 0, 2, 1]
  }]
]

test('the slope between two nudged runs is the gradient', async () => {
  for (const [settings, cells] of CASES) {
    const { run, decoding } = await compute({ ...settings, edits: [] })
    const again = { ...settings, edits: [], ...(decoding && { target: decoding.steps.map(({ id }) => id) }) }
    for (const [name, index] of Object.entries(cells)) {
      const { value } = run.explain(name, index)
      const gradient = run.explainGradient(name, index).value
      const { slope, high, low } = await finiteDifference(computeAside, again, { name, index }, value, STEP)
      const allowed = 0.02 * Math.abs(gradient) + 1e-5
      assert.ok(Math.abs(slope - gradient) < allowed, `${name}: ${slope}, ${gradient}`)
      assert.ok(Math.abs(slope - 1.1 * gradient) > allowed, `${name}: a gradient off by a tenth shows`)
      assert.ok(Math.abs(high - low - 2 * STEP * slope) < 1e-6)
    }
    run.dispose()
  }
})

test('a nudge retains other edits', async () => {
  const edits = [{ name: 'output', index: [0, 0, 4], value: 2 }]
  const usedEdits = []
  const computeAndRecord = async settings => {
    usedEdits.push(settings.edits)
    return compute(settings)
  }
  const settings = { target: [5, 3, 5, 9, 2], edits }
  await finiteDifference(computeAndRecord, settings, { name: 'output', index: [0, 1, 3] }, 1, STEP)
  assert.deepEqual(usedEdits.map(list => list.map(({ value }) => value)), [[2, 1 + STEP], [2, 1 - STEP]])
})
