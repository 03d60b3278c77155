// A tokenizer.json with each field replaced by a wrong value is loaded, or rejected with an error that says why.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GlassformerError } from '../../src/js/index.js'
import { everyNth } from '../lib/long.js'
import { gf } from './text.js'

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
const addedToken = { id: 3, content: '[X]', single_word: false, lstrip: true, rstrip: true, normalized: false, special: true }
const vocab = { 'a': 0, 'b': 1, 'ab': 2, '[X]': 3, '[UNK]': 4, '##b': 5, '<0x0A>': 6, 'b</w>': 7 }
const template = {
  type: 'TemplateProcessing', single: [{ SpecialToken: { id: '[X]', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [], special_tokens: { '[X]': { id: '[X]', ids: [3], tokens: ['[X]'] } }
}
const kinds = { control: [1], unused: [2], userDefined: [5], bytes: [6] }
const spm = {
  normalizer: { type: 'SentencePiece', charsmap: '', add_dummy_prefix: true, remove_extra_whitespaces: true,
    escape_whitespaces: true, treat_whitespace_as_suffix: false, user_defined: ['ab'] },
  pre_tokenizer: null, post_processor: template, decoder: { type: 'SentencePiece', add_dummy_prefix: true,
    remove_extra_whitespaces: true, unknown: { piece: '<unk>', surface: ' ? ' } }
}

/** Well-formed files, which together have every kind of part. */
const FILES = {
  'bytes': {
    added_tokens: [addedToken], normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Replace', pattern: { Regex: 'x+' }, content: 'a' },
      { type: 'Prepend', prepend: 'a' }, { type: 'Strip', strip_left: true, strip_right: false }] },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Split', pattern: { String: 'b' }, behavior: 'Isolated', invert: false },
      { type: 'Digits', individual_digits: true }, byteLevel] },
    post_processor: { type: 'Sequence', processors: [{ type: 'RobertaProcessing', cls: ['[X]', 3], sep: ['[X]', 3], trim_offsets: true }, template] },
    decoder: byteLevel,
    model: { type: 'BPE', dropout: null, unk_token: 'a', continuing_subword_prefix: '', end_of_word_suffix: '</w>', fuse_unk: true,
      byte_fallback: false, ignore_merges: true, vocab, merges: ['a b', ['b', 'b</w>']].slice(0, 1) }
  },
  'characters': {
    added_tokens: [{ ...addedToken, normalized: true, single_word: true }], normalizer: { type: 'Precompiled', precompiled_charsmap: '' },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true },
    post_processor: { type: 'BertProcessing', cls: ['[X]', 3], sep: ['[X]', 3] },
    decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: 'a' }, content: 'c' }, { type: 'ByteFallback' }, { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 1 }, { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }, { type: 'BPEDecoder', suffix: '</w>' }] },
    model: { type: 'BPE', unk_token: '[UNK]', continuing_subword_prefix: '##', end_of_word_suffix: '</w>', fuse_unk: true, byte_fallback: true,
      vocab: { ...vocab, 'a##b': 8 }, merges: [], ranks: [] }
  },
  'WordPiece': {
    added_tokens: [addedToken], normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'BertPreTokenizer' }, { type: 'Punctuation', behavior: 'Isolated' },
      { type: 'CharDelimiterSplit', delimiter: '-' }] },
    post_processor: template, decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab }
  },
  'unigram': {
    ...spm, added_tokens: [addedToken], model: { type: 'Unigram', unk_id: 0, byte_fallback: true, kinds, names: { '<unk>': 0, '<s>': 1, 'x': 9 },
      ids: [0, 1, 2, 3, 4, 9, 6], special: [1],
      vocab: [['<unk>', 0], ['<s>', 0], ['a', -1], ['[X]', -2], ['b', -2], ['ab', -3], ['<0x0A>', 0]] }
  },
  'SentencePiece BPE': {
    ...spm, added_tokens: [], model: { type: 'BPE', unk_token: 'b', fuse_unk: true, byte_fallback: true, vocab: { ...vocab, '▁': 8 }, merges: [['a', 'b']],
      ranks: [0], kinds: { ...kinds, unused: [] } }
  }
}

const VALUES = [undefined, null, 5, -1, 1.5, 1e9, 'x', '', '(', true, false, [], {}, [null], [[]], [5], ['a'], { a: 1 }, { toString: 'x' }, { length: 3 },
  { type: 'Sequence' }, [['a', 'b']], { type: { toString: 5 } }, 'NFC', 'toString', '__proto__']

/** The paths of all fields. @returns {Generator<(string | number)[]>} */
function* pathsOf(value, path = []) {
  if (path.length) yield path
  if (value && typeof value === 'object') for (const key of Object.keys(value)) yield* pathsOf(value[key], [...path, key])
}

/** A copy with another value at a path. */
function withValue(json, path, value) {
  const copy = structuredClone(json), parent = path.slice(0, -1).reduce((at, key) => at[key], copy), last = path.at(-1)
  if (value === undefined) delete parent[last]
  else parent[last] = structuredClone(value)
  return copy
}

/** Calls every method of a tokenizer. @param {any} json */
function use(json) {
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
  const calls = [() => tokenizer.encode(' ab  [X]xb-\nab', { special: true }).offsets, () => tokenizer.encode(Uint8Array.of(0x61, 0xff)).tokens,
    () => tokenizer.explain('ab b'), () => tokenizer.merges, () => tokenizer.mergesInto(2), () => tokenizer.replay('ab ab', 0), () => tokenizer.scoreOf(1),
    ...Array.from({ length: 9 }, (_, id) => () =>
      [tokenizer.bytesOf(id), tokenizer.decode([id, 0, 6], { special: true })]),
    () => tokenizer.size, () => JSON.stringify(tokenizer)]
  for (const call of calls) check(call)
}

/** Calls a function, which may throw only a GlassformerError with a plain message. @param {() => void} call */
function check(call) {
  try {
    call()
  } catch (error) {
    if (!(error instanceof GlassformerError)) throw error
    assert.doesNotMatch(error.message, /undefined is not|\[object|NaN/)
    return error
  }
}

for (const [name, json] of Object.entries(FILES)) {
  test(`${name}: the original file loads`, () => {
    use(json)
    assert.ok(gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) }).encode('ab').ids.length > 0)
  })

  test(`${name}: a wrong value in any field gives a result or a GlassformerError`, () => {
    const cases = [...pathsOf(json)].flatMap(path => VALUES.map(value => [path, value]))
    const otherErrors = []
    for (const [path, value] of everyNth(cases, 3, (_, i) => i % VALUES.length < 8)) {
      try {
        check(() => use(withValue(json, path, value)))
      } catch (error) {
        otherErrors.push(`${path.join('.')} = ${JSON.stringify(value)}: ${error.message}`)
      }
    }
    assert.deepEqual(otherErrors, [])
  })
}

test('rejects endlessly nested parts', () => {
  const nested = (type, list, depth) => {
    let text = 'null'
    for (let i = 0; i < depth; i++) text = `{"type":"${type}","${list}":[${text}]}`
    return text
  }
  for (const [part, list] of [['normalizer', 'normalizers'], ['pre_tokenizer', 'pretokenizers'], ['decoder', 'decoders'], ['post_processor', 'processors']]) {
    const read = depth => gf.text.tokenizer({ 'tokenizer.json': `{"${part}":${nested('Sequence', list, depth)},"model":{"type":"BPE","vocab":{"a":0},"merges":[]}}` })
    assert.deepEqual(read(20).encode('a').ids, [0])
    assert.throws(() => read(3000), { name: 'GlassformerError', code: 'format', message: /deep/ }, part)
  }
})
