// Byte-level BPE with an end-of-word suffix (CLIP) or a continuing-subword prefix. The ids are those of Hugging Face's
// tokenizers 0.23.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BYTE_CHARACTERS } from '../../src/js/text/byte_level.js'
import { gf } from './text.js'

const PATTERN = String.raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`
const utf8 = new TextDecoder()

/** A tokenizer like CLIP's. */
function clipLike({ prefix = '', suffix = '', merges, ...more }) {
  const single = [...BYTE_CHARACTERS, ...BYTE_CHARACTERS.map(letter => letter + suffix),
    ...prefix ? BYTE_CHARACTERS.flatMap(letter => [prefix + letter, prefix + letter + suffix]) : []]
  const merged = merges.map(([left, right]) => left + right.slice(prefix.length))
  const tokens = [...new Set([...single, ...merged, '<|startoftext|>', '<|endoftext|>'])]
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id])), lowercase = { type: 'Lowercase' }
  const mark = content => ({ id: vocab[content], content, normalized: false, special: true })
  const json = {
    added_tokens: [mark('<|startoftext|>'), mark('<|endoftext|>')],
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, lowercase] },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [
      { type: 'Split', pattern: { Regex: PATTERN }, behavior: 'Removed', invert: true },
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
    ] },
    post_processor: { type: 'RobertaProcessing', cls: ['<|startoftext|>', vocab['<|startoftext|>']], sep: ['<|endoftext|>', vocab['<|endoftext|>']],
      trim_offsets: false, add_prefix_space: false },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', unk_token: '<|endoftext|>', continuing_subword_prefix: prefix, end_of_word_suffix: suffix, vocab, merges, ...more }
  }
  return gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
}

const ENDS = [['h', 'e'], ['l', 'l'], ['he', 'll'], ['hell', 'o</w>'], ['o', 'o</w>'], ['Ã', '©</w>']]

test('the last character of a word has the end-of-word suffix', () => {
  const clip = clipLike({ suffix: '</w>', merges: ENDS })
  const { tokens, offsets } = clip.encode('Hello  HELLOOO café 한', { special: true })
  assert.deepEqual(tokens, ['<|startoftext|>', 'hello</w>', 'hell', 'o', 'oo</w>', 'c', 'a', 'f', 'Ã©</w>', 'í', 'ķ', 'ľ</w>', '<|endoftext|>'])
  assert.deepEqual(offsets.slice(1, -1), [
    [0, 5], [7, 11], [11, 12], [12, 14], [15, 16], [16, 17], [17, 18],
    [18, 19], [20, 21], [20, 21], [20, 21]
  ])
  assert.deepEqual(clip.encode('a').tokens, ['a</w>'])
  assert.deepEqual(clip.encode(Uint8Array.of(0x68, 0x65, 0x6c, 0x6c, 0x6f)).tokens, ['hello</w>'])
})

test('decodes end-of-word suffixes as spaces', () => {
  const clip = clipLike({ suffix: '</w>', merges: ENDS }), { ids } = clip.encode('Hello, café!')
  assert.equal(clip.decode(ids), 'hello , café !')
  assert.deepEqual(ids.map(id => utf8.decode(clip.bytesOf(id))), ['hello ', ', ', 'c', 'a', 'f', 'é ', '! '])
  assert.deepEqual(clip.mergesInto(clip.idOf('hello</w>')).map(({ pieces, token }) => [pieces, token]), [
    [['h', 'e', 'l', 'l', 'o</w>'], 'he'], [['he', 'l', 'l', 'o</w>'], 'll'], [['he', 'll', 'o</w>'], 'hell'], [['hell', 'o</w>'], 'hello</w>']
  ])
})

test('pieces inside a word have the continuing-subword prefix', () => {
  const merges = [['h', '##e'], ['##l', '##l'], ['he', '##ll'], ['##Ã', '##©']], own = clipLike({ prefix: '##', merges })
  assert.deepEqual(own.encode('hello élle é').tokens, ['hell', '##o', 'Ã', '##©', '##ll', '##e', 'Ã', '##©'])
  assert.deepEqual(own.mergesInto(own.idOf('hell')).map(({ token }) => token), ['he', '##ll', 'hell'])
  const both = clipLike({ prefix: '##', suffix: '.', merges: [['h', '##e'], ['he', '##l.']] })
  assert.deepEqual(both.encode('hel helo h').tokens, ['hel.', 'he', '##l', '##o.', 'h.'])
})

test('encodes whole words with ignore_merges, and characters without a token', () => {
  const whole = clipLike({ suffix: '</w>', merges: [['h', 'i</w>'], ['h', 'i']], ignore_merges: true })
  assert.deepEqual(whole.encode('hi ho').tokens, ['hi', 'h', 'o</w>'])
  const { model, ...rest } = whole.toJSON()
  delete model.vocab['o</w>']
  delete model.vocab['©</w>']
  const withoutTokens = (more = {}) => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ ...rest, model: { ...model, ...more } }) })
  assert.deepEqual(withoutTokens().encode('hello').tokens, ['h', 'e', 'l', 'l', '<|endoftext|>'])
  assert.deepEqual(withoutTokens({ unk_token: null }).encode('hello').tokens, ['h', 'e', 'l', 'l'])
})
