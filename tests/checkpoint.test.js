// A saved training continues with the same bits in another engine; a file that does not fit changes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/js/index.js'
import { assertRejects, gf } from './lib/engine.js'

const { StepLR } = gf.optim.lrScheduler

/** A small model with dropout that learns to reproduce its input, with batches in random order. */
function createTraining(lib, kind = 'AdamW', options = { amsgrad: true }) {
  const { nn, functional: F, optim, data } = lib
  const model = new nn.Sequential(new nn.Linear(4, 8), new nn.Dropout(0.3), new nn.GELU(), new nn.Linear(8, 4))
  const groups = [{ params: model.at(0).parameters() }, { params: model.at(3).parameters(), lr: 0.03 }]
  const optimizer = new optim[kind](groups, { lr: 0.01, ...options })
  const scheduler = new optim.lrScheduler.SequentialLR(optimizer, [
    new optim.lrScheduler.LinearLR(optimizer, { totalIters: 2 }), new optim.lrScheduler.CosineAnnealingLR(optimizer, 5)
  ], [2])
  const plateau = new optim.lrScheduler.ReduceLROnPlateau(optimizer, { patience: 0 })
  const generator = new lib.Generator().manualSeed(4)
  const rows = lib.arange(24).reshape(6, 4).to('float32').mul(0.1)
  const loader = new data.DataLoader(rows, { batchSize: 2, shuffle: true, generator })
  const losses = []
  const epoch = () => {
    for (const x of loader) lib.tidy(() => {
      optimizer.zeroGrad()
      const loss = F.mseLoss(model(x), x.add(lib.randn(x.shape).mul(0.01)))
      loss.backward()
      optimizer.step()
      losses.push(loss.item())
    })
    scheduler.step()
    plateau.step(losses.at(-1))
  }
  return { parts: { model, optimizer, scheduler, plateau, generator }, losses, epoch,
    values: () => [...model.parameters().map(p => p.toArray()), optimizer.stateDict().paramGroups,
      scheduler.stateDict(), plateau.stateDict()] }
}

const kinds = [['AdamW', { amsgrad: true }], ['Adam', { weightDecay: 0.1, maximize: true }], ['SGD', { momentum: 0.9 }],
  ['SGD', {}]]
for (const [kind, options] of kinds) {
  test(`${kind} ${JSON.stringify(options)}: 3 epochs, a checkpoint and 3 epochs in another engine equal 6 epochs`, async () => {
    gf.manualSeed(8)
    const original = createTraining(gf, kind, options)
    for (let i = 0; i < 3; i++) original.epoch()
    const bytes = gf.saveCheckpoint({ ...original.parts, step: 3, best: Infinity, note: null })
    for (let i = 0; i < 3; i++) original.epoch()

    const other = await load(), resumed = createTraining(other, kind, { ...options, lr: 9 })
    assert.deepEqual(other.loadCheckpoint(bytes, resumed.parts), { step: 3, best: Infinity, note: null })
    for (let i = 0; i < 3; i++) resumed.epoch()
    assert.deepEqual(resumed.losses, original.losses.slice(resumed.losses.length))
    assert.deepEqual(resumed.values(), original.values())
    assert.deepEqual(other.getRngState(), gf.getRngState())
  })
}

test('a checkpoint is a safetensors file with tensors by name', () => {
  const { parts } = createTraining(gf), { tensors, metadata } = gf.loadSafetensors(gf.saveCheckpoint(parts))
  assert.deepEqual(tensors['model.0.weight'].toArray(), parts.model.at(0).weight.toArray())
  assert.equal(metadata.format, 'glassformer checkpoint 1')
  assert.equal(tensors.rng_state.numel(), 5056)
})

test('all kinds of values are restored', () => {
  const values = {
    step: 7, list: [1, [2, { a: null }]], text: '한국어 "x"', yes: true, big: 2n ** 70n, odd: [NaN, Infinity, -Infinity, -0, 1e-320],
    curve: Float32Array.of(0.1, 2), counts: new Uint32Array([2 ** 32 - 1]), empty: {}, $: { $: 'tensor', name: 'x' },
    nested: { 'a.b': 1, 'a': { b: 2 } }
  }
  const { ema, half, flags, ids, scalar, ...rest } = gf.loadCheckpoint(gf.saveCheckpoint({
    ...values, ema: { w: gf.tensor([[1, 2]]) }, half: gf.tensor([0.5]).to('float16'), flags: gf.tensor([true, false]),
    ids: gf.tensor([[1], [2]], { dtype: 'int32' }), scalar: gf.tensor(3, { dtype: 'float64' }), missing: undefined
  }))
  assert.deepEqual(rest, values)
  assert.ok(Object.is(rest.odd[3], -0))
  assert.deepEqual([ema.w, half, flags, ids, scalar].map(t => [t.dtype, t.shape.join(), t.toArray()]), [
    ['float32', '1,2', [[1, 2]]], ['float16', '1', [0.5]], ['bool', '2', [true, false]], ['int32', '2,1', [[1], [2]]],
    ['float64', '', 3]
  ])
  assert.deepEqual(gf.loadCheckpoint(gf.saveCheckpoint({ 'a.b': gf.ones([1]), 'a': { b: gf.zeros([1]) } })).a.b.toArray(), [0])
})

test('only the states of the targets are loaded', () => {
  const { parts } = createTraining(gf), bytes = gf.saveCheckpoint({ ...parts, step: 1 })
  const model = createTraining(gf).parts.model, before = gf.memory().tensors
  assert.deepEqual(gf.loadCheckpoint(bytes, { model, optimizer: null }), { step: 1 })
  assert.deepEqual(model.at(0).weight.toArray(), parts.model.at(0).weight.toArray())
  assert.equal(gf.memory().tensors, before)
})

test('loadCheckpoint returns a promise for a Blob', async () => {
  const { parts } = createTraining(gf), bytes = gf.saveCheckpoint({ ...parts, step: 1 }), target = createTraining(gf)
  assert.deepEqual(await gf.loadCheckpoint(new Blob([bytes]), target.parts), { step: 1 })
  assert.deepEqual(target.values(), gf.tidy(() => [...parts.model.parameters().map(p => p.toArray()),
    parts.optimizer.stateDict().paramGroups, parts.scheduler.stateDict(), parts.plateau.stateDict()]))
})

test('a file that does not fit gives an error and changes nothing', () => {
  gf.manualSeed(3)
  const source = createTraining(gf)
  source.epoch()
  const bytes = gf.saveCheckpoint({ ...source.parts, step: 1 })
  const target = createTraining(gf)
  target.epoch()
  const { model, optimizer, scheduler, generator } = target.parts
  const moments = () => [...optimizer.state.values()].map(({ step, expAvg }) => [step, expAvg.toArray()])
  const state = () => [target.values(), moments(), generator.getState(), gf.getRngState()]
  const wide = new gf.nn.Linear(4, 9), few = new gf.optim.AdamW(wide.parameters())
  const before = state(), { tensors } = gf.memory()
  const refuse = (code, file, targets, ...words) => {
    assertRejects(() => gf.loadCheckpoint(file, targets), code, 'loadCheckpoint', ...words)
    assert.deepEqual(state(), before)
    assert.equal(gf.memory().tensors, tensors, 'all tensors read are freed')
  }
  refuse('shape', bytes, { ...target.parts, model: wide }, 'model does not fit', '0.weight is unknown',
    'weight is missing')
  refuse('shape', bytes, { model, scheduler, optimizer: few }, 'optimizer', 'groups')
  const other = { scheduler: new StepLR(optimizer, 1), plateau: generator }
  refuse('type', bytes, { model, optimizer, ...other }, 'plateau')
  refuse('format', bytes, { model, schedule: scheduler }, 'schedule', 'model, optimizer, scheduler')
  refuse('type', bytes, { model: 3 }, 'model', '3')
  refuse('type', bytes, model, 'targets', '{ model }')
  refuse('type', 'training.bin', { model }, 'bytes', 'readFileSync')
  refuse('type', undefined, { model }, 'bytes')
  refuse('format', gf.saveSafetensors(source.parts.model.stateDict()), { model }, 'saveCheckpoint')
})

test('a truncated file, or one with a changed header, is rejected or loads completely', () => {
  const model = new gf.nn.Linear(2, 2), optimizer = new gf.optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.5 })
  model(gf.ones([1, 2])).sum().backward()
  optimizer.step()
  const bytes = gf.saveCheckpoint({ model, optimizer, step: 3 })
  const header = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true))
  const state = () => JSON.stringify([model.stateDict(), optimizer.stateDict()]), before = state()
  const attempt = file => {
    try {
      gf.loadCheckpoint(file, { model, optimizer })
    } catch (error) {
      assert.equal(error.name, 'GlassformerError', error.stack)
      assert.equal(state(), before, error.message)
      return
    }
    // The changed byte may belong to a number or a name. The file is then valid; loading the original again must
    // restore everything.
    gf.loadCheckpoint(bytes, { model, optimizer })
    assert.equal(state(), before)
  }
  for (let length = 0; length < bytes.length; length += length < header ? 7 : 997) attempt(bytes.slice(0, length))
  for (let at = 0; at < header; at++) {
    const changed = bytes.slice()
    changed[at] ^= 1 << at % 8
    attempt(changed)
  }
})

test('user objects with stateDict are saved, too, and restored if a later one fails', () => {
  const createObject = (fails = false) => ({
    value: 1, tensor: gf.tensor([1]),
    stateDict() { return { value: this.value, tensor: this.tensor } },
    loadStateDict(state) {
      if (fails && state.value === 5) throw new Error('not today')
      this.value = state.value
      this.tensor.data.set(state.tensor.data)
    }
  })
  const a = createObject(), b = createObject(true)
  a.value = b.value = 5
  a.tensor.data[0] = 7
  const bytes = gf.saveCheckpoint({ a, b })
  const c = createObject(), d = createObject(true), fine = createObject()
  assert.throws(() => gf.loadCheckpoint(bytes, { a: c, b: d }), { message: 'loadCheckpoint: b: not today' })
  assert.deepEqual([c.value, c.tensor.toArray(), d.value], [1, [1], 1])
  gf.loadCheckpoint(bytes, { a: fine })
  assert.deepEqual([fine.value, fine.tensor.toArray()], [5, [7]])
})

test('an error names the value that cannot be saved', () => {
  const model = new gf.nn.Linear(1, 1), loop = {}
  loop.self = loop
  for (const [parts, ...words] of [
    [{ fn: () => 1 }, 'fn'], [{ a: { date: new Date() } }, 'a.date'], [{ list: [new Map()] }, 'list.0'],
    [{ models: { model } }, 'models.model', 'at the top'], [{ loop }, 'loop.self', 'contains itself']
  ]) assertRejects(() => gf.saveCheckpoint(parts), 'type', 'saveCheckpoint', ...words)
  assertRejects(() => gf.saveCheckpoint(model), 'type', 'saveCheckpoint', '{ model }')
  assertRejects(() => gf.saveCheckpoint(), 'type', 'saveCheckpoint')
  const gone = gf.ones([1])
  gone.dispose()
  assertRejects(() => gf.saveCheckpoint({ gone }), 'state', 'gone')
})
