// The parts of a tokenizer.json, each by itself.
import test from 'node:test'
import assert from 'node:assert/strict'
import { loadGolden } from '../golden/index.js'
import { gf } from './text.js'

const unigramOfGolden = () => gf.text.tokenizer({
  'unigram.model': new Uint8Array(Buffer.from(loadGolden('spm_models').models.unigram.model, 'base64')) })

/** A tokenizer whose tokens are single characters, with other parts. */
function letters(all, parts = {}) {
  const vocab = Object.fromEntries(['<unk>', ...new Set(all)].map((letter, id) => [letter, id]))
  return gf.text.tokenizer({ 'tokenizer.json':
    JSON.stringify({ model: { type: 'BPE', vocab, merges: [], unk_token: '<unk>' }, ...parts }) })
}

/** Splits a text into words, by a model that marks continuing characters. */
function words(text, pre_tokenizer, normalizer = null) {
  const vocab = { '<unk>': 0 }, alphabet = new Set(`${text.normalize('NFKD')}${text}${text.toLowerCase()}▁ `)
  for (const letter of alphabet) for (const token of [letter, `##${letter}`]) vocab[token] ??= Object.keys(vocab).length
  const model = { type: 'BPE', vocab, merges: [], unk_token: '<unk>', continuing_subword_prefix: '##' }
  const { tokens } = gf.text.tokenizer({ 'tokenizer.json':
    JSON.stringify({ model, pre_tokenizer, normalizer }) }).encode(text)
  return tokens.reduce((list, token) => {
    if (token.startsWith('##')) list[list.length - 1] += token.slice(2)
    else list.push(token)
    return list
  }, [])
}

const split = (Regex, behavior, invert = false) => ({ type: 'Split', pattern: { Regex }, behavior, invert })

test('pre-tokenizers split words', () => {
  const cases = [
    [split('-', 'Removed'), 'a-bc--d', ['a', 'bc', 'd']],
    [split('-', 'Isolated'), 'a-bc--d', ['a', '-', 'bc', '-', '-', 'd']],
    [split('-', 'MergedWithPrevious'), 'a-bc--d', ['a-', 'bc-', '-', 'd']],
    [split('-', 'MergedWithNext'), 'a-bc--d', ['a', '-bc', '-', '-d']],
    [split('-', 'Contiguous'), 'a-bc--d', ['a', '-', 'bc', '--', 'd']],
    [split('\\w+', 'Removed', true), 'a-bc--d', ['a', 'bc', 'd']],
    [{ type: 'Split', pattern: { String: '.' }, behavior: 'Isolated' }, 'a.b', ['a', '.', 'b']],
    [{ type: 'WhitespaceSplit' }, ' a\u0085b\u3000c\ufeffd ', ['a', 'b', 'c\ufeffd']],
    [{ type: 'Whitespace' }, "it's 3.5 가나", ['it', "'", 's', '3', '.', '5', '가나']],
    [{ type: 'Digits', individual_digits: true }, 'a12b', ['a', '1', '2', 'b']],
    [{ type: 'Digits', individual_digits: false }, 'a12b', ['a', '12', 'b']],
    [{ type: 'Punctuation' }, 'a,b!', ['a', ',', 'b', '!']],
    [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }, 'a b  c', ['▁a', '▁b', '▁', '▁c']],
    [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'never' }, 'a b', ['a', '▁b']],
    [{ type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: false }, 'a b', ['▁a▁b']],
    [{ type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, { type: 'Punctuation' }] }, 'a, b.',
      ['a', ',', 'b', '.']]
  ]
  for (const [json, text, expected] of cases) assert.deepEqual(words(text, json), expected, JSON.stringify(json))
})

test("splits by cl100k's pattern with its case-insensitive group and possessive quantifiers", () => {
  const pattern = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
  assert.deepEqual(words("It'S 12345 we'LL go!!\n\n  나는  ok \u0085", split(pattern, 'Isolated')),
    ['It', "'S", ' ', '123', '45', ' we', "'LL", ' go', '!!\n\n', ' ', ' 나는', ' ', ' ok', ' \u0085'])
  assert.throws(() => words('a', split('(?<name', 'Isolated')), { code: 'format', message: /has no counterpart in JavaScript/ })
})

test('normalizers rewrite texts, with offsets in the original', () => {
  const cases = [
    [{ type: 'NFC' }, 'e\u0301\u1112\u1161\u11abx', 'é한x', [[0, 1], [2, 3], [5, 6]]],
    [{ type: 'NFD' }, 'é한', 'e\u0301\u1112\u1161\u11ab', [[0, 1], [0, 1], [1, 2], [1, 2], [1, 2]]],
    [{ type: 'NFKC' }, 'ﬁ㎏', 'fikg', [[0, 1], [0, 1], [1, 2], [1, 2]]],
    [{ type: 'Lowercase' }, 'AİΣ', 'ai\u0307σ', [[0, 1], [1, 2], [1, 2], [2, 3]]],
    [{ type: 'StripAccents' }, 'e\u0301a', 'ea', [[0, 1], [2, 3]]],
    [{ type: 'Strip', strip_left: true, strip_right: true }, '  a b ', 'a b', [[2, 3], [3, 4], [4, 5]]],
    [{ type: 'Replace', pattern: { String: 'ab' }, content: 'x' }, 'aabb', 'axb', [[0, 1], [2, 3], [3, 4]]],
    [{ type: 'Replace', pattern: { Regex: ' {2,}' }, content: '▁' }, 'a   b', 'a▁b', [[0, 1], [3, 4], [4, 5]]],
    [{ type: 'Prepend', prepend: '▁' }, 'a', '▁a', [[0, 1], [0, 1]]],
    [{ type: 'Sequence', normalizers: [{ type: 'Strip' }, { type: 'Prepend', prepend: '▁' }] }, '  a', '▁a',
      [[2, 3], [2, 3]]],
    [{ type: 'Sequence', normalizers: [{ type: 'Strip' }, { type: 'Replace', pattern: { Regex: '^' }, content: 'x' }] },
      '  ', 'x', [[0, 0]]],
    [{ type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'StripAccents' }, { type: 'Lowercase' }] }, 'ÉX', 'ex',
      [[0, 1], [1, 2]]]
  ]
  for (const [normalizer, text, normalized, offsets] of cases) {
    const encoding = letters(normalized, { normalizer }).encode(text)
    assert.equal(encoding.tokens.join(''), normalized, normalizer.type)
    assert.deepEqual(encoding.offsets, offsets, normalizer.type)
  }
})

test('added tokens match alone, with white space around, in the normalized text, the longest first', () => {
  const token = (id, content, more) => ({ id, content, special: false, normalized: false, ...more })
  const encode = (text, ...added_tokens) =>
    letters('abc xyABC', { added_tokens, normalizer: { type: 'Lowercase' } }).encode(text)
  assert.deepEqual(encode('axycxyb', token(50, 'xy'), token(51, 'xyb')).tokens, ['a', 'xy', 'c', 'xyb'])
  assert.deepEqual(encode('ayx yx yxb', token(50, 'yx', { single_word: true })).tokens,
    ['a', 'y', 'x', ' ', 'yx', ' ', 'y', 'x', 'b'])
  const matches = text => encode(text, token(50, 'yx', { single_word: true })).ids.includes(50)
  for (const letter of ['𝒳', 'é', '5', '_', '\u0301']) {
    assert.deepEqual([`${letter}yx`, `b ${letter}yx`, `yx${letter}`, `${letter} yx ${letter}`].map(matches),
      [false, false, false, true])
  }
  for (const sign of ['', '-', '😀', ' ']) {
    assert.deepEqual([`${sign}yx${sign}`, `a ${sign}yx${sign}`].map(matches), [true, true])
  }
  const spaced = encode('a  yx  b', token(50, 'yx', { lstrip: true, rstrip: true }))
  assert.deepEqual([spaced.tokens, spaced.offsets], [['a', 'yx', 'b'], [[0, 1], [1, 7], [7, 8]]])
  assert.deepEqual(encode('AB', token(50, 'ab', { normalized: true })).ids, [50])
  assert.deepEqual(encode('AB', token(50, 'ab')).tokens, ['a', 'b'])
})

test('a template adds special tokens', () => {
  const post_processor = {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: '<s>' } }, { Sequence: { id: 'A' } }, { SpecialToken: { id: '</s>' } }],
    special_tokens: { '<s>': { ids: [50] }, '</s>': { ids: [51, 52] } }
  }
  const added_tokens = ['<s>', '</s>', '<x>'].map((content, i) => ({ id: 50 + i, content, special: true }))
  const tokenizer = letters('ab', { post_processor, added_tokens })
  assert.deepEqual(tokenizer.encode('ab', { special: true }).ids, [50, 1, 2, 51, 52])
  assert.deepEqual(tokenizer.encode('ab').ids, [1, 2])
})

test('a unigram model prefers the piece that begins first among equal scores', () => {
  const vocab = [['<unk>', 0], ['a', -1], ['b', -1], ['c', -1], ['ab', -1], ['bc', -1], ['ß', -3]]
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json':
    JSON.stringify({ model: { type: 'Unigram', vocab, unk_id: 0 } }) })
  assert.deepEqual(tokenizer.encode('abc').tokens, ['a', 'bc'])
  assert.deepEqual(tokenizer.encode('aßxyzb').tokens, ['a', 'ß', '<unk>', 'b'])
  assert.equal(tokenizer.scoreOf(6), -3)
  const strict = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model: { type: 'Unigram', vocab } }) })
  assert.throws(() => strict.encode('abx'), { name: 'GlassformerError', code: 'text', message: /text has "x", which has no token/ })
})

test("Llama 2's parts prepend a space, fall back to bytes and decode both", () => {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)
  const vocab = Object.fromEntries(['<unk>', ...bytes, '▁', 'h', 'i', 'hi', '▁hi'].map((token, id) => [token, id]))
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    normalizer: { type: 'Sequence', normalizers:
      [{ type: 'Prepend', prepend: '▁' }, { type: 'Replace', pattern: { String: ' ' }, content: '▁' }] },
    decoder: { type: 'Sequence', decoders:
      [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }, { type: 'ByteFallback' },
        { type: 'Fuse' }, { type: 'Strip', content: ' ', start: 1, stop: 0 }] },
    model: { type: 'BPE', vocab, merges: ['h i', '▁ hi'], byte_fallback: true, unk_token: '<unk>', fuse_unk: true }
  }) })
  const { tokens, ids, offsets } = tokenizer.encode('hi 가')
  assert.deepEqual(tokens, ['▁hi', '▁', '<0xEA>', '<0xB0>', '<0x80>'])
  assert.deepEqual(offsets, [[0, 2], [2, 3], [3, 4], [3, 4], [3, 4]])
  assert.equal(tokenizer.decode(ids), 'hi 가')
  assert.equal(tokenizer.decode(ids.slice(0, 3)), 'hi \ufffd')
})

test('byte fallback needs tokens for all bytes of a character; otherwise the character is unknown', () => {
  const bytes = ['<0xEA>', '<0xB0>', '<0x80>'], known = ['<unk>', 'a', ...bytes]
  const withModel = model => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model: { byte_fallback: true, ...model } }) })
  const bpe = { type: 'BPE', vocab: Object.fromEntries(known.map((token, id) => [token, id])), merges: [] }
  // The last byte of 각 is 0x81.
  assert.deepEqual(withModel({ ...bpe, unk_token: '<unk>' }).encode('a가각').tokens, ['a', ...bytes, '<unk>'])
  assert.deepEqual(withModel(bpe).encode('가').tokens, bytes)
  assert.throws(() => withModel(bpe).encode('각'), { code: 'text', message: /text has "각", which has no token/ })
  const unigram = withModel({ type: 'Unigram', vocab: known.map(token => [token, -1]), unk_id: 0 })
  assert.deepEqual(unigram.encode('a각').tokens, ['a', '<unk>'])
})

/** A tokenizer with a BPE model of this vocabulary, and other fields. */
function bpeOf(known, model = {}, parts = {}) {
  const vocab = Object.fromEntries(known.map((token, id) => [token, id]))
  return gf.text.tokenizer({ 'tokenizer.json':
    JSON.stringify({ model: { type: 'BPE', vocab, merges: [], ...model }, ...parts }) })
}

test('unknown characters become one token each or, fused, one for a run', () => {
  const known = ['<unk>', 'a', 'b'], text = 'a漢字b漢a'
  const each = bpeOf(known, { unk_token: '<unk>' }).encode(text)
  assert.deepEqual([each.ids, each.offsets],
    [[1, 0, 0, 2, 0, 1], [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]])
  const runs = bpeOf(known, { unk_token: '<unk>', fuse_unk: true }).encode(text)
  assert.deepEqual([runs.ids, runs.offsets], [[1, 0, 2, 0, 1], [[0, 1], [1, 3], [3, 4], [4, 5], [5, 6]]])
  const first = bpeOf(known, { unk_token: '<unk>', fuse_unk: true }).encode('漢字a')
  assert.deepEqual([first.ids, first.offsets], [[0, 1], [[0, 2], [2, 3]]])
  assert.throws(() => bpeOf(known).encode(text), { code: 'text', message: /text has "漢", which has no token/ })
})

test('reads merges of prefixed pieces as arrays or strings, and with ignore_merges whole words', () => {
  const known = ['<unk>', 'a', '##b', '##c', 'ab', 'abc', '##bc']
  for (const merges of [['##b ##c', 'a ##bc'], [['##b', '##c'], ['a', '##bc']]]) {
    const tokenizer = bpeOf(known, { merges, continuing_subword_prefix: '##' })
    assert.deepEqual(tokenizer.encode('abc').tokens, ['abc'])
    assert.deepEqual(tokenizer.encode('abb').tokens, ['a', '##b', '##b'])
  }
  const { ids } = bpeOf(['a', 'b', 'ab'], { merges: ['a b'], continuing_subword_prefix: '##' }).encode('a')
  assert.deepEqual(ids, [0], 'the right side of a merge may have no prefix')
  const parts = { pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false } }
  const whole = bpeOf(['a', 'b', 'c', 'ab', 'abc', 'Ġ', 'Ġabc'], { merges: ['a b'], ignore_merges: true }, parts)
  assert.deepEqual(whole.encode('abc abc abcc').tokens, ['abc', 'Ġabc', 'Ġ', 'ab', 'c', 'c'])
  const merged = bpeOf(['a', 'b', 'c', 'ab', 'abc', 'Ġ', 'Ġabc'], { merges: ['a b'] }, parts)
  assert.deepEqual(merged.encode('abc abc').tokens, ['ab', 'c', 'Ġ', 'ab', 'c'])
})

test('Strip removes characters at the start and end of each token', () => {
  const strip = (start, stop) =>
    bpeOf(['__a__', '_', 'b'], {}, { decoder: { type: 'Strip', content: '_', start, stop } })
  const sides = [[0, 0], [1, 0], [0, 1], [1, 1], [3, 3]]
  assert.deepEqual(sides.map(([start, stop]) => strip(start, stop).decode([0, 1, 2])),
    ['__a___b', '_a__b', '__a_b', '_a_b', 'ab'])
})

test('Precompiled applies a charsmap, with offsets', () => {
  const { charsmap } = JSON.parse(JSON.stringify(unigramOfGolden())).normalizer
  const normalizer = { type: 'Precompiled', precompiled_charsmap: charsmap }
  const { tokens, offsets } = letters('fixkg ', { normalizer }).encode('ﬁx ㎏')
  assert.equal(tokens.join(''), 'fix kg')
  assert.deepEqual(offsets, [[0, 1], [0, 1], [1, 2], [2, 3], [3, 4], [3, 4]])
})

test('a unigram model falls back to bytes, also for a character of several bytes', () => {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)
  const vocab = ['<unk>', ...bytes, 'a', 'b'].map(token => [token, -1])
  const { tokens, offsets } = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    model: { type: 'Unigram', vocab, unk_id: 0, byte_fallback: true } }) }).encode('a가béa')
  assert.deepEqual(tokens, ['a', '<0xEA>', '<0xB0>', '<0x80>', 'b', '<0xC3>', '<0xA9>', 'a'])
  assert.deepEqual(offsets, [[0, 1], [1, 2], [1, 2], [1, 2], [2, 3], [3, 4], [3, 4], [4, 5]])
})

test('a unigram vocabulary must be a non-empty array of pieces with scores; an empty piece never matches', () => {
  const open = vocab => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model: { type: 'Unigram', vocab, unk_id: 0 } }) })
  for (const vocab of [[], { a: 0 }, [['a', -1], ['b']], [['a', -1], ['b', '-1']], [['a', -1], null], [[1, -1]]]) {
    assert.throws(() => open(vocab), { code: 'format', message: /model\.vocab must be an array of pieces with scores/ })
  }
  assert.deepEqual(open([['<unk>', 0], ['', -1], ['a', -2]]).encode('aba').ids, [2, 0, 2])
  for (const unk_id of [1, 0.5, 'a']) assert.throws(() => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(
    { model: { type: 'Unigram', vocab: [['a', -1]], unk_id } }) }), { code: 'format', message: /model\.unk_id must be an id/ })
})

test('an unknown token outside the vocabulary is ignored', () => {
  const open = parts => bpeOf(['a', 'b'], { unk_token: '<unk>' }, parts)
  assert.throws(() => open({}).encode('ax'), { code: 'text', message: /text has "x", which has no token/ })
  assert.throws(() => open({ pre_tokenizer: { type: 'ByteLevel' } }).encode('xa'), { code: 'text', message: /text has the byte 0x78/ })
})

test("BERT's normalizer by default removes controls, separates Chinese characters, lowercases and strips accents", () => {
  const pretokenizer = { type: 'WhitespaceSplit' }
  const wordsWith = options => words('eÉ\u200bB漢c', pretokenizer, { type: 'BertNormalizer', ...options })
  assert.deepEqual(wordsWith(), ['eeb', '漢', 'c'])
  assert.deepEqual(wordsWith({ clean_text: false }), ['ee\u200bb', '漢', 'c'])
  assert.deepEqual(wordsWith({ handle_chinese_chars: false }), ['eeb漢c'])
  assert.deepEqual(wordsWith({ lowercase: false }), ['eÉB', '漢', 'c'])
  assert.deepEqual(wordsWith({ strip_accents: false }), ['eéb', '漢', 'c'])
  assert.deepEqual(wordsWith({ lowercase: false, strip_accents: true }), ['eEB', '漢', 'c'])
})

test('the first piece of a unigram model is like the others', () => {
  const vocab = [['ab', -1], ['a', -2], ['b', -2]], model = { type: 'Unigram', vocab }
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model }) })
  assert.deepEqual(tokenizer.encode('abba').ids, [0, 2, 1])
  const first = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model: { ...model, vocab: vocab.toReversed() } }) })
  assert.deepEqual(first.encode('abba').ids, [2, 0, 1])
})

test('rejects a charsmap that is truncated or has a wrong size', () => {
  const { charsmap } = JSON.parse(JSON.stringify(unigramOfGolden())).normalizer, whole = Buffer.from(charsmap, 'base64')
  const size = whole.readUInt32LE(0)
  const withSize = (bytes, trieSize) => {
    const copy = Buffer.from(bytes)
    if (copy.length >= 4) copy.writeUInt32LE(trieSize, 0)
    return copy.toString('base64')
  }
  const open = precompiled_charsmap => letters('x', { normalizer: { type: 'Precompiled', precompiled_charsmap } })
  assert.equal(open(withSize(whole, size)).encode('x').tokens[0], 'x')
  assert.equal(open(withSize(whole.subarray(0, 4 + size + 1), size)).encode('x').tokens[0], 'x')
  for (const wrong of [withSize(whole, 0), withSize(whole, size + 1), withSize(whole, size - 2),
    withSize(whole, 2 ** 31), withSize(whole.subarray(0, 4 + size), size), withSize(whole.subarray(0, 3), 4)]) {
    assert.throws(() => open(wrong), { code: 'format', message: /precompiled_charsmap of \d+ bytes cannot hold a trie/ })
  }
  assert.throws(() => open(withSize(whole.subarray(0, 4), 4)), { message: /of 4 bytes cannot hold a trie of 4 bytes/ })
})

test('WordPiece accepts words up to the maximum length; an empty word gives no token', () => {
  const known = ['[UNK]', 'a', '##b', '가', '##나'], vocab = Object.fromEntries(known.map((token, id) => [token, id]))
  const model = { type: 'WordPiece', vocab, unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 4 }
  const parts = { model, pre_tokenizer: { type: 'WhitespaceSplit' } }
  const { ids, offsets } = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(parts) }).encode(' abbb  abbbb 가나나나 가나나나나 b a')
  assert.deepEqual(ids, [1, 2, 2, 2, 0, 3, 4, 4, 4, 0, 0, 1])
  assert.deepEqual([offsets[4], offsets[9], offsets.at(-1)], [[7, 12], [18, 23], [26, 27]])
})

test('no empty segments arise around added tokens', () => {
  const added_tokens = [{ id: 3, content: '<x>', special: true, normalized: false }]
  const pre_tokenizer = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }
  const tokenizer = bpeOf(['▁', 'a', 'b', '<x>'], {}, { pre_tokenizer, added_tokens })
  for (const [text, tokens] of [['<x>', '<x>'], ['a<x>', '▁ a <x>'], ['<x>a', '<x> ▁ a'], ['<x><x>', '<x> <x>'],
    ['a<x><x>b', '▁ a <x> <x> ▁ b']]) assert.equal(tokenizer.encode(text).tokens.join(' '), tokens)
  assert.deepEqual(tokenizer.encode('').tokens, [])
})

test('ByteFallback decodes U+FFFD and replaces each invalid byte', () => {
  const names = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  const vocab = Object.fromEntries(names.map((name, id) => [name, id]))
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    model: { type: 'BPE', byte_fallback: true, vocab, merges: [] },
    decoder: { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] } }) })
  for (const text of ['a\ufffd한', '\ufffd', '😀', '\ufeffa']) assert.equal(tokenizer.decode(tokenizer.encode(text).ids), text)
  assert.equal(tokenizer.decode([0x61, 0xff, 0xed]), '\ufffd\ufffd\ufffd')
  assert.throws(() => tokenizer.decode(new DataView(new ArrayBuffer(4))), { code: 'type', message: /ids must be an array/ })
})

test('Unicode normalization keeps the offsets of each character, decomposed or composed', () => {
  const normalizedOffsets = (form, text) => {
    const { tokens, offsets } = letters(text.normalize(form), { normalizer: { type: form } }).encode(text)
    assert.equal(tokens.join(''), text.normalize(form))
    return offsets.map(range => range.join('-')).join(' ')
  }
  assert.equal(normalizedOffsets('NFD', '나라국어'), '0-1 0-1 1-2 1-2 2-3 2-3 2-3 3-4 3-4')
  assert.equal(normalizedOffsets('NFKC', 'ㄱㅏ,Foo,é,ﬁ'), '0-1 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-10 9-10')
  assert.equal(normalizedOffsets('NFC', '\u1102\u1161\u1105\u1161\u1100\u116e\u11a8x'), '0-1 2-3 4-5 7-8')
  assert.equal(normalizedOffsets('NFKC', 'ㄱㅏ'.repeat(200)), Array.from({ length: 200 }, (_, i) => `${2 * i}-${2 * i + 1}`).join(' '))
})

test('errors name the malformed part and what is expected', () => {
  const model = { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: [] }
  const assertRefused = (parts, message) => assert.throws(
    () => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model, ...parts }) }), { code: 'format', message })
  assertRefused({ normalizer: { type: 'Sequence' } }, /normalizer: normalizers must be an array, got undefined/)
  assertRefused({ pre_tokenizer: { type: 'Sequence', pretokenizers: 'some' } }, /pretokenizers must be an array, got "some"/)
  assertRefused({ decoder: { type: 'Sequence' } }, /decoders must be an array/)
  assertRefused({ post_processor: { type: 'Sequence' } }, /processors must be an array/)
  assertRefused({ normalizer: { type: 'Prepend' } }, /prepend must be a string, got undefined/)
  assertRefused({ normalizer: { type: 'Replace', pattern: { String: 'a' } } }, /content must be a string/)
  assertRefused({ normalizer: { type: 'BertNormalizer', lowercase: 'false' } }, /lowercase must be true or false, got "false"/)
  assertRefused({ decoder: { type: 'Replace', pattern: { String: 'a' } } }, /content must be a string/)
  for (const behavior of ['isolated', undefined]) {
    assertRefused({ pre_tokenizer: { type: 'Split', pattern: { String: 'a' }, behavior } }, /behavior must be one of Removed, Isolated/)
  }
  assertRefused({ pre_tokenizer: { type: 'Split', pattern: { String: 'a' }, behavior: 'Removed', invert: 'true' } }, /invert must be/)
  assertRefused({ pre_tokenizer: { type: 'Metaspace', prepend_scheme: 'Nope' } }, /prepend_scheme must be one of always, first, never/)
  assertRefused({ pre_tokenizer: { type: 'Metaspace', replacement: '__' } }, /replacement must be one character, got "__"/)
  assertRefused({ post_processor: { type: 'BertProcessing', cls: 5 } }, /cls must have the id of a token/)
  const withTemplate = (single, ids = [2]) => ({ post_processor: { type: 'TemplateProcessing', single, special_tokens: { x: { ids } } } })
  const A = { Sequence: { id: 'A' } }, X = { SpecialToken: { id: 'x' } }
  assertRefused(withTemplate([X]), /single must have one Sequence/)
  assertRefused(withTemplate([A, X, A]), /single must have one Sequence/)
  assertRefused(withTemplate([A, { SpecialToken: { id: 'y' } }]), /special_tokens must have ids of "y"/)
  assertRefused(withTemplate([A, X], [1e9]), /1000000000 is not the id of a token/)
  for (const id of ['x', -1, null]) assertRefused(withTemplate([A, X], [id]), /ids must have the id of a token/)
  assertRefused({ model: { ...model, merges: [['a', 5]] } }, /merges\[0\] must be two tokens/)
  assertRefused({ pre_tokenizer: { type: 'ByteLevel' }, model: { type: 'WordPiece', vocab: { '[UNK]': 0 } } }, /ByteLevel goes with .* 'BPE'/)
  assertRefused({ model: { type: 'WordPiece', vocab: { '[UNK]': 0 }, max_input_chars_per_word: -1 } }, /max_input_chars_per_word/)
  const empty = { type: 'Sequence', processors: [] }
  assert.deepEqual(gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model, post_processor: empty }) })
    .encode('ab', { special: true }).ids, [0, 1])
})
