// Pairs, lists, truncation, padding and special tokens as plain text; what they give is checked in
// golden/tokenizers.json, too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from './text.js'

const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'a', 'b', 'c', 'd', '##b']
const bert = gf.text.tokenizer({ 'vocab.txt': tokens.join('\n') })

test('a pair has both texts, their types and the special tokens between them', () => {
  const { ids, tokens: found, typeIds, offsets, attentionMask } = bert.encode('a b', { pair: 'c', special: true })
  assert.deepEqual(found, ['[CLS]', 'a', 'b', '[SEP]', 'c', '[SEP]'])
  assert.deepEqual(ids, [2, 5, 6, 3, 7, 3])
  assert.deepEqual(typeIds, [0, 0, 0, 0, 1, 1])
  assert.deepEqual(offsets, [[0, 0], [0, 1], [2, 3], [3, 3], [0, 1], [1, 1]])
  assert.deepEqual(attentionMask, [1, 1, 1, 1, 1, 1])
  assert.deepEqual(bert.encode('a b', { pair: 'c' }).typeIds, [0, 0, 1])
  assert.deepEqual(bert.encode('a', { special: true }).typeIds, [0, 0, 0])
})

test('lists of texts give lists, padded to the longest on request', () => {
  const [short, long] = bert.encode(['a', 'a b c'], { padding: true })
  assert.deepEqual([short.ids, long.ids], [[5, 0, 0], [5, 6, 7]])
  assert.deepEqual(short.attentionMask, [1, 0, 0])
  assert.deepEqual(short.tokens, ['a', '[PAD]', '[PAD]'])
  assert.deepEqual(short.offsets, [[0, 1], [0, 0], [0, 0]])
  assert.deepEqual(bert.encode('a', { padding: { length: 3, multipleOf: 2, side: 'left', id: 4 } }).ids, [4, 4, 4, 5])
  assert.deepEqual(bert.encode(['a', 'b'], { pair: ['c', 'd'] }).map(({ ids }) => ids), [[5, 7], [6, 8]])
  assert.deepEqual(bert.encode([]), [])
})

test('truncation counts special tokens and shortens the longer text first', () => {
  const idsOf = (truncation, more = {}) => bert.encode('a b c d', { truncation, special: true, ...more }).ids
  assert.deepEqual(idsOf(4), [2, 5, 6, 3])
  assert.deepEqual(idsOf({ maxLength: 4, side: 'left' }), [2, 7, 8, 3])
  assert.deepEqual(idsOf(6, { pair: 'a' }), [2, 5, 6, 3, 5, 3])
  assert.deepEqual(idsOf({ maxLength: 8, strategy: 'only_second' }, { pair: 'a b c' }), [2, 5, 6, 7, 8, 3, 5, 3])
  assert.deepEqual(idsOf(2), [2, 3])
  assert.throws(() => idsOf(1), { code: 'range', message: /truncation: maxLength must be an integer from 2 to/ })
  assert.throws(() => idsOf({ maxLength: 4, strategy: 'only_second' }, { pair: 'a' }), { code: 'range', message: /cannot remove/ })
  assert.deepEqual(bert.encode('a b', { truncation: 1 }).offsets, [[0, 1]])
})

test('special tokens in a text are plain text with allowSpecial: false', () => {
  const json = { model: { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, 'a': 1, '<s>': 2 } }, pre_tokenizer: { type: 'WhitespaceSplit' },
    added_tokens: [{ id: 2, content: '<s>', special: true }, { id: 3, content: '<t>', special: false }] }
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
  assert.equal(tokenizer.type, 'WordLevel')
  assert.deepEqual(tokenizer.encode('a<s>b<t>').ids, [1, 2, 0, 3])
  assert.deepEqual(tokenizer.encode('a<s>b<t>', { allowSpecial: false }).ids, [0, 3])
  assert.throws(() => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model: { type: 'WordLevel', vocab: {} } }) }).encode('a'),
    { code: 'text', message: /text has "a", which has no token/ })
})

test('errors name the option', () => {
  const cases = [
    [{ pair: 5 }, /text must be a string/], [{ pair: ['a'] }, /pair must be like text/], [{ truncation: 'x' }, /truncation: maxLength/],
    [{ truncation: { maxLength: 2, side: 'up' } }, /truncation: side must be one of/], [{ padding: -1 }, /padding: length/], [{ padding: 1e9 }, /padding: length must be an integer from 0 to 16777216/],
    [{ padding: { size: 2 } }, /there is no option "size"/], [{ allowSpecial: 1 }, /allowSpecial must be true or false/],
    [{ padding: { length: 3, id: 99 } }, /padding.id must be the id of a token/]
  ]
  for (const [options, message] of cases) assert.throws(() => bert.encode('a', options), { message })
})
