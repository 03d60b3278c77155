// The tokenizer.json of tokenizers that were loaded from other files or trained.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALPHABET } from '../../src/js/text/byte_level.js'
import { gf } from './text.js'

const special = (content, id) =>
  ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true })
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true }
const BPE = {
  normalizer: null, pre_tokenizer: byteLevel, post_processor: null, decoder: byteLevel,
  model: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null,
    fuse_unk: false, byte_fallback: false, ignore_merges: false }
}
const WORDPIECE = {
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' }, decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100 }
}
const letters = Object.fromEntries([...ALPHABET, 'ab', '<|endoftext|>'].map((token, id) => [token, id]))

const CASES = {
  "GPT-2's files": [{ 'vocab.json': JSON.stringify(letters), 'merges.txt': '#version\na b\n' },
    { ...BPE, added_tokens: [special('<|endoftext|>', 257)] }],
  "BERT's vocab.txt": [{ 'vocab.txt': '[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n' }, {
    ...WORDPIECE, added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map(special),
    post_processor: { type: 'BertProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] }
  }],
  'trained BPE': [gf.text.trainBPE('ab ab', { vocabSize: 257, specials: ['<end>'] }),
    { ...BPE, added_tokens: [special('<end>', 0)] }],
  'trained WordPiece': [gf.text.trainWordPiece('ab ab', { vocabSize: 9, lowercase: true, specials: ['[CLS]', '[SEP]'] }), {
    ...WORDPIECE, added_tokens: ['[UNK]', '[CLS]', '[SEP]'].map(special),
    post_processor: { type: 'BertProcessing', cls: ['[CLS]', 1], sep: ['[SEP]', 2] }
  }],
  'trained unigram': [gf.text.trainUnigram('ab ab', { vocabSize: 9 }), {
    added_tokens: [special('<unk>', 0)], normalizer: null, post_processor: null, decoder: metaspace,
    pre_tokenizer: { type: 'Sequence', pretokenizers:
      [{ type: 'Split', pattern: { Regex: '\\n+' }, behavior: 'Isolated', invert: false }, metaspace] },
    model: { type: 'Unigram', unk_id: 0, byte_fallback: false }
  }]
}

for (const [name, [source, expected]] of Object.entries(CASES)) test(`${name}: saves every field of tokenizer.json`, () => {
  const tokenizer = source.encode ? source : gf.text.tokenizer(source)
  const { model: { vocab, merges: _, ...model }, ...rest } = JSON.parse(JSON.stringify(tokenizer))
  assert.deepEqual({ ...rest, model }, { version: '1.0', truncation: null, padding: null, ...expected })
  assert.ok(Object.keys(vocab).length > 2)
})
