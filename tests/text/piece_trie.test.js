// The trie of pieces.
import assert from 'node:assert/strict'
import test from 'node:test'
import { BYTE_CHARACTERS } from '../../src/js/text/byte_level.js'
import { gf, stream } from './text.js'

const next = stream(92)
const open = (model, parts) => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model, ...parts }) })

test('finds each of 8,000 pieces at the start of a word and inside a word, and no other piece', () => {
  const pieces = new Set(['b'])
  while (pieces.size < 8000) pieces.add(Array.from({ length: 1 + next(7) }, () => 'abcdefgh가각ß'[next(11)]).join(''))
  const continuations = [...pieces].slice(0, 4000)
  const ids = new Map([...pieces, ...continuations.map(piece => `##${piece}`), '[UNK]', 'z'].map((token, id) => [token, id]))
  const tokenizer = open({ type: 'WordPiece', vocab: Object.fromEntries(ids), unk_token: '[UNK]' },
    { pre_tokenizer: { type: 'WhitespaceSplit' } })
  const encodeWords = words => tokenizer.encode(words.join(' ')).ids
  assert.deepEqual(encodeWords([...pieces]), [...pieces].map(piece => ids.get(piece)))
  assert.deepEqual(encodeWords(continuations.map(piece => `z${piece}`)), continuations.flatMap(piece => [ids.get('z'), ids.get(`##${piece}`)]))
  assert.ok(encodeWords([...pieces].map(piece => `${piece}z`)).every(id => id === ids.get('[UNK]')))
})

test('an empty token never matches', () => {
  const vocab = Object.fromEntries(['', ...BYTE_CHARACTERS, 'ab'].map((token, id) => [token, id]))
  const bytes = open({ type: 'BPE', vocab, merges: [], ignore_merges: true }, { pre_tokenizer: { type: 'ByteLevel' } })
  assert.deepEqual(bytes.encode('ab').ids, [vocab.ab])
  const words = open({ type: 'WordPiece', vocab: { '': 0, '##': 1, 'a': 2, '##b': 3, '[UNK]': 4 }, unk_token: '[UNK]' })
  assert.deepEqual(['a', 'ab', 'b', ''].map(text => words.encode(text).ids), [[2], [2, 3], [4], []])
})

test('the first token of a WordPiece vocabulary is like the others', () => {
  for (const first of ['a', '##b', 'ab', '##bc']) {
    const vocab = Object.fromEntries([first, 'a', '##b', '##c', '[UNK]'].map((token, id) => [token, id]))
    vocab[first] = 0
    const { tokens } = open({ type: 'WordPiece', vocab, unk_token: '[UNK]' }).encode('abc')
    assert.deepEqual(tokens, first === 'ab' ? ['ab', '##c'] : first === '##bc' ? ['a', '##bc'] : ['a', '##b', '##c'])
  }
})
