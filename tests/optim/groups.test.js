// Groups of parameters with options of their own, frozen ones, and an optimizer that goes on where another one was.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'

const { SGD, Adam, AdamW } = gf.optim, { nn } = gf

/** A layer, and a step on it. */
function learner(make) {
  gf.manualSeed(3)
  const layer = new nn.Linear(4, 3), x = gf.randn([5, 4]), optimizer = make(layer)
  const step = () => gf.tidy(() => {
    optimizer.zeroGrad()
    const y = layer.forward(x)
    y.mul(y).backward(y)
    optimizer.step()
  })
  return { layer, optimizer, step, values: () => layer.parameters().flatMap(p => [...p.values]) }
}
const steps = (one, n) => { for (let i = 0; i < n; i++) one.step() }

const kinds = [
  [SGD, { lr: 0.01, momentum: 0.9, weightDecay: 0.1 }], [SGD, { lr: 0.01 }], [Adam, { lr: 0.01 }],
  [AdamW, { lr: 0.01, betas: [0.8, 0.9] }]
]
for (const [Kind, options] of kinds) {
  const name = `${Kind.name} ${JSON.stringify(options)}`

  test(`${name}: two groups with the same options are one`, () => {
    const one = learner(layer => new Kind(layer.parameters(), options))
    const two = learner(layer => new Kind([{ params: [layer.weight] }, { params: [layer.bias] }], options))
    for (const each of [one, two]) steps(each, 5)
    assert.deepEqual(two.values(), one.values())
  })

  test(`${name}: a group uses its own options`, () => {
    const one = learner(layer => new Kind(
      [{ params: [layer.weight] }, { params: [layer.bias], lr: 0, weightDecay: 0 }], options))
    const [weight, bias] = [[...one.layer.weight.values], [...one.layer.bias.values]]
    steps(one, 3)
    assert.deepEqual([...one.layer.bias.values], bias)
    assert.notDeepEqual([...one.layer.weight.values], weight)
    assert.equal(one.optimizer.lr, 0.01)
    one.optimizer.lr = 0.5
    assert.deepEqual(one.optimizer.paramGroups.map(({ lr }) => lr), [0.5, 0.5])
  })

  test(`${name}: a saved state continues with the same bits, as tensors and as JSON`, () => {
    const whole = learner(layer => new Kind(layer.parameters(), options))
    steps(whole, 3)
    const state = whole.optimizer.stateDict()
    for (const given of [state, JSON.parse(JSON.stringify(state))]) {
      const other = learner(layer => new Kind(layer.parameters(), { lr: 9 }))
      other.layer.loadStateDict(whole.layer.stateDict())
      other.optimizer.loadStateDict(given)
      const copy = learner(layer => new Kind(layer.parameters(), options))
      steps(copy, 6)
      steps(other, 3)
      assert.deepEqual(other.values(), copy.values())
    }
  })
}

test('frozen parameters do not change; unfrozen ones continue', () => {
  const one = learner(layer => new AdamW(layer.parameters(), { lr: 0.1 }))
  steps(one, 1)
  one.layer.weight.requiresGrad_(false)
  const before = [...one.layer.weight.values]
  steps(one, 3)
  assert.deepEqual([...one.layer.weight.values], before)
  one.layer.weight.requiresGrad_()
  steps(one, 1)
  assert.notDeepEqual([...one.layer.weight.values], before)
  const frozen = new nn.Linear(2, 2).requiresGrad_(false)
  assert.ok(frozen.parameters().every(p => !p.requiresGrad))
  assert.equal(new SGD([...frozen.parameters(), gf.tensor([1], { requiresGrad: true })]).params.length, 3)
})

test("addParamGroup: options default to the constructor's, as in PyTorch", () => {
  const [a, b] = [1, 2].map(v => gf.tensor([v], { requiresGrad: true })),
    optimizer = new SGD([a], { lr: 0.3, momentum: 0.9 })
  optimizer.addParamGroup({ params: [b], lr: 0.1 })
  assert.deepEqual(optimizer.paramGroups.map(({ lr, momentum }) => [lr, momentum]), [[0.3, 0.9], [0.1, 0.9]])
  const other = new AdamW([{ params: [a], lr: 0.5, weightDecay: 0 }], { lr: 0.001, weightDecay: 0.1 })
  other.lr = 7
  other.addParamGroup({ params: [b] })
  assert.deepEqual(other.paramGroups.map(({ lr, weightDecay }) => [lr, weightDecay]), [[7, 0], [0.001, 0.1]])
  assertRejects(() => optimizer.addParamGroup({ params: [a] }), 'range', 'SGD', 'another group')
})

test('groups and states reject invalid arguments', () => {
  const p = () => gf.tensor([1, 2], { requiresGrad: true })
  assertRejects(() => new AdamW([{ params: [p()], momentum: 1 }]), 'type', 'AdamW', 'momentum')
  assertRejects(() => new AdamW([{ params: [] }]), 'shape', 'AdamW', 'empty')
  assertRejects(() => new AdamW([{ params: [p()], lr: -1 }]), 'range', 'AdamW', 'lr')
  const optimizer = new SGD([p()], { lr: 1, momentum: 0.5 }), good = optimizer.stateDict()
  const reject = (state, code, ...rest) =>
    assertRejects(() => optimizer.loadStateDict(state), code, 'SGD: loadStateDict', ...rest)
  reject(null, 'type', 'paramGroups')
  reject({ ...good, paramGroups: [...good.paramGroups, ...good.paramGroups] }, 'shape', '1,1')
  reject({ ...good, state: { 0: { momentumBuffer: [1] } } }, 'shape', 'momentumBuffer')
  reject({ ...good, state: { 5: {} } }, 'index', '5')
})

test('a scalar parameter keeps its state through JSON; incomplete states are rejected', () => {
  const stepped = (Class, options, expected) => {
    const p = gf.tensor(1, { requiresGrad: true }), optimizer = new Class([p], options)
    const step = slope => {
      p.grad = gf.tensor(slope)
      optimizer.step()
    }
    expected.slopes.slice(0, -1).forEach(step)
    optimizer.loadStateDict(JSON.parse(JSON.stringify(optimizer.stateDict())))
    step(expected.slopes.at(-1))
    assert.ok(Math.abs(p.item() - expected.value) < 1e-6, `${p.item()}`)
    return optimizer
  }
  const adam = stepped(Adam, { lr: 0.1 }, { slopes: [1, -3, 2], value: 0.9475402 })
  const sgd = stepped(SGD, { lr: 0.1, momentum: 0.5 }, { slopes: [1, 1, 1], value: 0.575 })
  for (const [optimizer, lacking, name] of [[adam, { step: 1, expAvg: 0 }, 'expAvgSq'], [sgd, {}, 'momentumBuffer'],
    [sgd, { step: 1 }, 'momentumBuffer']]) {
    const { paramGroups } = optimizer.stateDict()
    assertRejects(() => optimizer.loadStateDict({ state: { 0: lacking }, paramGroups }), 'type', 'state[0]', name)
  }
})

test('an infinite parameter stays infinite without weight decay', () => {
  for (const Class of [SGD, Adam, AdamW]) {
    const p = gf.tensor([Infinity, 1], { requiresGrad: true }), optimizer = new Class([p], { lr: 0.1, weightDecay: 0 })
    p.grad = gf.tensor([1, 1])
    optimizer.step()
    assert.deepEqual([p.toArray()[0], p.toArray()[1] < 1], [Infinity, true], Class.name)
  }
})

test('a group added after its scheduler keeps its rate', () => {
  const { LambdaLR, CosineAnnealingLR, OneCycleLR } = gf.optim.lrScheduler
  const made = (schedule, rate) => {
    const [a, b] = [1, 2].map(v => gf.tensor([v], { requiresGrad: true }))
    const optimizer = new SGD([a], { lr: 1, momentum: 0.9 })
    const scheduler = schedule(optimizer)
    optimizer.addParamGroup({ params: [b], lr: 0.3 })
    for (let i = 0; i < 7; i++) scheduler.step()
    assert.ok(Math.abs(optimizer.paramGroups[1].lr - rate) < 1e-7, `${optimizer.paramGroups[1].lr}`)
  }
  made(optimizer => new LambdaLR(optimizer, epoch => 1 / (1 + epoch)), 0.3)
  made(optimizer => new CosineAnnealingLR(optimizer, 3), 0)
  assertRejects(() => made(optimizer => new OneCycleLR(optimizer, 1, { totalSteps: 9 }), 0), 'state',
    'OneCycleLR', '2 groups')
})

test('options changed in paramGroups are checked before anything is written', () => {
  const changes = [
    [AdamW, 'betas', [NaN, 0.9], 'range', 'AdamW: betas[0]'], [Adam, 'betas', [0.9, 1], 'range', 'Adam: betas[1]'],
    [Adam, 'betas', 0.9, 'type', 'Adam: betas'], [Adam, 'betas', undefined, 'type', 'betas'], [AdamW, 'eps', 'x', 'type', 'AdamW: eps'],
    [AdamW, 'weightDecay', -1, 'range', 'AdamW: weightDecay'], [Adam, 'amsgrad', 1, 'type', 'Adam: amsgrad'],
    [SGD, 'momentum', NaN, 'range', 'SGD: momentum'], [SGD, 'nesterov', true, 'range', 'SGD: nesterov'],
    [SGD, 'maximize', 'yes', 'type', 'SGD: maximize'], [SGD, 'lr', null, 'type', 'SGD: lr'], [SGD, 'params', null, 'type', 'SGD: paramGroups[1]']
  ]
  for (const [Kind, name, value, code, message] of changes) {
    const [a, b] = [1, 2].map(v => gf.tensor([v], { requiresGrad: true }))
    const optimizer = new Kind([{ params: [a] }, { params: [b] }], { lr: 0.1 })
    for (const p of [a, b]) p.grad = gf.tensor([1])
    optimizer.paramGroups[1][name] = value
    assertRejects(() => optimizer.step(), code, message)
    assert.deepEqual([a.item(), b.item(), optimizer.state.size], [1, 2, 0], name)
  }
})

test('a state with a tensor of the wrong shape is rejected before any parameter changes', () => {
  const damped = { momentum: 0.9, dampening: 0.5 }
  for (const [Kind, options, key] of [[AdamW, { amsgrad: true }, 'maxExpAvgSq'], [SGD, damped, 'momentumBuffer']]) {
    const list = [1, 2, 3].map(v => gf.tensor([v], { requiresGrad: true }))
    const optimizer = new Kind(list, { lr: 0.1, ...options })
    for (const p of list.slice(1)) p.grad = gf.tensor([1])
    optimizer.step()
    list[0].grad = gf.tensor([1])
    const before = list.map(p => p.item()), state = optimizer.state.get(list[2]), original = state[key]
    state[key] = gf.ones([2])
    assertRejects(() => optimizer.step(), 'state', Kind.name, key)
    assert.deepEqual([list.map(p => p.item()), optimizer.state.has(list[0])], [before, false], 'and no state was created')
    state[key] = original
    optimizer.step()
    assert.ok(list.every((p, i) => p.item() !== before[i]))
  }
})

test('loadStateDict rejects every kind of invalid state and changes nothing', () => {
  const p = gf.tensor([1, 2], { requiresGrad: true }), optimizer = new Adam([p], { lr: 0.5 })
  p.grad = gf.tensor([1, 1])
  optimizer.step()
  const good = JSON.parse(JSON.stringify(optimizer.stateDict())), before = JSON.stringify(optimizer.stateDict())
  const { tensors } = gf.memory(), [group] = good.paramGroups
  const own = good.state[0], gone = gf.ones([2])
  gone.dispose()
  for (const [state, code, ...words] of [
    [{ ...good, paramGroups: [null] }, 'type', 'paramGroups[0]'], [{ ...good, paramGroups: [{ ...group, params: 1 }] }, 'type', 'paramGroups[0]'],
    [{ ...good, paramGroups: [{ ...group, betas: [NaN, 0] }] }, 'range', 'betas[0]'],
    [{ ...good, paramGroups: [{ ...group, initialLr: 'x' }] }, 'type', 'initialLr'],
    [{ ...good, state: { 0: null } }, 'type', 'state[0]'], [{ ...good, state: { 0: [1] } }, 'type', 'state[0]'],
    [{ ...good, state: { x: own } }, 'index', 'x'], [{ ...good, state: { 0: { ...own, step: 1.5 } } }, 'range', 'step'],
    [{ ...good, state: { 0: { ...own, expAvg: 'x' } } }, 'type', 'expAvg'], [{ ...good, state: { 0: { ...own, expAvg: gone } } }, 'state', 'expAvg'],
    [{ ...good, state: { 0: { ...own, expAvgSq: [[1]] } } }, 'shape', 'expAvgSq'],
    [{ ...good, state: { 0: { ...own, maxExpAvgSq: [1, 1] } } }, 'type', 'expAvgSq', 'maxExpAvgSq'],
    [{ ...good, paramGroups: [{ ...group, amsgrad: true }] }, 'type', 'maxExpAvgSq'], [[], 'type', 'paramGroups'], ['x', 'type', 'paramGroups']
  ]) {
    assertRejects(() => optimizer.loadStateDict(state), code, 'Adam: ', ...words)
    assert.deepEqual([JSON.stringify(optimizer.stateDict()), gf.memory().tensors], [before, tensors])
  }
})

test('maximize restores all bits of the gradient', () => {
  for (const Kind of [SGD, Adam, AdamW]) {
    const p = gf.tensor([1, 2, 3], { requiresGrad: true }), optimizer = new Kind([p], { lr: 0.1, maximize: true })
    p.grad = gf.tensor([0.1, -0, NaN])
    const bits = () => [...new Uint32Array(Float32Array.from(p.grad.values).buffer)], before = bits()
    optimizer.step()
    assert.deepEqual(bits(), before)
    assert.ok(p.toArray()[0] > 1)
  }
})
