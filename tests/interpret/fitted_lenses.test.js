// Tuned and Jacobian lenses: divergences in float64, Jacobians by differences, and models for which both are exact.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { CASES, filesOf } from '../models/family_cases.js'
import { ownModels } from './models.js'

const { tunedLens, jacobianLens, logitLens } = gf.interpret
const observe = ({ model, forward }, ids) => gf.observe(() => forward(ids), { modules: { model } })
const own = name => ownModels().find(model => model.name === name)
const OTHER = [[2, 7, 1, 8], [2, 8, 1, 8]]

/** The mean Kullback-Leibler divergence of rows of logits from others, in float64. */
function divergence(logits, from) {
  const logProbs = row => {
    const max = Math.max(...row), sum = Math.log(row.reduce((all, v) => all + Math.exp(v - max), 0)) + max
    return row.map(v => v - sum)
  }
  const sums = from.map((row, i) => {
    const [p, q] = [row, logits[i]].map(logProbs)
    return p.reduce((sum, v, j) => sum + Math.exp(v) * (v - q[j]), 0)
  })
  return sums.reduce((a, b) => a + b, 0) / sums.length
}

/** The logits of a lens of all rows of a batch. */
function readAll(read, run, B) {
  const parts = Array.from({ length: B }, (_, row) => {
    const { logits } = read(run, { row }), values = logits.toArray()
    logits.dispose()
    return values
  })
  return parts[0].map((_, n) => parts.flatMap(part => part[n]))
}

/** A stream whose sub-layers are linear: x + A x. */
class Linear extends gf.nn.Module {
  constructor(bias) {
    super()
    this.table = new gf.nn.Embedding(11, 6)
    this.layers = new gf.nn.ModuleList([1, 2].map(() => new gf.nn.Linear(6, 6, { bias })))
    this.head = new gf.nn.Linear(6, 11)
  }

  forward(ids) {
    let x = this.table(ids)
    for (const layer of this.layers) x = x.add(layer(x))
    return this.head(x)
  }
}

for (const name of ['pre-norm', 'post-norm', 'heads first']) test(`${name}: the tuned lens comes closer to the model`, async () => {
  const item = own(name), runs = [observe(item), observe(item, OTHER)]
  const before = item.model.parameters().map(p => p.toArray())
  const lens = await tunedLens(runs, { steps: 60, lr: 0.01 })
  const end = runs.map(run => run.tensor(run.end).toArray().flat())
  const measure = read => {
    const all = runs.map(run => readAll(read, run, 2))
    return all[0].map((_, n) => divergence(all.flatMap(points => points[n]), end.flat()))
  }
  const plain = measure(logitLens), tuned = measure((run, options) => lens.read(run, options))
  lens.losses.forEach(({ before: first, after }, n) => {
    assert.ok(Math.abs(first - plain[n]) < 1e-5 * Math.max(1, plain[n]), `${n}: ${first}, ${plain[n]}`)
    assert.ok(Math.abs(after - tuned[n]) < 1e-5 * Math.max(1, tuned[n]), `${n}: ${after}, ${tuned[n]}`)
    assert.ok(after < 0.7 * first, `${n}: ${first} to ${after}`)
  })
  assert.ok(Math.abs(tuned.at(-1)) < 1e-6)
  const { names, layers } = logitLens(runs[0]), read = lens.read(runs[0], { positions: [-1] })
  assert.deepEqual([read.names, read.layers, [...read.logits.shape]], [names, layers, [names.length, 1, 11]])
  assert.equal(lens.translators.length, names.length - 1)
  assert.deepEqual(item.model.parameters().map(p => p.toArray()), before)
  assert.ok(item.model.parameters().every(p => p.grad === null && p.requiresGrad))
  lens.dispose()
  for (const run of runs) run.dispose()
})

test('linear sub-layers: the tuned lens finds the model, and the Jacobian lens is exact', async () => {
  gf.manualSeed(6)
  for (const bias of [true, false]) {
    const model = new Linear(bias), run = gf.observe(() => model([[3, 1, 4, 1, 5, 9, 2, 6]]), { modules: { model } })
    const tuned = await tunedLens(run, { steps: 600, lr: 0.02 })
    assert.ok(tuned.losses.every(({ before, after }) => before > 1e-3 && after < 1e-4), JSON.stringify(tuned.losses))
    tuned.dispose()
    const lens = await jacobianLens(run), [{ weight }] = lens.translators, expected = model.layers[1].weight.toArray()
    weight.toArray().forEach((row, i) => row.forEach((value, j) => (
      assert.ok(Math.abs(value - expected[i][j] - Number(i === j)) < 1e-6))))
    const [end] = run.tensor(run.end).toArray(), found = readAll((...args) => lens.read(...args), run, 1)
    if (!bias) found.forEach(rows => assert.ok(divergence(rows, end) < 1e-6))
    lens.dispose()
    run.dispose()
  }
})

test('the Jacobian equals differences of runs with a changed stream', async () => {
  const item = own('pre-norm'), { model, forward } = item, runs = [observe(item), observe(item, OTHER)]
  const lens = await jacobianLens(runs), C = 12, h = 1e-2
  const at = lens.names.indexOf('model.layers.0.output'), { weight } = lens.translators[at], jacobian = weight.toArray()
  /** The last point, summed over rows and positions of both texts, with a channel of the stream changed. */
  const endOf = delta => {
    let sums
    const handles = [
      model.layers[0].registerForwardHook((_, __, out) => out.add(delta)),
      model.layers[1].registerForwardHook((_, __, out) => {
        const own = out.sum([0, 1]).toArray()
        sums = sums.map((sum, c) => sum + own[c])
      })
    ]
    sums = Array(C).fill(0)
    gf.tidy(() => gf.noGrad(() => [undefined, OTHER].forEach(ids => forward(ids))))
    for (const handle of handles) handle.remove()
    return sums
  }
  for (let i = 0; i < C; i++) {
    const delta = step => gf.tensor(Array.from({ length: C }, (_, c) => (c === i ? step : 0)))
    const [more, less] = [h, -h].map(step => endOf(delta(step)))
    jacobian.forEach((row, c) => {
      const expected = (more[c] - less[c]) / (2 * h) / 16
      assert.ok(Math.abs(row[i] - expected) < 2e-3, `${c}, ${i}: ${row[i]}, ${expected}`)
    })
  }
  lens.dispose()
  for (const run of runs) run.dispose()
})

test('both read an imported model whose weights are not trained', async () => {
  const item = CASES.find(({ name }) => name === 'llama: biases')
  const { model } = await gf.models.load(filesOf(item))
  const run = gf.observe(() => model.forward(item.ids).logits, { modules: { model } })
  for (const lens of [await tunedLens(run, { steps: 40, lr: 0.01 }), await jacobianLens([run])]) {
    const found = readAll((...args) => lens.read(...args), run, 1)
    assert.ok(Math.abs(divergence(found.at(-1), run.tensor(run.end).toArray()[0])) < 1e-6)
    lens.losses?.forEach(({ before, after }) => assert.ok(after < before))
    assert.ok(found.flat(2).every(Number.isFinite))
    lens.dispose()
  }
  run.dispose()
  model.dispose()
})

test('a fit shows its progress, and one that is aborted leaves nothing', async () => {
  const item = own('pre-norm'), run = observe(item), before = gf.memory().tensors
  for (const fitLens of [tunedLens, jacobianLens]) {
    const seen = [], options = fitLens === tunedLens ? { steps: 40 } : {}
    const lens = await fitLens(run, { ...options, onProgress: fraction => seen.push(fraction) })
    assert.ok(seen.every((fraction, i) => fraction > (seen[i - 1] ?? 0)) && seen.at(-1) === 1, String(seen))
    lens.dispose()
    assert.equal(gf.memory().tensors, before)
    const controller = new AbortController(), stop = () => controller.abort(new Error('enough'))
    await assert.rejects(fitLens(run, { ...options, signal: controller.signal, onProgress: stop }), /enough/)
    assert.equal(gf.memory().tensors, before)
    assert.ok(item.model.parameters().every(p => p.grad === null && p.requiresGrad))
  }
  run.dispose()
})

test('says what is wrong', async () => {
  const item = own('pre-norm'), run = observe(item), other = observe(own('post-norm'))
  const lens = await jacobianLens(run)
  for (const [fn, code, message] of [
    [() => tunedLens([]), 'type', /tunedLens: runs must be runs of a model, got/],
    [() => jacobianLens({}), 'type', /run must be a Run/],
    [() => tunedLens([run, other]), 'state', /all runs must have the same points/],
    [() => tunedLens(run, { steps: -1 }), 'range', /steps must be/],
    [() => tunedLens(run, { lr: 0 }), 'range', /lr must be a number > 0/],
    [() => tunedLens(run, { signal: 1 }), 'type', /tunedLens: signal must be an AbortSignal/],
    [() => jacobianLens(run, { onProgress: 1 }), 'type', /jacobianLens: onProgress must be a function/],
    [() => jacobianLens(run, { lr: 1 }), 'type', /there is no option "lr"/],
    [async () => lens.read(other), 'state', /jacobianLens: the run must have the points that the lens was fitted to/],
    [async () => lens.read(run, { row: 2 }), 'range', /jacobianLens: row must be/]
  ]) await assert.rejects(fn, { code, message }, String(message))
  lens.dispose()
  for (const own of [run, other]) own.dispose()
})
