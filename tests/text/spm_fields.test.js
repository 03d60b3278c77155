// The fields of a SentencePiece .model and their defaults.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readFields } from '../../src/js/text/protobuf.js'
import { assertRejects } from '../lib/engine.js'
import { gf } from './text.js'

const varint = value => (value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)])
const number = (field, value) => [...varint(BigInt(field << 3)), ...varint(BigInt.asUintN(64, BigInt(value)))]
const bytes = (field, list) => [...varint(BigInt(field << 3 | 2)), ...varint(BigInt(list.length)), ...list]
const text = (field, string) => bytes(field, [...new TextEncoder().encode(string)])
const float = (field, value) => [...varint(BigInt(field << 3 | 5)), ...new Uint8Array(Float32Array.of(value).buffer)]

const UNKNOWN = 2, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5, BYTE = 6, BPE = 2
const PIECES = [['<unk>', UNKNOWN], ['<s>', CONTROL, 0], ['</s>', CONTROL, 0], ['▁', undefined, -3], ['a', undefined, -2],
  ['▁a', undefined, -2.5], ['b']]

/** A file of these pieces; an undefined score or type is not written. */
function fileOf(trainer = [], spec = [], list = PIECES, denormalizer = undefined) {
  const pieces = list.flatMap(([piece, kind, score]) => bytes(1, [...text(1, piece),
    ...(score === undefined ? [] : float(2, score)), ...(kind === undefined ? [] : number(3, kind))]))
  return Uint8Array.from([...pieces, ...bytes(2, trainer.flat()), ...bytes(3, spec.flat()),
    ...denormalizer ? bytes(5, denormalizer.flat()) : []])
}
const modelOf = (...parts) => gf.text.tokenizer({ 'small.model': fileOf(...parts) })
const joinTokens = (tokenizer, string, options) => tokenizer.encode(string, options).tokens.join(' ')

test('defaults: prepends a space, removes extra ones, writes ▁, is a unigram model and appends </s>', () => {
  const tokenizer = modelOf()
  assert.equal(joinTokens(tokenizer, '  a  ab '), '▁a ▁a b')
  assert.equal(joinTokens(tokenizer, 'a', { special: true }), '▁a </s>')
  assert.equal(joinTokens(tokenizer, 'ax'), '▁a <unk>')
  assert.equal(tokenizer.scoreOf(6), 0)
  assert.equal(tokenizer.scoreOf(5), -2.5)
  assert.equal(tokenizer.decode(tokenizer.encode('a x').ids), 'a  \u2047 ')
})

test('fields override the defaults', () => {
  assert.equal(joinTokens(modelOf([], [number(3, 0)]), 'a ab'), 'a ▁a b')
  assert.equal(joinTokens(modelOf([], [number(4, 0)]), 'a  a'), '▁a ▁ ▁a')
  assert.equal(joinTokens(modelOf([number(24, 1)]), 'a a'), 'a ▁a ▁')
  assert.equal(joinTokens(modelOf([number(41, 4), number(42, -1)]), 'a', { special: true }), '▁a')
  assert.equal(joinTokens(modelOf([number(42, 1)]), 'a', { special: true }), '▁a <s>')
  assert.equal(modelOf([text(44, '?')]).decode([4, 0]), 'a?')
})

test('ignores bos and eos ids that are not control pieces; BPE prepends piece 1', () => {
  const bpe = (...more) => joinTokens(modelOf([number(3, BPE), ...more]), 'a', { special: true })
  assert.equal(bpe(), '<s> ▁a')
  assert.equal(bpe(number(41, 2)), '</s> ▁a')
  for (const id of [-1, 4, 99]) assert.equal(bpe(number(41, id)), '▁a')
})

test('treat_whitespace_as_suffix appends a space, only to a non-empty text and with add_dummy_prefix', () => {
  const withSuffix = modelOf([number(24, 1)])
  assert.deepEqual(['', '  ', 'a', ' a '].map(string => joinTokens(withSuffix, string)), ['', '', 'a ▁', 'a ▁'])
  assert.equal(joinTokens(modelOf([number(24, 1)], [number(3, 0)]), 'a'), 'a')
})

test('decoding drops leading spaces depending on remove_extra_whitespaces', () => {
  const spaces = [3, 3, 5], decoded = (...spec) => modelOf([], spec).decode(spaces)
  assert.equal(decoded(), 'a')
  assert.equal(decoded(number(4, 0)), '  a')
  assert.equal(decoded(number(3, 0)), 'a')
  assert.equal(decoded(number(3, 0), number(4, 0)), '   a')
})

test('a denormalizer rewrites the decoded text, where it has a charsmap', () => {
  const { models } = JSON.parse(readFileSync(new URL('../golden/spm_models.json', import.meta.url), 'utf8'))
  const { normalizer } = JSON.parse(JSON.stringify(gf.text.tokenizer({ 'a.model': Buffer.from(models.unigram.model, 'base64') })))
  const list = [...PIECES, ['ﬁ', undefined, -1]], charsmap = bytes(2, Buffer.from(normalizer.charsmap, 'base64'))
  const unchanged = [number(3, 0), number(4, 0), number(5, 0)]
  const tokenizer = modelOf([], [], list, [charsmap, ...unchanged])
  const reloaded = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(tokenizer) })
  for (const loaded of [tokenizer, reloaded]) assert.equal(loaded.decode([3, 7, 3, 4]), 'fi a')
  assert.equal(modelOf([], [], list, unchanged).decode([3, 7, 3, 4]), 'ﬁ a')
  assert.deepEqual(tokenizer.encode('ﬁ').tokens, ['▁', 'ﬁ'], 'a text is not rewritten by it')
})

test('T5 has <extra_id_0> to <extra_id_99>, the last first, which its .model lacks', () => {
  const list = [['<pad>', CONTROL], ['</s>', CONTROL], ['<unk>', UNKNOWN], ...PIECES.slice(3)]
  const open = (more, pieces = list, ...trainer) => gf.text.tokenizer({ 'spiece.model': fileOf(trainer, [], pieces), ...more })
  const config = '{"model_type": "t5"}', ids = tokenizer => ['<extra_id_0>', '<extra_id_99>'].map(token => tokenizer.idOf(token))
  assert.deepEqual(ids(open({ 'config.json': config })), [106, 7])
  assert.deepEqual(ids(open({ 'tokenizer_config.json': '{"tokenizer_class": "T5Tokenizer", "extra_ids": 1}' })), [7, undefined])
  assert.deepEqual(open({ 'config.json': config }, list, number(42, 1)).encode('a <extra_id_1>', { special: true }).ids, [5, 105, 1])
  for (const other of [{}, { 'config.json': '{"model_type": "mt5"}' }, { 'tokenizer_config.json': '{"tokenizer_class": "AlbertTokenizer"}' }]) {
    assert.deepEqual(ids(open(other)), [undefined, undefined])
  }
  assert.deepEqual(ids(open({ 'config.json': config }, [...list, ['<extra_id_0>', USER_DEFINED]])), [7, undefined])
  const published = [...list, ...Array.from({ length: 32000 - list.length }, (_, i) => [`word${i}`])]
  assert.deepEqual(ids(open({}, published)), [32099, 32000], 'a file as large as that of T5')
  assert.deepEqual(ids(open({ 'config.json': config }, PIECES, number(3, BPE))), [undefined, undefined])
})

test('decodes byte pieces to characters, or each invalid byte to U+FFFD', () => {
  const list = [...PIECES, ...Array.from({ length: 256 }, (_, i) => [`<0x${i.toString(16).padStart(2, '0').toUpperCase()}>`, BYTE])]
  const tokenizer = modelOf([number(35, 1)], [], list), first = PIECES.length
  const decoded = list => tokenizer.decode([4, ...list.map(byte => byte + first)]).slice(1)
  for (const character of ['a', '\x7f', '\x80', '\u07ff', '\u0800', '한', '\uffff', '\ufffd', '\u{10000}', '\u{10ffff}', '😀']) {
    const utf8 = [...new TextEncoder().encode(character)]
    assert.equal(decoded(utf8), character)
    assert.equal(decoded([...utf8, 0x61, ...utf8]), `${character}a${character}`)
    if (utf8.length > 1) assert.equal(decoded(utf8.slice(0, -1)), '\ufffd'.repeat(utf8.length - 1))
    assert.equal(decoded([0x80, 0xff, ...utf8]), `\ufffd\ufffd${character}`)
    if (utf8.length > 2) assert.equal(decoded([...utf8.slice(0, 2), 0x61]), '\ufffd\ufffda')
    const middle = character === 'a' ? 'a' : utf8.map(byte => list[byte + first][0]).join(' ')
    assert.equal(joinTokens(tokenizer, `a${character}a`), `▁a ${middle} a`)
  }
})

test('the score of an unknown character is the lowest of normal pieces minus 10; control pieces never match', () => {
  const list = [['<unk>', UNKNOWN, -99], ['<s>', CONTROL, -50], ['no', UNUSED, -60], ['own', USER_DEFINED, -70], ['<0x41>', BYTE, -80],
    ['▁', undefined, -1.7], ['a', undefined, -3.3], ['', undefined, -1]]
  const tokenizer = modelOf([], [], list)
  for (const text of ['x', '<s>', 'no', '<0x41>']) {
    const [{ arcs }] = tokenizer.explain(text)
    assert.deepEqual([...new Set(arcs.slice(1).map(({ score }) => score))], [Math.fround(Math.fround(-3.3) - 10)], text)
  }
  assert.deepEqual(tokenizer.encode('aown a').tokens, ['▁', 'a', 'own', '▁', 'a'])
})

test('a score that is not a float32 counts as 0', () => {
  const double = [...varint(BigInt(2 << 3 | 1)), ...new Uint8Array(Float64Array.of(-9).buffer)]
  const piece = (name, ...more) => bytes(1, [...text(1, name), ...more.flat()])
  const model = gf.text.tokenizer({ 'x.model': Uint8Array.from([...piece('<unk>', number(3, UNKNOWN)), ...piece('a', double),
    ...piece('b', number(2, 7)), ...piece('c', text(2, 'four')), ...piece('d', bytes(2, [0, 0]))]) })
  assert.deepEqual([1, 2, 4].map(id => model.scoreOf(id)), [0, 0, 0])
})

test('converts to every field of tokenizer.json', () => {
  const list = [...PIECES, ['own', USER_DEFINED, 0]]
  const toJson = (...args) => JSON.parse(JSON.stringify(modelOf(...args)))
  const spm = { type: 'SentencePiece', charsmap: '', add_dummy_prefix: true, remove_extra_whitespaces: true,
    escape_whitespaces: true, treat_whitespace_as_suffix: false, user_defined: ['own'] }
  const special = id => ({ SpecialToken: { id, type_id: 0 } }), sequence = { Sequence: { id: 'A', type_id: 0 } }
  const template = (single, token, id) => ({ type: 'TemplateProcessing', single, pair: [],
    special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } } })
  const common = { version: '1.0', truncation: null, padding: null, normalizer: spm, pre_tokenizer: null,
    decoder: { type: 'SentencePiece', add_dummy_prefix: true, remove_extra_whitespaces: true,
      unknown: { piece: '<unk>', surface: ' \u2047 ' } } }
  const kinds = { control: [1, 2], unused: [], userDefined: [7], bytes: [] }
  assert.deepEqual(toJson([], [], list), { ...common, added_tokens: [],
    post_processor: template([sequence, special('</s>')], '</s>', 2),
    model: { type: 'Unigram', unk_id: 0, vocab: list.map(([piece, , score = 0]) => [piece, score]), byte_fallback: false, kinds } })
  assert.deepEqual(toJson([number(3, BPE)], [], list), { ...common,
    added_tokens: [{ id: 7, content: 'own', single_word: false, lstrip: false, rstrip: false, normalized: true, special: false }],
    post_processor: template([special('<s>'), sequence], '<s>', 1),
    model: { type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null, end_of_word_suffix: null,
      fuse_unk: true, byte_fallback: false, vocab: Object.fromEntries(list.map(([piece], id) => [piece, id])),
      merges: [['▁', 'a']], ranks: [2], kinds } })
})

test('reads varints of any length, fields of every wire type and repeated fields', () => {
  const where = 'here', read = (...parts) => [...readFields(where, Uint8Array.from(parts.flat()))]
  for (const value of [0, 1, 127, 128, 129, 255, 256, 16383, 16384, 2 ** 32, 2 ** 40 + 5]) {
    assert.deepEqual(read(number(1, value)), [[1, [value]]])
  }
  const eight = [...varint(BigInt(5 << 3 | 1)), 1, 2, 3, 4, 5, 6, 7, 8]
  const four = [...varint(BigInt(300 << 3 | 5)), 9, 8, 7, 6]
  const long = Array(128).fill(7)
  assert.deepEqual(read(eight, four, number(5, 3), bytes(6, long), number(6, 0), bytes(7, [])), [
    [5, [Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 3]], [300, [Uint8Array.of(9, 8, 7, 6)]],
    [6, [Uint8Array.from(long), 0]], [7, [new Uint8Array()]]])
  assert.deepEqual(read(), [])
  for (const [broken, message] of [[[8], 'a number does not end at byte 1'], [[0, 1], 'no field begins at byte 1'],
    [[11], 'no field begins at byte 1'], [[13, 1, 2, 3], '4 bytes are announced, 3 are left at byte 1'],
    [[9, 1], '8 bytes are announced, 1 are left at byte 1'], [[10, 2, 0], '2 bytes are announced, 1 are left at byte 2'],
    [[8, ...Array(20).fill(128)], 'a number does not end at byte 11']]) {
    assertRejects(() => read(broken), 'format', `here: ${message}`)
  }
})
