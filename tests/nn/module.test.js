// What every module can do besides forward: hooks, walks, frozen parameters, states that fit in part; and containers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

const { nn } = gf, F = gf.functional
const small = () => new nn.Sequential(new nn.Linear(3, 4), new nn.Tanh(), new nn.Linear(4, 2))

test("Sequential runs modules in order, with PyTorch's keys", () => {
  const model = small(), x = gf.rand([2, 3])
  assert.deepEqual(Object.keys(model.stateDict()), ['0.weight', '0.bias', '2.weight', '2.bias'])
  assertSame(model.forward(x), plain(model.at(2).forward(model.at(0).forward(x).tanh())))
  assert.equal(model.length, 3)
  assertSame(new nn.Sequential([...model]).forward(x), plain(model.forward(x)))
  assert.equal(new nn.Sequential().forward(x), x)
  assertSame(model.clone().forward(x), plain(model.forward(x)))
})

test('Sequential names every module in a trace', () => {
  const { trace } = gf.trace(() => small().forward(gf.rand([1, 3])))
  const names = ['0.weight', '0.bias', '0.output', '1.output', '2.weight', '2.bias']
  for (const name of names) assert.ok(trace.names.includes(name), `${name} is not among ${trace.names}`)
})

test('ModuleDict has modules by name, in order', () => {
  const dict = new nn.ModuleDict({ one: new nn.Linear(2, 2), two: new nn.Identity(54, { unused: true }) })
  assert.deepEqual([dict.keys(), dict.values().length, dict.has('one'), dict.has('forward')],
    [['one', 'two'], 2, true, false])
  assert.deepEqual(Object.keys(dict.stateDict()), ['one.weight', 'one.bias'])
  const x = gf.rand([1, 2])
  assert.equal(dict.get('two').forward(x), x)
  assertRejects(() => dict.get('three'), 'index', 'ModuleDict', 'three', 'one, two')
  assertRejects(() => dict.set('forward', new nn.Identity()), 'range', 'ModuleDict', 'forward')
  assertRejects(() => dict.set('x', 3), 'type', 'ModuleDict', 'x')
  assertRejects(() => new nn.Sequential(3), 'type', 'Sequential', '3')
  assertRejects(() => new nn.ModuleList([3]), 'type', 'ModuleList', '3')
})

test('activations as modules are the functions', () => {
  const x = gf.randn([20])
  for (const [Kind, fn] of [[nn.SiLU, F.silu], [nn.Tanh, F.tanh], [nn.Sigmoid, F.sigmoid], [nn.ReLU, F.relu]]) {
    assertSame(new Kind().forward(x), plain(fn(x)))
  }
})

test('registerForwardHook: gets inputs and output and may replace the output until it is removed', () => {
  const layer = new nn.Linear(2, 2), x = gf.rand([1, 2]), plainly = plain(layer.forward(x)), seen = []
  const watch = layer.registerForwardHook((module, inputs, output) => { seen.push([module, inputs, plain(output)]) })
  const double = layer.registerForwardHook((_, __, output) => output.mul(2))
  assertSame(layer.forward(x), { ...plainly, data: plainly.data.map(v => Math.fround(2 * v)) })
  assert.deepEqual([seen[0][0] === layer, seen[0][1], seen[0][2]], [true, [x], plainly])
  double.remove()
  assertSame(layer.forward(x), plainly)
  watch.remove()
  watch.remove()
  layer.forward(x)
  assert.equal(seen.length, 2)
  assert.ok(!Object.keys(layer).includes('hooks'))
  assertRejects(() => layer.registerForwardHook(3), 'type', 'registerForwardHook', '3')
})

test('registerForwardHook works inside a stack and in a trace', () => {
  const model = small(), shapes = []
  for (const module of model) module.registerForwardHook(
    (_, [input], output) => { shapes.push([input.shape, output.shape]) })
  gf.trace(() => model.forward(gf.rand([5, 3])))
  assert.deepEqual(shapes.map(pair => pair.map(shape => [...shape])),
    [[[5, 3], [5, 4]], [[5, 4], [5, 4]], [[5, 4], [5, 2]]])
})

test('apply: children first, then the module itself', () => {
  const model = small(), met = []
  assert.equal(model.apply(module => { met.push(module.constructor.name) }), model)
  assert.deepEqual(met, ['Linear', 'Tanh', 'Linear', 'Sequential'])
  model.apply(module => { if (module instanceof nn.Linear) nn.init.zeros_(module.weight) })
  assert.ok([...model.at(0).weight.values].every(v => v === 0))
})

test('buffers and namedBuffers', () => {
  const positions = new nn.PositionalEncoding(4, 0, 6), model = new nn.Sequential(positions, new nn.Linear(4, 4))
  assert.deepEqual(model.namedBuffers().map(([name]) => name), ['0.pe'])
  assert.equal(model.buffers()[0], positions.pe)
  assert.deepEqual(new nn.Linear(2, 2).buffers(), [])
  assert.equal(model.clone().buffers().length, 1)
})

test('zeroGrad and requiresGrad_', () => {
  const model = small()
  model.forward(gf.rand([2, 3])).backward(gf.rand([2, 2]))
  model.zeroGrad({ setToNone: false })
  for (const p of model.parameters()) assert.ok([...p.grad.values].every(v => v === 0))
  const [first] = model.parameters(), { grad } = first
  model.zeroGrad()
  for (const p of model.parameters()) assert.equal(p.grad, null)
  assert.throws(() => grad.toArray(), { code: 'state' }, 'and not what the next backward writes there')
  const own = first.grad = gf.ones(first.shape)
  model.zeroGrad(true)
  assert.deepEqual([first.grad, own.disposed], [null, false], 'what was put there by hand is not freed')
  assert.equal(model.requiresGrad_(false), model)
  assert.equal(model.forward(gf.rand([2, 3])).requiresGrad, false)
  assert.equal(model.requiresGrad_().forward(gf.rand([2, 3])).requiresGrad, true)
})

test('loadStateDict with strict: false returns missing and unexpected keys', () => {
  const model = small(), before = [...model.at(2).weight.values]
  const found = model.loadStateDict({ '0.bias': [1, 2, 3, 4], 'head.weight': [1] }, { strict: false })
  assert.deepEqual(found, { missingKeys: ['0.weight', '2.weight', '2.bias'], unexpectedKeys: ['head.weight'] })
  assert.deepEqual([model.at(0).bias.toArray(), [...model.at(2).weight.values]], [[1, 2, 3, 4], before])
  assert.deepEqual(model.loadStateDict(model.stateDict()), { missingKeys: [], unexpectedKeys: [] })
  assertRejects(() => model.loadStateDict({ '0.bias': [1] }, { strict: false }), 'shape', '0.bias', '[4]', '[1]')
  assertRejects(() => model.loadStateDict({ '0.bias': [1, 2, 3, 4] }), 'shape', '0.weight is missing')
  assertRejects(() => model.loadStateDict({}, { loose: true }), 'type', 'loose')
})

test('a buffer that is not persistent is not saved', () => {
  class Masked extends nn.Module {
    constructor() {
      super()
      this.linear = new nn.Linear(2, 2)
      this.registerBuffer('mask', gf.tensor([[1, 0], [0, 1]]), { persistent: false })
      this.registerBuffer('kept', gf.ones([1]))
    }

    forward(x) {
      return this.linear(x.matmul(this.mask))
    }
  }
  const module = new Masked(), copy = module.clone(), script = gf.toPyTorch(module, [gf.ones([1, 2])])
  for (const one of [module, copy]) {
    assert.deepEqual(Object.keys(one.stateDict()), ['kept', 'linear.weight', 'linear.bias'])
    assert.deepEqual(one.namedBuffers().map(([name]) => name), ['mask', 'kept'])
  }
  assert.notEqual(copy.mask, module.mask)
  assert.deepEqual(copy(gf.ones([1, 2])).toArray(), module(gf.ones([1, 2])).toArray())
  assert.match(script, /register_buffer\('mask', torch\.tensor\(\[\[1\.?0?, 0\.?0?\].*persistent=False\)/)
  assert.doesNotMatch(script, /register_buffer\('kept'.*persistent=False/)
})

test('a parameter may be created frozen', () => {
  const frozen = new nn.Parameter([1, 2], { requiresGrad: false })
  assert.equal(frozen.requiresGrad, false)
  assert.equal(new nn.Parameter([1, 2]).requiresGrad, true)
  assert.ok(frozen instanceof nn.Parameter)
})

test('forward is wrapped but not enumerable', () => {
  const linear = new nn.Linear(2, 2), { value, ...flags } = Object.getOwnPropertyDescriptor(linear, 'forward')
  assert.equal(typeof value, 'function')
  assert.deepEqual(flags, { enumerable: false, configurable: true, writable: true })
  assert.ok(!Object.keys(linear).includes('forward'))
  const copy = linear.clone(), own = Object.getOwnPropertyDescriptor(copy, 'weight')
  assert.deepEqual({ ...own, value: 0 }, { value: 0, enumerable: true, configurable: true, writable: true })
})

test("a user's class may define PyTorch's names", () => {
  class Own extends nn.Module {
    constructor() {
      super()
      this.named_parameters = 3
      this.named_parameters = 4
    }
  }
  const { value, ...flags } = Object.getOwnPropertyDescriptor(new Own(), 'named_parameters')
  assert.deepEqual([value, flags], [4, { enumerable: true, configurable: true, writable: true }])
})

test('Flatten: from the second axis to the last, or those that are named', () => {
  const x = gf.ones([2, 3, 4, 5]), shape = (...ends) => new nn.Flatten(...ends).forward(x).shape
  assert.deepEqual([shape(), shape(2), shape(1, 2), shape(-2), shape(0, 1)],
    [[2, 60], [2, 3, 20], [2, 12, 5], [2, 3, 20], [6, 4, 5]])
})

test('names with hints may be defined by users', () => {
  for (const [object, name] of [[nn.Module.prototype, 'named_parameters'], [Object.getPrototypeOf(gf.ones([1])), 'cuda'],
    [Object.getPrototypeOf(gf.ones([1])), 'requires_grad']]) {
    Object.defineProperty(object, name, { value: 7, configurable: true })
    assert.equal(object[name], 7)
    delete object[name]
  }
  assert.equal(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(gf.ones([1])), 'shape').configurable, true)
})

test('push appends after a deleted module', () => {
  const model = small()
  delete model[1]
  model.push(new nn.ReLU())
  assert.deepEqual(model.namedChildren().map(([name, one]) => `${name} ${one.constructor.name}`),
    ['0 Linear', '2 Linear', '3 ReLU'])
  const list = new nn.ModuleList([new nn.ReLU()])
  list[5] = new nn.Tanh()
  assert.deepEqual(list.push(new nn.ReLU()).namedChildren().map(([name]) => name), ['0', '5', '6'])
  assert.deepEqual(model.clone().push(new nn.Tanh()).length, 4)
})

test('a module in two places is walked once, and saved under both names, as in PyTorch', () => {
  const one = new nn.Linear(2, 2), model = new nn.Sequential(one, new nn.ReLU(), one)
  const names = entries => entries.map(([name]) => name), count = it => {
    let calls = 0
    it.apply(() => { calls++ })
    return calls
  }
  assert.deepEqual([names(model.namedModules()), names(model.namedChildren())], [['', '0', '1'], ['0', '1']])
  assert.deepEqual([count(model), count(new nn.ModuleList([model, model, one]))], [3, 5])
  assert.deepEqual(Object.keys(model.stateDict()), ['0.weight', '0.bias', '2.weight', '2.bias'])
  assert.deepEqual([model.length, model.at(2), [...model].length], [3, one, 3])
  const x = gf.randn([1, 2])
  assertSame(model.forward(x), plain(one.forward(one.forward(x).relu())))
})

test("rejects names with dots and names of every module's properties", () => {
  class Dotted extends nn.Module {
    constructor(what) {
      super()
      this['a.b'] = what
    }
  }
  assertRejects(() => new Dotted(new nn.ReLU()).namedModules(), 'state', 'Dotted', 'dot', 'a.b')
  assertRejects(() => new Dotted(new nn.Parameter(gf.ones([1]))).stateDict(), 'state', 'Dotted', 'dot', 'a.b')
  for (const name of ['forward', 'training', 'engine', 'bufferNames', 'constructor', 'tag', 'apply', '__proto__']) {
    assertRejects(() => new nn.ReLU().registerBuffer(name, gf.ones([1])), 'state', 'registerBuffer', name, 'all modules')
  }
})

test('rejects values in place of buffers and functions', () => {
  const model = new nn.ReLU()
  model.registerBuffer('b', gf.ones([2]))
  model.b = null
  assert.deepEqual(Object.keys(model.stateDict()), [])
  model.b = 5
  assertRejects(() => model.stateDict(), 'type', 'ReLU', 'b is a buffer', '5')
  for (const fn of [undefined, null, 3]) assertRejects(() => new nn.ReLU().apply(fn), 'type', 'apply', 'fn')
  const inside = new nn.Sequential(new nn.ReLU())
  inside.me = inside
  assertRejects(() => inside.apply(() => {}), 'state', 'me', 'contains itself')
})

test('later changes of an options object do not affect the module', () => {
  const options = { negativeSlope: 0.5 }, module = new nn.LeakyReLU(options)
  options.negativeSlope = 9
  assert.equal(module.forward(gf.tensor([-1])).item(), -0.5)
})
