// The tokenizer of a GGUF file gives the ids of the tokenizer that it was made from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromGguf } from '../../src/js/text/gguf_tokenizer.js'
import { decodeBase64 } from '../../src/js/text/spm_normalizer.js'
import { loadGolden } from '../golden/index.js'
import { gf, nastyText, stream } from './text.js'

const golden = loadGolden('spm_models'), bytesOf = base64 => Uint8Array.from(Buffer.from(base64, 'base64'))
const next = stream(47)
const texts = [...Array.from({ length: 200 }, () => nastyText(next).toWellFormed()), '', ' ', '  a', 'Hello world', '나는 최근 나는', '😀 12345', 'e\u0301']
const open = json => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
const KINDS = { unknown: 2, control: 3, userDefined: 4, unused: 5, bytes: 6 }

/**
 * The settings of a GGUF file, as llama.cpp's converter writes them.
 * @param {any} json a tokenizer.json
 * @param {string} model
 */
function metadataOf(json, model) {
  const { vocab, kinds = {}, unk_id: unknownId, unk_token: unknownToken, ranks, merges } = json.model
  const entries = Array.isArray(vocab) ? vocab
    : Object.keys(vocab).sort((a, b) => vocab[a] - vocab[b]).map(piece => [piece, 0])
  const types = entries.map(() => 1)
  for (const [kind, ids] of Object.entries(kinds)) for (const id of ids) types[id] = KINDS[kind]
  const unknown = unknownId ?? vocab[unknownToken]
  if (unknown !== undefined) types[unknown] = KINDS.unknown
  for (const { id, special } of json.added_tokens) types[id] = special ? KINDS.control : KINDS.userDefined
  const scores = entries.map(([, score]) => score)
  // The rank of a merge, negated, is the score of the token that it makes.
  if (ranks) merges.forEach((pair, i) => (scores[vocab[pair.join('')]] = -ranks[i]))
  const { charsmap = '', add_dummy_prefix: prefix, remove_extra_whitespaces: removes } = json.normalizer ?? {}
  return {
    'tokenizer.ggml.model': model, 'tokenizer.ggml.tokens': entries.map(([piece]) => piece), 'tokenizer.ggml.token_type': types,
    ...model === 'gpt2' ? { 'tokenizer.ggml.pre': 'gpt-2', 'tokenizer.ggml.merges': merges.map(pair => pair.join(' ')) } : {
      'tokenizer.ggml.scores': scores, 'tokenizer.ggml.add_space_prefix': prefix, 'tokenizer.ggml.remove_extra_whitespaces': removes,
      'tokenizer.ggml.precompiled_charsmap': Array.from(decodeBase64(charsmap)), 'tokenizer.ggml.unknown_token_id': unknown
    }
  }
}

/** @param {any} own a tokenizer @param {any} read the one from the GGUF file */
function expectEqualIds(own, read) {
  assert.equal(read.size, own.size)
  for (const text of texts) {
    const { ids, offsets, tokens } = own.encode(text), found = read.encode(text)
    assert.deepEqual([found.ids, found.offsets, found.tokens], [ids, offsets, tokens], JSON.stringify(text))
    assert.equal(read.decode(ids), own.decode(ids), JSON.stringify(text))
  }
}

test('byte-level byte-pair encoding', () => {
  const own = gf.text.trainBPE(texts.join('\n'), { vocabSize: 400, specials: ['<s>', '</s>'] })
  const metadata = metadataOf(own.toJSON(), 'gpt2'), read = open(fromGguf(metadata))
  expectEqualIds(own, read)
  assert.deepEqual(read.encode('a</s>b').ids, own.encode('a</s>b').ids)
  const bos = own.idOf('<s>'), eos = own.idOf('</s>')
  const withEnds = open(fromGguf({ ...metadata, 'tokenizer.ggml.bos_token_id': bos, 'tokenizer.ggml.eos_token_id': eos,
    'tokenizer.ggml.add_bos_token': true, 'tokenizer.ggml.add_eos_token': true }))
  assert.deepEqual(withEnds.encode('a b', { special: true }).ids, [bos, ...own.encode('a b').ids, eos])
})

test('the splits of tokenizer.ggml.pre', () => {
  const own = gf.text.trainBPE('it’s 1234567 x', { vocabSize: 256 }), metadata = metadataOf(own.toJSON(), 'gpt2')
  const merges = [['1', '2'], ['3', '4'], ['12', '34']]
  const tokens = [...metadata['tokenizer.ggml.tokens'], '12', '34', '1234']
  const encode = pre => open(fromGguf({ ...metadata, 'tokenizer.ggml.tokens': tokens, 'tokenizer.ggml.token_type': tokens.map(() => 1),
    'tokenizer.ggml.pre': pre, 'tokenizer.ggml.merges': merges.map(pair => pair.join(' ')) })).encode('1234').tokens
  assert.deepEqual(encode('gpt-2'), ['1234'])
  assert.deepEqual(encode('llama-bpe'), ['12', '3', '4'])
  for (const pre of ['qwen2', 'smollm', 'starcoder', 'command-r']) assert.deepEqual(encode(pre), ['1', '2', '3', '4'], pre)
  assert.equal(fromGguf({ ...metadata, 'tokenizer.ggml.pre': 'unheard-of' }), null)
  assert.equal(fromGguf({}), null)
  assert.equal(fromGguf({ ...metadata, 'tokenizer.ggml.token_type': [1] }), null)
  assert.throws(() => fromGguf({ ...metadata, 'tokenizer.ggml.merges': 5 }), { code: 'format', message: /merges must be a list/ })
})

for (const [name, { model }] of Object.entries(golden.models)) {
  test(`SentencePiece's ${name}`, () => {
    const own = gf.text.tokenizer({ 'a.model': bytesOf(model) }), { type } = own
    expectEqualIds(own, open(fromGguf(metadataOf(own.toJSON(), type === 'BPE' ? 'llama' : 't5'))))
  })
}
