// Training of a unigram model, compared with a reference that enumerates every segmentation of every word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cuts, expected } from '../../src/reference/unigram.js'
import { gf, stream } from './text.js'

/** Far from 0 the asymptotic series of digamma is exact to the last digit. */
function digamma(x) {
  let below = 0
  for (; x < 60; x++) below -= 1 / x
  return below + Math.log(x) - 1 / (2 * x) - 1 / (12 * x ** 2) + 1 / (120 * x ** 4)
}

/** Scores from expected counts. @param {[string, number][]} counts */
function scored(counts) {
  const all = digamma(counts.reduce((sum, [, count]) => sum + count, 0))
  return new Map(counts.map(([piece, count]) => [piece, digamma(count) - all]))
}
const best = list => list.reduce((a, b) => (b.score > a.score ? b : a))

/** The seed pieces: characters, and repeated substrings, by weight. @param {[string, number][]} words */
function seeds(words) {
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

function learn(words, size) {
  const { letters, all } = seeds(words)
  let scores = scored(all)
  const improve = () => {
    const sums = new Map([...scores.keys()].map(piece => [piece, 0]))
    for (const [word, count] of words) {
      for (const [piece, one] of expected(word, scores).counts) sums.set(piece, sums.get(piece) + count * one)
    }
    scores = scored([...sums].filter(([piece, sum]) => letters.includes(piece) || sum >= 0.5)
      .map(([piece, sum]) => [piece, Math.max(sum, 0.5)]))
  }
  const prune = most => {
    const counts = new Map()
    for (const [word, count] of words) {
      for (const piece of best(cuts(word, scores)).pieces) counts.set(piece, (counts.get(piece) ?? 0) + count)
    }
    const sum = [...counts.values()].reduce((a, b) => a + b)
    const loss = piece => {
      const own = counts.get(piece) ?? 0
      if (!own) return 0
      const { pieces } = best(cuts(piece, scores).filter(cut => cut.pieces.length > 1))
      const after = pieces.map(one => Math.log(((counts.get(one) ?? 0) + own) / (sum + own * (pieces.length - 1))))
      return own / sum * (Math.log(own / sum) - after.reduce((a, b) => a + b))
    }
    const longer = [...scores.keys()].filter(piece => !letters.includes(piece))
    const losses = new Map(longer.map(piece => [piece, loss(piece)]))
    const kept = new Set([...longer].sort((a, b) => losses.get(b) - losses.get(a)).slice(0, most - letters.length))
    scores = new Map([...scores].filter(([piece]) => letters.includes(piece) || kept.has(piece)))
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
    const word = () => Array.from({ length: 1 + next(5) }, () => 'abcd'[next(2 + i % 3)]).join('')
    const words = [...new Map(Array.from({ length: 2 + next(20) }, () => [`▁${word()}`, 1 + next(6) ** 2]))]
    const size = new Set(words.flatMap(([one]) => [...one])).size + next(12)
    const text = words.flatMap(([one, count]) => Array(count).fill(one.slice(1)))
    const tokenizer = gf.text.trainUnigram(text, { vocabSize: size + 2, specials: ['<end>'] })
    const found = Array.from({ length: tokenizer.size }, (_, id) => [tokenizer.tokenOf(id), tokenizer.scoreOf(id)])
    assert.deepEqual(found.slice(0, 2), [['<unk>', 0], ['<end>', 0]])
    const wanted = learn(words, size)
    assert.deepEqual(found.slice(2).map(([piece]) => piece), wanted.map(([piece]) => piece), `text ${i}: ${words.join(' ')}`)
    wanted.forEach(([piece, score], k) => assert.ok(Math.abs(found[k + 2][1] - score) < 1e-8, `${i}: ${piece}`))
    pruned += found.length === size + 2 ? 1 : 0
  }
  assert.ok(pruned > 20, `${pruned}`)
})
