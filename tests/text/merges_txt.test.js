// Tokenizers of vocab.json and merges.txt, with the class that tokenizer_config.json names and added tokens of other
// files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BYTE_CHARACTERS } from '../../src/js/text/byte_level.js'
import { assertRejects } from '../lib/engine.js'
import { gf } from './text.js'

const MERGES = [['h', 'e'], ['l', 'l'], ['he', 'll'], ['Ġ', 'hell'], ['1', '2'], ['Ã', '©'], ['.', 'Ċ']]

/** The files of a folder; the special tokens come first in the vocabulary, as in RoBERTa. */
function filesOf(config, { specials = [], merges = MERGES, more = [], ...otherFiles } = {}) {
  const tokens = [...new Set([...specials, ...BYTE_CHARACTERS, ...more, ...merges.map(pair => pair.join(''))])]
  return {
    'vocab.json': JSON.stringify(Object.fromEntries(tokens.map((token, id) => [token, id]))),
    'merges.txt': `#version: 0.2\n${merges.map(pair => pair.join(' ')).join('\n')}\n`,
    ...(config && { 'tokenizer_config.json': JSON.stringify(config) }),
    ...Object.fromEntries(Object.entries(otherFiles).map(([name, json]) => [`${name}.json`, JSON.stringify(json)]))
  }
}
const open = (config, more) => gf.text.tokenizer(filesOf(config, more))
const ROBERTA = ['<s>', '<pad>', '</s>', '<unk>'], END = '<|endoftext|>'

test('GPT-2 keeps numbers whole; Qwen2 splits digits and joins punctuation with a line feed or a word', () => {
  const text = 'hell hell12 e\u0301.\n'
  for (const config of [undefined, {}, { tokenizer_class: 'GPT2TokenizerFast' }, { tokenizer_class: 'CodeGenTokenizer' }]) {
    assert.deepEqual(open(config, { specials: [END] }).encode(text).tokens, ['hell', 'Ġhell', '12', 'Ġ', 'e', 'Ì', 'ģ', '.', 'Ċ'])
  }
  for (const more of [{}, { specials: [END] }]) {
    assert.deepEqual(open({ tokenizer_class: 'Qwen2Tokenizer' }, more).encode(text).tokens, ['hell', 'Ġhell', '1', '2', 'Ġ', 'Ã©', '.Ċ'])
  }
  assert.deepEqual(open(undefined, { config: { model_type: 'qwen3' } }).encode('12').tokens, ['1', '2'])
})

test('RoBERTa adds its special tokens to a text', () => {
  for (const name of ['RobertaTokenizer', 'BartTokenizerFast', 'LongformerTokenizer']) {
    const { tokens, ids } = open({ tokenizer_class: name }, { specials: ROBERTA, more: ['<mask>'] }).encode('hell <mask>', { special: true })
    assert.deepEqual(tokens, ['<s>', 'hell', '<mask>', '</s>'])
    assert.deepEqual([ids[0], ids.at(-1)], [0, 2])
  }
  assert.deepEqual(open(undefined, { specials: ROBERTA, config: { model_type: 'roberta' } }).encode('a', { special: true }).tokens, ['<s>', 'a', '</s>'])
  const own = open({ tokenizer_class: 'RobertaTokenizer', add_prefix_space: true, cls_token: { content: '<unk>' } }, { specials: ROBERTA })
  assert.deepEqual(own.encode('hell', { special: true }).tokens, ['<unk>', 'Ġhell', '</s>'])
  assertRejects(() => open({ tokenizer_class: 'RobertaTokenizer' }), 'format', 'cls_token "<s>" is not in the vocabulary')
})

test('CLIP lowercases and marks ends of words', () => {
  const merges = [['h', 'e'], ['he', 'y</w>']], more = [...BYTE_CHARACTERS.map(letter => `${letter}</w>`), '<|startoftext|>', END]
  const clip = open({ tokenizer_class: 'CLIPTokenizer' }, { merges, more })
  assert.deepEqual(clip.encode('HEY  hex', { special: true }).tokens, ['<|startoftext|>', 'hey</w>', 'he', 'x</w>', END])
})

test('add_bos_token adds a token before a text', () => {
  const config = { tokenizer_class: 'GPT2Tokenizer', add_bos_token: true, bos_token: { content: '</s>', lstrip: false } }
  assert.deepEqual(open(config, { specials: ROBERTA }).encode('a', { special: true }).tokens, ['</s>', 'a'])
  assert.deepEqual(open({ ...config, add_bos_token: false }, { specials: ROBERTA }).encode('a', { special: true }).tokens, ['a'])
})

test('added tokens get their ids', () => {
  const added = { '   ': 400, '<x>': 401 }
  const own = open({ tokenizer_class: 'CodeGenTokenizer' }, { specials: [END], added_tokens: added, special_tokens_map: { pad_token: '<x>' } })
  assert.deepEqual(own.encode(`a   b<x>${END}`).ids.slice(1), [400, own.idOf('b'), 401, 0])
  assert.equal(own.decode([400, 401, own.idOf('a')]), '   a')
  const decoder = { 500: { content: '<|im_start|>', special: true }, 501: { content: '<tool>', special: false, rstrip: true } }
  const qwen = open({ tokenizer_class: 'Qwen2Tokenizer', added_tokens_decoder: decoder })
  assert.deepEqual(qwen.encode('<|im_start|><tool>  1').ids, [500, 501, qwen.idOf('1')])
  assert.equal(qwen.decode([500, 501, qwen.idOf('1')]), '<tool>1')
  assert.equal(qwen.size, 502)
})

test('errors name what is not supported', () => {
  for (const name of ['DebertaTokenizer', 'PreTrainedTokenizerFast', 'constructor']) {
    assertRejects(() => open({ tokenizer_class: name }), 'format', `tokenizer_class "${name}" is not one of gpt2, `)
  }
  assertRejects(() => open({ tokenizer_class: 5 }), 'format', 'tokenizer_class 5 is not one of')
  assertRejects(() => open({ added_tokens_decoder: [] }), 'format', 'added_tokens_decoder must be an object, got an array of 0')
  assertRejects(() => open({ added_tokens_decoder: { 5: 'x' } }), 'format', 'added_tokens_decoder["5"] must have a content, got "x"')
  assertRejects(() => open({ added_tokens_decoder: { x: { content: 'x' } } }), 'format', 'must have an id and a content')
  assertRejects(() => open({}, { added_tokens: ['a'] }), 'format', 'added_tokens.json must be an object')
  assertRejects(() => open({}, { added_tokens: { a: 'b' } }), 'format', 'must have an id and a content')
  assertRejects(() => open([]), 'format', 'tokenizer_config.json must be an object, got an array of 0')
})

test('rejects a merge that is not two tokens', () => {
  const json = merges => JSON.stringify({ model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2, abb: 3 }, merges } })
  assertRejects(() => gf.text.tokenizer({ 'tokenizer.json': json([['a', 'b', 'b']]) }), 'format', 'model.merges[0] must be two tokens, got ["a","b","b"]')
  assertRejects(() => gf.text.tokenizer({ 'tokenizer.json': json([['a', 'x']]) }), 'format', 'does not join two tokens')
})
