// Training of a unigram model, compared with a reference that enumerates every segmentation of every word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cuts, expected } from '../../src/reference/unigram.js'
import { gf, stream } from './text.js'

/** Digamma by recurrence to x >= 60, where the asymptotic series is exact in double precision. */
function digamma(x) {
  let sum = 0
  for (; x < 60; x++) sum -= 1 / x
  return sum + Math.log(x) - 1 / (2 * x) - 1 / (12 * x ** 2) + 1 / (120 * x ** 4)
}

/** Scores from expected counts. @param {[string, number][]} counts */
function scoresOf(counts) {
  const total = digamma(counts.reduce((sum, [, count]) => sum + count, 0))
  return new Map(counts.map(([piece, count]) => [piece, digamma(count) - total]))
}
const best = list => list.reduce((a, b) => (b.score > a.score ? b : a))

/** The seed pieces: characters, and repeated substrings, by weight. @param {[string, number][]} words */
function seedPieces(words) {
  const counts = new Map()
  for (const [word, count] of words) for (let from = 0; from < word.length; from++) {
    for (let to = from + 1; to <= word.length; to++) {
      counts.set(word.slice(from, to), (counts.get(word.slice(from, to)) ?? 0) + count)
    }
  }
  const letters = [...counts].filter(([piece]) => piece.length === 1).sort(([a], [b]) => (a < b ? -1 : 1))
  return { letters: letters.map(([letter]) => letter), all: [...letters,
    ...[...counts].filter(([piece, count]) => piece.length > 1 && count > 1)
      .map(([piece, count]) => [piece, count * piece.length]).sort((a, b) => b[1] - a[1])] }
}

/** The pieces and scores of the reference, the highest score first. */
function learn(words, size) {
  const { letters, all } = seedPieces(words)
  let scores = scoresOf(all)
  const improve = () => {
    const sums = new Map([...scores.keys()].map(piece => [piece, 0]))
    for (const [word, count] of words) {
      for (const [piece, expectedCount] of expected(word, scores).counts) {
        sums.set(piece, sums.get(piece) + count * expectedCount)
      }
    }
    scores = scoresOf([...sums].filter(([piece, sum]) => letters.includes(piece) || sum >= 0.5)
      .map(([piece, sum]) => [piece, Math.max(sum, 0.5)]))
  }
  const prune = maxPieces => {
    const counts = new Map()
    for (const [word, count] of words) {
      for (const piece of best(cuts(word, scores)).pieces) counts.set(piece, (counts.get(piece) ?? 0) + count)
    }
    const sum = [...counts.values()].reduce((a, b) => a + b)
    const loss = piece => {
      const count = counts.get(piece) ?? 0
      if (!count) return 0
      const { pieces } = best(cuts(piece, scores).filter(cut => cut.pieces.length > 1))
      const newSum = sum + count * (pieces.length - 1)
      const after = pieces.map(part => Math.log(((counts.get(part) ?? 0) + count) / newSum))
      return count / sum * (Math.log(count / sum) - after.reduce((a, b) => a + b))
    }
    const longer = [...scores.keys()].filter(piece => !letters.includes(piece))
    const losses = new Map(longer.map(piece => [piece, loss(piece)]))
    const byLoss = [...longer].sort((a, b) => losses.get(b) - losses.get(a))
    const retained = new Set(byLoss.slice(0, maxPieces - letters.length))
    scores = new Map([...scores].filter(([piece]) => letters.includes(piece) || retained.has(piece)))
  }
  for (;;) {
    improve()
    improve()
    if (scores.size <= size * 1.1) break
    prune(Math.max(Math.floor(size * 1.1), Math.floor(scores.size * 0.75)))
  }
  if (scores.size > size) prune(size)
  return [...scores].sort((a, b) => b[1] - a[1])
}

test('learns the pieces and scores of the reference on 60 small texts', () => {
  const next = stream(93)
  let pruned = 0
  for (let i = 0; i < 60; i++) {
    const randomWord = () => Array.from({ length: 1 + next(5) }, () => 'abcd'[next(2 + i % 3)]).join('')
    const words = [...new Map(Array.from({ length: 2 + next(20) }, () => [`▁${randomWord()}`, 1 + next(6) ** 2]))]
    const size = new Set(words.flatMap(([word]) => [...word])).size + next(12)
    const text = words.flatMap(([word, count]) => Array(count).fill(word.slice(1)))
    const tokenizer = gf.text.trainUnigram(text, { vocabSize: size + 2, specials: ['<end>'] })
    const actual = Array.from({ length: tokenizer.size }, (_, id) => [tokenizer.tokenOf(id), tokenizer.scoreOf(id)])
    assert.deepEqual(actual.slice(0, 2), [['<unk>', 0], ['<end>', 0]])
    const pieces = learn(words, size)
    assert.deepEqual(actual.slice(2).map(([piece]) => piece), pieces.map(([piece]) => piece), `text ${i}: ${words.join(' ')}`)
    pieces.forEach(([piece, score], k) => assert.ok(Math.abs(actual[k + 2][1] - score) < 1e-8, `${i}: ${piece}`))
    pruned += actual.length === size + 2 ? 1 : 0
  }
  assert.ok(pruned > 20, `${pruned}`)
})
