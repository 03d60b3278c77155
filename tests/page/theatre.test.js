// A training is resumed, rewound and exported, bit for bit, and its weights are displayed in the rooms.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { defaultsOf as pageDefaults } from '../../web/models/index.js'
import { RUNS } from '../../web/models/runs.js'
import { parseTraining } from '../../src/training/training_file.js'
import { createPlayer } from '../../src/training/player.js'
import { createReport } from '../../web/theatre/report.js'
import { createSession } from '../../src/training/session.js'
import { TASKS, defaultsOf, read, write } from '../../src/training/settings.js'
import { TASK_INFO } from '../../src/training/tasks/task_info.js'
import { everyNth } from '../lib/long.js'
import { floatBits, smallSettings, trainSteps } from '../lib/theatre.js'

const gf = await load()

test('every task learns: the loss falls, and held-out examples are evaluated', () => {
  for (const task of TASKS) {
    const session = createSession(gf, smallSettings(task, { rate: 0.02 }))
    const losses = trainSteps(session, 30)
    assert.ok(losses.at(-1) < losses[0], `${task}: ${losses[0]} to ${losses.at(-1)}`)
    const [first, ...otherEvaluations] = session.history.evaluations
    assert.deepEqual([first.step, ...otherEvaluations.map(({ step }) => step)], [0, 25, 30], task)
    assert.ok(otherEvaluations.every(({ loss, right }) => Number.isFinite(loss) && right >= 0 && right <= 1), task)
    session.dispose()
  }
})

const OPTIMIZED = [{ decay: 0.01 }, { optimizer: 'sgd' }, { optimizer: 'sgd', momentum: 0 }]

test('a restored training continues like one that never stopped, bit for bit', () => {
  for (const [task, more] of everyNth([...TASKS.map(task => [task]), ...OPTIMIZED.map(item => ['dates', item])], 2)) {
    const uninterrupted = createSession(gf, smallSettings(task, more))
    const losses = trainSteps(uninterrupted, 20)
    const first = createSession(gf, smallSettings(task, more))
    trainSteps(first, 9)
    const snapshot = structuredClone(first.snapshot())
    first.dispose()
    const second = createSession(gf, smallSettings(task, more))
    trainSteps(second, 3)
    second.history.loss.length = 0
    second.restore(snapshot)
    const { history } = second
    history.loss.push(...losses.slice(0, 9))
    assert.deepEqual(floatBits(trainSteps(second, 11)), floatBits(losses.slice(9)), task)
    assert.deepEqual(floatBits(second.snapshot().values), floatBits(uninterrupted.snapshot().values), task)
    uninterrupted.dispose()
    second.dispose()
  }
})

test('a training resumed from the browser or a file continues like one that never stopped, bit for bit', () => {
  for (const more of everyNth(OPTIMIZED, 2)) checkResumed(smallSettings('stories', more))
})

function checkResumed(settings) {
  const uninterrupted = createPlayer(gf, settings)
  uninterrupted.seek(0)
  for (let n = 0; n < 16; n++) uninterrupted.step()
  const first = createPlayer(gf, settings)
  for (let n = 0; n < 9; n++) first.step()
  const froms = [{ kept: structuredClone(first.keep()) }, { file: first.session.file(true) }]
  assert.deepEqual(parseTraining(froms[1].file), { training: write(settings), step: 9 })
  for (const from of froms) {
    const resumed = createPlayer(gf, settings, from)
    assert.equal(resumed.session.done, 9)
    for (let n = 0; n < 7; n++) resumed.step()
    assert.deepEqual(floatBits(resumed.session.history.loss.slice(9)),
      floatBits(uninterrupted.session.history.loss.slice(9)))
    assert.deepEqual(floatBits(resumed.session.snapshot().values), floatBits(uninterrupted.session.snapshot().values))
    resumed.seek(4)
    uninterrupted.seek(4)
    assert.deepEqual(floatBits(resumed.session.snapshot().values), floatBits(uninterrupted.session.snapshot().values), 'a step before')
    uninterrupted.seek(16)
    resumed.session.dispose()
  }
  const fromWeights = () => createPlayer(gf, settings, { file: first.session.file() }).session.dispose()
  if (first.session.letters.length) assert.throws(fromWeights, { code: 'file' })
  else assert.doesNotThrow(fromWeights, 'weights are all there is')
  assert.equal(parseTraining(Uint8Array.of(1, 2, 3)), null)
  first.session.dispose()
  uninterrupted.session.dispose()
}

test('the printed command trains in Node with the same losses, and its file can be resumed', () => {
  const folder = new URL('../../build/theatre/', import.meta.url).pathname
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const settings = smallSettings('dates')
  const script = new URL('../../src/cli/index.js', import.meta.url).pathname
  const run = (...more) => execFileSync(process.execPath, [script, 'train', write(settings), ...more], { encoding: 'utf8' })
  run('--until', '10', '--out', `${folder}ten.safetensors`)
  const output = run('--json', '--from', `${folder}ten.safetensors`, '--out', `${folder}all.safetensors`)
  const session = createSession(gf, settings)
  trainSteps(session, 30)
  const { loss, right } = session.history.evaluations.at(-1)
  const lastReport = JSON.parse(output.trim().split('\n').at(-1))
  assert.deepEqual([lastReport.step, lastReport.loss, lastReport.heldOut, lastReport.right],
    [30, session.history.loss[29], loss, right])
  assert.deepEqual(readFileSync(`${folder}all.safetensors`), Buffer.from(session.file(true)))
  session.dispose()
})

test('evaluating in between does not change the training', () => {
  const plain = createSession(gf, smallSettings('dates'))
  const evaluated = createSession(gf, smallSettings('dates'))
  const losses = trainSteps(plain, 12)
  const otherLosses = Array.from({ length: 12 }, () => {
    evaluated.answer(TASK_INFO.dates.sample)
    evaluated.look()
    return evaluated.step().loss
  })
  assert.deepEqual(floatBits(otherLosses), floatBits(losses))
  plain.dispose()
  evaluated.dispose()
})

test('an earlier step is restored or recomputed, bit for bit, within the memory limit', () => {
  const settings = smallSettings('particles')
  const uninterrupted = createSession(gf, settings)
  const states = [uninterrupted.snapshot(), ...Array.from({ length: 30 }, () => {
    uninterrupted.step()
    return uninterrupted.snapshot()
  })]
  const player = createPlayer(gf, settings, { limit: uninterrupted.bytes * 2 + 1 })
  player.seek(0)
  while (player.step());
  assert.ok(player.shelf.facts.bytes <= uninterrupted.bytes * 2 + 1, 'the shelf keeps its limit')
  for (const step of [30, 17, 3, 29, 0, 11]) {
    player.seek(step)
    assert.equal(player.session.done, step)
    assert.deepEqual(floatBits(player.session.snapshot().values), floatBits(states[step].values), `step ${step}`)
  }
  assert.equal(player.session.history.loss.length, 30)
  uninterrupted.dispose()
  player.session.dispose()
})

test('a non-finite loss stops the training, reports where it started, and keeps the previous step', () => {
  const player = createPlayer(gf, smallSettings('dates'))
  player.step()
  const [, embedding] = player.session.named[0]
  const snapshot = player.session.snapshot()
  embedding.data.fill(3e38)
  const before = player.session.snapshot()
  assert.equal(player.step(), false)
  const { step, where: location } = player.broken
  assert.equal(step, 2)
  assert.equal(location.isGradient, false)
  assert.ok(location.name.length > 1, location.name)
  assert.equal(location.value, Infinity, 'too large for a number, and that before anything is NaN')
  assert.deepEqual(player.session.snapshot(), before)
  assert.equal(player.session.done, snapshot.step)
  player.session.dispose()
})

test('if forward is finite, the first non-finite gradient is named, or the overflow of their norm', () => {
  for (const [rate, layers] of [[1000, 2], [1e30, 1]]) {
    const settings = read(`dates_rate-${rate}_schedule-constant_warmUp-0_clip-0_normFirst-before_batch-8_layers-${layers}`)
    const player = createPlayer(gf, { ...settings, steps: 60 })
    while (player.step());
    assert.ok(player.broken, `at a rate of ${rate}`)
    const { step, loss, where: location } = player.broken
    assert.equal(player.session.done, step - 1)
    // By itself: the same step, forward and back, in the order in which it is computed.
    const { model, named, lossOf, batchAt, optimizer } = player.session
    optimizer.zeroGrad()
    const { trace, output } = gf.trace(() => lossOf(batchAt(step), settings.smoothing))
    const isWrong = values => values.some(value => Number.isNaN(value) || value === Infinity)
    const forward = trace.names.filter(name => trace.get(name).dtype === 'float32' && isWrong(trace.get(name).values))
    if (forward.length) assert.ok(forward.includes(location.name) && !location.isGradient, `${location.name}, ${loss}`)
    else {
      output.backward()
      const wrong = named.filter(([, { grad }]) => isWrong(grad.values)).map(([name]) => name)
      assert.equal(location?.name ?? '', wrong.at(-1) ?? '')
    }
    trace.dispose()
    output.dispose()
    assert.ok(model.parameters().every(({ values }) => !isWrong(values)), 'the weights are those of the step before')
    player.session.dispose()
  }
})

test('a repeated batch is memorized', () => {
  const session = createSession(gf, smallSettings('dates', { repeat: true, dropout: 0, rate: 0.01, smoothing: 0, steps: 80 }))
  const losses = trainSteps(session, 80)
  assert.ok(losses.at(-1) < losses[0] / 2, `${losses[0]} to ${losses.at(-1)}`)
  assert.deepEqual(session.batchAt(7), session.batchAt(1))
  const newSession = createSession(gf, smallSettings('dates'))
  assert.notDeepEqual(newSession.batchAt(7), newSession.batchAt(1))
  trainSteps(newSession, 5)
  const news = createReport({ session: newSession }, { steps: 2, evaluations: 0 })
  for (const name of ['loss', 'rate', 'norm']) assert.deepEqual([...news[name]], newSession.history[name].slice(2), name)
  newSession.dispose()
  session.dispose()
})

test('memory stays constant over many steps with reports', () => {
  const player = createPlayer(gf, smallSettings('dates', { steps: 400 })), { session, follower } = player
  const inputs = session.inputsOf(TASK_INFO.dates.sample)
  follower.pin({ name: 'transformer.decoder.layers.0.self_attn.weights', index: [0, 0, 0, 0] }, inputs)
  const takeSteps = steps => {
    for (let n = 0; n < steps; n++) {
      player.step()
      if (n % 20) continue
      const since = { steps: session.done, evaluations: session.history.evaluations.length }
      createReport(player, since, { sentence: TASK_INFO.dates.sample })
      follower.readFor(10)
    }
    const { bytes, tensors } = gf.memory()
    return { bytes, tensors }
  }
  const before = takeSteps(60)
  assert.deepEqual(takeSteps(300), before)
  session.dispose()
})

test('the page runs the model of a step exactly as the training has it', () => {
  const sizes = { layers: 1, dModel: 16, dimFeedforward: 24, heads: 2, steps: 20 }
  const field = { dates: 'source', particles: 'gapped', stories: 'beginning', induction: 'beginning', text: 'beginning' }
  const modern = { positions: 'rotary', norm: 'rms', activation: 'swiglu', kvHeads: 1 }
  const hasParts = task => ['stories', 'text'].includes(task), ownText = '나비가 날아와요. 꽃이 피어요. '.repeat(40)
  const shapes = [{ positions: 'interleaved' }, { positions: 'learned', unit: 'pairs', size: 280 }, modern]
  for (const task of Object.keys(field)) for (const shape of hasParts(task) ? shapes : shapes.slice(0, 2)) {
    const { positions } = shape
    const session = createSession(gf, { ...defaultsOf(task), ...sizes, ...shape, batch: 4 },
      task === 'text' ? ownText : undefined)
    trainSteps(session, 6)
    const file = session.file()
    const options = { ...pageDefaults(task), [field[task]]: TASK_INFO[task].sample, weights: 'theatre', trainedFileId: positions }
    if (task === 'dates') Object.assign(options, { positions })
    const { run } = RUNS[task](gf, options, [], [file])
    const stateDict = session.model.stateDict()
    const weights = run.names.filter(name => Object.hasOwn(stateDict, name))
    assert.ok(weights.length > 10, task)
    for (const name of weights) assert.deepEqual(floatBits(run.tensor(name).values),
      floatBits(stateDict[name].values), name)
    if (task === 'text') {
      const { decoding, run: pageRun } = RUNS[task](gf, options, [], [file])
      const inputIds = session.inputsOf(TASK_INFO.text.sample)[0][0].slice(-5)
      const ids = decoding.steps.map(({ id }) => id)
      assert.ok(ids.some((_, i) => inputIds.every((id, n) => ids[i + n] === id)), `${inputIds} in ${ids}`)
      pageRun.dispose()
    }
    run.dispose()
    session.dispose()
  }
})

/** What the reference makes of a step of one weight, and which of its state the session keeps. */
