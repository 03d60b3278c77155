import test from 'node:test'
import assert from 'node:assert/strict'
import { learn } from '../../src/reference/bpe.js'
import { best, expected } from '../../src/reference/unigram.js'
import { packBytes, withBuffers } from '../../src/js/text/kernel_memory.js'
import { stories } from '../../src/training/models/stories/data.js'
import { gf, nastyText, stream } from './text.js'

const { trainUnigram, trainWordPiece } = gf.text
const error = (code, message) => ({ name: 'GlassformerError', code, message })
const next = stream(37)
const LINES = ['low low low low low lower lower', 'newest newest newest newest newest newest widest widest widest',
  '나는 파리 여행을 다녀왔다', '나는 최근 파리에 다녀왔다', '파리는 좋다']
const text = LINES.join('\n')
const words = LINES.flatMap(line => line.split(' '))

/** The merges of WordPiece by the reference. */
function reference(list, size) {
  const counts = new Map()
  for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1)
  // Letters that continue a word get a prefix, so that concatenated symbols stay distinct from those at the start.
  const symbols = word => [...word].map((letter, i) => i ? `~${letter}` : letter)
  const sorted = set => [...set].sort((a, b) => a.codePointAt(0) - b.codePointAt(0))
  const first = sorted(new Set(list.map(word => [...word][0])))
  const later = sorted(new Set(list.flatMap(word => [...word].slice(1)))).map(letter => `~${letter}`)
  const entries = [...counts].map(([word, count]) => [symbols(word), count])
  return learn(entries, [...first, ...later], size, 1, (count, left, right) => count / (left * right))
}

const plain = token => token.startsWith('##') ? [...token.slice(2)].map(letter => `~${letter}`).join('')
  : [...token].map((letter, i) => i ? `~${letter}` : letter).join('')

test('WordPiece: learns the merges of the reference', () => {
  const { merges, size } = trainWordPiece(text, { vocabSize: 60 })
  assert.deepEqual(merges.map(({ pair, count }) => ({ pair: pair.map(plain), count })),
    reference(words, size - 1).slice(0, merges.length))
  for (const { pair, token } of merges) assert.equal(token, pair[0] + pair[1].slice(2))
})

test('WordPiece: encodes by the longest piece, with specials, and lowercases on demand', () => {
  const tokenizer = trainWordPiece('Low low Lów 한 한', { vocabSize: 30, specials: ['[CLS]', '[SEP]'], lowercase: true })
  assert.equal(tokenizer.tokenOf(0), '[UNK]')
  assert.deepEqual(tokenizer.encode('LOW 한 z', { special: true }).tokens,
    ['[CLS]', 'low', '한'.normalize('NFD'), '[UNK]', '[SEP]'])
  assert.deepEqual(trainWordPiece('Low Low', { vocabSize: 9 }).encode('Low low').tokens, ['Low', '[UNK]'])
})

test('vocabSize includes specials and is reached if the text is large enough', () => {
  const long = stories(5, 60, { names: 'plain' }), specials = ['[CLS]', '[SEP]', '[PAD]']
  for (const train of [trainWordPiece, trainUnigram, gf.text.trainBPE]) for (const vocabSize of [300, 350]) {
    const tokenizer = train(long, { vocabSize, specials })
    assert.equal(tokenizer.size, vocabSize)
    assert.ok(specials.every(special => tokenizer.idOf(special) < 4))
  }
})

test('unigram: every character of the text is a piece; segmentations are the most probable', () => {
  const tokenizer = trainUnigram(text, { vocabSize: 50 })
  const scores = new Map(Array.from({ length: tokenizer.size },
    (_, id) => [tokenizer.tokenOf(id), tokenizer.scoreOf(id)]))
  for (const letter of text.replaceAll(' ', '▁')) assert.ok(scores.has(letter), letter)
  for (const word of words) assert.deepEqual(tokenizer.encode(word).tokens, best(`▁${word}`, scores).pieces)
  const { tokens, ids } = tokenizer.encode('lowest  newer\n파리')
  assert.equal(tokens.join(''), '▁lowest▁▁newer\n파리')
  assert.equal(tokenizer.decode(ids), 'lowest  newer\n파리')
})

test('unigram: pieces have at most 16 characters; the result has not changed', () => {
  const tokensOf = tokenizer => Array.from({ length: tokenizer.size }, (_, id) => tokenizer.tokenOf(id))
  const long = tokensOf(trainUnigram(Array(40).fill('abcdefghijklmnopqrst').join(' '), { vocabSize: 2000 })).slice(1)
  assert.equal(Math.max(...long.map(piece => piece.length)), 16)
  assert.ok(long.every(piece => '▁abcdefghijklmnopqrst'.includes(piece)))
  const pieces = tokensOf(trainUnigram(stories(5, 60, { names: 'plain' }), { vocabSize: 200 })), { length } = pieces
  assert.deepEqual(pieces.filter(piece => [...piece].length > 3).join(' '),
    '<unk> ▁the ▁like ▁and ▁말했어요. ▁said ▁eats ▁그래서 ▁먹었어요. ▁샀어요. ▁gave !”라고 ▁잃어버렸어요. ▁noodles ▁friends. ' +
    '▁싫어해요. ▁물었어요. ▁좋아해요. ▁있어?”라고 ▁있어.”라고 ▁garden.')
  assert.equal(length, 200)
})

test('unigram: expected counts equal the sum over all segmentations', () => {
  const pieces = ['a', 'b', 'ab', 'ba', 'aba', 'abab', 'bb'], values = [-2, -2.5, -1.5, -3, -2.2, -4, -0.1]
  const scores = new Map(pieces.map((piece, i) => [piece, values[i]]))
  const list = ['abab', 'bbabba', 'bcb', 'a', 'babababb'], counts = [3, 1, 7, 2, 5]
  const encode = string => new TextEncoder().encode(string)
  const { c, memory } = gf.engine
  const set = c.gf_pieces_new(7)
  const packed = packBytes(pieces.map(encode)), corpus = packBytes(list.map(encode))
  withBuffers(memory, [packed.ends, Int32Array.from(pieces.keys()), packed.bytes],
    (ends, ids, bytes) => c.gf_pieces_add(set, bytes, ends, ids, pieces.length, 0))
  const [likelihood, actual] = withBuffers(memory,
    [Float64Array.from(values), new Float64Array(7), corpus.ends, Int32Array.from(counts), corpus.bytes],
    (table, out, ends, numbers, bytes) =>
      [c.gf_unigram_expect(out, set, table, bytes, ends, numbers, list.length), [...memory.doubles(out, 7)]])
  c.gf_pieces_free(set)
  // Words that pieces do not cover, such as 'bcb', are skipped.
  const expectations = list.map(word => word.includes('c') ? { likelihood: 0, counts: new Map() } : expected(word, scores))
  const sum = read => counts.reduce((total, count, i) => total + count * read(expectations[i]), 0)
  assert.ok(Math.abs(likelihood - sum(word => word.likelihood)) < 1e-9)
  pieces.forEach((piece, i) => assert.ok(Math.abs(actual[i] - sum(word => word.counts.get(piece) ?? 0)) < 1e-9, piece))
})

test('unigram: losses equal the difference in likelihood with and without a piece', () => {
  const frequency = [8, 5, 0, 3, 2.5, 0.5], cuts = [[1, 3], [3], [0, 1], [0, 1, 4], [1], [4, 3]]
  const { c, memory } = gf.engine, ends = cuts.map((_, i) => cuts.slice(0, i + 1).flat().length)
  const actual = withBuffers(memory, [new Float64Array(6), Float64Array.from(frequency), Int32Array.from(cuts.flat()),
    Int32Array.from(ends)], (out, table, ids, at) => {
    c.gf_unigram_losses(out, table, ids, at, 6)
    return [...memory.doubles(out, 6)]
  })
  const sum = frequency.reduce((a, b) => a + b)
  frequency.forEach((f, k) => {
    // Before, the piece has f of `sum` occurrences; without it, each piece of its segmentation has f more.
    const before = Math.log(f / sum), all = sum + f * (cuts[k].length - 1)
    const after = cuts[k].reduce((total, id) => total + Math.log((frequency[id] + f) / all), 0)
    assert.ok(Math.abs(actual[k] - (f ? f / sum * (before - after) : 0)) < 1e-12, `${k}: ${actual[k]}`)
  })
})

test('unigram: the result does not depend on the order of words', () => {
  const below = stream(5), letters = count => Array.from({ length: count }, () => 'abc'[below(3)]).join('')
  const wordCounts = Array.from({ length: 25 }, () => [letters(2 + below(5)), 1 + below(9) ** 2])
  const trainScores = list => {
    const tokenizer = trainUnigram(list.flatMap(([word, count]) => Array(count).fill(word)), { vocabSize: 15 })
    return new Map(Array.from({ length: tokenizer.size }, (_, id) => [tokenizer.tokenOf(id), tokenizer.scoreOf(id)]))
  }
  const scores = trainScores(wordCounts)
  for (const entry of wordCounts) {
    const reordered = trainScores([entry, ...wordCounts.filter(other => other !== entry)])
    assert.deepEqual([...reordered.keys()].sort(), [...scores.keys()].sort(), entry[0])
    for (const [token, score] of reordered) assert.ok(Math.abs(score - scores.get(token)) < 1e-9, `${entry[0]}: ${token}`)
  }
})

/** Scores from expected counts, by the kernel. */
function maximize(counts) {
  const { c, memory } = gf.engine
  return withBuffers(memory, [Float64Array.from(counts)], table => {
    c.gf_unigram_maximize(table, table, counts.length)
    return [...memory.doubles(table, counts.length)]
  })
}

test('unigram: digamma(x + 1) = digamma(x) + 1 / x, and digamma(1/2) = digamma(1) - 2 ln 2', () => {
  const counts = [0.5, 1, 1.5, 6.9, 7.9, 10, 11, 1000.25, 1001.25], [half, one, ...pairs] = maximize(counts)
  assert.ok(Math.abs(one - half - 2 * Math.LN2) < 1e-9)
  assert.ok(Math.abs(pairs[0] - half - 2) < 1e-9)
  for (const i of [1, 3, 5]) assert.ok(Math.abs(pairs[i + 1] - pairs[i] - 1 / counts[i + 2]) < 1e-9)
})

test('unigram: a score is digamma(expected) - digamma(sum of expected)', () => {
  const { LN2 } = Math
  for (const [counts, scores] of [[[3], [0]], [[1, 1], [-1, -1]], [[0.5, 1.5], [-2 * LN2 - 1, 1 - 2 * LN2]],
    [[1, 2, 1], [-11 / 6, -5 / 6, -11 / 6]]]) {
    maximize(counts).forEach((score, i) => assert.ok(Math.abs(score - scores[i]) < 1e-9, `${counts}: ${score}`))
  }
})

test('a larger vocabulary encodes a text in fewer tokens', () => {
  const sample = Array.from({ length: 300 }, () => nastyText(next)).join('\n') + `\n${text}`.repeat(20)
  const lengths = [400, 600].map(vocabSize => trainUnigram(sample, { vocabSize }).encode(sample).ids.length)
  assert.ok(lengths[0] > lengths[1], lengths.join())
})

test('saves to tokenizer.json and loads the same tokenizer', () => {
  for (const tokenizer of [trainWordPiece(text, { vocabSize: 60, specials: ['[CLS]', '[SEP]'] }),
    trainUnigram(text, { vocabSize: 60, specials: ['<pad>'] })]) {
    const reloaded = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(tokenizer) })
    assert.equal(reloaded.size, tokenizer.size)
    for (let i = 0; i < 200; i++) {
      const input = nastyText(next) + LINES[i % 5]
      assert.deepEqual(reloaded.encode(input, { special: true }), tokenizer.encode(input, { special: true }))
    }
  }
})

test('training is deterministic and accepts an empty text', () => {
  assert.equal(JSON.stringify(trainUnigram(text, { vocabSize: 50 })),
    JSON.stringify(trainUnigram(text, { vocabSize: 50 })))
  assert.deepEqual(trainUnigram('', { vocabSize: 5 }).encode('a').tokens, ['<unk>'])
  assert.deepEqual(trainWordPiece([], { vocabSize: 5 }).encode('a').tokens, ['[UNK]'])
})

test('leaks no memory', () => {
  trainUnigram(text, { vocabSize: 50 })
  const before = gf.engine.memory.size
  for (let i = 0; i < 10; i++) trainUnigram(text, { vocabSize: 50 }).encode(text)
  assert.ok(gf.engine.memory.size - before < 2 ** 20)
})

test('errors say what was expected and what was given', () => {
  const cases = [
    [() => trainWordPiece(5, { vocabSize: 50 }), 'type', /trainWordPiece: text must be a string or an array of strings, got 5/],
    [() => trainWordPiece('abc', { vocabSize: 3 }), 'range', /vocabSize must be at least 4, for 3 characters and the specials, got 3/],
    [() => trainWordPiece('abc', { vocabSize: 30, lowercase: 1 }), 'type', /lowercase must be true or false, got 1/],
    [() => trainUnigram('abc', { vocabSize: 3 }), 'range', /vocabSize must be at least 5, for 4 characters/],
    [() => trainUnigram('abc', {}), 'type', /vocabSize must be an integer from 1/],
    [() => trainUnigram('abc', { vocabSize: 50, minFrequency: 2 }), 'type', /there is no option "minFrequency"/],
    [() => trainUnigram('abc', { vocabSize: 50 }).scoreOf(99), 'index', /scoreOf: id must be the id of a token/]
  ]
  for (const [call, code, message] of cases) assert.throws(call, error(code, message))
})

test('training, encoding and replay match specials with a common prefix in the same way', () => {
  const tokenizer = gf.text.trainBPE('abcd abcd abcd', { vocabSize: 300, specials: ['a', 'ab'] })
  assert.equal(tokenizer.merges[0].token, 'cd')
  assert.deepEqual(tokenizer.encode('abcd').tokens, ['ab', 'cd'])
  const trained = gf.text.trainBPE('the the the xyxy', { vocabSize: 259, specials: ['the'] })
  const [{ pair, count }] = trained.replay('the the the xyxy', 0).pairs
  assert.deepEqual([pair, count], [['x', 'y'], 2])
  assert.deepEqual([pair, count], [trained.merges[0].pair, trained.merges[0].count])
})

test('rejects sparse arrays of texts', () => {
  for (const train of [gf.text.trainBPE, trainWordPiece, trainUnigram]) {
    assert.throws(() => train(new Array(2), { vocabSize: 300 }), { code: 'type', message: /text\[0\] must be a string/ })
    assert.throws(() => train('a', { vocabSize: 300, specials: new Array(2) }), { code: 'type', message: /specials\[0\]/ })
  }
  assert.throws(() => new gf.text.Vocab([['a']]).encode(new Array(2)), { code: 'type', message: /tokens\[0\]/ })
})
