import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertRejects, gf } from '../lib/engine.js'

const { SGD, AdamW, lrScheduler } = gf.optim
const parameter = () => gf.tensor([0], { requiresGrad: true })

const optimizers = {
  adam: () => new AdamW([{ params: [parameter()], lr: 0.5 }, { params: [parameter()] }], { lr: 0.02 }),
  sgd: () => new SGD([{ params: [parameter()] }, { params: [parameter()], lr: 1, momentum: 0.5 }],
    { lr: 0.1, momentum: 0.9 })
}

/** Schedules of schedules, by the names that schedules.py gives them. */
const sequences = {
  warmup: o => [[new lrScheduler.LinearLR(o, { startFactor: 0.25, totalIters: 4 }),
    new lrScheduler.CosineAnnealingLR(o, 6)], [4]],
  three: o => [[new lrScheduler.LambdaLR(o, epoch => 0.9 ** epoch), new lrScheduler.StepLR(o, 2),
    new lrScheduler.MultiStepLR(o, [1, 3], { gamma: 0.5 })], [3, 8]],
  eased: o => [[new lrScheduler.ExponentialLR(o, 0.5), new lrScheduler.ExponentialLR(o, 0.9)], [2]]
}
const argumentsOf = (name, args, optimizer) => (
  name === 'LambdaLR' ? [epoch => 0.9 ** epoch] : name === 'SequentialLR' ? sequences[args[0]](optimizer) : args)

/** Rates are double on both sides; only the cosine may differ in its last bit, which a chain of factors carries on. */
const isClose = (a, b) => Math.abs(a - b) <= 1e-12 * Math.abs(b) + 1e-17

const { cases, plateaus } = loadGolden('schedules')

for (const { name, optimizer: kind, args, rates } of cases) {
  test(`${name}(${JSON.stringify(args)}): PyTorch's rates of two groups, step by step`, () => {
    const optimizer = optimizers[kind]()
    const scheduler = new lrScheduler[name](optimizer, ...argumentsOf(name, args, optimizer))
    rates.forEach((groups, step) => {
      if (step) scheduler.step()
      groups.forEach(([lr, momentum], i) => {
        const group = optimizer.paramGroups[i], found = group.betas?.[0] ?? group.momentum
        assert.ok(isClose(group.lr, lr), `step ${step}, group ${i}: ${group.lr} instead of ${lr}`)
        assert.ok(isClose(found, momentum), `step ${step}, group ${i}: momentum ${found} instead of ${momentum}`)
      })
      assert.deepEqual(scheduler.getLastLr(), optimizer.paramGroups.map(({ lr }) => lr))
    })
  })
}

for (const { optimizer: kind, options, metrics, rows } of plateaus) {
  test(`ReduceLROnPlateau(${JSON.stringify(options)}): PyTorch's rates and counters`, () => {
    const optimizer = optimizers[kind](), scheduler = new lrScheduler.ReduceLROnPlateau(optimizer, options)
    metrics.map(Number).forEach((metric, step) => {
      scheduler.step(step % 2 ? metric : gf.tensor(metric, { dtype: 'float64' }))
      const [rates, best, numBadEpochs, cooldownCounter] = rows[step]
      scheduler.getLastLr().forEach((lr, i) => assert.ok(isClose(lr, rates[i]), `step ${step}: ${lr} instead of ${rates[i]}`))
      const state = scheduler.stateDict()
      assert.deepEqual([state.best, state.numBadEpochs, state.cooldownCounter, state.lastEpoch],
        [Number(best), numBadEpochs, cooldownCounter, step + 1])
    })
  })

  test(`ReduceLROnPlateau(${JSON.stringify(options)}): continues from its state, also as JSON, from any step`, () => {
    const through = from => {
      const optimizer = optimizers[kind]()
      let scheduler = new lrScheduler.ReduceLROnPlateau(optimizer, options)
      metrics.map(Number).forEach((metric, step) => {
        if (step === from) {
          const state = JSON.parse(JSON.stringify(scheduler.stateDict()))
          scheduler = new lrScheduler.ReduceLROnPlateau(optimizer, { factor: 0.9 })
          scheduler.loadStateDict(state)
        }
        scheduler.step(metric)
      })
      return [scheduler.getLastLr(), scheduler.stateDict()]
    }
    for (let from = 0; from < metrics.length; from++) assert.deepEqual(through(from), through(-1))
  })
}

for (const { name, optimizer: kind, args, rates } of cases.filter(item => item.name !== 'OneCycleLR')) {
  test(`${name}(${JSON.stringify(args)}): continues from its state, also as JSON, from any step`, () => {
    for (let from = 0; from < rates.length; from++) {
      const make = () => {
        const optimizer = optimizers[kind]()
        return { optimizer, scheduler: new lrScheduler[name](optimizer, ...argumentsOf(name, args, optimizer)) }
      }
      const first = make(), second = make()
      for (let step = 1; step <= from; step++) first.scheduler.step()
      second.optimizer.loadStateDict(JSON.parse(JSON.stringify(first.optimizer.stateDict())))
      second.scheduler.loadStateDict(JSON.parse(JSON.stringify(first.scheduler.stateDict())))
      for (let step = from + 1; step < rates.length; step++) second.scheduler.step()
      second.scheduler.getLastLr().forEach((lr, i) => assert.ok(isClose(lr, rates.at(-1)[i][0]), `from ${from}: ${lr}`))
    }
  })
}

test('loadStateDict rejects invalid states of schedulers and changes nothing', () => {
  const { MultiStepLR, ReduceLROnPlateau, SequentialLR, StepLR, ExponentialLR } = lrScheduler
  const o = optimizers.sgd(), before = o.lr
  const reject = (scheduler, change, code, ...rest) => {
    const state = scheduler.stateDict()
    assertRejects(() => scheduler.loadStateDict({ ...state, ...change }), code, ...rest)
    assert.deepEqual(scheduler.stateDict(), state)
  }
  const steps = new MultiStepLR(o, [1, 2])
  assert.deepEqual(steps.stateDict(), { lastEpoch: 0, milestones: [1, 2], gamma: 0.1 })
  reject(steps, { lastEpoch: -1 }, 'range', 'MultiStepLR', 'lastEpoch')
  reject(steps, { lastEpoch: 4, milestones: [1, 'x'] }, 'type', 'MultiStepLR', 'milestones[1]')
  reject(steps, { gamma: null }, 'type', 'MultiStepLR', 'gamma')
  assertRejects(() => steps.loadStateDict(null), 'type', 'MultiStepLR: state')
  reject(new ReduceLROnPlateau(o), { mode: 'less' }, 'range', 'ReduceLROnPlateau', 'mode')
  reject(new ReduceLROnPlateau(o), { best: '3' }, 'type', 'ReduceLROnPlateau', 'best')
  const both = new SequentialLR(o, [new StepLR(o, 1), new ExponentialLR(o, 0.5)], [3])
  reject(both, { schedulers: [{ lastEpoch: 0 }] }, 'type', 'SequentialLR', '2 states')
  reject(both, { schedulers: [{ lastEpoch: 7 }, {}] }, 'type', 'ExponentialLR', 'lastEpoch')
  reject(both, { milestones: [0] }, 'range', 'SequentialLR', 'milestones[0]')
  assert.equal(o.lr, before)
})

test("a scheduler continues from its state and the optimizer's", () => {
  const make = () => {
    const optimizer = optimizers.sgd()
    return { optimizer, scheduler: new lrScheduler.CosineAnnealingLR(optimizer, 6) }
  }
  const whole = make(), first = make()
  for (let i = 0; i < 9; i++) whole.scheduler.step()
  for (let i = 0; i < 4; i++) first.scheduler.step()
  const saved = JSON.parse(JSON.stringify([first.optimizer.stateDict(), first.scheduler.stateDict()]))
  const second = make()
  second.optimizer.loadStateDict(saved[0])
  second.scheduler.loadStateDict(saved[1])
  for (let i = 0; i < 5; i++) second.scheduler.step()
  assert.deepEqual(second.scheduler.getLastLr(), whole.scheduler.getLastLr())
})

test('schedulers reject invalid arguments', () => {
  const o = optimizers.sgd(), reject = (name, args, code, ...rest) =>
    assertRejects(() => new lrScheduler[name](...args), code, name, ...rest)
  reject('StepLR', [3, 1], 'type', 'optimizer')
  reject('StepLR', [o, 0], 'range', 'stepSize')
  reject('StepLR', [o, 1, { gama: 1 }], 'type', 'gama')
  reject('LambdaLR', [o, [x => x]], 'type', '2')
  reject('LinearLR', [o, { startFactor: 0 }], 'range', 'startFactor')
  reject('CosineAnnealingLR', [o], 'type', 'tMax')
  reject('OneCycleLR', [o, 1], 'type', 'totalSteps')
  reject('OneCycleLR', [o, [1], { totalSteps: 3 }], 'shape', 'maxLr')
  reject('OneCycleLR', [new SGD([parameter()], { lr: 1 }), 1, { totalSteps: 3 }], 'range', 'cycleMomentum')
  reject('MultiStepLR', [o, 3], 'type', 'milestones')
  reject('MultiStepLR', [o, [1.5]], 'range', 'milestones[0]')
  reject('MultiStepLR', [o, [1], 'half'], 'type', 'gamma')
  reject('ExponentialLR', [o], 'type', 'gamma')
  const { StepLR, ReduceLROnPlateau, ExponentialLR } = lrScheduler
  const one = new StepLR(o, 1), two = new ExponentialLR(o, 0.5)
  reject('SequentialLR', [o, [], []], 'type', 'schedulers')
  reject('SequentialLR', [o, { schedulers: one, milestones: [] }], 'type', 'schedulers', 'array')
  reject('SequentialLR', [o, [one, 3], [1]], 'type', 'schedulers[1]')
  reject('SequentialLR', [o, [one, new ReduceLROnPlateau(o)], [1]], 'type', 'schedulers[1]')
  reject('SequentialLR', [o, [one, two], []], 'type', 'milestones', '(1)')
  reject('SequentialLR', [o, [one, two, two], [3, 3]], 'range', 'milestones[1]', '4')
  reject('SequentialLR', [optimizers.sgd(), [one, two], [3]], 'state', 'schedulers[0]')
  reject('ReduceLROnPlateau', [o, { factor: 1 }], 'range', 'factor')
  reject('ReduceLROnPlateau', [o, { minLr: [0] }], 'shape', 'minLr', '2')
  reject('ReduceLROnPlateau', [o, { mode: 'least' }], 'range', 'mode')
  reject('ReduceLROnPlateau', [o, { verbose: true }], 'type', 'verbose')
  assertRejects(() => new ReduceLROnPlateau(o).step(), 'type', 'ReduceLROnPlateau', 'metrics', 'loss')
  const short = new lrScheduler.OneCycleLR(o, 1, { totalSteps: 2 })
  short.step()
  short.step()
  assertRejects(() => short.step(), 'state', 'OneCycleLR', '2 steps')
})
