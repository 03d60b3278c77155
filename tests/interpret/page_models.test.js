// gf.interpret on the runs of the page's trained models.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'

const MODELS = {
  'dates': {}, 'dates, norm first': { normFirst: true }, 'particles': { model: 'particles' },
  'stories': { model: 'stories' }, 'text': { model: 'text' },
  'stories, like a Llama': { model: 'stories', norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 }
}

for (const [name, settings] of Object.entries(MODELS)) test(`${name}: parts sum to each logit, and the lens ends with them`, () => {
  const { run } = pageRun(settings).workerRun, logits = run.tensor('output'), [, T, V] = logits.shape
  for (const position of [0, T >> 1, T - 1]) {
    for (const token of [undefined, 1]) {
      const found = gf.interpret.logitAttribution(run, { logits: 'output', position, token, bySource: true })
      const size = found.parts.reduce((sum, { value }) => sum + Math.abs(value), 0)
      assert.equal(found.total, logits.at(0, position, found.token), name)
      assert.ok(Math.abs(found.rounding) <= 2 ** -20 * size, `${name}: ${found.rounding} of ${size}`)
      const roles = new Set(found.parts.map(({ role }) => role))
      assert.ok(roles.has('embedding') && roles.has('head') && roles.has('feed_forward') && !roles.has('other'), name)
    }
  }
  const { logits: lens, names, layers } = gf.interpret.logitLens(run, { logits: 'output', positions: [T - 1] })
  const largest = Math.max(...logits.values.map(Math.abs)), last = lens.values.subarray((names.length - 1) * V)
  last.forEach((value, v) => assert.ok(Math.abs(value - logits.at(0, T - 1, v)) <= 1e-6 * largest, `${name}: ${v}`))
  assert.deepEqual(layers, names.map((_, i) => Math.floor(2 * i / names.length)), name)
  lens.dispose()
})
