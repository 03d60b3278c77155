import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATES } from '../../src/training/models/dates/data.js'
import { MODELS, defaultsOf, modelOf, problemsOf, settingsOf } from '../../web/models/index.js'
import { parseProgress, readProgress, saveProgress } from '../../web/lessons/progress.js'
import { parseCodes } from '../../web/notebooks/saved_state.js'
import { sentencesOf } from '../../web/models/sentences/index.js'
import { read } from '../../src/training/settings.js'
import { defaults, createRoomLinks, fromHash, toHash } from '../../web/models/state.js'

const DEFAULTS = defaults()

test('default settings give an empty link, and an empty link gives the defaults', () => {
  assert.equal(toHash(DEFAULTS), '')
  assert.deepEqual(fromHash(''), DEFAULTS)
})

test('every part of every model\'s state survives a round trip through a link', () => {
  const view = {
    room: 'encoder.0.self_attn.scores', sentence: 1, head: 2, layer: 1, part: 'v', row: 4, step: 3, depth: 'code',
    twin: 'scale:true', other: 'may 6 2026', patched: 'heads',
    embed: true, theatre: 'dates_rate-0.01', exercise: 'softmax', lesson: 'attention', at: 3, plan: 50, glossary: 'softmax', lit: 'token', language: 'en', theme: 'dark',
    cell: { name: 'positions.output:2', index: [0, 1, 3], isTwin: true },
    edits: [{ name: 'positions.output:2', index: [0, 1, 2], value: -0.5 }]
  }
  const changes = {
    dates: {
      dModel: 24, heads: 3, base: 1000, positions: 'learned', dropout: 0.35, training: true, seed: 7,
      weights: 'untrained',
      source: '3 may 1999', target: '5월', layers: 3, dimFeedforward: 48, normFirst: true, activation: 'gelu',
      positional: false, scale: false, padding: true, tgtIsCausal: false, temperature: 1.5, topK: 4, topP: 0.8,
      decoding: 'beam', beams: 2, fault: 'swapped'
    },
    stories: {
      weights: 'untrained', seed: 3, positions: 'rotary', training: true, dropout: 0.2, activation: 'swiglu',
      norm: 'rms', kvHeads: 2, scale: false, temperature: 0.7, topK: 9, topP: 0.5, decoding: 'sample', beams: 2,
      beginning: '비가 와요.', target: '그래서'
    },
    sentences: {
      text: '안녕 & "hello" #1\n두 번째 + 줄 ✓', tokenizer: 'whitespace', dModel: 24, heads: 3, base: 1000, maxLength: 7,
      positions: 'learned', dropout: 0.35, training: true, seed: 7, causal: true
    }
  }
  for (const [model, settings] of Object.entries(changes)) {
    const state = { model, ...settings, ...view }
    assert.deepEqual(Object.keys(state).sort(), Object.keys(defaults(model)).sort())
    assert.deepEqual(fromHash(`#${toHash(state)}`), state)
    assert.match(toHash(state), /^v=1&model=/)
  }
})

test('the links to all rooms equal links written one by one, whatever the reader typed', () => {
  const cell = { name: 'logits', index: [0, 1] }
  const states = [DEFAULTS, { ...DEFAULTS, source: '&room=* room=* *', cell }, { ...defaults('stories'), beginning: '비&room=*' },
    { ...defaults('sentences'), text: '*', cell, language: 'en', edits: [{ name: 'q', index: [0], value: 1 }] }]
  for (const state of states) {
    const to = createRoomLinks(state)
    for (const room of ['house', DEFAULTS.room, 'encoder.0.self_attn.scores', 'notebook.000', '방']) {
      assert.equal(to(room), toHash({ ...state, room, cell: null }), room)
    }
  }
})

test('invalid values in a link fall back to the defaults, and view indices are integers in range', () => {
  const state = fromHash('#model=sentences&dModel=many&positions=round&cell=oops&theme=pink&seed=&unknown=1')
  assert.deepEqual(state, defaults('sentences'))
  const { sentence, head, row, step } = fromHash('#model=sentences&sentence=1.5&head=-3&row=1e99&step=-7')
  assert.deepEqual([sentence, head, row, step], [1, 0, 2 ** 20, -1])
  assert.equal(fromHash('#model=constructor').model, 'dates')
})

test('an untrained combination is reported with a link to the training that would produce it', () => {
  const { kind, training: trainingLink } = modelOf('stories')
  const state = { ...defaults('stories'), norm: 'rms', kvHeads: 1 }
  assert.equal(kind(state), 'combination')
  assert.equal(trainingLink(state), 'stories_norm-rms_kvHeads-1')
  assert.deepEqual(trainingLink({ ...state, weights: 'untrained' }), null)
  const { norm, kvHeads, positions, activation } = read(trainingLink({ ...state, positions: 'none' }))
  assert.deepEqual([norm, kvHeads, positions, activation], ['rms', 1, 'none', 'gelu'])
  assert.equal(trainingLink(defaults('stories')), null)
  assert.equal(kind({ ...defaults('stories'), norm: 'rms' }), 'trained')
  assert.deepEqual(Object.keys(problemsOf({ ...defaults('stories'), kvHeads: 3 })), ['kvHeads'])
})

test('blank lines are ignored', () => {
  assert.deepEqual(sentencesOf('a b\n\n  \nc'), ['a b', 'c'])
})

test('invalid settings are reported at their control', () => {
  const wrong = patch => Object.keys(problemsOf({ ...defaults('sentences'), ...patch }))
  assert.deepEqual(wrong({}), [])
  assert.deepEqual(wrong({ text: ' \n ' }), ['text'])
  assert.deepEqual(wrong({ heads: 3 }), ['heads'])
  assert.deepEqual(wrong({ dModel: Number.NaN }), ['dModel'])
  assert.deepEqual(wrong({ dModel: 0 }), ['dModel'])
  assert.deepEqual([wrong({ base: 0 }), wrong({ base: 0.5 })], [['base'], ['base']])
  assert.deepEqual([wrong({ dropout: 1 }), wrong({ dropout: 1, training: true })], [[], ['dropout']])
  assert.deepEqual(wrong({ seed: -1, maxLength: 1.5 }).sort(), ['maxLength', 'seed'])
  assert.deepEqual(Object.keys(settingsOf(defaults('sentences'))).sort(),
    ['model', 'edits', 'text', 'tokenizer', 'dModel', 'heads', 'base', 'maxLength', 'seed', 'positions', 'causal',
      'training',
      'dropout'].sort())
})

test('the translator names unknown words, and validates sizes only where they can be chosen', () => {
  const findProblems = patch => problemsOf({ ...DEFAULTS, ...patch })
  for (const source of DATES) assert.deepEqual(findProblems({ source }), {})
  assert.deepEqual(findProblems({ source: 'next Monday 3' }).source, { key: 'errors.unknownDate', values: { word: 'next' } })
  assert.deepEqual(findProblems({ target: '오늘' }).target, { key: 'errors.unknown', values: { word: '오' } })
  assert.equal(findProblems({ source: '  ' }).source.key, 'errors.emptySource')
  assert.equal(findProblems({ source: '1'.repeat(13) }).source.key, 'errors.tooLong')
  assert.deepEqual(findProblems({ heads: 3 }), {}, 'the trained weights fix it')
  assert.deepEqual(Object.keys(findProblems({ heads: 3, weights: 'untrained' })), ['heads'])
  assert.deepEqual(Object.keys(findProblems({ topP: 0, temperature: 0, topK: -1 })).sort(), ['temperature', 'topK', 'topP'])
})

test('a setting without effect is not validated, and never reaches the run with an invalid value', () => {
  const wrong = {
    seed: [0.5, -1, 1e300], dropout: [-1, 1e9, 1], base: [-1, 0, 1e300], dModel: [0, 0.5, 1e9], heads: [0.5, 7],
    layers: [0.5, 1e9], dimFeedforward: [0.5, -3], beams: [0.5, 1e6], kvHeads: [0.5, 9]
  }
  let count = 0
  for (const { id, settings } of MODELS) {
    const defaultState = defaults(id)
    for (const [name, values] of Object.entries(wrong)) {
      if (!settings[name]) continue
      for (const value of values) {
        const state = fromHash(`v=1&model=${id}&${name}=${encodeURIComponent(value)}`)
        if (problemsOf(state)[name]) continue
        assert.equal(state[name], value, name)
        assert.equal(settingsOf(state)[name], settings[name].default, `${id} ${name}=${value}`)
        assert.deepEqual(settingsOf(state), settingsOf(defaultState), `${id} ${name}=${value}`)
        count += 1
      }
    }
  }
  assert.ok(count > 30, String(count))
})

test('settings with an effect and valid settings reach the run unchanged', () => {
  for (const { id } of MODELS) {
    const defaultState = defaultsOf(id)
    assert.deepEqual(settingsOf({ ...defaults(id), ...defaultState }), { ...defaultState, edits: [] })
  }
  assert.equal(settingsOf(fromHash('v=1&model=dates&seed=7')).seed, 7)
  assert.equal(settingsOf(fromHash('v=1&model=dates&dropout=0.3')).dropout, 0.3)
  const state = fromHash('v=1&model=dates&training=1&dropout=5&seed=0.5')
  assert.deepEqual([settingsOf(state).dropout, settingsOf(state).seed], [5, 0.5], 'here they are complained of')
  assert.deepEqual(Object.keys(problemsOf(state)).sort(), ['dropout', 'seed'])
})

test('only the first model has an opening; for other models a link to it leads to the house', () => {
  for (const { id } of MODELS) {
    const state = fromHash(`v=1&model=${id}&room=opening`)
    assert.equal(state.room, defaults(id).room, id)
    assert.equal(state.room === 'opening', id === MODELS[0].id)
  }
})

test('a lesson is done when its end was reached and all is answered, in any order and over several visits', () => {
  const stored = new Map()
  globalThis.localStorage = { getItem: key => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) }
  try {
    const isDone = () => readProgress().mask.isDone
    // The first visit goes to the end and answers the second question; the next one answers the first, not at the end.
    saveProgress('mask', 0, false, ['a', 'b'])
    assert.deepEqual(saveProgress('mask', 2, true, ['a']), ['a'])
    assert.equal(isDone(), false)
    assert.deepEqual(saveProgress('mask', 0, false, ['a', 'b']), ['a'])
    assert.deepEqual(saveProgress('mask', 0, false, ['b']), [])
    assert.equal(isDone(), true)
    // All answered, the end not seen.
    stored.clear()
    assert.deepEqual(saveProgress('mask', 1, false, []), [])
    assert.equal(isDone(), false)
    saveProgress('mask', 2, true, [])
    assert.equal(isDone(), true)
  } finally {
    delete globalThis.localStorage
  }
})

test('invalid stored values are ignored', () => {
  const wrong = [null, 5, 'x', true, [], {}, [1.5], { a: null }, { a: 'b' }, { a: 3 }, { attention: { a: 1 } },
    { a: { at: -1, open: [], isDone: false } }, { a: { at: 1, open: [2], isDone: false } }, { a: { at: 1, open: [] } }]
  for (const stored of wrong) assert.deepEqual(parseProgress(stored), {}, JSON.stringify(stored))
  const valid = { at: 3, open: ['write'], isDone: false }
  assert.deepEqual(parseProgress({ attention: valid, mask: 3 }), { attention: valid })
  for (const stored of [null, 5, true, {}, []]) assert.deepEqual(parseCodes(stored), {}, JSON.stringify(stored))
  assert.deepEqual(parseCodes({ '000': { 1: 'a', 2: 5, 3: null }, '001': 5, '002': null, '003': true }),
    { '000': { 1: 'a' }, '001': {}, '002': {}, '003': {} })
})
