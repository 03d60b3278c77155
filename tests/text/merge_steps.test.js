// mergesInto and replay, compared with the merges of the training, and with the kernel given only the earlier merges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stories } from '../../src/training/models/stories/data.js'
import { createRandom } from '../../src/training/models/random.js'
import { assertRejects, gf } from '../lib/engine.js'

const texts = stories(11, 1000, { names: 'plain' }).map(text => ` ${text}`)
const trained = gf.text.trainBPE([...texts.slice(0, 400), ' 각각의 각 나라 나라마다 🍎🍎'], { vocabSize: 700, specials: ['<end>'] })
const trainedJson = JSON.parse(JSON.stringify(trained))

/** The tokenizer with only the first `count` merges. */
const withFirstMerges = count => gf.text.tokenizer({
  'tokenizer.json': JSON.stringify({
    ...trainedJson, model: { ...trainedJson.model, merges: trainedJson.model.merges.slice(0, count) }
  })
})
const loaded = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(trainedJson) })
const utf8 = new TextDecoder('utf-8', { fatal: true })

test('mergesInto builds every token of 1,000 texts by the merges of the training, the lowest rank first', () => {
  const { merges } = trained, ranks = new Map(merges.map(({ pair }, rank) => [pair.join('|'), rank]))
  let count = 0
  for (const text of texts) for (const id of trained.encode(text).ids) {
    const steps = trained.mergesInto(id)
    assert.deepEqual(loaded.mergesInto(id).map(({ rank }) => rank), steps.map(({ rank }) => rank))
    if (steps.length) assert.equal(steps.at(-1).token, trained.tokenOf(id))
    else assert.equal([...trained.tokenOf(id)].length, 1)
    for (const { pieces, at, rank, token, count: pairCount } of steps) {
      const merge = merges[rank]
      assert.deepEqual([merge.pair, merge.token, merge.count], [pieces.slice(at, at + 2), token, pairCount])
      const pairRanks = pieces.slice(1).map((right, i) => ranks.get(`${pieces[i]}|${right}`) ?? Infinity)
      assert.equal(Math.min(...pairRanks), rank)
      count += 1
    }
  }
  assert.ok(count > 50000, `${count}`)
})

test('the pieces before a merge are what the kernel produces with only the earlier merges', () => {
  const mergedIds = trained.merges.map(({ ids }) => ids[2]).filter((id, i) => i % 7 === 0)
  let count = 0
  for (const id of mergedIds) {
    let text
    try {
      text = utf8.decode(trained.bytesOf(id))
    } catch {
      continue
    }
    for (const { pieces, rank } of trained.mergesInto(id)) {
      const { ids } = withFirstMerges(rank).encode(text)
      assert.deepEqual(ids.map(part => trained.tokenOf(part)), pieces, text)
      count += 1
    }
  }
  assert.ok(count > 100, `${count}`)
})

test('mergesInto is empty for unmerged tokens and other models, and rejects invalid ids', () => {
  assert.deepEqual(trained.mergesInto(trained.idOf('<end>')), [])
  const pieces = gf.text.trainWordPiece('a tale of two tails', { vocabSize: 40 })
  assert.deepEqual(pieces.mergesInto(pieces.size - 1), [])
  assertRejects(() => trained.mergesInto(99999), 'index', '99999')
})

test('replay on the training text: every merge is the most frequent pair, with the count of the training', () => {
  const text = [...texts.slice(0, 40), ' aaaa aaa ababab 각각각 🍎🍎🍎'].join('\n')
  const tokenizer = gf.text.trainBPE(text, { vocabSize: 400 })
  assert.equal(tokenizer.merges.length, 144)
  tokenizer.merges.forEach(({ pair, count }, n) => {
    const { words, pairs } = tokenizer.replay(text, n), counts = pairs.map(entry => entry.count)
    assert.equal(counts[0], count)
    assert.equal(pairs.find(entry => entry.pair.join('|') === pair.join('|')).count, count)
    assert.deepEqual(counts, counts.toSorted((a, b) => b - a))
    if (n % 12 === 0) {
      const json = JSON.parse(JSON.stringify(tokenizer))
      const shortened = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(
        { ...json, model: { ...json.model, merges: json.model.merges.slice(0, n) } }) })
      assert.deepEqual(words.flat(), shortened.encode(text).tokens)
    }
  })
  assert.deepEqual(gf.text.trainWordPiece('a b', { vocabSize: 9 }).replay('a b', 0).words, [])
  assertRejects(() => tokenizer.replay(text, 145), 'range', '145')
  assertRejects(() => tokenizer.replay(3, 0), 'type', 'text must be a string')
})

test('every step merges the most frequent pair, on small texts', () => {
  const { below, pick } = createRandom(11)
  for (let n = 0; n < 60; n++) {
    const word = () => Array.from({ length: 1 + below(6) }, () => pick([...'abcd'])).join('')
    const text = Array.from({ length: 4 + below(30) }, word).join(' ')
    const tokenizer = gf.text.trainBPE(text, { vocabSize: 256 + 40, minFrequency: 1 })
    tokenizer.merges.forEach(({ pair, count }, at) => {
      assert.equal(count, tokenizer.replay(text, at).pairs[0].count, `${text}: ${pair}, merge ${at}`)
    })
  }
})
