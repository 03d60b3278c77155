// One step of a training taken apart is the step that is taken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import * as adam from '../../src/reference/adam.js'
import * as sgd from '../../src/reference/sgd.js'
import { finiteDifference, breakDown } from '../../web/theatre/step_breakdown.js'
import { FORMULAS } from '../../src/training/optimizers/formulas.js'
import { createSession } from '../../src/training/session.js'
import { TASKS } from '../../src/training/settings.js'
import { smallSettings, trainSteps } from '../lib/theatre.js'
import { english, korean } from '../lib/texts.js'

const en = english.training, ko = korean.training

const gf = await load()

const STEPS = {
  adam(inputs, { t, rate, decay }) {
    const { p, m, v } = adam.forward(inputs,
      { lr: rate, betas: [0.9, 0.98], eps: 1e-9, t, weight_decay: decay, decoupled: decay > 0 })
    return { w: p, m, v }
  },
  sgd({ b, ...inputs }, { t, rate, decay, momentum }) {
    const { p, velocity } = sgd.forward({ ...inputs, velocity: t > 1 && momentum ? b : undefined },
      { lr: rate, momentum, weight_decay: decay })
    return { w: p, ...(momentum ? { b: velocity } : {}) }
  }
}

test('the breakdown of a step matches the step, and the optimizer matches the reference', () => {
  const isNear = (a, b) => Math.abs(a - b) <= 2e-6 * Math.abs(b) + 1e-12
  const cell = value => value === undefined ? undefined : { shape: [1], data: [value] }
  for (const [task, steps, more] of [
    ['dates', 7, { clip: 0.1 }], ['particles', 7, { decay: 0.1, clip: 0 }],
    ['dates', 7, { optimizer: 'sgd', rate: 0.05 }],
    ['dates', 0, { optimizer: 'sgd', clip: 0 }], ['sums', 7, { optimizer: 'sgd', momentum: 0, decay: 0.01 }]
  ]) {
    const session = createSession(gf, smallSettings(task, more))
    trainSteps(session, steps)
    const snapshot = session.snapshot()
    const breakdown = breakDown(session, session.named[3][0])
    assert.deepEqual(session.snapshot(), snapshot, 'nothing is changed')
    assert.equal(session.step().loss, breakdown.loss)
    const [, weight] = session.named[3]
    assert.ok(Object.is(weight.at(...breakdown.index), breakdown.after.w), 'the weight after')
    assert.ok(Math.abs(breakdown.mean - breakdown.loss) < 1e-5 * breakdown.loss, 'the mean of the tokens is the loss')
    const { w, m, v, b } = breakdown.before
    const inputs = { p: cell(w), g: cell(breakdown.g), m: cell(m), v: cell(v), b: cell(b) }
    const right = STEPS[breakdown.optimizer](inputs, breakdown)
    assert.deepEqual(Object.keys(breakdown.after), Object.keys(right))
    for (const [letter, { data: [value] }] of Object.entries(right)) {
      assert.ok(isNear(breakdown.after[letter], value), letter)
    }
    assert.ok(isNear((breakdown.decayed ?? w) + breakdown.change, breakdown.after.w), 'the terms add up')
    assert.ok(isNear(breakdown.raw * breakdown.factor, breakdown.g), 'clipping')
    assert.equal(breakdown.decay, session.settings.decay)
    if (breakdown.optimizer === 'sgd') assert.equal(breakdown.momentum, session.settings.momentum)
    const lines = FORMULAS[breakdown.optimizer].lines(breakdown, String)
    assert.equal(lines.at(-1).result, breakdown.after.w)
    for (const { name } of lines) assert.ok(ko.theatre.optimizer[name] && en.theatre.optimizer[name], name)
    session.dispose()
  }
})

test('a step by layer has outputs, gradients and updates in the order of forward', () => {
  for (const task of TASKS) {
    const session = createSession(gf, smallSettings(task))
    trainSteps(session, 3)
    const { layers } = breakDown(session)
    assert.deepEqual(layers.map(({ name }) => name).sort(), session.groups.map(({ name }) => name).sort(), task)
    const before = session.snapshot()
    const { batch: { inputs }, norms } = gf.tidy(() => session.backward(4))
    const { trace } = gf.trace(() => gf.noGrad(() => { session.batchAt(4); session.model.forward(...inputs) }))
    const places = layers.map(({ name }) => trace.names.indexOf(`${name}.output`))
    assert.deepEqual(places, [...places].sort((a, b) => a - b), `${task}: the order`)
    session.restore(before)
    session.step()
    const size = values => Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0))
    const changed = session.groups.map(({ at }) => {
      const [old, now] = [before, session.snapshot()].map(item => at.flatMap(i => weightsIn(session, item, i)))
      return size(now.map((value, i) => value - old[i])) / size(old)
    })
    for (const { name, rms, norm, ratio, shape } of layers) {
      const i = session.groups.findIndex(group => group.name === name), output = [...trace.get(`${name}.output`).values]
      assert.deepEqual(shape, trace.get(`${name}.output`).shape)
      for (const [actual, expected] of [[rms, size(output) / Math.sqrt(output.length)], [norm, norms[i]],
        [ratio, changed[i]]]) {
        assert.ok(Math.abs(actual - expected) <= 1e-5 * expected, `${task} ${name}: ${actual} and ${expected}`)
      }
    }
    trace.dispose()
    session.dispose()
  }
})

/** All of one weight in a snapshot. */
function weightsIn({ named, letters }, { values }, at) {
  const first = named.slice(0, at).reduce((sum, [, tensor]) => sum + (1 + letters.length) * tensor.numel(), 0)
  return [...values.subarray(first, first + named[at][1].numel())]
}

test('the finite difference of a weight agrees with its gradient', () => {
  const session = createSession(gf, smallSettings('dates'))
  trainSteps(session, 5)
  const snapshot = session.snapshot()
  for (const name of ['output.weight', 'transformer.decoder.layers.0.linear1.weight', 'source_embedding.weight']) {
    const { raw, index } = breakDown(session, name)
    const { slope } = finiteDifference(session, name, index)
    assert.ok(Math.abs(slope - raw) < 0.02 * Math.abs(raw), `${name}: ${slope} and ${raw}`)
  }
  assert.deepEqual(session.snapshot(), snapshot)
  session.dispose()
})
