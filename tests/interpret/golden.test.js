// A tutorial on the page's induction model beside PyTorch (golden/interpret.py): who wrote the next token, and what
// patching does.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createInduction } from '../../src/training/models/induction/model.js'
import { gf } from '../lib/engine.js'

const read = path => readFileSync(new URL(path, import.meta.url))
const golden = JSON.parse(read('../golden/interpret.json')), { clean, corrupted, token, against } = golden
const model = createInduction(gf)
model.loadStateDict(gf.loadSafetensors(read('../../web/models/induction/induction.safetensors')).tensors)
model.eval()
const metric = { token, against }

/** Whether numbers are within a 100,000th of the largest; float32 against float64. */
function areClose(actual, expected, name) {
  const scale = Math.max(...expected.flat().map(Math.abs)), flat = actual.flat()
  expected.flat().forEach((value, i) => assert.ok(Math.abs(flat[i] - value) < 1e-5 * scale, `${name}: ${flat[i]}, ${value}`))
}

test('logits, heads and their sources, and gradient times input equal PyTorch\'s', () => {
  const run = gf.observe(() => model.forward([clean]), { modules: { model } })
  const { total, parts } = gf.interpret.logitAttribution(run, { ...metric, bySource: true })
  const heads = parts.filter(({ role }) => role === 'head')
  assert.deepEqual(heads.map(({ layer, head }) => [layer, head]), golden.heads.map(({ layer, head }) => [layer, head]))
  areClose([total], [golden.total], 'total')
  areClose(heads.map(({ value }) => value), golden.heads.map(({ value }) => value), 'heads')
  areClose(heads.map(({ sources }) => [...sources]), golden.heads.map(({ sources }) => sources), 'sources')
  const { values } = gf.interpret.inputAttribution(run, { method: 'gradientTimesInput', target: metric })
  areClose([...values], golden.gradientTimesInput, 'gradient times input')
  // The heads of layer 1 wrote the answer, from the token after the first Kara.
  const second = heads.filter(({ layer }) => layer === 1)
  for (const { sources } of second) assert.equal(sources.indexOf(Math.max(...sources)), 2)
  assert.ok(second.reduce((sum, { value }) => sum + value, 0) > golden.total)
  run.dispose()
})

test('patching of the residual stream and of heads between two texts equals PyTorch\'s', async () => {
  const texts = { model, clean: [clean], corrupted: [corrupted], metric }
  const residual = await gf.interpret.patch({ ...texts, targets: 'residual' })
  areClose([residual.clean, residual.corrupted], [golden.total, golden.corruptedTotal], 'metric')
  areClose(residual.values, golden.residual, 'residual')
  const byHead = await gf.interpret.patch({ ...texts, targets: 'heads', positions: 'all' })
  areClose(byHead.values, golden.byHead, 'heads')
  // Of the clean run the token after Kara turns the answer around, no other position.
  const turned = residual.values.map(row => row.map(value => value > 0))
  assert.deepEqual(turned, [0, 1].map(() => clean.map((_, t) => t === 2)))
})
