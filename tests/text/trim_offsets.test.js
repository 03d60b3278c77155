// trim_offsets of a post_processor: offsets without the spaces of a token, as in Hugging Face's tokenizers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALPHABET } from '../../src/js/text/byte_level.js'
import { gf } from './text.js'

const merges = [['l', 'l'], ['Ġ', 'h'], ['Ġ', 'Ġ']], tokens = [...ALPHABET, ...merges.map(pair => pair.join('')), '<s>', '</s>']
const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]))
const specials = { cls: ['<s>', vocab['<s>']], sep: ['</s>', vocab['</s>']] }

/** Offsets of tokens. @param {string} text @param {any} post_processor @param {boolean} [add_prefix_space] */
function offsetsOf(text, post_processor, add_prefix_space = false) {
  const pre_tokenizer = { type: 'ByteLevel', add_prefix_space }
  const json = { pre_tokenizer, post_processor, model: { type: 'BPE', vocab, merges } }
  return gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) }).encode(text, { special: true }).offsets
}

const byteLevel = more => ({ type: 'ByteLevel', trim_offsets: true, add_prefix_space: false, ...more })

test('trims the spaces of a token from its offsets', () => {
  assert.deepEqual(offsetsOf('ll h', byteLevel()), [[0, 2], [3, 4]])
  assert.deepEqual(offsetsOf('ll h', byteLevel({ trim_offsets: false })), [[0, 2], [2, 4]])
  assert.deepEqual(offsetsOf('ll h', null), [[0, 2], [2, 4]])
  assert.deepEqual(offsetsOf('ll h', { type: 'Sequence', processors: [byteLevel()] }), [[0, 2], [3, 4]])
  assert.deepEqual(offsetsOf('ll h', { type: 'ByteLevel' }), [[0, 2], [3, 4]], 'trim_offsets is true by default')
  assert.deepEqual(offsetsOf('l \th', byteLevel()), [[0, 1], [2, 2], [2, 3], [3, 4]])
})

test('does not trim a space of the text when one was added before it', () => {
  assert.deepEqual(offsetsOf('h h', byteLevel({ add_prefix_space: true }), true), [[0, 1], [2, 3]])
  assert.deepEqual(offsetsOf(' h', byteLevel({ add_prefix_space: true }), true), [[0, 2]])
  assert.deepEqual(offsetsOf('   ', byteLevel({ add_prefix_space: true }), true).at(0), [2, 2])
})

test('a space that was added before a character of two units, after a special token, has its end', () => {
  const post_processor = byteLevel({ add_prefix_space: true }), pre_tokenizer = { type: 'ByteLevel', add_prefix_space: true }
  const json = { pre_tokenizer, post_processor, model: { type: 'BPE', vocab, merges },
    added_tokens: [{ id: vocab['<s>'], content: '<s>', special: true }] }
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
  assert.deepEqual(tokenizer.encode('<s>🥰').offsets, [[0, 3], [5, 5], [3, 5], [3, 5], [3, 5], [3, 5]])
  assert.deepEqual(tokenizer.encode('🥰').offsets[0], [0, 0])
  assert.deepEqual(tokenizer.encode('l 🥰').offsets.slice(0, 3), [[0, 0], [0, 1], [2, 2]])
})

test('trims the spaces that an added token takes', () => {
  const part = byteLevel({ add_prefix_space: true })
  const added = (id, content, more) => ({ id, content, special: true, ...more })
  const json = { pre_tokenizer: part, post_processor: part, model: { type: 'BPE', vocab, merges },
    added_tokens: [added(900, '<l>', { lstrip: true }), added(901, '<r>', { rstrip: true }),
      added(902, '<b>', { lstrip: true, rstrip: true })] }
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
  assert.deepEqual(['l  <l>', '<r>  ', 'l <b>  ', ' <l>', '  <l>'].map(text => tokenizer.encode(text).offsets.at(-1)),
    [[3, 6], [0, 3], [2, 5], [0, 4], [2, 5]])
})

test('does not move special tokens', () => {
  assert.deepEqual(offsetsOf('ll h', { type: 'RobertaProcessing', ...specials, trim_offsets: true, add_prefix_space: false }),
    [[0, 0], [0, 2], [3, 4], [4, 4]])
  assert.deepEqual(offsetsOf('ll h', { type: 'RobertaProcessing', ...specials, trim_offsets: false }), [[0, 0], [0, 2], [2, 4], [4, 4]])
})
