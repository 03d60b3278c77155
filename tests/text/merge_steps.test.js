// mergesInto and replay, compared with the merges of the training and with the kernel with only the earlier merges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stories } from '../../web/models/stories/data.js'
import { drawFrom } from '../../web/models/draw.js'
import { assertRejects, gf } from '../lib/engine.js'

const texts = stories(11, 1000, { names: 'plain' }).map(text => ` ${text}`)
const trained = gf.text.trainBPE([...texts.slice(0, 400), ' 각각의 각 나라 나라마다 🍎🍎'], { vocabSize: 700, specials: ['<end>'] })
const mine = JSON.parse(JSON.stringify(trained))

/** The tokenizer with only the first `count` merges. */
const after = count => gf.text.tokenizer({
  'tokenizer.json': JSON.stringify({ ...mine, model: { ...mine.model, merges: mine.model.merges.slice(0, count) } })
})
const plain = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(mine) })
const utf8 = new TextDecoder('utf-8', { fatal: true })

test('mergesInto builds every token of 1,000 texts by the merges of the training, the lowest rank first', () => {
  const { merges } = trained, ranks = new Map(merges.map(({ pair }, rank) => [pair.join('|'), rank]))
  let count = 0
  for (const text of texts) for (const id of trained.encode(text).ids) {
    const steps = trained.mergesInto(id)
    assert.deepEqual(plain.mergesInto(id).map(({ rank }) => rank), steps.map(({ rank }) => rank))
    if (steps.length) assert.equal(steps.at(-1).token, trained.tokenOf(id))
    else assert.equal([...trained.tokenOf(id)].length, 1)
    for (const { pieces, at, rank, token, count: times } of steps) {
      const { pair, token: made, count: known } = merges[rank]
      assert.deepEqual([pair, made, known], [pieces.slice(at, at + 2), token, times])
      const others = pieces.slice(1).map((right, i) => ranks.get(`${pieces[i]}|${right}`) ?? Infinity)
      assert.equal(Math.min(...others), rank)
      count += 1
    }
  }
  assert.ok(count > 50000, `${count}`)
})

test('the pieces before a merge are what the kernel produces with only the earlier merges', () => {
  const whole = trained.merges.map(({ ids }) => ids[2]).filter((id, i) => i % 7 === 0)
  let count = 0
  for (const id of whole) {
    let text
    try {
      text = utf8.decode(trained.bytesOf(id))
    } catch {
      continue
    }
    for (const { pieces, rank } of trained.mergesInto(id)) {
      const { ids } = after(rank).encode(text)
      assert.deepEqual(ids.map(one => trained.tokenOf(one)), pieces, text)
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
  const own = gf.text.trainBPE(text, { vocabSize: 400 })
  assert.equal(own.merges.length, 144)
  own.merges.forEach(({ pair, count }, n) => {
    const { words, pairs } = own.replay(text, n)
    assert.equal(pairs[0].count, count)
    assert.equal(pairs.find(one => one.pair.join('|') === pair.join('|')).count, count)
    assert.deepEqual(pairs.map(one => one.count), pairs.map(one => one.count).sort((a, b) => b - a))
    if (n % 12 === 0) {
      const json = JSON.parse(JSON.stringify(own))
      const cut = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(
        { ...json, model: { ...json.model, merges: json.model.merges.slice(0, n) } }) })
      assert.deepEqual(words.flat(), cut.encode(text).tokens)
    }
  })
  assert.deepEqual(gf.text.trainWordPiece('a b', { vocabSize: 9 }).replay('a b', 0).words, [])
  assertRejects(() => own.replay(text, 145), 'range', '145')
  assertRejects(() => own.replay(3, 0), 'type', 'text must be a string')
})

test('every step merges the most frequent pair, on small texts', () => {
  const { below, pick } = drawFrom(11)
  for (let n = 0; n < 60; n++) {
    const word = () => Array.from({ length: 1 + below(6) }, () => pick([...'abcd'])).join('')
    const text = Array.from({ length: 4 + below(30) }, word).join(' ')
    const own = gf.text.trainBPE(text, { vocabSize: 256 + 40, minFrequency: 1 })
    own.merges.forEach(({ pair, count }, at) => {
      assert.equal(count, own.replay(text, at).pairs[0].count, `${text}: ${pair}, merge ${at}`)
    })
  }
})
