import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATES, DEFAULTS, check, fromHash, sentences, settingsOf, toHash } from '../../web/state.js'

test('the defaults make an empty link, and an empty link the defaults', () => {
  assert.equal(toHash(DEFAULTS), '')
  assert.deepEqual(fromHash(''), DEFAULTS)
})

test('every part of the state survives a link', () => {
  const state = {
    text: '안녕 & "hello" #1\n두 번째 + 줄 ✓', tokenizer: 'whitespace', dModel: 24, heads: 3, base: 1000, maxLength: 7,
    positions: 'learned', dropout: 0.35, training: true, seed: 7, causal: true, stage: 'scores', sentence: 1, head: 2,
    part: 'v', cell: { name: 'positions.output:2', index: [0, 1, 3], isTwin: true }, language: 'en', theme: 'dark',
    model: 'untrained', source: '3 may 1999', target: '5월', layers: 3, dimFeedforward: 48, normFirst: true, row: 4,
    step: 3, activation: 'gelu', positional: false, scale: false, padding: true, tgtIsCausal: false,
    temperature: 1.5, topK: 4, topP: 0.8, decoding: 'beam', beams: 2, depth: 'code', twin: 'scale:true', embed: true,
    edits: [{ name: 'positions.output:2', index: [0, 1, 2], value: -0.5 }]
  }
  assert.deepEqual(Object.keys(state).sort(), Object.keys(DEFAULTS).sort())
  assert.deepEqual(fromHash(`#${toHash(state)}`), state)
})

test('nonsense in a link falls back to the defaults', () => {
  const state = fromHash('#dModel=many&positions=round&cell=oops&theme=pink&seed=&unknown=1')
  assert.deepEqual(state, { ...DEFAULTS, model: 'sentences' })
})

test('a link from before the translator opens the block of the sentences', () => {
  assert.equal(fromHash('#stage=scores&head=1').model, 'sentences')
  assert.equal(fromHash('#language=en&theme=dark').model, 'trained')
  assert.equal(fromHash(`#${toHash({ ...DEFAULTS, head: 1 })}`).model, 'trained')
})

test('blank lines are no sentences', () => {
  assert.deepEqual(sentences('a b\n\n  \nc'), ['a b', 'c'])
  assert.deepEqual(settingsOf({ ...DEFAULTS, model: 'sentences', text: '\n x \n' }).texts, [' x '])
})

test('settings that cannot work are named with their control', () => {
  const wrong = (patch) => Object.keys(check({ ...DEFAULTS, model: 'sentences', ...patch }))
  assert.deepEqual(wrong({}), [])
  assert.deepEqual(wrong({ text: ' \n ' }), ['text'])
  assert.deepEqual(wrong({ heads: 3 }), ['heads'])
  assert.deepEqual(wrong({ dModel: Number.NaN }), ['dModel'])
  assert.deepEqual(wrong({ dModel: 0 }), ['dModel'])
  assert.deepEqual(wrong({ base: 0 }), ['base'])
  assert.deepEqual(wrong({ dropout: 1 }), ['dropout'])
  assert.deepEqual(wrong({ seed: -1, maxLength: 1.5 }), ['maxLength', 'seed'])
})

test('the translator: unknown words are named, sizes only matter where they can be chosen', () => {
  const found = (patch) => check({ ...DEFAULTS, ...patch })
  for (const source of DATES) assert.deepEqual(found({ source }), {})
  assert.deepEqual(found({ source: 'next Monday 3' }).source, { key: 'errors.unknown', values: { word: 'next' } })
  assert.deepEqual(found({ target: '오늘' }).target, { key: 'errors.unknown', values: { word: '오' } })
  assert.equal(found({ source: '  ' }).source.key, 'errors.emptySource')
  assert.equal(found({ source: '1'.repeat(13) }).source.key, 'errors.tooLong')
  assert.deepEqual(found({ heads: 3 }), {})
  assert.deepEqual(Object.keys(found({ heads: 3, model: 'untrained' })), ['heads'])
  assert.deepEqual(Object.keys(found({ topP: 0, temperature: 0, topK: -1 })).sort(), ['temperature', 'topK', 'topP'])
})
