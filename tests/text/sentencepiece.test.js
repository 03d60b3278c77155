import test from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { gf, nastyText, stream } from './text.js'

const golden = JSON.parse(readFileSync(new URL('../golden/spm_models.json', import.meta.url), 'utf8'))
const bytesOf = base64 => new Uint8Array(Buffer.from(base64, 'base64'))
const modelOf = name => bytesOf(golden.models[name].model)
const open = name => gf.text.tokenizer({ [`${name}.model`]: modelOf(name) })
const unigram = open('unigram'), bpe = open('bpe')
const error = (code, message) => ({ name: 'GlassformerError', code, message })
const next = stream(33)

for (const [name, { ids, decoded }] of Object.entries(golden.models)) {
  test(`${name}: encodes and decodes 300 texts as SentencePiece, including invalid UTF-8`, () => {
    const tokenizer = open(name)
    golden.texts.map(bytesOf).forEach((text, i) => {
      assert.deepEqual(tokenizer.encode(text).ids, ids[i], `text ${i}`)
      assert.equal(tokenizer.decode(ids[i]), decoded[i], `text ${i}`)
    })
  })

  test(`${name}: offsets are ascending and refer to the input; tokenizer.json loads the same tokenizer`,
    () => {
      const tokenizer = open(name), reloaded = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(tokenizer) })
      for (let i = 0; i < 500; i++) {
        const text = i % 2 ? nastyText(next) : new TextDecoder().decode(bytesOf(golden.texts[i % 300]))
        const { ids, tokens, offsets } = tokenizer.encode(text)
        assert.equal(tokens.length, offsets.length)
        offsets.forEach(([from, to], k) => {
          assert.ok(from <= to && to <= text.length && (k === 0 || from >= offsets[k - 1][0]), `${i} ${k}`)
        })
        assert.deepEqual(reloaded.encode(text), tokenizer.encode(text))
        assert.equal(reloaded.decode(ids), tokenizer.decode(ids))
      }
    })
}

test('applies the longest key of the charsmap: composes decomposed Vietnamese and Korean', () => {
  for (const text of ['tiếng Việt', '한 각', 'ệ ế ü Å']) {
    const whole = unigram.encode(text.replace('각', '가'))
    assert.deepEqual(unigram.encode(text.replace('각', '가').normalize('NFD')).tokens, whole.tokens)
  }
  const { tokens, offsets } = unigram.encode('e\u0323\u0302가\u1112\u1161\u11ab')
  assert.equal(tokens.join(''), '▁ệ가한')
  assert.deepEqual(offsets.at(-1), [4, 7])
})

test('encodes characters without a piece as bytes, or a run of them as one unknown token', () => {
  const { ids, tokens, offsets } = bpe.encode('a漢b')
  assert.deepEqual(tokens, ['▁a', '<0xE6>', '<0xBC>', '<0xA2>', 'b'])
  assert.deepEqual(offsets, [[0, 1], [1, 2], [1, 2], [1, 2], [2, 3]])
  assert.deepEqual(ids.flatMap(id => [...bpe.bytesOf(id)]), [...new TextEncoder().encode(' a漢b')])
  const unknown = unigram.encode('a漢字b')
  assert.deepEqual(unknown.tokens.slice(1, 2), ['<unk>'])
  assert.deepEqual(unknown.offsets[1], [1, 3])
})

test('never splits user-defined symbols and never matches control symbols in a text', () => {
  assert.deepEqual(bpe.encode('a<sep>b').tokens, ['▁a', '<sep>', 'b'])
  assert.ok(!bpe.encode('</s>').tokens.includes('</s>'))
})

test('adds </s> after a text for a unigram model and <s> before it for BPE', () => {
  assert.deepEqual(unigram.encode('', { special: true }).tokens, ['</s>'])
  const { ids, tokens, offsets } = bpe.encode('a', { special: true })
  assert.deepEqual(tokens, ['<s>', '▁a'])
  assert.deepEqual(offsets, [[0, 0], [0, 1]])
  assert.equal(bpe.decode(ids), 'a')
  assert.equal(bpe.decode(ids, { special: true }), '<s> a')
})

test('encodes empty texts, spaces and long texts', () => {
  for (const text of ['', ' ', ' \n\u3000 ']) assert.deepEqual(unigram.encode(text).ids, [])
  const start = performance.now()
  for (const tokenizer of [unigram, bpe]) {
    assert.ok(tokenizer.encode('a'.repeat(100_000)).ids.length > 1000)
    assert.ok(tokenizer.encode('나는 파리 '.repeat(20_000)).ids.length > 20_000)
  }
  assert.ok(performance.now() - start < 20_000)
})

/** llama2.c's file with three special tokens, 256 bytes and some more pieces. */
function llama2c(pieces) {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)
  const parts = [['<unk>', 0], ['\n<s>\n', 0], ['\n</s>\n', 0], ...bytes.map(piece => [piece, 0]),
    ...pieces].map(([piece, score]) => {
    const text = Buffer.from(piece), head = Buffer.alloc(8)
    head.writeFloatLE(score)
    head.writeInt32LE(text.length, 4)
    return Buffer.concat([head, text])
  })
  return new Uint8Array(Buffer.concat([Buffer.alloc(4), ...parts]))
}

test("loads llama2.c's tokenizer.bin", () => {
  const pieces = [['ab', -1], ['bc', -2], [' a', -3], ['a', -4], ['b', -5], ['c', -6], [' ', -7]]
  const tokenizer = gf.text.tokenizer({ 'tok.bin': llama2c(pieces) })
  assert.equal(tokenizer.size, 266)
  const { ids, tokens, offsets } = tokenizer.encode('abc 가', { special: true })
  assert.deepEqual(tokens, ['<s>', '▁', 'ab', 'c', '▁', '<0xEA>', '<0xB0>', '<0x80>'])
  assert.deepEqual(offsets.slice(1), [[0, 0], [0, 2], [2, 3], [3, 4], [4, 5], [4, 5], [4, 5]])
  assert.equal(tokenizer.decode(ids), 'abc 가')
  assert.equal(tokenizer.decode(ids.slice(0, -1)), 'abc \ufffd\ufffd')
})

test('Marian takes pieces from source.spm and ids from vocab.json', () => {
  const pieces = Array.from({ length: unigram.size },
    (_, id) => unigram.tokenOf(id)).filter(piece => piece !== '<s>' && piece !== '다')
  const vocab = Object.fromEntries(['</s>', '<unk>', ...pieces.filter(piece => !piece.startsWith('<')).reverse(),
    '>>kor<<', '<pad>']
    .map((piece, id) => [piece, id]))
  const marian = gf.text.tokenizer({ 'source.spm': modelOf('unigram'), 'target.spm': modelOf('unigram'),
    'vocab.json': JSON.stringify(vocab) })
  const text = '나는 파리 여행을 다녀왔다. The weights'
  const { tokens, offsets } = unigram.encode(text)
  const encoding = marian.encode(`>>kor<< ${text}`, { special: true })
  assert.deepEqual(encoding.tokens, ['>>kor<<', ...tokens.map(token => token === '다' ? '<unk>' : token), '</s>'])
  assert.deepEqual(encoding.ids, encoding.tokens.map(token => vocab[token]))
  assert.deepEqual(encoding.offsets.slice(1, -1), offsets.map(([from, to]) => [from + 8, to + 8]))
  assert.equal(marian.decode(marian.encode('나는 파리 The weights', { special: true }).ids), '나는 파리 The weights')
  const reloaded = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(marian) })
  assert.deepEqual(reloaded.encode(text), marian.encode(text))
})

test('rejects malformed files', () => {
  const whole = modelOf('unigram'), bin = llama2c([['a', 0]])
  const cases = [
    [{ 'a.model': 'text' }, 'type', /files\["a\.model"\] must be bytes, got "text"/],
    [{ 'a.model': new Uint8Array() }, 'format', /a\.model has no pieces/],
    [{ 'a.model': new Uint8Array(9).fill(255) }, 'format', /a\.model: a number does not end at byte 9/],
    [{ 'a.model': whole.subarray(0, 100) }, 'format', /a\.model: (\d+ bytes are announced, \d+ are left|a number does not end) at byte/],
    [{ 'a.bin': bin.subarray(0, -3) }, 'format', /a\.bin ends inside token 259|a\.bin: token 259 cannot have/],
    [{ 'a.bin': new Uint8Array(12) }, 'format', /a\.bin must begin with three special tokens and the 256 bytes/]
  ]
  for (const [files, code, message] of cases) assert.throws(() => gf.text.tokenizer(files), error(code, message))
  for (let i = 0; i < 300; i++) {
    const broken = whole.map((byte, k) => k > 20 && next(400) === 0 ? next(256) : byte).subarray(0,
      next(3) ? undefined : next(whole.length))
    try {
      gf.text.tokenizer({ 'a.model': broken }).encode('나는 ＡＢ e\u0301 파리')
    } catch (reason) {
      assert.equal(reason.name, 'GlassformerError', reason.stack)
    }
  }
})
