import test from 'node:test'
import assert from 'node:assert/strict'
import { whitespace as reference } from '../../src/reference/whitespace.js'
import { everyCharacter, gf, golden, membership, nastyText, stream } from './text.js'

const { whitespace } = gf.text
const show = JSON.stringify

test('splits every golden text', () => {
  for (const { text, tokens } of golden.split) {
    assert.deepEqual(whitespace(text), tokens, show(text))
    assert.deepEqual(reference(text), tokens, `reference: ${show(text)}`)
  }
})

test('splits at exactly the white space of Python', () => {
  const isSpace = membership('space')
  const characters = everyCharacter()
  const expected = characters.flatMap(c => isSpace(c) ? ['a', 'b'] : [`a${c}b`])
  assert.deepEqual(whitespace(characters.map(c => `a${c}b`).join(' ')), expected)
})

test('splits Korean, emoji, combining marks and empty texts', () => {
  assert.deepEqual(whitespace('나는 최근 파리 여행을 다녀왔다'), ['나는', '최근', '파리', '여행을', '다녀왔다'])
  assert.deepEqual(whitespace('👩‍👩‍👧‍👦\u3000🇰🇷 👍🏽'), ['👩‍👩‍👧‍👦', '🇰🇷', '👍🏽'])
  assert.deepEqual(whitespace('a\u0308 ᄒ\u1161\u11ab'), ['a\u0308', 'ᄒ\u1161\u11ab'])
  for (const nothing of ['', ' ', '\n\u3000\u0085', new Uint8Array(0)]) assert.deepEqual(whitespace(nothing), [])
})

test('splits 4000 texts as the reference', () => {
  const next = stream(21)
  for (let i = 0; i < 4000; i++) {
    const text = nastyText(next)
    assert.deepEqual(whitespace(text), reference(text), show(text))
  }
})

test('splits long texts independently of windows', () => {
  const next = stream(8)
  const text = Array.from({ length: 40000 }, () => nastyText(next)).join('')
  assert.deepEqual(whitespace(text), reference(text))
  assert.deepEqual(whitespace(new TextEncoder().encode(text)), reference(text))
  assert.deepEqual(whitespace(`${'가'.repeat(100000)} b`), ['가'.repeat(100000), 'b'])
  assert.deepEqual(whitespace('a '.repeat(100000)), Array(100000).fill('a'))
  assert.deepEqual(whitespace(`a${' '.repeat(100000)}b`), ['a', 'b'])
})

test('the cache does not confuse similar tokens', () => {
  const middles = Array.from({ length: 20000 }, (_, i) => String(i).padStart(1 + i % 9, '0'))
  for (const [left, right] of [['beginning', 'endingend'], ['the-same', 'the-same'], ['ab', ''], ['', '']]) {
    const similar = middles.map(middle => left + middle + right)
    const twice = [...similar, ...similar.toReversed()]
    assert.deepEqual(whitespace(twice.join(' ')), twice)
  }
})

test('leaks no memory', () => {
  const text = 'some words, 그리고 낱말 '.repeat(5000)
  whitespace(text)
  const before = gf.engine.memory.size
  for (let i = 0; i < 50; i++) whitespace(text)
  assert.equal(gf.engine.memory.size, before)
})

test('errors say what was expected and what was given', () => {
  const message = /text\.whitespace: text must be a string or a Uint8Array, got null/
  assert.throws(() => whitespace(null), { name: 'GlassformerError', code: 'type', message })
})
