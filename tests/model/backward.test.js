// Explanations of gradients on the page: following their links leads from any weight to the loss.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetOf } from '../../src/js/tensor/shape.js'
import { hasCell } from '../../web/lib/run.js'
import { explainCell, firstUse } from '../../web/worker/queries.js'
import { STEPS } from '../../web/lib/finite_difference.js'
import { getTensor } from '../../web/lib/run.js'
import { valueAt } from '../../web/lib/slice.js'
import { finiteDifference } from '../../web/worker/finite_difference.js'
import { everyNth } from '../lib/long.js'
import { makeRun, pageRun } from '../lib/page.js'

const SMALL = {
  weights: 'untrained', source: '3 may 1999', target: '1999년 5월', layers: 1, dModel: 8, heads: 2, dimFeedforward: 12,
  normFirst: true, activation: 'gelu', padding: true, tgtIsCausal: false, dropout: 0.25, training: true
}
const RUNS = [['the trained model', { target: '2026년 11월 20일' }], ['an untrained model with all settings changed', SMALL]]
/** A decoder with the parts of newer models. */
const LLAMA = {
  model: 'stories', norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2, beginning: 'Mina',
  target: ' has a red cat.'
}
const MAX_STEPS = 200

const formatCell = ({ name, index, isGradient }) => `${isGradient ? '∂' : ''}${name}[${index}]`

/** Gradients by run and name, each computed once. @type {WeakMap<object, Map<string, any>>} */
const gradients = new WeakMap()

/** A value of a gradient, read from memory and not from an explanation. */
function gradientAt(run, name, index) {
  const byName = gradients.get(run) ?? new Map()
  gradients.set(run, byName)
  if (!byName.has(name)) byName.set(name, run.gradient(name))
  return byName.get(name)[offsetOf(getTensor(run, name).shape, index)]
}

/** Asserts that every link of an explanation leads to an existing cell of the run and has its value. */
function checkLinks(run, cell, { terms, sources }) {
  const linked = terms.flatMap(({ factors }) => factors).filter(({ source }) => source)
  for (const source of [...sources, ...linked.map(factor => factor.source)]) {
    assert.ok(hasCell(run, source), `${formatCell(cell)} leads to ${formatCell(source)}`)
  }
  for (const { source, value } of linked) {
    const { name, index, isGradient } = source
    const stored = isGradient ? gradientAt(run, name, index) : valueAt(getTensor(run, name), index)
    assert.ok(Object.is(value, stored), `${formatCell(cell)} shows ${value} for ${formatCell(source)}, ${stored}`)
  }
}

/** The path from a cell along the links that `next` finds in explanations, until it finds none. */
function walk(run, start, next) {
  const path = [start]
  while (path.length < MAX_STEPS) {
    const cell = path.at(-1)
    const explanation = explainCell(run.workerRun, cell)
    assert.ok(explanation && !explanation.missingReason, `${formatCell(cell)} is not explained`)
    checkLinks(run, cell, explanation)
    const nextCell = next(explanation)
    if (!nextCell) return path
    path.push(nextCell)
  }
  assert.fail(`${formatCell(start)}: ${MAX_STEPS} steps and no end`)
}

const firstGradient = ({ terms }) => terms.flatMap(({ factors }) => factors)
  .map(({ source }) => source).find(source => source?.isGradient)

for (const [title, settings] of RUNS) {
  test(`following the first gradient of each explanation leads from a weight to the loss: ${title}`, () => {
    const run = pageRun(settings)
    const starts = [
      ['transformer.encoder.layers.0.linear2.weight', [3, 5]],
      ['transformer.encoder.layers.0.self_attn.in_proj_bias', [2]],
      ['transformer.decoder.layers.0.norm1.weight', [1]], ['source_embedding.output', [0, 1, 2]], ['output', [0, 4, 8]]
    ]
    for (const [name, index] of starts) {
      const path = walk(run, { name, index, isGradient: true }, firstGradient)
      assert.equal(formatCell(path.at(-1)), '∂loss[]', path.map(formatCell).join(' '))
      assert.equal(formatCell(path.at(-2)), `∂output[${path.at(-2).index}]`, 'the logits are the last step before it')
    }
    run.dispose()
  })
}

for (const [title, settings] of [
  ...RUNS, ['like a Llama', LLAMA], ['like a Llama, in training', { ...LLAMA, training: true, dropout: 0.2, kvHeads: 1 }]
]) {
  test(`every source of every tensor exists, forward and backward: ${title}`, () => {
    const run = pageRun(settings)
    for (const [name, { shape }] of everyNth([...run.tensors], 3)) {
      for (const index of [shape.map(() => 0), shape.map(side => side - 1), shape.map(side => side >> 1)]) {
        for (const cell of [{ name, index }, { name, index, isGradient: true }]) {
          const explanation = explainCell(run.workerRun, cell)
          if (explanation && !explanation.missingReason) checkLinks(run, cell, explanation)
          for (const feed of explanation?.users ?? []) assert.ok(getTensor(run, feed), `${name} feeds ${feed}`)
        }
      }
    }
    run.dispose()
  })
}

test('like a Llama: the gradients of all parts equal slopes of the loss', async () => {
  const run = pageRun(LLAMA)
  const cells = [
    ['decoder.layers.0.self_attn.in_proj_weight', [45, 7]], ['decoder.layers.0.self_attn.in_proj_weight', [70, 3]],
    ['decoder.layers.0.self_attn.q', [0, 1, 4]], ['decoder.layers.1.norm1.weight', [3]],
    ['decoder.layers.1.linear1.weight', [5, 6]], ['decoder.layers.1.linear3.weight', [5, 6]],
    ['decoder.norm.weight', [9]]
  ].map(([name, index]) => {
    const { value, computed } = run.explainGradient(name, index)
    assert.ok(Math.abs(value - computed) < 1e-5 * (1 + Math.abs(value)), `${name}: ${value} ${computed}`)
    return { name, index, gradient: value, value: valueAt(getTensor(run, name), index) }
  })
  run.dispose()
  for (const { name, index, gradient, value } of cells) {
    const compute = async ({ edits, ...settings }) => makeRun(settings, edits)
    const { slope } = await finiteDifference(compute, { ...LLAMA, edits: [] }, { name, index }, value, STEPS[0])
    assert.ok(Math.abs(slope - gradient) < 0.03 * Math.abs(gradient) + 2e-4, `${name}: ${slope} ${gradient}`)
  }
})

test('the gradient of the logits is softmax minus the target, divided by the number of rows', () => {
  const run = pageRun(RUNS[0][1])
  const rows = run.streams.target.ids[0].length
  const answer = run.decoding.steps[4].id
  for (const id of [answer, answer === 8 ? 9 : 8]) {
    const { value, formula, terms, steps } = run.explainGradient('output', [0, 4, id])
    assert.equal(formula, 'dlogits[v] = dloss × (p[v] − share[v]) / rows')
    assert.equal(terms.length, 1)
    const [dloss, logProb, share, divisor] = terms[0].factors
    assert.deepEqual([dloss.value, share.value, divisor.value], [1, id === answer ? 1 : 0, rows])
    assert.deepEqual(logProb.source, { name: 'log_probs', index: [4, id] })
    const p = Math.exp(valueAt(run.tensors.get('log_probs'), [4, id]))
    assert.deepEqual(steps, [{ label: 'p', value: p }])
    assert.ok(Math.abs(value - (p - share.value) / rows) < 1e-8)
    const { value: logProbGradient } = run.explainGradient('log_probs', [4, id])
    assert.equal(logProbGradient, id === answer ? Math.fround(-1 / rows) : 0)
  }
  assert.equal(run.explainGradient('loss', []).value, 1)
  assert.equal(valueAt(getTensor(run, 'loss'), []), run.loss)
  assert.ok(explainCell(run.workerRun, { name: 'output', index: [0, 4, answer] }).users.includes('log_probs'))
  assert.deepEqual(explainCell(run.workerRun, { name: 'log_probs', index: [4, answer] }).users, ['loss'])
  const lossExplanation = run.explain('loss', [])
  assert.ok(lossExplanation.sources.every(({ name }) => name === 'log_probs') && lossExplanation.terms.length === rows)
  run.dispose()
})

test('a cell without a gradient has a reason; the dot products have a gradient, which leads to the scores', async () => {
  const run = pageRun(SMALL)
  const reasonOf = name => explainCell(run.workerRun,
    { name, index: getTensor(run, name).shape.map(() => 0), isGradient: true }).missingReason
  const layer = 'transformer.encoder.layers.0.self_attn'
  for (const name of ['sampling.probabilities', 'sampling.output', 'sampling.choice.mask', 'sampling.tempered',
    `${layer}.dropout.output`]) {
    assert.equal(reasonOf(name), 'notInLoss', name)
  }
  for (const name of ['positions.pe', 'positions.dropout.mask', `${layer}.dropout.mask`]) assert.equal(reasonOf(name),
    'notTrained', name)
  for (const name of ['output', 'log_probs', 'loss', `${layer}.dots`]) assert.equal(reasonOf(name), undefined, name)
  const cell = { name: `${layer}.dots`, index: [0, 1, 2, 3] }
  assert.deepEqual(explainCell(run.workerRun, cell).users, [`${layer}.scores`])
  assert.deepEqual(firstUse(run.workerRun.run, cell, `${layer}.scores`), { ...cell, name: `${layer}.scores` })
  const { value } = run.explainGradient(`${layer}.scores`, cell.index)
  const { slope } = await finiteDifference(({ edits, ...settings }) => makeRun(settings, edits),
    { ...SMALL, edits: [] }, cell, valueAt(getTensor(run, cell.name), cell.index), STEPS[0])
  const dotsGradient = run.explainGradient(cell.name, cell.index).value
  assert.equal(dotsGradient, Math.fround(value * Math.fround(1 / Math.sqrt(4))))
  assert.ok(Math.abs(slope - dotsGradient) < 0.02 * Math.abs(dotsGradient), `nudged ${slope}, ${dotsGradient}`)
  assert.ok(Object.is(run.gradient(cell.name)[offsetOf(getTensor(run, cell.name).shape, cell.index)], dotsGradient))
  run.dispose()
})
