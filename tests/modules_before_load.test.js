// import { nn } from 'glassformer': modules declared before load() was called.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { data, functional as F, load, nn, optim } from '../src/js/index.js'

class Model extends nn.Module {
  constructor(size = 3) {
    super()
    this.linear = new nn.Linear(2, size)
    this.scale = new nn.Parameter([[1, 2, 3]])
  }

  forward(x) {
    return F.relu(this.linear(x)).mul(this.scale)
  }
}

const state = { code: 'state' }

test('a module before load is an error that says what to write', () => {
  const message = name => `${name}: nothing is loaded yet; write const gf = await load() before new ${name}(…)`
  assert.throws(() => new Model(), { ...state, message: message('Model') })
  assert.throws(() => new nn.Linear(2, 3), { ...state, message: message('Linear') })
  assert.throws(() => new nn.Parameter([1]), { ...state, message: message('Parameter') })
  assert.throws(() => nn.Linear(2, 3), { code: 'type', message: 'Linear is a class; write new gf.nn.Linear(…)' })
  assert.throws(() => nn.BatchNorm1d, /gf\.nn has no BatchNorm1d/)
  assert.throws(() => nn.linear, /linear is spelled Linear here/)
})

class Squares extends data.Dataset {
  get length() { return 4 }
  get(index) { return index * index }
}

test('datasets declared before load, and their loaders', async () => {
  const gf = await load(), [batch] = new data.DataLoader(new Squares(), { batchSize: 4 })
  assert.deepEqual([batch.dtype, batch.toArray()], ['int32', [0, 1, 4, 9]])
  assert.deepEqual(Object.keys(data), Object.keys(gf.data))
  assert.deepEqual(data.padSequence([gf.ones([1]), gf.ones([2])], { batchFirst: true }).toArray(), [[1, 0], [1, 1]])
  assert.ok(new gf.data.Subset([1, 2], [0]) instanceof data.Dataset)
})

test('classes declared before load train as those of gf.nn do', async () => {
  const gf = await load()
  const train = (Class, { AdamW }) => {
    gf.manualSeed(5)
    const model = new Class(), optimizer = new AdamW(model.parameters(), { lr: 0.1 })
    for (let i = 0; i < 3; i++) {
      optimizer.zeroGrad()
      model(gf.ones([2, 2])).sum().backward()
      optimizer.step()
    }
    return Object.entries(model.stateDict()).map(([name, tensor]) => [name, tensor.toArray()])
  }
  class Later extends gf.nn.Module {
    linear = new gf.nn.Linear(2, 3)
    scale = new gf.nn.Parameter([[1, 2, 3]])
    forward(x) {
      return this.linear(x).relu().mul(this.scale)
    }
  }
  assert.deepEqual(train(Model, optim), train(Later, gf.optim))
  assert.deepEqual(Object.keys(nn), Object.keys(gf.nn))
  assert.equal(String(new Model()), String(new Later()).replace('Later', 'Model'))
  nn.init.zeros_(new Model().linear.weight)
})

test('instanceof holds between nn and gf.nn', async () => {
  const gf = await load(), model = new Model(), linear = new gf.nn.Linear(1, 1)
  for (const [value, Class, isInstance] of [
    [model, gf.nn.Module, true], [model, nn.Module, true], [model, Model, true], [model, gf.nn.Linear, false],
    [model.linear, gf.nn.Linear, true], [linear, nn.Linear, true], [linear, nn.Module, true], [linear, Model, false],
    [linear, nn.Embedding, false], [model.scale, gf.nn.Parameter, true], [new gf.nn.Parameter([1]), nn.Parameter, true]
  ]) assert.equal(value instanceof Class, isInstance, `${value} ${Class.name}`)
  for (const name of Object.keys(nn).filter(key => typeof nn[key] === 'function')) assert.equal(nn[name].name, name)
})

test('with several engines, nn is that of the last one, gf.nn that of its own', async () => {
  const first = await load(), second = await load()
  assert.equal(new Model().engine, second.engine)
  assert.equal(new nn.Parameter([1]).engine, second.engine)
  assert.equal(new first.nn.Linear(1, 1).engine, first.engine)
  await load({ wasm: new Uint8Array(4) }).catch(() => {})
  assert.equal(new Model().engine, second.engine, 'a load that failed changes nothing')
})

test('a model of the top level is traced, cloned, saved and compiled as others', async () => {
  const gf = await load(), model = new Model(), x = gf.ones([1, 2]), copy = model.clone()
  assert.deepEqual(copy(x).toArray(), model(x).toArray())
  const { trace } = gf.trace(() => model(x), { modules: { model } })
  assert.ok(trace.names.includes('model.linear.output'), trace.names.join())
  const state = gf.loadSafetensors(gf.saveSafetensors(model.stateDict())).tensors, other = new Model()
  other.loadStateDict(state)
  assert.deepEqual(other(x).toArray(), model(x).toArray())
  const fast = gf.compile(new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU()).eval())
  gf.noGrad(() => { for (let i = 0; i < 3; i++) fast(x) })
  assert.deepEqual([fast.recordings, fast.reason], [1, ''])
})
