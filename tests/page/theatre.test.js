import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import * as adam from '../../src/reference/adam.js'
import * as sgd from '../../src/reference/sgd.js'
import { defaultsOf as pageDefaults } from '../../web/models/index.js'
import { RUNS } from '../../web/models/runs.js'
import { nudgeWeight, takeApart } from '../../web/theatre/apart.js'
import { EXPERIMENTS } from '../../web/theatre/experiments.js'
import { trainingIn } from '../../web/theatre/file.js'
import { OPTIMIZERS } from '../../web/theatre/optimizers/index.js'
import { createPlayer } from '../../web/theatre/player.js'
import { markOf, sizeProblem, textOf, textProblem } from '../../web/theatre/own_text.js'
import { divergence, pointsOf } from '../../web/theatre/points.js'
import { report } from '../../web/theatre/report.js'
import { rateAt } from '../../web/theatre/schedule.js'
import { createRecord } from '../../web/theatre/seen.js'
import { createSession } from '../../web/theatre/session.js'
import { TABLE, TASKS, defaultsOf, problemsOf, read, rivalOf, write } from '../../web/theatre/settings.js'
import { ABOUT } from '../../web/theatre/tasks/about.js'
import { words as en } from '../../web/theatre/text/en.js'
import { words as ko } from '../../web/theatre/text/ko.js'

const gf = await load()
/** Small enough for a test, with all that draws random numbers. */
const SMALL = { steps: 30, warmUp: 5, batch: 8, dropout: 0.1, layers: 1, dModel: 16, dimFeedforward: 16, heads: 2 }
const settingsOf = (task, more) => ({ ...defaultsOf(task), ...SMALL, ...more })
const walk = (session, steps) => Array.from({ length: steps }, () => session.step().loss)
const bits = values => Array.from(new Uint32Array(Float32Array.from(values).buffer))

test('every task learns: the loss falls, and what is held out is measured', () => {
  for (const task of TASKS) {
    const session = createSession(gf, settingsOf(task, { rate: 0.02 }))
    const losses = walk(session, 30)
    assert.ok(losses.at(-1) < losses[0], `${task}: ${losses[0]} to ${losses.at(-1)}`)
    const [first, ...others] = session.history.looks
    assert.deepEqual([first.step, ...others.map(({ step }) => step)], [0, 25, 30], task)
    assert.ok(others.every(({ loss, right }) => Number.isFinite(loss) && right >= 0 && right <= 1), task)
    session.dispose()
  }
})

const OPTIMIZED = [{ decay: 0.01 }, { optimizer: 'sgd' }, { optimizer: 'sgd', momentum: 0 }]

test('put back and gone on with, a training is the same as one that never stopped, to the bit', () => {
  for (const [task, more] of [...TASKS.map(task => [task]), ...OPTIMIZED.map(one => ['dates', one])]) {
    const whole = createSession(gf, settingsOf(task, more))
    const losses = walk(whole, 20)
    const first = createSession(gf, settingsOf(task, more))
    walk(first, 9)
    const kept = structuredClone(first.snapshot())
    first.dispose()
    const second = createSession(gf, settingsOf(task, more))
    walk(second, 3)
    second.history.loss.length = 0
    second.restore(kept)
    const { history } = second
    history.loss.push(...losses.slice(0, 9))
    assert.deepEqual(bits(walk(second, 11)), bits(losses.slice(9)), task)
    assert.deepEqual(bits(second.snapshot().values), bits(whole.snapshot().values), task)
    whole.dispose()
    second.dispose()
  }
})

test('kept, or as a file, a training goes on as one that never stopped, to the bit', () => {
  for (const more of OPTIMIZED) goesOn(settingsOf('stories', more))
})

function goesOn(settings) {
  const whole = createPlayer(gf, settings)
  whole.seek(0)
  for (let n = 0; n < 16; n++) whole.step()
  const first = createPlayer(gf, settings)
  for (let n = 0; n < 9; n++) first.step()
  const froms = [{ kept: structuredClone(first.keep()) }, { file: first.session.file(true) }]
  assert.deepEqual(trainingIn(froms[1].file), { training: write(settings), step: 9 })
  for (const from of froms) {
    const other = createPlayer(gf, settings, from)
    assert.equal(other.session.done, 9)
    for (let n = 0; n < 7; n++) other.step()
    assert.deepEqual(bits(other.session.history.loss.slice(9)), bits(whole.session.history.loss.slice(9)))
    assert.deepEqual(bits(other.session.snapshot().values), bits(whole.session.snapshot().values))
    other.seek(4)
    whole.seek(4)
    assert.deepEqual(bits(other.session.snapshot().values), bits(whole.session.snapshot().values), 'a step before')
    whole.seek(16)
    other.session.dispose()
  }
  const fromWeights = () => createPlayer(gf, settings, { file: first.session.file() }).session.dispose()
  if (first.session.letters.length) assert.throws(fromWeights, { code: 'file' })
  else assert.doesNotThrow(fromWeights, 'weights are all there is')
  assert.equal(trainingIn(Uint8Array.of(1, 2, 3)), null)
  first.session.dispose()
  whole.session.dispose()
}

test('the printed command trains in Node: the same losses, and a file that goes on', () => {
  const folder = new URL('../../build/theatre/', import.meta.url).pathname
  mkdirSync(folder, { recursive: true })
  const settings = settingsOf('dates')
  const script = new URL('../../src/js/cli.js', import.meta.url).pathname
  const run = (...more) => execFileSync(process.execPath, [script, 'train', write(settings), ...more], { encoding: 'utf8' })
  run('--until', '10', '--out', `${folder}ten.safetensors`)
  const said = run('--json', '--from', `${folder}ten.safetensors`, '--out', `${folder}all.safetensors`)
  const session = createSession(gf, settings)
  walk(session, 30)
  const { loss, right } = session.history.looks.at(-1)
  const told = JSON.parse(said.trim().split('\n').at(-1))
  assert.deepEqual([told.step, told.loss, told.heldOut, told.right], [30, session.history.loss[29], loss, right])
  assert.deepEqual(readFileSync(`${folder}all.safetensors`), Buffer.from(session.file(true)))
  session.dispose()
})

test('looking in between changes nothing', () => {
  const plain = createSession(gf, settingsOf('dates'))
  const looked = createSession(gf, settingsOf('dates'))
  const losses = walk(plain, 12)
  const others = Array.from({ length: 12 }, () => {
    looked.answer(ABOUT.dates.sample)
    looked.look()
    return looked.step().loss
  })
  assert.deepEqual(bits(others), bits(losses))
  plain.dispose()
  looked.dispose()
})

test('the dates learn as `npm run train` has them learn, to the bit', async () => {
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
  walk(session, steps)
  for (const [name, own] of session.named) assert.deepEqual(bits(own.values), bits(tensors[name].values), name)
  session.dispose()
})

test('a step back is put back or computed again, to the bit, within the limit of memory', () => {
  const settings = settingsOf('particles')
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
    assert.deepEqual(bits(player.session.snapshot().values), bits(states[step].values), `step ${step}`)
  }
  assert.equal(player.session.history.loss.length, 30)
  whole.dispose()
  player.session.dispose()
})

test('a loss that is no number stops the training, says where that began, and leaves the step before', () => {
  const player = createPlayer(gf, settingsOf('dates'))
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

test('where forward is still all numbers, the first gradient that is none is named, or their length together', () => {
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

test('one batch again and again is learned by heart', () => {
  const session = createSession(gf, settingsOf('dates', { repeat: true, dropout: 0, rate: 0.01, smoothing: 0, steps: 80 }))
  const losses = walk(session, 80)
  assert.ok(losses.at(-1) < losses[0] / 2, `${losses[0]} to ${losses.at(-1)}`)
  assert.deepEqual(session.batchAt(7), session.batchAt(1))
  const fresh = createSession(gf, settingsOf('dates'))
  assert.notDeepEqual(fresh.batchAt(7), fresh.batchAt(1))
  walk(fresh, 5)
  const news = report(fresh, { steps: 2, looks: 0 })
  for (const name of ['loss', 'rate', 'norm']) assert.deepEqual([...news[name]], fresh.history[name].slice(2), name)
  fresh.dispose()
  session.dispose()
})

test('memory stays flat over many steps, while they are looked at', () => {
  const player = createPlayer(gf, settingsOf('dates', { steps: 400 })), { session, follower } = player
  const inputs = session.inputsOf(ABOUT.dates.sample)
  follower.pin({ name: 'transformer.decoder.layers.0.self_attn.weights', index: [0, 0, 0, 0] }, inputs)
  const walkOn = steps => {
    for (let n = 0; n < steps; n++) {
      player.step()
      if (n % 20) continue
      report(session, { steps: session.done, looks: session.history.looks.length }, { sentence: ABOUT.dates.sample })
      follower.read(10)
    }
    const { bytes, tensors } = gf.memory()
    return { bytes, tensors }
  }
  const before = walkOn(60)
  assert.deepEqual(walkOn(300), before)
  session.dispose()
})

test('behind the glass stands the model of that step: the page runs it as the training has it', () => {
  const sizes = { layers: 1, dModel: 16, dimFeedforward: 24, heads: 2, steps: 20 }
  const field = { dates: 'source', particles: 'gapped', stories: 'beginning', text: 'beginning' }
  const modern = { positions: 'rotary', norm: 'rms', activation: 'swiglu', kvHeads: 1 }
  const hasParts = task => ['stories', 'text'].includes(task), ownText = '나비가 날아와요. 꽃이 피어요. '.repeat(40)
  const shapes = [{ positions: 'interleaved' }, { positions: 'learned', unit: 'pairs', size: 280 }, modern]
  for (const task of Object.keys(field)) for (const shape of hasParts(task) ? shapes : shapes.slice(0, 2)) {
    const { positions } = shape
    const session = createSession(gf, { ...defaultsOf(task), ...sizes, ...shape, batch: 4 },
      task === 'text' ? ownText : undefined)
    walk(session, 6)
    const file = session.file()
    const options = { ...pageDefaults(task), [field[task]]: ABOUT[task].sample, weights: 'theatre', lent: positions }
    if (task === 'dates') Object.assign(options, { positions })
    const { run } = RUNS[task](gf, options, [], [file])
    const own = session.model.stateDict()
    const weights = run.names.filter(name => Object.hasOwn(own, name))
    assert.ok(weights.length > 10, task)
    for (const name of weights) assert.deepEqual(bits(run.tensor(name).values), bits(own[name].values), name)
    if (task === 'text') {
      const { decoding, run: again } = RUNS[task](gf, options, [], [file])
      const said = session.inputsOf(ABOUT.text.sample)[0][0].slice(-5)
      const ids = decoding.steps.map(({ id }) => id)
      assert.ok(ids.some((_, i) => said.every((id, n) => ids[i + n] === id)), `${said} in ${ids}`)
      again.dispose()
    }
    run.dispose()
    session.dispose()
  }
})

/** What the reference makes of a step of one weight, and which of its state the session keeps. */
const STEPS = {
  adam(inputs, { t, rate, decay }) {
    const { p, m, v } = adam.forward(inputs,
      { lr: rate, betas: [0.9, 0.98], eps: 1e-9, t, weight_decay: decay, decoupled: decay > 0 })
    return { w: p, m, v }
  },
  sgd({ b, ...inputs }, { t, rate, decay, momentum }) {
    const { p, velocity } = sgd.forward({ ...inputs, velocity: t > 1 && momentum ? b : undefined },
      { lr: rate, momentum, weight_decay: decay })
    return { w: p, ...(momentum ? { b: velocity } : {}) }
  }
}

test('a step taken apart is the step that is taken, and the optimiser is the reference\'s', () => {
  const isNear = (one, other) => Math.abs(one - other) <= 2e-6 * Math.abs(other) + 1e-12
  const cell = value => value === undefined ? undefined : { shape: [1], data: [value] }
  for (const [task, steps, more] of [
    ['dates', 7, { clip: 0.1 }], ['particles', 7, { decay: 0.1, clip: 0 }],
    ['dates', 7, { optimizer: 'sgd', rate: 0.05 }],
    ['dates', 0, { optimizer: 'sgd', clip: 0 }], ['sums', 7, { optimizer: 'sgd', momentum: 0, decay: 0.01 }]
  ]) {
    const session = createSession(gf, settingsOf(task, more))
    walk(session, steps)
    const kept = session.snapshot()
    const made = takeApart(session, session.named[3][0])
    assert.deepEqual(session.snapshot(), kept, 'nothing is changed')
    assert.equal(session.step().loss, made.loss)
    const [, weight] = session.named[3]
    assert.ok(Object.is(weight.at(...made.index), made.after.w), 'the weight after')
    assert.ok(Math.abs(made.mean - made.loss) < 1e-5 * made.loss, 'the mean of the tokens is the loss')
    const { w, m, v, b } = made.before
    const inputs = { p: cell(w), g: cell(made.g), m: cell(m), v: cell(v), b: cell(b) }
    const right = STEPS[made.optimizer](inputs, made)
    assert.deepEqual(Object.keys(made.after), Object.keys(right))
    for (const [letter, { data: [value] }] of Object.entries(right)) {
      assert.ok(isNear(made.after[letter], value), letter)
    }
    assert.ok(isNear((made.shrunk ?? w) + made.change, made.after.w), 'the terms add up')
    assert.ok(isNear(made.raw * made.factor, made.g), 'clipping')
    assert.equal(made.decay, session.settings.decay)
    if (made.optimizer === 'sgd') assert.equal(made.momentum, session.settings.momentum)
    const lines = OPTIMIZERS[made.optimizer].lines(made)
    assert.equal(lines.at(-1).result, made.after.w)
    for (const { name } of lines) assert.ok(ko.theatre.optimizer[name] && en.theatre.optimizer[name], name)
    session.dispose()
  }
})

test('a step by layer: what each gives, its gradient and how far it is moved, in the order of forward', () => {
  for (const task of TASKS) {
    const session = createSession(gf, settingsOf(task))
    walk(session, 3)
    const { layers } = takeApart(session)
    assert.deepEqual(layers.map(({ name }) => name).sort(), session.groups.map(({ name }) => name).sort(), task)
    const before = session.snapshot()
    const { batch: { inputs }, norms } = gf.tidy(() => session.backward(4))
    const { trace } = gf.trace(() => gf.noGrad(() => { session.batchAt(4); session.model.forward(...inputs) }))
    const places = layers.map(({ name }) => trace.names.indexOf(`${name}.output`))
    assert.deepEqual(places, [...places].sort((one, other) => one - other), `${task}: the order`)
    session.restore(before)
    session.step()
    const size = values => Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0))
    const changed = session.groups.map(({ at }) => {
      const [old, now] = [before, session.snapshot()].map(one => at.flatMap(i => weightsIn(session, one, i)))
      return size(now.map((value, i) => value - old[i])) / size(old)
    })
    for (const { name, rms, norm, ratio, shape } of layers) {
      const i = session.groups.findIndex(one => one.name === name), own = [...trace.get(`${name}.output`).values]
      assert.deepEqual(shape, trace.get(`${name}.output`).shape)
      for (const [one, other] of [[rms, size(own) / Math.sqrt(own.length)], [norm, norms[i]], [ratio, changed[i]]]) {
        assert.ok(Math.abs(one - other) <= 1e-5 * other, `${task} ${name}: ${one} and ${other}`)
      }
    }
    trace.dispose()
    session.dispose()
  }
})

/** All of one weight in a snapshot. */
function weightsIn({ named, letters }, { values }, at) {
  const first = named.slice(0, at).reduce((sum, [, { size }]) => sum + (1 + letters.length) * size, 0)
  return [...values.subarray(first, first + named[at][1].size)]
}

test('a nudged weight has the slope that its gradient says', () => {
  const session = createSession(gf, settingsOf('dates'))
  walk(session, 5)
  const kept = session.snapshot()
  for (const name of ['output.weight', 'transformer.decoder.layers.0.linear1.weight', 'source_embedding.weight']) {
    const { raw, index } = takeApart(session, name)
    const { slope } = nudgeWeight(session, name, index)
    assert.ok(Math.abs(slope - raw) < 0.02 * Math.abs(raw), `${name}: ${slope} and ${raw}`)
  }
  assert.deepEqual(session.snapshot(), kept)
  session.dispose()
})

test('settings come back from a link, wrong ones as by default', () => {
  for (const task of TASKS) {
    assert.equal(write(defaultsOf(task)), task)
    assert.deepEqual(read(task), defaultsOf(task))
  }
  const other = { ...defaultsOf('text'), rate: 1e-4, schedule: 'root', repeat: true, positions: 'none', seed: 7 }
  assert.deepEqual(read(write(other)), other)
  assert.deepEqual(read('dates_rate-many_schedule-up_nothing-1_seed-'), defaultsOf('dates'))
  assert.equal(read('other').task, 'dates')
})

test('a race is in the link: the other training differs in one setting', () => {
  const state = { ...defaultsOf('dates'), rate: 0.01, rival: 'normFirst-before' }
  assert.deepEqual(read(write(state)), state)
  assert.deepEqual(rivalOf(state), { ...state, rival: '', normFirst: true })
  assert.equal(rivalOf(defaultsOf('dates')), null)
  assert.equal(read('dates_vs-nothing-1').rival, '')
  for (const [name, { link }] of Object.entries(EXPERIMENTS)) {
    assert.equal(write(read(link)), link, name)
    assert.deepEqual(problemsOf(read(link)), {}, name)
    assert.ok(ko.theatre.experiments[name].words && en.theatre.experiments[name].words)
  }
})

test('parts of newer models: those that can have them learn with them, of the others it is said', () => {
  const modern = { positions: 'rotary', norm: 'rms', activation: 'swiglu', kvHeads: 1 }
  for (const task of ['stories', 'text']) {
    const settings = settingsOf(task, { ...modern, rate: 0.02 })
    assert.deepEqual(problemsOf(settings), {}, task)
    assert.deepEqual(read(write(settings)), { ...settings }, task)
    const session = createSession(gf, settings)
    const losses = walk(session, 30)
    assert.ok(losses.at(-1) < losses[0], `${task}: ${losses[0]} to ${losses.at(-1)}`)
    session.dispose()
  }
  assert.deepEqual(Object.keys(problemsOf({ ...defaultsOf('dates'), ...modern })).sort(), ['activation', 'positions'])
  const wrong = patch => Object.keys(problemsOf({ ...defaultsOf('stories'), ...patch }))
  assert.deepEqual([wrong({ kvHeads: 3 }), wrong({ kvHeads: 0 }), wrong({ heads: 2, kvHeads: 4 })],
    [['kvHeads'], [], ['kvHeads']])
  assert.deepEqual(wrong({ positions: 'rotary', dModel: 36, heads: 4 }), ['positions'], 'no pairs')
})

test('what is wrong with settings is said before anything starts', () => {
  for (const task of TASKS) assert.deepEqual(problemsOf(defaultsOf(task)), {}, task)
  const wrong = { rate: -1, steps: 0, batch: 1.5, clip: NaN, smoothing: 1, heads: 5, layers: 9 }
  const found = problemsOf({ ...defaultsOf('dates'), ...wrong })
  assert.deepEqual(Object.keys(found).sort(), Object.keys(wrong).sort())
  const huge = { layers: 4, batch: 256, length: 128, dModel: 512, dimFeedforward: 512 }
  assert.deepEqual(Object.keys(problemsOf({ ...defaultsOf('text'), ...huge })), ['batch'])
})

test('the words of the theatre are there in both languages, of every setting', () => {
  const keysOf = (node, path = '') => Object.entries(node).flatMap(([key, value]) => (
    typeof value === 'string' ? [`${path}${key}`] : keysOf(value, `${path}${key}.`)))
  assert.deepEqual(keysOf(ko), keysOf(en))
  const controls = Object.keys(TABLE).filter(name => TABLE[name].kind !== 'mark')
  for (const name of controls) assert.ok(ko.theatre.why[name], name)
})

test('what is wrong with a text is said before anything is learned from it', () => {
  const settings = defaultsOf('text')
  const keyOf = (text, more) => textProblem(text, { ...settings, ...more })?.key.split('.').at(-1) ?? null
  const plain = '가나다라 마바사. '.repeat(60)
  assert.equal(keyOf(plain), null)
  assert.deepEqual([keyOf(''), keyOf(' \n'), keyOf('가'.repeat(900)), keyOf('가나'), keyOf('ab '.repeat(2e6))],
    ['empty', 'empty', 'oneSign', 'short', 'large'])
  const many = Array.from({ length: 4000 }, (_, i) => String.fromCodePoint(0xac00 + i)).join('')
  assert.equal(keyOf(many), 'manySigns')
  assert.equal(keyOf(many, { unit: 'pairs' }), null)
  assert.equal(sizeProblem(50 * 2 ** 20).key, 'theatre.errors.large')
  assert.equal(textOf(Uint8Array.of(0xea, 0xb0)).problem.key, 'theatre.errors.utf8')
  assert.deepEqual(textOf(new TextEncoder().encode('가')), { text: '가' })
  assert.notEqual(markOf('가'), markOf('나'))
  assert.equal(read(write({ ...settings, mark: markOf(plain) })).mark, markOf(plain))
})

test('a text of one\'s own is learned from, as characters and as pairs of bytes, however short it may be', () => {
  for (const unit of ['characters', 'pairs']) {
    const settings = settingsOf('text', { unit, size: 300, length: 8 })
    const session = createSession(gf, settings, '가나다라 마바사. '.repeat(6))
    const losses = walk(session, 30)
    assert.ok(losses.at(-1) < losses[0], unit)
    assert.equal(typeof session.answer('가').text, 'string')
    session.dispose()
  }
})

test('the rate climbs in a straight line to its peak and goes down as the schedule says', () => {
  const settings = { rate: 0.4, warmUp: 10, steps: 110 }
  const at = (schedule, ...steps) => steps.map(step => rateAt(gf, { ...settings, schedule }, step))
  const isNear = (found, wanted) => found.forEach((one, i) => (
    assert.ok(Math.abs(one - wanted[i]) < 1e-12, `${one} is not ${wanted[i]}`)))
  for (const schedule of Object.keys(TABLE.schedule.options)) isNear(at(schedule, 1, 5, 10), [0.04, 0.2, 0.4])
  isNear(at('constant', 60, 110), [0.4, 0.4])
  isNear(at('linear', 35, 60, 110), [0.3, 0.2, 0])
  isNear(at('cosine', 35, 60, 110), [0.2 + 0.2 * Math.SQRT1_2, 0.2, 0])
  isNear(at('root', 40, 90), [0.2, 0.4 / 3])
  const bare = { rate: 0.4, warmUp: 0, steps: 4, schedule: 'linear' }
  isNear([1, 2, 4].map(step => rateAt(gf, bare, step)), [0.3, 0.2, 0])
})

test('two curves part at the first step that is not the same to the bit', () => {
  assert.deepEqual([[[1, 2, 3], [1, 2, 3, 4]], [[1, 2, 3], [1, 2, 4]], [[1], [2]], [[], [1]], [[0], [-0]]]
    .map(([one, other]) => divergence(one, other)), [0, 3, 1, 0, 1])
})

test('a long curve keeps its extremes; answers kept are few and the first and last among them', () => {
  const values = Array.from({ length: 10_000 }, (_, i) => (i === 4321 ? 9 : i % 7))
  const points = pointsOf(values, 300)
  assert.ok(points.length <= 300)
  assert.ok(points.some(({ x, y }) => x === 4322 && y === 9))
  const record = createRecord()
  const nothing = { loss: [], rate: [], norm: [], norms: [], looks: [] }
  for (let done = 0; done < 200; done++) record.add({ ...nothing, done, answer: { text: String(done) } })
  const { answers } = record.get()
  assert.ok(answers.length <= 8)
  assert.deepEqual([answers[0].step, answers.at(-1).step], [0, 199])
  // Who goes back to a step is told the answer of that step, however near others are.
  for (const step of [7, 9, 191]) {
    record.add({ ...nothing, done: step, answer: { text: `again ${step}` } })
    assert.equal(record.get().answers.findLast(one => one.step <= step).text, `again ${step}`)
    assert.ok(record.get().answers.length <= 8)
  }
})
