import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { assertClose, assertSame } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { assertFollows, parameter, setGradient, trajectories } from '../lib/optimizers.js'
import { numbers } from '../lib/numbers.js'

const { Adam, AdamW, SGD } = gf.optim
const classes = { sgd: SGD, adam: Adam, adamw: AdamW }

const options = ({ weight_decay: weightDecay, ...others }) => (
  weightDecay === undefined ? others : { ...others, weightDecay })

for (const item of trajectories.filter(one => one.id !== 'adam.noam')) {
  test(`${item.id}: PyTorch's steps`, () => {
    const Optimizer = classes[item.id.split('.')[0]]
    assertFollows(item, parameters => new Optimizer(parameters, options(item.params)))
  })
}

test("adam.noam: PyTorch's steps under a changing rate", () => {
  const item = trajectories.find(one => one.id === 'adam.noam')
  const { d_model, warmup, betas, eps } = item.params
  const rate = gf.optim.noam(d_model, warmup)
  assertClose(
    item.lr.map((_, i) => rate(i + 1)),
    item.lr,
    { rtol: 1e-15 }
  )
  assertFollows(
    item,
    parameters => new Adam(parameters, { lr: 1, betas, eps }),
    (optimizer, step) => {
      optimizer.lr = rate(step)
    }
  )
})

// PyTorch 1.13.1's, but SGD's rate, which has no default there; 1e-3 is that of PyTorch 2.
for (const [name, Optimizer, defaults] of [
  ['SGD', SGD, { lr: 1e-3, momentum: 0, dampening: 0, weightDecay: 0, nesterov: false, maximize: false }],
  ['Adam', Adam, { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, amsgrad: false, maximize: false }],
  ['AdamW', AdamW, { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, amsgrad: false, maximize: false }]
]) test(`${name}: what it does unless it is told`, () => {
  const { params, ...options } = new Optimizer([parameter(numbers([3], 1))]).paramGroups[0]
  assert.equal(params.length, 1)
  assert.deepEqual(options, defaults)
})

test('noam: rejects invalid arguments', () => {
  const { noam } = gf.optim
  for (const [call, code, message] of [
    [() => noam(0, 10), 'range', /^noam: dModel must be an integer from 1 /], [() => noam('8', 10), 'type', /^noam: dModel/],
    [() => noam(8, 0), 'range', /^noam: warmup must be an integer from 1 /],
    [() => noam(8, 10, 0), 'range', /^noam: factor must be a number > 0, got 0/],
    [() => noam(8, 10)(0), 'range', /^noam: step must be an integer from 1 /], [() => noam(8, 10)(1.5), 'range', /^noam: step/]
  ]) assert.throws(call, { name: 'GlassformerError', code, message })
})

for (const [name, Optimizer] of Object.entries({ SGD, Adam, AdamW })) {
  test(`${name}: zeroGrad, and a parameter without a gradient stays`, () => {
    const [moving, resting] = [parameter(numbers([3], 1)), parameter(numbers([3], 2))]
    const optimizer = new Optimizer([moving, resting], { lr: 0.1 })
    setGradient(moving, numbers([3], 3))
    const before = [moving, resting].map(p => Float32Array.from(p.data))
    optimizer.step()
    assert.notDeepEqual(Float32Array.from(moving.data), before[0])
    assertSame(resting, before[1])
    optimizer.zeroGrad()
    const stopped = Float32Array.from(moving.data)
    assert.equal(moving.grad, null, 'a gradient is left after zeroGrad')
    optimizer.step()
    assertSame(moving, stopped, 'a parameter without a gradient does not change, weight decay included')
    setGradient(moving, numbers([3], 3))
    optimizer.zeroGrad({ setToNone: false })
    assertSame(moving.grad, [0, 0, 0])
    optimizer.zeroGrad(false)
    assertSame(moving.grad, [0, 0, 0])
  })

  test(`${name}: trains the parameters of a module`, () => {
    gf.manualSeed(1)
    const layer = new gf.nn.Linear(3, 1)
    const optimizer = new Optimizer(layer.parameters(), { lr: 0.05 })
    const x = gf.tensor([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 1]
    ])
    const wanted = gf.tensor([[-1], [2], [-3], [-2]].map(row => row.map(value => -value)))
    const loss = () => {
      const error = gf.functional.add(layer.forward(x), wanted)
      return gf.functional.mul(error, error)
    }
    const total = () => gf.tidy(() => loss().data.reduce((a, b) => a + b, 0))
    const before = total()
    for (let step = 0; step < 200; step++) {
      optimizer.zeroGrad()
      gf.tidy(() => loss().backward(gf.tensor([[1], [1], [1], [1]])))
      optimizer.step()
    }
    assert.ok(total() < before / 10, `the loss went from ${before} to ${total()} only`)
  })

  test(`${name}: rejects invalid arguments`, () => {
    const p = parameter(numbers([2], 1))
    assertRejects(() => new Optimizer([p], { lr: -1 }), 'range', name, 'lr', '-1')
    assertRejects(() => new Optimizer(['p'], { lr: 0.1 }), 'type', name, 'param', 'p')
    assertRejects(() => new Optimizer([], { lr: 0.1 }), null, name, 'param')
    assertRejects(() => new Optimizer([p], { lr: 0.1, weightDecay: -0.1 }), 'range', name, 'weightDecay', '-0.1')
  })
}

for (const Optimizer of [Adam, AdamW]) {
  test(`${Optimizer.name}: betas are below 1`, () => {
    const p = parameter(numbers([2], 1))
    assertRejects(() => new Optimizer([p], { betas: [0.9, 1] }), 'range', Optimizer.name, 'betas', '1')
    assertRejects(() => new Optimizer([p], { eps: -1 }), 'range', Optimizer.name, 'eps', '-1')
  })
}

test('SGD: nesterov requires momentum and no dampening', () => {
  const p = parameter(numbers([2], 1))
  assertRejects(() => new SGD([p], { lr: 0.1, nesterov: true }), 'range', 'SGD', 'nesterov', 'momentum')
  assertRejects(
    () => new SGD([p], { lr: 0.1, nesterov: true, momentum: 0.9, dampening: 0.1 }),
    'range',
    'SGD',
    'nesterov',
    'dampening'
  )
})

test('errors name values that are not parameters', () => {
  const { clipGradNorm } = gf.optim
  assert.throws(() => new SGD(3), { code: 'type', message: 'SGD: params must be a list of tensors, got 3' })
  const gone = new gf.nn.Parameter(gf.ones([2]))
  gone.dispose()
  assert.throws(() => new SGD([gone]), { code: 'state', message: /^SGD: params\[0\] was disposed/ })
  assert.throws(() => new SGD([gf.tensor([1])]), { code: 'type', message: /^SGD: params\[0\] must be a float32 tensor with requiresGrad/ })
  assert.throws(() => clipGradNorm(null, 1), { code: 'type', message: /^clipGradNorm: params must be a list .* got null/ })
  assert.throws(() => clipGradNorm([1], 1),
    { code: 'type', message: 'clipGradNorm: params[0] must be a tensor, got 1' })
})

test('an optimizer takes leaves, each once', () => {
  const a = gf.tensor([1], { requiresGrad: true }), made = gf.functional.mul(a, a)
  for (const Optimizer of [gf.optim.SGD, gf.optim.AdamW]) {
    assert.throws(() => new Optimizer([made]), { code: 'type', message: /params\[0\] must be a float32 tensor .* not computed/ })
    assert.throws(() => new Optimizer([a, a]), { code: 'range', message: /params\[1\] is the same tensor as params\[0\]/ })
  }
})

// `state` is public, as in PyTorch. Kernels write over as many cells as the parameter has.
for (const [name, Optimizer, options, key] of [['SGD', SGD, { momentum: 0.9 }, 'momentumBuffer'], ['Adam', Adam, {}, 'expAvg']]) {
  test(`${name}: state of another shape, dtype or engine is rejected before anything is written`, async () => {
    const param = gf.randn([64], { requiresGrad: true }), optimizer = new Optimizer([param], options)
    param.square().sum().backward()
    optimizer.step()
    const before = param.toArray(), state = optimizer.state.get(param), right = state[key], other = await load()
    for (const wrong of [gf.zeros([1]), gf.zeros([128]), gf.zeros([64], { dtype: 'int32' }), other.zeros([64]), null, [1], undefined]) {
      state[key] = wrong
      assertRejects(() => optimizer.step(), 'state', `${name}: ${key} of the state must be a tensor like its parameter`)
    }
    state[key] = right
    if ('step' in state) {
      state.step = 'x'
      assertRejects(() => optimizer.step(), 'type', `${name}: step of the state must be an integer`)
      state.step = 1
    }
    optimizer.state.set(param, undefined)
    assertRejects(() => optimizer.step(), null, name)
    assert.deepEqual(param.toArray(), before)
  })
}

test('loadStateDict converts state in fewer bits to float32', () => {
  for (const dtype of ['float16', 'bfloat16', 'float64']) {
    const param = gf.zeros([2], { requiresGrad: true }), optimizer = new SGD([param], { lr: 1, momentum: 0.5 })
    param.grad = gf.ones([2])
    optimizer.step()
    const state = optimizer.stateDict()
    state.state[0] = { momentumBuffer: gf.tensor([1, -2]).to(dtype) }
    optimizer.loadStateDict(state)
    assert.deepEqual(optimizer.state.get(param).momentumBuffer.toArray(), [1, -2], dtype)
  }
})
