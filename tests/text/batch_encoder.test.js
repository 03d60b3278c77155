// Long texts are encoded window by window: the result is the same, and memory does not grow with the text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from './text.js'

const json = parts => ({ 'tokenizer.json': JSON.stringify(parts) })
const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)
const pieces = ['<unk>', ...bytes, '▁', 'a', 'b', 'ab', '▁ab', '▁a'].map(piece => [piece, -1])
const metaspace = { type: 'Metaspace', prepend_scheme: 'always' }

const FILES = {
  'byte-pair encoding': json({ model: gf.text.trainBPE('ab ab ab', { vocabSize: 260 }).toJSON().model,
    pre_tokenizer: { type: 'ByteLevel' } }),
  'byte-pair encoding of words': json({ model: gf.text.trainBPE('ab ab ab', { vocabSize: 260 }).toJSON().model,
    pre_tokenizer: { type: 'Sequence', pretokenizers:
      [{ type: 'WhitespaceSplit' }, { type: 'ByteLevel', use_regex: false }] } }),
  'WordPiece': { 'vocab.txt': ['[UNK]', 'a', 'b', 'ab', '##b', '##a', '가', 'ß', '😀'].join('\n') },
  'unigram': json({ model: { type: 'Unigram', vocab: pieces, unk_id: 0, byte_fallback: true }, pre_tokenizer: metaspace }),
  'unigram, normalized': json({ model: { type: 'Unigram', vocab: pieces, unk_id: 0, byte_fallback: true },
    pre_tokenizer: metaspace, normalizer: { type: 'Lowercase' } })
}
const WORDS = ['ab', 'b', 'a가b', 'AB', 'abab', '가', 'ß', 'a😀']

/** Encodes each word by itself, with offsets in the word. In at least one tokenizer each word has several tokens. */
function encodeWords(tokenizer) {
  const encodings = new Map(WORDS.map(word => [word, tokenizer.encode(` ${word}`)]))
  const offsetsOf = word => encodings.get(word).offsets.map(([from, to]) => [from - 1, to - 1])
  return new Map(WORDS.map(word => [word, { tokens: encodings.get(word).tokens, offsets: offsetsOf(word) }]))
}

for (const [name, files] of Object.entries(FILES)) test(`${name}: encodes every word of 100,000 characters as the word alone`, () => {
  const tokenizer = gf.text.tokenizer(files), encodings = encodeWords(tokenizer)
  const list = Array.from({ length: 30000 }, (_, i) => WORDS[(i * 7 + (i >> 5)) % WORDS.length])
  const input = list.map(word => ` ${word}`).join(''), tokens = [], offsets = []
  let base = 1
  for (const word of list) {
    tokens.push(...encodings.get(word).tokens)
    offsets.push(...encodings.get(word).offsets.map(([from, to]) => [base + from, base + to]))
    base += word.length + 1
  }
  for (const text of [input, new TextEncoder().encode(input)]) {
    const encoding = tokenizer.encode(text)
    assert.deepEqual(encoding.tokens, tokens)
    assert.deepEqual(encoding.offsets, offsets)
  }
})

test('offsets of invalid UTF-8 are right after many windows, too', () => {
  const tokenizer = gf.text.tokenizer(json({ ...JSON.parse(FILES['byte-pair encoding of words']['tokenizer.json']),
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Digits' }, { type: 'ByteLevel' }] } }))
  const start = new TextEncoder().encode('가b '.repeat(20000)), text = Uint8Array.of(...start, 0xff, 0x61, 0xea, 0xb0)
  const { ids, offsets } = tokenizer.encode(text)
  assert.deepEqual(ids.slice(-4).flatMap(id => [...tokenizer.bytesOf(id)]), [0xff, 0x61, 0xea, 0xb0])
  assert.deepEqual(offsets.slice(-4), [[60000, 60001], [60001, 60002], [60002, 60003], [60002, 60003]])
})

/** The largest block that is borrowed during a call. @param {import('../../src/js/engine/memory.js').Memory} memory */
function maxBorrowed(memory, run) {
  let max = 0
  const { borrow } = memory
  memory.borrow = (size, use) => {
    max = Math.max(max, size)
    return borrow.call(memory, size, use)
  }
  try {
    run()
  } finally {
    delete memory.borrow
  }
  return max
}

test('memory does not grow with the number of windows', () => {
  const { text, engine } = gf
  const calls = {
    ...Object.fromEntries(Object.entries(FILES).map(([name, files]) => {
      const tokenizer = text.tokenizer(files)
      return [name, input => tokenizer.encode(input)]
    })),
    'words': input => text.words(input), 'whitespace': input => text.whitespace(input),
    'words of bytes': input => text.words(new TextEncoder().encode(input))
  }
  for (const [name, call] of Object.entries(calls)) {
    const [small, large] = [10_000, 30_000].map(count =>
      maxBorrowed(engine.memory, () => call('ab abab '.repeat(count))))
    assert.ok(small > 10_000 && large < 1.2 * small, `${name}: ${small} and ${large} bytes`)
  }
})
