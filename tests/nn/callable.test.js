// model(x) is model.forward(x), as in PyTorch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSame, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'

const { nn } = gf, x = gf.rand([2, 3])

/** A model as one writes it in PyTorch. */
class Twice extends nn.Module {
  inner = new nn.Linear(3, 3)
  name = 'twice'

  forward(given, { times = 2 } = {}) {
    let made = given
    for (let i = 0; i < times; i++) made = this.inner(made)
    return made
  }
}

test('every module can be called like its forward', () => {
  const attention = new nn.MultiheadAttention(4, 2), one = gf.rand([1, 3, 4])
  const given = [one, one, one, { isCausal: true }]
  assertSame(attention(...given)[0], plain(attention.forward(...given)[0]))
  const several = new nn.Sequential(new nn.Linear(3, 2), new nn.Tanh())
  const called = [new nn.Linear(3, 2), new nn.LayerNorm(3), new nn.GELU(), several, new Twice()]
  for (const module of called) assertSame(module(x), plain(module.forward(x)))
  assertSame(called[4](x, { times: 3 }), plain(called[4].forward(x, { times: 3 })))
})

test('calling a module is traced and runs its hooks', () => {
  const model = new Twice(), heard = []
  model.inner.registerForwardHook((module, inputs) => { heard.push([module === model.inner, inputs[0].shape]) })
  const { trace } = gf.trace(() => model(x))
  assert.deepEqual(heard, [[true, [2, 3]], [true, [2, 3]]])
  for (const name of ['inner.weight', 'inner.output']) assert.ok(trace.names.includes(name), `${name} is not among ${trace.names}`)
})

test('a callable module keeps its class, entries, clone and string', () => {
  const model = new Twice(), copy = model.clone()
  assert.ok(model instanceof nn.Module && model instanceof Twice)
  assert.deepEqual(Object.keys(model.stateDict()), ['inner.weight', 'inner.bias'])
  assert.equal(model.name, 'twice')
  assertSame(copy(x), plain(model(x)))
  assert.notEqual(copy.inner, model.inner)
  const several = new nn.Sequential(new nn.Linear(3, 2), new nn.ReLU())
  assert.deepEqual([several.length, several.clone().length, new nn.ModuleList([several]).length], [2, 2, 1])
  assert.ok(!('caller' in model), 'nothing comes from Function')
  assertRejects(() => gf.tensor(model), 'type', 'Twice')
})

test("a user's module may have the properties name and length", () => {
  class Named extends nn.Module {
    constructor(name) {
      super()
      Object.assign(this, { name, length: 7 })
    }

    forward(given) { return given }
  }
  const made = new Named('one'), copy = made.clone()
  assert.deepEqual([made.name, made.length, copy.name, copy.length], ['one', 7, 'one', 7])
  assert.equal(made(x), x)
  const dict = new nn.ModuleDict({ name: made })
  assert.deepEqual([dict.length, dict.get('name') === made, dict.keys()], [1, true, ['name']])
  assert.equal(dict.clone().get('name').name, 'one')
})

test('modules are accepted where functions are', () => {
  const layer = new nn.TransformerEncoderLayer(4, 2, 8, 0, { activation: new nn.GELU() })
  const usual = new nn.TransformerEncoderLayer(4, 2, 8, 0, { activation: 'gelu' })
  usual.loadStateDict(layer.stateDict())
  const src = gf.rand([1, 3, 4])
  assertSame(layer(src), plain(usual(src)))
  const model = new Twice(), given = gf.rand([2, 3], { requiresGrad: true })
  gf.checkpoint(model, given).sum().backward()
  const again = plain(given.grad)
  given.grad = null
  model(given).sum().backward()
  assertSame(given.grad, again)
})

test('errors of a call name forward', () => {
  assertRejects(() => new nn.Linear(3, 2)(x, x), 'type', 'Linear.forward: takes one argument, but also got')
  assertRejects(() => new nn.Module()(x), 'state', 'Module: forward is not defined')
})
