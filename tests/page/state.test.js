import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULTS, check, fromHash, sentences, settingsOf, toHash } from '../../web/state.js'

test('the defaults make an empty link, and an empty link the defaults', () => {
  assert.equal(toHash(DEFAULTS), '')
  assert.deepEqual(fromHash(''), DEFAULTS)
})

test('every part of the state survives a link', () => {
  const state = {
    text: '안녕 & "hello" #1\n두 번째 + 줄 ✓', tokenizer: 'whitespace', dModel: 24, heads: 3, base: 1000, maxLength: 7,
    positions: 'learned', dropout: 0.35, training: true, seed: 7, causal: true, stage: 'scores', sentence: 1, head: 2,
    part: 'v',     cell: { name: 'self_attn.scores', index: [0, 1, 2, 3] }, language: 'en', theme: 'dark'
  }
  assert.deepEqual(Object.keys(state).sort(), Object.keys(DEFAULTS).sort())
  assert.deepEqual(fromHash(`#${toHash(state)}`), state)
})

test('nonsense in a link falls back to the defaults', () => {
  const state = fromHash('#dModel=many&positions=round&cell=oops&theme=pink&seed=&unknown=1')
  assert.deepEqual(state, DEFAULTS)
})

test('blank lines are no sentences', () => {
  assert.deepEqual(sentences('a b\n\n  \nc'), ['a b', 'c'])
  assert.deepEqual(settingsOf({ ...DEFAULTS, text: '\n x \n' }).texts, [' x '])
})

test('settings that cannot work are named with their control', () => {
  const wrong = (patch) => Object.keys(check({ ...DEFAULTS, ...patch }))
  assert.deepEqual(wrong({}), [])
  assert.deepEqual(wrong({ text: ' \n ' }), ['text'])
  assert.deepEqual(wrong({ heads: 3 }), ['heads'])
  assert.deepEqual(wrong({ dModel: Number.NaN }), ['dModel'])
  assert.deepEqual(wrong({ dModel: 0 }), ['dModel'])
  assert.deepEqual(wrong({ base: 0 }), ['base'])
  assert.deepEqual(wrong({ dropout: 1 }), ['dropout'])
  assert.deepEqual(wrong({ seed: -1, maxLength: 1.5 }), ['maxLength', 'seed'])
})
