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

/** Rates are double on both sides; only the cosine may differ in its last bit, which a chain of factors carries on. */
const isClose = (a, b) => Math.abs(a - b) <= 1e-12 * Math.abs(b) + 1e-17

for (const { name, optimizer: kind, args, rates } of loadGolden('schedules').cases) {
  test(`${name}(${JSON.stringify(args)}): PyTorch's rates of two groups, step by step`, () => {
    const optimizer = optimizers[kind](), own = name === 'LambdaLR' ? [epoch => 0.9 ** epoch] : args
    const scheduler = new lrScheduler[name](optimizer, ...own)
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
  const short = new lrScheduler.OneCycleLR(o, 1, { totalSteps: 2 })
  short.step()
  short.step()
  assertRejects(() => short.step(), 'state', 'OneCycleLR', '2 steps')
})
