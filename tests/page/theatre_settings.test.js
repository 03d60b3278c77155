// The settings of a training: in a link, with custom text, their messages, the learning rate, and its curves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { EXPERIMENTS } from '../../web/theatre/experiments.js'
import { hashText, sizeProblem, decodeText, textProblem } from '../../src/training/custom_text.js'
import { findDivergence, downsample } from '../../web/theatre/downsample.js'
import { rateAt } from '../../src/training/schedule.js'
import { createRecord } from '../../src/training/training_record.js'
import { createSession } from '../../src/training/session.js'
import { startProblem } from '../../src/training/tasks/task_info.js'
import { TRAINING_SETTINGS, TASKS, defaultsOf, problemsOf, read, createRival, write } from '../../src/training/settings.js'
import { pageSettings, sampleFor } from '../../web/theatre/page_settings.js'
import { smallSettings, trainSteps } from '../lib/theatre.js'
import { english, korean } from '../lib/texts.js'

const en = english.training, ko = korean.training

const gf = await load()

test('settings survive a link, and invalid ones get their defaults', () => {
  for (const task of TASKS) {
    assert.equal(write(defaultsOf(task)), task)
    assert.deepEqual(read(task), defaultsOf(task))
  }
  const changed = { ...defaultsOf('text'), rate: 1e-4, schedule: 'root', repeat: true, positions: 'none', seed: 7 }
  assert.deepEqual(read(write(changed)), changed)
  assert.deepEqual(read('dates_rate-many_schedule-up_nothing-1_seed-'), defaultsOf('dates'))
  assert.equal(read('other').task, 'dates')
})

test('a link contains a race: the other training differs in one setting', () => {
  const state = { ...defaultsOf('dates'), rate: 0.01, rival: 'normFirst-before' }
  assert.deepEqual(read(write(state)), state)
  assert.deepEqual(createRival(state), { ...state, rival: '', normFirst: true })
  assert.equal(createRival(defaultsOf('dates')), null)
  assert.equal(read('dates_vs-nothing-1').rival, '')
  for (const [name, { link }] of Object.entries(EXPERIMENTS)) {
    assert.equal(write(read(link)), link, name)
    assert.deepEqual(problemsOf(read(link)), {}, name)
    assert.ok(ko.theatre.experiments[name].words && en.theatre.experiments[name].words)
  }
})

test('the other training of a race is validated like the first one', () => {
  const wrong = ['batch-1e9', 'batch-0', 'dModel-1e5', 'layers-0.5', 'heads-3', 'seed-0.5', 'dimFeedforward-0.1', 'rate--1',
    'steps-1e9', 'dropout-1', 'clip-1e9']
  for (const setting of wrong) {
    const ownProblems = problemsOf(read(`dates_${setting}`)), rival = problemsOf(read(`dates_vs-${setting}`))
    assert.equal(Object.keys(ownProblems).length, 1, setting)
    assert.deepEqual(rival, { rival: Object.values(ownProblems)[0] }, setting)
  }
  assert.deepEqual(Object.keys(problemsOf(read('text_vs-length-0'))), ['rival'])
  assert.deepEqual(Object.keys(problemsOf(read('text_length-0_vs-heads-3'))), ['length'], 'its own come first')
  for (const { theatre: { errors } } of [ko, en]) assert.match(errors.rival, /\{problem\}/)
})

test('settings without effect on a task get their defaults where they are invalid', () => {
  const { kvHeads, momentum, length, size } = read('dates_kvHeads-0.5_momentum-9_length-0_size-0.5')
  assert.deepEqual({ kvHeads, momentum, length, size },
    Object.fromEntries(['kvHeads', 'momentum', 'length', 'size'].map(name => [name, TRAINING_SETTINGS[name].default])))
  assert.equal(read('dates_momentum-0.5').momentum, 0.5)
  assert.equal(read('dates_optimizer-sgd_momentum-9').momentum, 9, 'here it is complained of')
})

test('newer parts are trained where a task supports them, and reported where not', () => {
  const modern = { positions: 'rotary', norm: 'rms', activation: 'swiglu', kvHeads: 1 }
  for (const task of ['stories', 'text']) {
    const settings = smallSettings(task, { ...modern, rate: 0.02 })
    assert.deepEqual(problemsOf(settings), {}, task)
    assert.deepEqual(read(write(settings)), { ...settings }, task)
    const session = createSession(gf, settings)
    const losses = trainSteps(session, 30)
    assert.ok(losses.at(-1) < losses[0], `${task}: ${losses[0]} to ${losses.at(-1)}`)
    session.dispose()
  }
  assert.deepEqual(Object.keys(problemsOf({ ...defaultsOf('dates'), ...modern })).sort(), ['activation', 'positions'])
  const wrong = patch => Object.keys(problemsOf({ ...defaultsOf('stories'), ...patch }))
  assert.deepEqual([wrong({ kvHeads: 3 }), wrong({ kvHeads: 0 }), wrong({ heads: 2, kvHeads: 4 })],
    [['kvHeads'], [], ['kvHeads']])
  assert.deepEqual(wrong({ positions: 'rotary', dModel: 36, heads: 4 }), ['positions'], 'no pairs')
})

test('a training starts from the page\'s weights only where they exist, and so does the other of a race', () => {
  const isThere = (patch, rival) => {
    const state = { ...defaultsOf('stories'), start: 'page', ...patch, rival: rival ?? '' }
    return startProblem([state, createRival(state)]) === null
  }
  assert.deepEqual([{}, { norm: 'rms' }, { norm: 'rms', positions: 'none' }, { positions: 'concatenated' }]
    .map(patch => isThere(patch)), [true, true, false, false])
  assert.deepEqual(['norm-rms', 'positions-concatenated'].map(rival => isThere({}, rival)), [true, false])
  assert.ok(isThere({ start: 'seed', positions: 'concatenated' }))
  assert.deepEqual(TASKS.filter(task => startProblem([{ ...defaultsOf(task), start: 'page' }]) === null),
    ['dates', 'particles', 'stories', 'induction'])
})

test('problems of settings are reported before a training starts', () => {
  for (const task of TASKS) assert.deepEqual(problemsOf(defaultsOf(task)), {}, task)
  const wrong = { rate: -1, steps: 0, batch: 1.5, clip: NaN, smoothing: 1, heads: 5, layers: 9 }
  const problems = problemsOf({ ...defaultsOf('dates'), ...wrong })
  assert.deepEqual(Object.keys(problems).sort(), Object.keys(wrong).sort())
  const huge = { layers: 4, batch: 256, length: 128, dModel: 512, dimFeedforward: 512 }
  assert.deepEqual(Object.keys(problemsOf({ ...defaultsOf('text'), ...huge })), ['batch'])
})

test('the texts of the training page exist in both languages, for every setting', () => {
  const keysOf = (node, path = '') => Object.entries(node).flatMap(([key, value]) => (
    typeof value === 'string' ? [`${path}${key}`] : keysOf(value, `${path}${key}.`)))
  assert.deepEqual(keysOf(ko), keysOf(en))
  const controls = Object.keys(TRAINING_SETTINGS).filter(name => TRAINING_SETTINGS[name].kind !== 'mark')
  for (const name of controls) assert.ok(ko.theatre.why[name], name)
})

test('problems of a text are reported before a training starts', () => {
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
  assert.equal(decodeText(Uint8Array.of(0xea, 0xb0)).problem.key, 'theatre.errors.utf8')
  assert.deepEqual(decodeText(new TextEncoder().encode('가')), { text: '가' })
  assert.notEqual(hashText('가'), hashText('나'))
  assert.equal(read(write({ ...settings, mark: hashText(plain) })).mark, hashText(plain))
})

test('the reader\'s own text is trained on, as characters and as byte pairs, however short it is', () => {
  for (const unit of ['characters', 'pairs']) {
    const settings = smallSettings('text', { unit, size: 300, length: 8 })
    const session = createSession(gf, settings, '가나다라 마바사. '.repeat(6))
    const losses = trainSteps(session, 30)
    assert.ok(losses.at(-1) < losses[0], unit)
    assert.equal(typeof session.answer('가').text, 'string')
    session.dispose()
  }
})

test('the rate rises linearly to its peak and falls by the schedule', () => {
  const settings = { rate: 0.4, warmUp: 10, steps: 110 }
  const at = (schedule, ...steps) => steps.map(step => rateAt(gf, { ...settings, schedule }, step))
  const isNear = (actual, expected) => actual.forEach((item, i) => (
    assert.ok(Math.abs(item - expected[i]) < 1e-12, `${item} is not ${expected[i]}`)))
  for (const schedule of Object.keys(TRAINING_SETTINGS.schedule.options)) isNear(at(schedule, 1, 5, 10),
    [0.04, 0.2, 0.4])
  isNear(at('constant', 60, 110), [0.4, 0.4])
  isNear(at('linear', 35, 60, 110), [0.3, 0.2, 0])
  isNear(at('cosine', 35, 60, 110), [0.2 + 0.2 * Math.SQRT1_2, 0.2, 0])
  isNear(at('root', 40, 90), [0.2, 0.4 / 3])
  const shortSettings = { rate: 0.4, warmUp: 0, steps: 4, schedule: 'linear' }
  isNear([1, 2, 4].map(step => rateAt(gf, shortSettings, step)), [0.3, 0.2, 0])
})

test('two curves diverge at the first step with different bits', () => {
  assert.deepEqual([[[1, 2, 3], [1, 2, 3, 4]], [[1, 2, 3], [1, 2, 4]], [[1], [2]], [[], [1]], [[0], [-0]]]
    .map(([a, b]) => findDivergence(a, b)), [0, 3, 1, 0, 1])
})

test('downsampling keeps extremes; recorded answers are few and include the first and the last', () => {
  const values = Array.from({ length: 10_000 }, (_, i) => (i === 4321 ? 9 : i % 7))
  const points = downsample(values, 300)
  assert.ok(points.length <= 300)
  assert.ok(points.some(({ x, y }) => x === 4322 && y === 9))
  const record = createRecord()
  const nothing = { loss: [], rate: [], norm: [], norms: [], evaluations: [] }
  for (let done = 0; done < 200; done++) record.add({ ...nothing, done, answer: { text: String(done) } })
  const { answers } = record.get()
  assert.ok(answers.length <= 8)
  assert.deepEqual([answers[0].step, answers.at(-1).step], [0, 199])
  // Who goes back to a step is told the answer of that step, however near others are.
  for (const step of [7, 9, 191]) {
    record.add({ ...nothing, done: step, answer: { text: `again ${step}` } })
    assert.equal(record.get().answers.findLast(answer => answer.step <= step).text, `again ${step}`)
    assert.ok(record.get().answers.length <= 8)
  }
})

test('recorded answers include the step at which the latest answer first stood', () => {
  const record = createRecord(), nothing = { loss: [], rate: [], norm: [], norms: [], evaluations: [] }
  /** @param {number} done */
  const textAt = done => (done < 110 ? `wrong ${Math.floor(done / 4)}` : 'right')
  for (let done = 0; done <= 600; done++) {
    record.add({ ...nothing, done, answer: { text: textAt(done) } })
    const { answers } = record.get()
    assert.ok(answers.length <= 8)
    if (done >= 110) assert.equal(answers.find(({ text }) => text === 'right').step, 110, `at step ${done}`)
  }
  record.add({ ...nothing, done: 40, answer: { text: textAt(40) } })
  assert.equal(record.get().answers.find(({ text }) => text === 'right').step, 110)
})

test('the model of a training is looked at in its house, not on the first page', () => {
  for (const task of TASKS) assert.equal(pageSettings(read(task), sampleFor(task, 'en'), 'en').room, 'house', task)
})

test('after an empty sentence the rooms open with an example, not with a problem', () => {
  for (const task of TASKS) {
    for (const sentence of ['', ' \n']) {
      assert.deepEqual(pageSettings(read(task), sentence, 'ko'), pageSettings(read(task), sampleFor(task, 'ko'), 'ko'), task)
    }
  }
})
