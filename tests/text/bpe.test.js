import test from 'node:test'
import assert from 'node:assert/strict'
import { ALPHABET, BYTE_CHARACTERS, encodeByteLevel } from '../../src/js/text/byte_level.js'
import { cut, join, learn } from '../../src/reference/bpe.js'
import { isLong } from '../lib/long.js'
import { manyCharacters, gf, nastyText, stream } from './text.js'

const { trainBPE } = gf.text
const encode = text => new TextEncoder().encode(text)
const letters = text => encodeByteLevel(encode(text))
const error = (code, message) => ({ name: 'GlassformerError', code, message })
const next = stream(31)
const sample = Array.from({ length: 400 }, () => nastyText(next)).join(' ') + '나는 최근 파리 여행을 다녀왔다. 나는 파리가 좋다. '.repeat(5)
const trained = trainBPE(sample, { vocabSize: 700, specials: ['<|end|>'] })
const ranks = new Map(trained.merges.map(({ pair }, i) => [pair.join(' '), i]))
const reference = text => cut(text.replace(/\p{Surrogate}/gu, '\ufffd')).flatMap(word => join(letters(word), ranks))

/** A BPE with the merges of a list. */
const bpeOf = (tokens, merges) => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
  model: { type: 'BPE', vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges }
}) })

test('of a merge that is listed twice the later one counts, as in Hugging Face\'s library', () => {
  const tokens = ['a', 'b', 'c', 'ab', 'bc'], encode = merges => bpeOf(tokens, merges).encode('abc').tokens
  assert.deepEqual(encode(['a b', 'b c']), ['ab', 'c'])
  assert.deepEqual(encode(['a b', 'b c', 'a b']), ['a', 'bc'])
  assert.deepEqual(encode(['a b', 'b c', 'a b', 'b c']), ['ab', 'c'])
  const word = 'abc'.repeat(100)
  assert.deepEqual(bpeOf(tokens, ['a b', 'b c', 'a b']).encode(word).tokens.slice(0, 3), ['a', 'bc', 'a'], 'a long word')
  const steps = bpeOf([...tokens, 'abc'], ['a b', 'b c', 'a b', 'a bc']).mergesInto(5)
  assert.deepEqual(steps.map(({ rank, token }) => [rank, token]), [[1, 'bc'], [3, 'abc']])
})

test('writes the 256 bytes as GPT-2 does', () => {
  assert.equal(new Set(BYTE_CHARACTERS).size, 256)
  assert.equal(encodeByteLevel(encode(' \n가~\u00ad')), 'ĠĊê°Ģ~ÂŃ')
  assert.deepEqual([ALPHABET[0], ALPHABET.at(-1)], ['!', 'Ń'])
})

test('learns the merges of the reference, with their counts', () => {
  const texts = ['low low low low low lower lower newest newest newest newest newest newest widest widest widest',
    'aaaa aaa aa a aaaaaaa ababab abab', '나는 파리 나는 파리에 나는\n\n\n파리', sample.slice(0, 1500)]
  for (const text of texts) {
    const counts = new Map()
    for (const word of cut(text.replace(/\p{Surrogate}/gu, '\ufffd'))) counts.set(word, (counts.get(word) ?? 0) + 1)
    const words = [...counts].map(([word, count]) => [[...letters(word)], count])
    const { merges } = trainBPE(text, { vocabSize: 320 })
    assert.deepEqual(merges.map(({ pair, count }) => ({ pair, count })), learn(words, ALPHABET, 320, 1))
    assert.ok(merges.every(({ pair, token, ids: [left, right, merged] }) => pair.join('') === token &&
      left < merged && right < merged))
  }
})

test('learns the textbook example', () => {
  const { merges } = trainBPE('low low low low low lowest newer newer newer', { vocabSize: 260 })
  assert.deepEqual(merges.map(({ token, count }) => [token, count]), [['lo', 6], ['low', 6], ['Ġlow', 5], ['er', 3]])
})

test('stops at minFrequency, when no pair is left, and for an empty text', () => {
  assert.equal(trainBPE('ab ab cd', { vocabSize: 1000, minFrequency: 2 }).merges.length, 1)
  assert.equal(trainBPE('ab', { vocabSize: 1000 }).size, 257)
  assert.equal(trainBPE('', { vocabSize: 256 }).size, 256)
  assert.deepEqual(trainBPE([], { vocabSize: 256 }).encode('가').tokens, ['ê', '°', 'Ģ'])
})

test('gives specials the first ids, never merges them and finds them in a text', () => {
  const tokenizer = trainBPE('x<|end|>x<|end|>x<|end|>', { vocabSize: 300, specials: ['<|end|>', '<|pad|>'] })
  assert.deepEqual(tokenizer.merges, [])
  const { ids, tokens, offsets } = tokenizer.encode('가<|end|>b')
  assert.deepEqual(tokens, ['ê', '°', 'Ģ', '<|end|>', 'b'])
  assert.deepEqual(offsets, [[0, 1], [0, 1], [0, 1], [1, 8], [8, 9]])
  assert.equal(ids[3], 0)
  assert.equal(tokenizer.decode(ids), '가b')
  assert.equal(tokenizer.decode(ids, { special: true }), '가<|end|>b')
})

test('encodes 2000 texts as the reference and decodes them to the same bytes', () => {
  for (let i = 0; i < 2000; i++) {
    const text = i % 3 ? nastyText(next) : nastyText(next).normalize('NFD')
    const { ids, tokens, offsets } = trained.encode(text)
    assert.deepEqual(tokens, reference(text), JSON.stringify(text))
    assert.deepEqual(ids.map(id => trained.tokenOf(id)), tokens)
    assert.equal(trained.decode(ids), text.replace(/\p{Surrogate}/gu, '\ufffd'))
    const bytes = ids.flatMap(id => [...trained.bytesOf(id)])
    assert.deepEqual(bytes, [...encode(text)])
    checkOffsets(text, ids, offsets)
  }
})

/** Asserts that each token is within its offsets, and equals the text there if it is not part of a character. */
function checkOffsets(text, ids, offsets) {
  for (const [i, [from, to]] of offsets.entries()) {
    const span = encode(text.slice(from, to)), piece = trained.bytesOf(ids[i])
    assert.ok(Buffer.from(span).includes(piece), `${JSON.stringify(text)} ${i}`)
    assert.ok(i === 0 || from >= offsets[i - 1][0])
    assert.ok(to - from <= Math.max(2, piece.length))
  }
}

test('the kernel splits words where the regular expression does, at every character', () => {
  const text = manyCharacters().map(character => `a${character}${character}b `).join('')
  assert.deepEqual(trained.encode(text).tokens, reference(text))
})

test('bytesOf returns bytes for a token that is part of a character', () => {
  const { ids, tokens, offsets } = trainBPE('', { vocabSize: 256 }).encode('😀')
  assert.deepEqual(tokens, ['ð', 'Ł', 'ĺ', 'Ģ'])
  assert.deepEqual(offsets, Array(4).fill([0, 2]))
  assert.deepEqual(ids.map(id => [...trained.bytesOf(trained.idOf(tokens[ids.indexOf(id)]))][0]),
    [0xf0, 0x9f, 0x98, 0x80])
})

test('encodes the bytes of invalid UTF-8 unchanged', () => {
  for (let i = 0; i < 1000; i++) {
    const bytes = encode(`나는 “파리” ${nastyText(next)}`).map(byte => next(9) ? byte : next(256)).subarray(0, next(60))
    const { ids, offsets } = trained.encode(bytes)
    assert.deepEqual(ids.flatMap(id => [...trained.bytesOf(id)]), [...bytes])
    const string = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    assert.deepEqual(offsets.at(-1)?.[1] ?? 0, string.length)
    if (!string.includes('\ufffd')) assert.deepEqual(ids, trained.encode(string).ids)
  }
})

test('encodes characters of three bytes, complete and truncated at every byte', () => {
  const untrained = trainBPE('', { vocabSize: 256 }), decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const limits = [0x41, 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc0]
  for (const lead of [0xdf, 0xe0, 0xe1, 0xe3, 0xec, 0xed, 0xee, 0xef]) {
    for (const second of limits) for (const third of limits) {
      const bytes = Uint8Array.of(lead, second, third, 0x80, 0x41), { ids, offsets } = untrained.encode(bytes)
      assert.deepEqual(ids.flatMap(id => [...untrained.bytesOf(id)]), [...bytes])
      const ends = Array.from(bytes, (_, i) => decoder.decode(bytes.subarray(0, i + 1)).length)
      assert.deepEqual(offsets, ends.map(end => [end - 1, end]), `${bytes}`)
    }
  }
})

test('encodes long texts independently of windows, and long words in reasonable time', () => {
  const text = Array.from({ length: isLong ? 20000 : 6000 }, () => nastyText(next)).join('')
  assert.deepEqual(trained.encode(text).tokens, reference(text))
  const many = trainBPE('a'.repeat(4096), { vocabSize: 300 })
  assert.deepEqual(many.merges.slice(0, 3).map(merge => merge.count), [4095, 2047, 1023])
  for (const [letter, count] of [['a', 1e6], ['가', 3e5], [' ', 1e6]]) {
    const start = process.cpuUsage()
    const { ids } = many.encode(letter.repeat(count))
    const { user, system } = process.cpuUsage(start)
    assert.ok(user + system < 5e6, 'not quadratic')
    assert.equal(many.decode(ids), letter.repeat(count))
  }
  assert.equal(many.encode('a'.repeat(4096 * 3)).ids.length, 3)
})

/** A byte-level BPE tokenizer with some merges; merged tokens have the first ids, in order. */
function withMerges(merges, model = {}) {
  const merged = merges.map(([left, right]) => left + right)
  const vocab = Object.fromEntries([...new Set([...merged, ...BYTE_CHARACTERS])].map((token, id) => [token, id]))
  return gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({
    model: { type: 'BPE', vocab, merges, ...model }, pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false } }) })
}

test('merges words of every length as the reference if nearly every pair has a merge', () => {
  for (let round = 0; round < 8; round++) {
    const tokens = [...'abcd'], mergeRanks = new Map()
    while (mergeRanks.size < 60) {
      const [left, right] = [tokens, tokens].map(list => list[next(list.length)])
      if (left.length + right.length > 12 || mergeRanks.has(`${left} ${right}`)) continue
      mergeRanks.set(`${left} ${right}`, mergeRanks.size)
      tokens.push(left + right)
    }
    const tokenizer = withMerges([...mergeRanks.keys()].map(pair => pair.split(' ')))
    for (let length = 1; length < 200; length += 1 + Math.floor(length / 70)) {
      const word = Array.from({ length }, () => 'abcd'[next(4)]).join('')
      const { tokens: actual, offsets } = tokenizer.encode(word)
      assert.deepEqual(actual, join([...word], mergeRanks), `${round}: ${word}`)
      assert.equal(offsets.map(([from, to]) => word.slice(from, to)).join(' '), actual.join(' '))
    }
  }
})

test('a merged token and a word that is one token may have the id 0', () => {
  const merges = [['a', 'b'], ...Array.from('cdefghijkl', letter => [letter, 'm'])], tokenizer = withMerges(merges)
  for (const text of ['ab', 'abzab', `${'z'.repeat(60)}ab`, `ab${'z'.repeat(60)}`]) {
    const { ids, tokens } = tokenizer.encode(text)
    assert.deepEqual(tokens, text.match(/ab|z/g))
    assert.deepEqual(ids.map(id => id === 0), tokens.map(token => token === 'ab'))
  }
  const mergedTokens = new Set(merges.map(pair => pair.join('')))
  for (const left of 'abcdefghijklm') for (const right of 'abm') {
    const text = left + right
    assert.deepEqual(tokenizer.encode(text).tokens, mergedTokens.has(text) ? [text] : [left, right])
  }
  assert.deepEqual(withMerges([['a', 'b'], ['b', 'c'], ['a', 'b']]).encode('abc').tokens, ['a', 'bc'],
    'of two equal merges the later one counts')
  const whole = withMerges([['ab', 'c']], { merges: [], ignore_merges: true })
  assert.deepEqual(whole.encode('abc').ids, [0])
})

test('the cache does not confuse similar words', () => {
  const middles = Array.from({ length: 2500 }, (_, i) => Array.from(String(i), digit => 'abcdefghij'[digit]).join(''))
  for (const [left, right] of [['beginning', 'endingending'], ['the', 'the'], ['beginning', ''], ['', 'ending'], ['', '']]) {
    const words = middles.map(middle => `${left}${middle}${right}`)
    const text = [...words, ...words.toReversed()].join(' '), { ids } = trained.encode(text)
    assert.equal(trained.decode(ids), text)
  }
})

test('tokenizer.json, or vocab.json with merges.txt, loads the same tokenizer', () => {
  const json = JSON.parse(JSON.stringify(trained))
  const { vocab, merges } = json.model
  const loaded = [
    { 'tokenizer.json': JSON.stringify(trained) },
    { 'tokenizer.json': encode(JSON.stringify(
      { ...json, model: { ...json.model, merges: merges.map(m => m.join(' ')) } })) },
    { 'vocab.json': JSON.stringify(vocab),
      'merges.txt': `#version: 0.2\r\n${merges.map(m => m.join(' ')).join('\r\n')}\r\n`,
      'README.md': '' }
  ].map(files => gf.text.tokenizer(files))
  for (const other of loaded) {
    assert.equal(other.size, trained.size)
    const text = `${sample.slice(0, 3000)}<|end|>가`
    assert.deepEqual(other.encode(text).ids, trained.encode(text).ids)
    assert.deepEqual(other.merges, trained.merges.map(({ count, ...merge }) => merge))
  }
})

test('a token may contain a space or a no-break space, or be named like a property of objects', () => {
  const bytes = Object.fromEntries(BYTE_CHARACTERS.map((character, id) => [character, id]))
  const vocab = { ...bytes, __proto__x: 256, constructor: 257 }
  vocab['a b'] = 258
  vocab['\u00a0'] = 259
  const merges = [['a', ' b']]
  vocab[' b'] = 260
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model: { type: 'BPE', vocab, merges } }) })
  assert.deepEqual(tokenizer.merges[0].ids, [vocab.a, 260, 258])
  assert.equal(tokenizer.idOf('constructor'), 257)
  assert.equal(tokenizer.idOf('toString'), undefined)
  const text = gf.text.tokenizer({ 'tokenizer.json':
    JSON.stringify({ model: { type: 'BPE', vocab, merges: ['a  b'] } }) })
  assert.deepEqual(text.merges, tokenizer.merges)
})

test('leaks no memory', () => {
  trained.encode(sample)
  const before = gf.engine.memory.size
  for (let i = 0; i < 30; i++) trained.encode(sample)
  assert.equal(gf.engine.memory.size, before)
})

test('errors say what was expected and what was given', () => {
  const json = { model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [] }, pre_tokenizer: { type: 'ByteLevel' } }
  const open = changes => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ ...json, ...changes }) })
  const cases = [
    [() => trainBPE(5, { vocabSize: 300 }), 'type', /trainBPE: text must be a string or an array of strings, got 5/],
    [() => trainBPE(['a', 5], { vocabSize: 300 }), 'type', /text\[1\] must be a string, got 5/],
    [() => trainBPE('a'), 'type', /vocabSize must be an integer from 1/],
    [() => trainBPE('a', { vocabSize: 256, specials: ['x'] }), 'range', /vocabSize must be at least 257, for 256 bytes and the specials, got 256/],
    [() => trainBPE('a', { vocabSize: 300, specials: ['x', 'x'] }), 'range', /specials\[1\] repeats "x"/],
    [() => trainBPE('a', { vocabSize: 300, specials: [''] }), 'type', /specials\[0\] must be a non-empty string/],
    [() => trainBPE('a', { vocabSize: 300, size: 1 }), 'type', /there is no option "size"/],
    [() => trained.encode(5), 'type', /encode: text must be a string or a Uint8Array, got 5/],
    [() => trained.encode('a', { special: 1 }), 'type', /special must be true or false, got 1/],
    [() => trained.encode('a', { specials: true }), 'type', /there is no option "specials"/],
    [() => trained.decode('a'), 'type', /ids must be an array of integers/],
    [() => trained.decode([0, 700]), 'index', /ids\[1\] must be the id of a token, an integer from 0 to 699, got 700/],
    [() => trained.decode([-1]), 'index', /got -1/],
    [() => trained.tokenOf('a'), 'type', /tokenOf: id must be the id of a token/],
    [() => trained.bytesOf(0.5), 'index', /bytesOf: id .* got 0\.5/],
    [() => gf.text.tokenizer('x'), 'type', /files must be an object of file contents by name, .* got "x"/],
    [() => gf.text.tokenizer({ 'a.txt': 'x' }), 'type', /files must contain one of: 'tokenizer\.json'; .*; got a\.txt/],
    [() => gf.text.tokenizer({ 'tokenizer.json': 5 }), 'type', /files\["tokenizer\.json"\] must be text or bytes/],
    [() => gf.text.tokenizer({ 'tokenizer.json': '{' }), 'format', /tokenizer\.json is not JSON/],
    [() => gf.text.tokenizer({ 'tokenizer.json': '{}' }), 'format', /must be an object with a model/],
    [() => open({ model: { type: 'Magic', vocab: {} } }), 'format', /model\.type must be .*, got "Magic"/],
    [() => open({ normalizer: { type: 'Magic' } }), 'format', /normalizer "Magic" is not among NFC/],
    [() => open({ pre_tokenizer: { type: 'Magic' } }), 'format', /pre_tokenizer "Magic" is not among ByteLevel/],
    [() => open({ post_processor: { type: 'Magic' } }), 'format', /post_processor "Magic"/],
    [() => open({ decoder: { type: 'constructor' } }), 'format', /decoder "constructor"/],
    [() => open({ added_tokens: [{ id: 'x' }] }), 'format', /added_tokens\[0\] must have an id and a content/],
    [() => open({ model: { type: 'BPE', vocab: { a: -1 }, merges: [] } }), 'format', /the id of "a" must be an integer/],
    [() => open({ model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: ['a b'] } }), 'format', /merges\[0\] is "a b", which/],
    [() => open({ model: { type: 'BPE', unk_token: 'u', vocab: { a: 0, b: 1 }, merges: [] } }).encode('abc'), 'text',
      /text has the byte 0x63, which has no token/]
  ]
  for (const [call, code, message] of cases) assert.throws(call, error(code, message))
  assert.deepEqual(open({}).encode('ba').ids, [1, 0])
  assert.deepEqual(open({}).encode('bca').ids, [1, 0], 'without an unknown token, bytes without a token are dropped')
})

test('a normalizer applies before pre-tokenization; one without effect changes no ids and no offsets', () => {
  const open = normalizer => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ ...trained.toJSON(), normalizer }) })
  const [none, nfc, lower] = [null, { type: 'NFC' }, { type: 'Lowercase' }].map(open)
  for (let i = 0; i < 100; i++) {
    const [left, right] = [0, 1].map(() => nastyText(next).toWellFormed().normalize('NFC'))
    const start = `${left}<|end|>`, both = nfc.encode(start + right), alone = nfc.encode(right)
    assert.deepEqual(both, none.encode(start + right), start + right)
    assert.deepEqual(alone.ids.length ? both.ids.slice(-alone.ids.length) : [], alone.ids, right)
    const last = both.offsets.slice(both.offsets.length - alone.offsets.length)
    assert.deepEqual(last.flat(), alone.offsets.flat().map(at => at + start.length), right)
  }
  assert.deepEqual(lower.encode('Low LOWER <|end|> 나는').ids, none.encode('low lower <|end|> 나는').ids)
})
