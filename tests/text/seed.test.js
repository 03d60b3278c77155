// The hash tables of the text kernels have a random seed, so that nobody can construct a file whose entries collide.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf, stream } from './text.js'

/** Processor time of a call in seconds, the minimum of four. @param {() => void} run */
function secondsOf(run) {
  const times = Array.from({ length: 4 }, () => {
    const start = process.cpuUsage()
    run()
    return process.cpuUsage(start).user
  })
  return Math.min(...times) / 1e6
}

/** Asserts that colliding input takes about as long as other input; without the seed it took 50 to 1000 times more. */
function assertSimilarTime(runColliding, runOther) {
  const [colliding, other] = [secondsOf(runColliding), secondsOf(runOther)]
  assert.ok(colliding < 8 * other + 0.05, `${colliding} s for colliding input, ${other} s for other input`)
}

const tokenizerOf = model => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model }) })

/** A token whose edges fall into few slots without a seed: each next character is the one with the lowest slot. */
function collidingToken(length) {
  const mask = 2 ** Math.ceil(Math.log2(1.5 * length)) - 1
  const slotOf = key => {
    const product = Math.imul(key, 0x9E3779B1) >>> 0
    return (product ^ product >>> 15) & mask
  }
  const letters = Array.from({ length: 26 }, (_, i) => 97 + i)
  return Array.from({ length }, (_, i) => {
    const slots = letters.map(letter => slotOf((i && i + 1) * 256 + letter))
    return String.fromCharCode(97 + slots.indexOf(Math.min(...slots)))
  }).join('')
}

test('encodes a token that was constructed to collide as fast as any other', () => {
  const read = token => tokenizerOf({ type: 'WordPiece', unk_token: 'u', vocab: { u: 0, [token]: 1 } })
  const length = 100000, token = collidingToken(length)
  assertSimilarTime(() => read(token), () => read('a'.repeat(length)))
  const below = stream(5), plain = Array.from(token, () => String.fromCharCode(97 + below(26))).join('')
  assertSimilarTime(() => gf.text.trainBPE(token, { vocabSize: 20000 }),
    () => gf.text.trainBPE(plain, { vocabSize: 20000 }))
})

test('reads merges that were constructed to collide as fast as others', () => {
  const letters = 2200, count = 50000, mask = 2 ** Math.ceil(Math.log2(2 * count)) - 1
  const slotOf = (left, right) =>
    Number((BigInt(left) << 32n | BigInt(right)) * 0x9E3779B97F4A7C15n >> 32n & BigInt(mask))
  const leftSlots = Array.from({ length: letters }, (_, left) => slotOf(left, 0)), pairs = []
  for (let right = 0; right < letters && pairs.length < count; right++) {
    const rightSlot = slotOf(0, right)
    for (let left = 0; left < letters; left++) {
      if ((leftSlots[left] + rightSlot & mask) < 2000) pairs.push([left, right])
    }
  }
  const model = merges => {
    const names = Array.from({ length: letters }, (_, i) => String.fromCodePoint(0x4e00 + i))
    const all = [...names, ...merges.map(([l, r]) => names[l] + names[r])]
    const vocab = Object.fromEntries(all.map((name, id) => [name, id]))
    return { type: 'BPE', vocab, merges: merges.map(([l, r]) => [names[l], names[r]]) }
  }
  assert.ok(pairs.length >= count)
  const chosen = model(pairs.slice(0, count))
  const plain = model(Array.from({ length: count }, (_, i) => [i % letters, Math.floor(i / letters)]))
  assertSimilarTime(() => tokenizerOf(chosen), () => tokenizerOf(plain))
})

test('counts tokens that were constructed to collide as fast as others', () => {
  const count = 20000, chosen = []
  for (let i = 0; chosen.length < count; i++) {
    const token = i.toString(36)
    let hash = 2166136261
    for (let k = 0; k < token.length; k++) hash = Math.imul(hash ^ token.charCodeAt(k), 16777619)
    if (((hash ^ hash >>> 15) & 0x7fff) < 256) chosen.push(token)
  }
  const plain = chosen.map((_, i) => (i * 128).toString(36))
  assertSimilarTime(() => new gf.text.Vocab([chosen]), () => new gf.text.Vocab([plain]))
})

test('no result depends on the seed', () => {
  const { engine } = gf, { seed } = engine, below = stream(3)
  const text = Array.from({ length: 4000 }, () => 'abcdefgh 한글éß😀'[below(14)] ?? ' ').join('')
  const results = [0, 1, 12345, 2 ** 32 - 1].map(value => {
    engine.seed = value
    const trained = [gf.text.trainBPE(text, { vocabSize: 400 }), gf.text.trainWordPiece(text, { vocabSize: 120 }),
      gf.text.trainUnigram(text, { vocabSize: 120 })]
    return JSON.stringify([...trained.map(tokenizer => [tokenizer, tokenizer.merges, tokenizer.encode(text).ids]),
      new gf.text.Vocab([text.split(' ')]).itos])
  })
  engine.seed = seed
  for (const result of results) assert.equal(result, results[0])
})
