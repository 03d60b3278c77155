// A training goes on, back and away to the bit, and stands behind the glass.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { defaultsOf as pageDefaults } from '../../web/models/index.js'
import { RUNS } from '../../web/models/runs.js'
import { parseTraining } from '../../web/theatre/training_file.js'
import { createPlayer } from '../../web/theatre/player.js'
import { createReport } from '../../web/theatre/report.js'
import { createSession } from '../../web/theatre/session.js'
import { TASKS, defaultsOf, read, write } from '../../web/theatre/settings.js'
import { TASK_INFO } from '../../web/theatre/tasks/task_info.js'
import { everyNth } from '../lib/long.js'
import { floatBits, smallSettings, trainSteps } from '../lib/theatre.js'

const gf = await load()

test('every task learns: the loss falls, and held-out examples are evaluated', () => {
  for (const task of TASKS) {
    const session = createSession(gf, smallSettings(task, { rate: 0.02 }))
    const losses = trainSteps(session, 30)
    assert.ok(losses.at(-1) < losses[0], `${task}: ${losses[0]} to ${losses.at(-1)}`)
    const [first, ...others] = session.history.looks
    assert.deepEqual([first.step, ...others.map(({ step }) => step)], [0, 25, 30], task)
    assert.ok(others.every(({ loss, right }) => Number.isFinite(loss) && right >= 0 && right <= 1), task)
    session.dispose()
  }
})

const OPTIMIZED = [{ decay: 0.01 }, { optimizer: 'sgd' }, { optimizer: 'sgd', momentum: 0 }]

test('a restored training continues like one that never stopped, bit for bit', () => {
  for (const [task, more] of everyNth([...TASKS.map(task => [task]), ...OPTIMIZED.map(one => ['dates', one])], 2)) {
    const whole = createSession(gf, smallSettings(task, more))
    const losses = trainSteps(whole, 20)
    const first = createSession(gf, smallSettings(task, more))
    trainSteps(first, 9)
    const kept = structuredClone(first.snapshot())
    first.dispose()
    const second = createSession(gf, smallSettings(task, more))
    trainSteps(second, 3)
    second.history.loss.length = 0
    second.restore(kept)
    const { history } = second
    history.loss.push(...losses.slice(0, 9))
    assert.deepEqual(floatBits(trainSteps(second, 11)), floatBits(losses.slice(9)), task)
    assert.deepEqual(floatBits(second.snapshot().values), floatBits(whole.snapshot().values), task)
    whole.dispose()
    second.dispose()
  }
})

test('a training resumed from the browser or a file continues like one that never stopped, bit for bit', () => {
  for (const more of everyNth(OPTIMIZED, 2)) goesOn(smallSettings('stories', more))
})

function goesOn(settings) {
  const whole = createPlayer(gf, settings)
  whole.seek(0)
  for (let n = 0; n < 16; n++) whole.step()
  const first = createPlayer(gf, settings)
  for (let n = 0; n < 9; n++) first.step()
  const froms = [{ kept: structuredClone(first.keep()) }, { file: first.session.file(true) }]
  assert.deepEqual(parseTraining(froms[1].file), { training: write(settings), step: 9 })
  for (const from of froms) {
    const other = createPlayer(gf, settings, from)
    assert.equal(other.session.done, 9)
    for (let n = 0; n < 7; n++) other.step()
    assert.deepEqual(floatBits(other.session.history.loss.slice(9)), floatBits(whole.session.history.loss.slice(9)))
    assert.deepEqual(floatBits(other.session.snapshot().values), floatBits(whole.session.snapshot().values))
    other.seek(4)
    whole.seek(4)
    assert.deepEqual(floatBits(other.session.snapshot().values), floatBits(whole.session.snapshot().values), 'a step before')
    whole.seek(16)
    other.session.dispose()
  }
  const fromWeights = () => createPlayer(gf, settings, { file: first.session.file() }).session.dispose()
  if (first.session.letters.length) assert.throws(fromWeights, { code: 'file' })
  else assert.doesNotThrow(fromWeights, 'weights are all there is')
  assert.equal(parseTraining(Uint8Array.of(1, 2, 3)), null)
  first.session.dispose()
  whole.session.dispose()
}

test('the printed command trains in Node with the same losses, and its file can be resumed', () => {
  const folder = new URL('../../build/theatre/', import.meta.url).pathname
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const settings = smallSettings('dates')
  const script = new URL('../../src/js/cli.js', import.meta.url).pathname
  const run = (...more) => execFileSync(process.execPath, [script, 'train', write(settings), ...more], { encoding: 'utf8' })
  run('--until', '10', '--out', `${folder}ten.safetensors`)
  const said = run('--json', '--from', `${folder}ten.safetensors`, '--out', `${folder}all.safetensors`)
  const session = createSession(gf, settings)
  trainSteps(session, 30)
  const { loss, right } = session.history.looks.at(-1)
  const told = JSON.parse(said.trim().split('\n').at(-1))
  assert.deepEqual([told.step, told.loss, told.heldOut, told.right], [30, session.history.loss[29], loss, right])
  assert.deepEqual(readFileSync(`${folder}all.safetensors`), Buffer.from(session.file(true)))
  session.dispose()
})

test('evaluating in between does not change the training', () => {
  const plain = createSession(gf, smallSettings('dates'))
  const looked = createSession(gf, smallSettings('dates'))
  const losses = trainSteps(plain, 12)
  const others = Array.from({ length: 12 }, () => {
    looked.answer(TASK_INFO.dates.sample)
    looked.look()
    return looked.step().loss
  })
  assert.deepEqual(floatBits(others), floatBits(losses))
  plain.dispose()
  looked.dispose()
})

test('dates are trained as by `npm run train`, bit for bit', async () => {
  const folder = new URL('../../build/theatre/', import.meta.url)
  const out = new URL('dates.safetensors', folder)
  const steps = 12
  const script = new URL('../../web/models/dates/train.js', import.meta.url)
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync(process.execPath, [script.pathname, '--steps', String(steps), '--only', 'positions', '--fresh',
      '--checkpoints', folder.pathname, '--out', out.pathname], { stdio: 'ignore' })
  } catch (error) {
    // Twelve steps are too few for it to be content.
    assert.equal(error.status, 1)
  }
  const { tensors } = gf.loadSafetensors(await readFile(out))
  const session = createSession(gf, { ...defaultsOf('dates'), steps })
  trainSteps(session, steps)
  for (const [name, own] of session.named) assert.deepEqual(floatBits(own.values), floatBits(tensors[name].values),
    name)
  session.dispose()
})

test('an earlier step is restored or recomputed, bit for bit, within the memory limit', () => {
  const settings = smallSettings('particles')
  const whole = createSession(gf, settings)
  const states = [whole.snapshot(), ...Array.from({ length: 30 }, () => {
    whole.step()
    return whole.snapshot()
  })]
  const player = createPlayer(gf, settings, { limit: whole.bytes * 2 + 1 })
  player.seek(0)
  while (player.step());
  assert.ok(player.shelf.facts.bytes <= whole.bytes * 2 + 1, 'the shelf keeps its limit')
  for (const step of [30, 17, 3, 29, 0, 11]) {
    player.seek(step)
    assert.equal(player.session.done, step)
    assert.deepEqual(floatBits(player.session.snapshot().values), floatBits(states[step].values), `step ${step}`)
  }
  assert.equal(player.session.history.loss.length, 30)
  whole.dispose()
  player.session.dispose()
})

test('a non-finite loss stops the training, reports where it started, and keeps the previous step', () => {
  const player = createPlayer(gf, smallSettings('dates'))
  player.step()
  const [, embedding] = player.session.named[0]
  const kept = player.session.snapshot()
  embedding.data.fill(3e38)
  const before = player.session.snapshot()
  assert.equal(player.step(), false)
  const { step, where } = player.broken
  assert.equal(step, 2)
  assert.equal(where.isGradient, false)
  assert.ok(where.name.length > 1, where.name)
  assert.equal(where.value, Infinity, 'too large for a number, and that before anything is NaN')
  assert.deepEqual(player.session.snapshot(), before)
  assert.equal(player.session.done, kept.step)
  player.session.dispose()
})

test('if forward is finite, the first non-finite gradient is named, or the overflow of their norm', () => {
  for (const [rate, layers] of [[1000, 2], [1e30, 1]]) {
    const settings = read(`dates_rate-${rate}_schedule-constant_warmUp-0_clip-0_normFirst-before_batch-8_layers-${layers}`)
    const player = createPlayer(gf, { ...settings, steps: 60 })
    while (player.step());
    assert.ok(player.broken, `at a rate of ${rate}`)
    const { step, loss, where } = player.broken
    assert.equal(player.session.done, step - 1)
    // By itself: the same step, forward and back, in the order in which it is computed.
    const { model, named, lossOf, batchAt, optimizer } = player.session
    optimizer.zeroGrad()
    const { trace, output } = gf.trace(() => lossOf(batchAt(step), settings.smoothing))
    const isWrong = values => values.some(value => Number.isNaN(value) || value === Infinity)
    const forward = trace.names.filter(name => trace.get(name).dtype === 'float32' && isWrong(trace.get(name).values))
    if (forward.length) assert.ok(forward.includes(where.name) && !where.isGradient, `${where.name}, ${loss}`)
    else {
      output.backward()
      const wrong = named.filter(([, { grad }]) => isWrong(grad.values)).map(([name]) => name)
      assert.equal(where?.name ?? '', wrong.at(-1) ?? '')
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
  const fresh = createSession(gf, smallSettings('dates'))
  assert.notDeepEqual(fresh.batchAt(7), fresh.batchAt(1))
  trainSteps(fresh, 5)
  const news = createReport(fresh, { steps: 2, looks: 0 })
  for (const name of ['loss', 'rate', 'norm']) assert.deepEqual([...news[name]], fresh.history[name].slice(2), name)
  fresh.dispose()
  session.dispose()
})

test('memory stays constant over many steps with reports', () => {
  const player = createPlayer(gf, smallSettings('dates', { steps: 400 })), { session, follower } = player
  const inputs = session.inputsOf(TASK_INFO.dates.sample)
  follower.pin({ name: 'transformer.decoder.layers.0.self_attn.weights', index: [0, 0, 0, 0] }, inputs)
  const walkOn = steps => {
    for (let n = 0; n < steps; n++) {
      player.step()
      if (n % 20) continue
      const since = { steps: session.done, looks: session.history.looks.length }
      createReport(session, since, { sentence: TASK_INFO.dates.sample })
      follower.read(10)
    }
    const { bytes, tensors } = gf.memory()
    return { bytes, tensors }
  }
  const before = walkOn(60)
  assert.deepEqual(walkOn(300), before)
  session.dispose()
})

test('the page runs the model of a step exactly as the training has it', () => {
  const sizes = { layers: 1, dModel: 16, dimFeedforward: 24, heads: 2, steps: 20 }
  const field = { dates: 'source', particles: 'gapped', stories: 'beginning', text: 'beginning' }
  const modern = { positions: 'rotary', norm: 'rms', activation: 'swiglu', kvHeads: 1 }
  const hasParts = task => ['stories', 'text'].includes(task), ownText = '나비가 날아와요. 꽃이 피어요. '.repeat(40)
  const shapes = [{ positions: 'interleaved' }, { positions: 'learned', unit: 'pairs', size: 280 }, modern]
  for (const task of Object.keys(field)) for (const shape of hasParts(task) ? shapes : shapes.slice(0, 2)) {
    const { positions } = shape
    const session = createSession(gf, { ...defaultsOf(task), ...sizes, ...shape, batch: 4 },
      task === 'text' ? ownText : undefined)
    trainSteps(session, 6)
    const file = session.file()
    const options = { ...pageDefaults(task), [field[task]]: TASK_INFO[task].sample, weights: 'theatre', lent: positions }
    if (task === 'dates') Object.assign(options, { positions })
    const { run } = RUNS[task](gf, options, [], [file])
    const own = session.model.stateDict()
    const weights = run.names.filter(name => Object.hasOwn(own, name))
    assert.ok(weights.length > 10, task)
    for (const name of weights) assert.deepEqual(floatBits(run.tensor(name).values), floatBits(own[name].values), name)
    if (task === 'text') {
      const { decoding, run: again } = RUNS[task](gf, options, [], [file])
      const said = session.inputsOf(TASK_INFO.text.sample)[0][0].slice(-5)
      const ids = decoding.steps.map(({ id }) => id)
      assert.ok(ids.some((_, i) => said.every((id, n) => ids[i + n] === id)), `${said} in ${ids}`)
      again.dispose()
    }
    run.dispose()
    session.dispose()
  }
})

/** What the reference makes of a step of one weight, and which of its state the session keeps. */
