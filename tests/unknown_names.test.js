// Names that tensors and modules do not have: an error that says what to write, except where other programs ask.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect, isDeepStrictEqual } from 'node:util'
import { gf } from './lib/engine.js'

const { nn } = gf, x = gf.tensor([[1, 2], [3, 4]]), lin = new nn.Linear(2, 2)
class Net extends nn.Module {
  constructor() {
    super()
    this.layer = new nn.Linear(2, 2)
    this.width = 2
  }

  forward(y) { return this.layer(y) }
}
const net = new Net(), modules = { net }, compute = () => net(gf.tensor([[1, 2]]))
const run = gf.observe(compute, { modules }), { trace } = gf.trace(compute, { modules })
const tokenizer = gf.text.trainBPE('low lower', { vocabSize: 258 })

for (const [call, message] of [
  [() => x.foo, 'a tensor has no foo'], [() => x.flor(), 'a tensor has no flor; did you mean floor?'],
  [() => x.softMax(1), 'a tensor has no softMax; did you mean softmax?'], [() => x.masked_fill, 'masked_fill is spelled maskedFill here'],
  [() => x[x.gt(1)], 'a float32 tensor [2, 2] cannot be indexed with [ ]; write x.maskedSelect(mask) for x[mask], ' +
  'x.indexSelect(0, ids) for x[ids]'],
  [() => { x.label = 3 }, 'a tensor cannot get the property label; keep it in a Map, or in an object beside the tensor'],
  [() => { x.requires_grad = true }, 'requires_grad is spelled requiresGrad here'],
  [() => { x.requiresgrad = true }, 'a tensor cannot get the property requiresgrad; did you mean requiresGrad?'],
  [() => lin.foo, 'Linear has no foo'], [() => lin.wieght, 'Linear has no wieght; did you mean weight?'],
  [() => net.layers, 'Net has no layers; did you mean layer?'], [() => net.forwrad(x), 'Net has no forwrad; did you mean forward?'],
  [() => net.state_dict(), 'state_dict is spelled stateDict here'], [() => new nn.ModuleList([lin])[1], 'ModuleList has no 1'],
  [() => new nn.Sequential(lin)[-1], 'a list of modules has no index -1; write list.at(-1)'],
  [() => run.get('net'), 'a run has no get; write run.tensor(name)'], [() => run.gradeint, 'a run has no gradeint; did you mean gradient?'],
  [() => run['net.output'], "a run has no net.output; write run.tensor('net.output')"],
  [() => trace.tensor('net'), 'a trace has no tensor; write trace.get(name)'],
  [() => trace['net.output'], "a trace has no net.output; write trace.get('net.output')"],
  [() => tokenizer.batch_decode([[1]]), 'a tokenizer has no batch_decode; write lists.map(ids => tokenizer.decode(ids))'],
  [() => tokenizer.token_of(1), 'token_of is spelled tokenOf here']
]) test(`${String(call).slice(6)} is an error`, () => assert.throws(call, { name: 'GlassformerError', code: 'type', message }))

test('modules may get any property, also one whose name has a hint', () => {
  net.extra = 1
  net.children = 'none'
  lin.scaleInit = 2
  assert.deepEqual([net.extra, net.children, lin.scaleInit, net.width], [1, 'none', 2, 2])
  delete net.children
})

test('what other programs ask of every value is undefined', async () => {
  for (const value of [x, lin, net, run, trace, tokenizer]) {
    assert.equal(await value, value)
    for (const name of ['then', 'asymmetricMatch', '$$typeof', 'nodeType', 'tagName', '@@__IMMUTABLE_ITERABLE__@@', '__v_isRef',
      '_isMockFunction', 'inspect', Symbol.toStringTag, Symbol.asyncIterator]) assert.equal(value[name], undefined, String(name))
    assert.equal('foo' in value, false)
    assert.equal(value.hasOwnProperty('foo'), false) // eslint-disable-line no-prototype-builtins
    assert.ok(inspect(value).length > 3)
    assert.ok(inspect(value, { customInspect: false, depth: 0 }).length > 3)
    assert.ok(isDeepStrictEqual(value, value))
    assert.equal(isDeepStrictEqual(value, gf.ones([2, 2])), false)
    assert.ok({ ...value })
  }
  assert.equal(JSON.stringify({ x }), '{"x":[[1,2],[3,4]]}')
  assert.throws(() => assert.deepEqual(x, gf.ones([2, 2])), { name: 'AssertionError' })
  assert.throws(() => assert.equal(lin, net), { name: 'AssertionError' })
})

test('values for other threads are copied by name, since a clone would need the memory', () => {
  for (const value of [x, lin]) assert.throws(() => structuredClone(value), { name: 'DataCloneError' })
  assert.deepEqual(structuredClone(x.toArray()), [[1, 2], [3, 4]])
})

test('names that begin with _ or $ are no part of the interface', () => {
  x._mark = 1
  assert.equal(x._mark, 1)
  delete x._mark
  assert.equal(x._mark, undefined)
})
