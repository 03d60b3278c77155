import test from 'node:test'
import assert from 'node:assert/strict'
import { vocab as reference } from '../../src/reference/vocab.js'
import { gf, golden, stream } from './text.js'

const { Vocab } = gf.text
const error = (code, message) => ({ name: 'GlassformerError', code, message })

test('builds every golden vocabulary', () => {
  for (const { name, lists, options, itos } of golden.vocab) {
    const { specials, special_first: specialsFirst, min_freq: minFrequency, max_tokens: maxTokens } = options
    const named = { specials, specialsFirst, minFrequency, maxTokens }
    assert.deepEqual(new Vocab(lists, named).itos, itos, name)
    assert.deepEqual(reference(lists, named), itos, `reference: ${name}`)
  }
})

test('maps tokens to ids and back', () => {
  const vocab = new Vocab([['나는', '파리', '나는'], ['좋다']], { specials: ['<pad>', '<unk>'], unknown: '<unk>' })
  assert.deepEqual(vocab.itos, ['<pad>', '<unk>', '나는', '좋다', '파리'])
  assert.ok(vocab.stoi instanceof Map)
  assert.deepEqual([...vocab.stoi], vocab.itos.map((token, id) => [token, id]))
  assert.equal(vocab.size, 5)
  assert.deepEqual(vocab.encode(['파리', '나는', '서울']), [4, 2, 1])
  assert.deepEqual(vocab.decode([4, 2, 1]), ['파리', '나는', '<unk>'])
  assert.deepEqual(vocab.decode(Int32Array.of(0, 3)), ['<pad>', '좋다'])
  assert.deepEqual([vocab.encode([]), vocab.decode([])], [[], []])
})

test("order 'first-seen' is that of enumerate() over distinct tokens", () => {
  const list = '나는 최근 파리 여행을 다녀왔다 나는 파리 가'.split(' ')
  const vocab = new Vocab([list], { order: 'first-seen' })
  assert.deepEqual(vocab.itos, [...new Set(list)])
  assert.deepEqual(new Vocab([['b'], ['a', 'b', 'c']], { order: 'first-seen', maxTokens: 2 }).itos, ['b', 'a'])
})

test('a token outside the vocabulary throws unless there is an unknown token', () => {
  const message = /tokens\[1\] is "z", which is not among the 1 tokens/
  assert.throws(() => new Vocab([['a']]).encode(['a', 'z']), error('text', message))
  assert.throws(() => new Vocab([['a']], { unknown: '<unk>' }).encode(['a', 'z']), error('text', message))
  assert.deepEqual(new Vocab([['a', '<unk>']], { unknown: '<unk>' }).encode(['a', 'z']), [1, 0])
})

test('tokens may be empty or contain separators, NUL and lone surrogates', () => {
  const list = ['\n', '', 'a\nb', '\0', 'a', '', '\n\n', '\ud83d', '\ude00', '😀', '\ud83d']
  const vocab = new Vocab([list], { order: 'first-seen' })
  assert.deepEqual(vocab.itos, ['\n', '', 'a\nb', '\0', 'a', '\n\n', '\ufffd', '😀'])
  assert.deepEqual(vocab.encode(['\ude00', '\ufffd', '']), [6, 6, 1])
  assert.deepEqual(new Vocab([list]).itos.slice(0, 2), ['\ufffd', ''])
})

test('finds the first token after the table has grown', () => {
  const many = Array.from({ length: 700 }, (_, i) => `word ${i}`)
  for (let k = 0; k < 30; k++) {
    const { itos } = new Vocab([[`first ${k}`, ...many, `first ${k}`]], { order: 'first-seen' })
    assert.deepEqual(itos, [`first ${k}`, ...many])
  }
})

test('sorts by code points, not by UTF-16 units', () => {
  assert.deepEqual(new Vocab([['😀', '～', 'ab', 'a', 'abcdefgh', 'abcdefghi', 'abcdefg', '가', '']]).itos,
    ['', 'a', 'ab', 'abcdefg', 'abcdefgh', 'abcdefghi', '가', '～', '😀'])
})

test('builds the vocabulary of the reference for 300 sets of lists', () => {
  const next = stream(24)
  const alphabet = ['a', 'b', 'é', '가', '～', '😀', '']
  const token = () => Array.from({ length: next(4) }, () => alphabet[next(alphabet.length)]).join('')
  for (let i = 0; i < 300; i++) {
    const lists = Array.from({ length: next(5) }, () => Array.from({ length: next(60) }, token))
    const specials = ['<pad>', 'a', '가'].slice(0, next(4))
    const options = {
      order: next(2) ? 'frequency' : 'first-seen', specials, specialsFirst: next(2) === 0, minFrequency: next(4),
      maxTokens: next(2) ? undefined : specials.length + 1 + next(40)
    }
    assert.deepEqual(new Vocab(lists, options).itos, reference(lists, options), JSON.stringify({ lists, options }))
  }
})

test('distinguishes tokens with equal hashes', () => {
  // The first two, the next two and the last two have equal FNV-1a hashes of 32 bits.
  const colliding = ['declinate', 'macallums', 'altarage', 'zinke', 'aymaqr', 'ntdygs']
  const hashOf = word =>
    [...word].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16777619), 2166136261 | 0)
  colliding.forEach((word, i) => assert.equal(hashOf(word), hashOf(colliding[i ^ 1]), word))
  assert.deepEqual(new Vocab([colliding, colliding.toReversed()], { order: 'first-seen' }).itos, colliding)
})

test('counts 10,000 tokens in many batches without leaking memory', () => {
  const list = Array.from({ length: 30000 }, (_, i) => `낱말-${i * 7919 % 10000}`)
  list.push('x'.repeat(200000))
  const vocab = new Vocab([list])
  assert.deepEqual(vocab.itos, reference([list]))
  const before = gf.engine.memory.size
  for (let i = 0; i < 20; i++) new Vocab([list])
  assert.equal(gf.engine.memory.size, before)
})

test('accepts empty lists', () => {
  for (const lists of [[], [[]], [[], []]]) assert.deepEqual(new Vocab(lists).itos, [])
  assert.equal(new Vocab([], { specials: ['<pad>'] }).size, 1)
})

test('errors say what was expected and what was given', () => {
  const cases = [
    [['a'], {}, 'type', /lists\[0\] must be an array of strings, got "a"/],
    ['a', {}, 'type', /lists must be an array of arrays of strings, got "a"/],
    [[['a', 5]], {}, 'type', /lists\[0\]\[1\] must be a string, got 5/],
    [[], { order: 'random' }, 'range', /order must be one of 'frequency', 'first-seen', got "random"/],
    [[], { specials: '<pad>' }, 'type', /specials must be an array of strings/],
    [[], { specials: ['a', 'a'] }, 'range', /specials\[1\] repeats "a"/],
    [[], { specials: [1] }, 'type', /specials\[0\] must be a string, got 1/],
    [[], { specialsFirst: 1 }, 'type', /specialsFirst must be true or false, got 1/],
    [[], { minFrequency: -1 }, 'range', /minFrequency must be an integer from 0 .* got -1/],
    [[], { specials: ['a'], maxTokens: 1 }, 'range', /maxTokens must be an integer from 2 .* got 1/],
    [[], { unknown: 0 }, 'type', /unknown must be a string, got 0/]
  ]
  for (const [lists, options, code, message] of cases) {
    assert.throws(() => new Vocab(lists, options), error(code, message))
  }
  const vocab = new Vocab([['a']])
  assert.throws(() => vocab.encode('a'), error('type', /tokens must be an array of strings, got "a"/))
  assert.throws(() => vocab.encode([0]), error('type', /tokens\[0\] must be a string, got 0/))
  assert.throws(() => vocab.decode(0), error('type', /ids must be an array of integers, got 0/))
  assert.throws(() => vocab.decode([0, 1]), error('index', /ids\[1\] must be an integer from 0 to 0, got 1/))
  assert.throws(() => vocab.decode([0.5]), error('index', /got 0\.5/))
  assert.throws(() => vocab.decode(['0']), error('type', /got "0"/))
})
