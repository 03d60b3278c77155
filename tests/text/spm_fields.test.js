// What a SentencePiece .model means that says little: every field has a default.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from './text.js'

const varint = value => (value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)])
const number = (field, value) => [...varint(BigInt(field << 3)), ...varint(BigInt.asUintN(64, BigInt(value)))]
const bytes = (field, list) => [...varint(BigInt(field << 3 | 2)), ...varint(BigInt(list.length)), ...list]
const text = (field, string) => bytes(field, [...new TextEncoder().encode(string)])
const float = (field, value) => [...varint(BigInt(field << 3 | 5)), ...new Uint8Array(Float32Array.of(value).buffer)]

const UNKNOWN = 2, CONTROL = 3
const PIECES = [['<unk>', UNKNOWN], ['<s>', CONTROL, 0], ['</s>', CONTROL, 0], ['▁', undefined, -3], ['a', undefined, -2],
  ['▁a', undefined, -2.5], ['b']]

/** A model of these pieces; a score or a kind that is left out is not written. */
function modelOf(trainer = [], spec = []) {
  const pieces = PIECES.flatMap(([piece, kind, score]) => bytes(1, [...text(1, piece),
    ...(score === undefined ? [] : float(2, score)), ...(kind === undefined ? [] : number(3, kind))]))
  const model = Uint8Array.from([...pieces, ...bytes(2, trainer.flat()), ...bytes(3, spec.flat())])
  return gf.text.tokenizer({ 'small.model': model })
}
const cut = (tokenizer, string, options) => tokenizer.encode(string, options).tokens.join(' ')

test('nothing is said: a space before, none too many, ▁ for spaces, a unigram model, its end behind', () => {
  const tokenizer = modelOf()
  assert.equal(cut(tokenizer, '  a  ab '), '▁a ▁a b')
  assert.equal(cut(tokenizer, 'a', { special: true }), '▁a </s>')
  assert.equal(cut(tokenizer, 'ax'), '▁a <unk>')
  assert.equal(tokenizer.scoreOf(6), 0)
  assert.equal(tokenizer.scoreOf(5), -2.5)
  assert.equal(tokenizer.decode(tokenizer.encode('a x').ids), 'a  \u2047 ')
})

test('what is said counts', () => {
  assert.equal(cut(modelOf([], [number(3, 0)]), 'a ab'), 'a ▁a b')
  assert.equal(cut(modelOf([], [number(4, 0)]), 'a  a'), '▁a ▁ ▁a')
  assert.equal(cut(modelOf([number(24, 1)]), 'a a'), 'a ▁a ▁')
  assert.equal(cut(modelOf([number(41, 4), number(42, -1)]), 'a', { special: true }), '▁a')
  assert.equal(cut(modelOf([number(42, 1)]), 'a', { special: true }), '▁a <s>')
  assert.equal(modelOf([text(44, '?')]).decode([4, 0]), 'a?')
})
