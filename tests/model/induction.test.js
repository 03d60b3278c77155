// The induction model: its data, its tokens, and what its committed weights and their heads do, measured independently.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BEGINNINGS, IGNORE_INDEX, batchOf, heldOutSequences, isHeldOut, sequences } from '../../src/training/models/induction/data.js'
import { headScores } from '../../src/training/models/induction/measure.js'
import { createInduction } from '../../src/training/models/induction/model.js'
import { LONGEST, START_ID, TOKENS, encode, unknownWord } from '../../src/training/models/induction/tokens.js'
import { createSession } from '../../src/training/session.js'
import { defaultsOf } from '../../src/training/settings.js'
import { gf } from '../lib/engine.js'
import { headScores as headScoresOfRun } from '../../web/worker/head_scores.js'
import { makeDetachedRun, makeRun } from '../lib/page.js'

const WEIGHTS = fileURLToPath(new URL('../../web/models/induction/induction.safetensors', import.meta.url))
const { tensors, metadata } = gf.loadSafetensors(readFileSync(WEIGHTS))
const model = createInduction(gf)
model.loadStateDict(tensors)
model.eval()

const largest = row => row.indexOf(Math.max(...row))
/** The likeliest next token after each position. */
const predict = rows => gf.tidy(() => gf.noGrad(() => model.forward(rows).toArray().map(row => row.map(largest))))

/** Blocks of random tokens twice, by a generator of their own, and the tokens' own numbers in no other order. */
function repeatedBlocks(count, size) {
  let state = 12345
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  return Array.from({ length: count }, () => {
    const left = TOKENS.map((_, id) => id).filter(id => id !== START_ID)
    const block = Array.from({ length: size }, () => left.splice(Math.floor(next() * left.length), 1)[0])
    return [START_ID, ...block, ...block]
  })
}

test('every token is distinct, and texts in both languages are read with and without spaces', () => {
  assert.equal(new Set(TOKENS.map(token => token.toLowerCase())).size, TOKENS.length)
  const tokensOf = text => encode(text).map(id => TOKENS[id]).slice(1)
  assert.deepEqual(tokensOf('하준 사과  미나'), ['하준', '사과', '미나'])
  assert.deepEqual(tokensOf('가나다 abc kara 31'), ['가', '나', '다', 'A', 'B', 'C', 'Kara', '3', '1'])
  assert.deepEqual([unknownWord('가 나 뷁'), unknownWord('A B'), unknownWord('<start> A')], ['뷁', undefined, '<start>'])
  assert.throws(() => encode('가 뷁'), /'뷁' is not a token/)
  assert.equal(encode('A '.repeat(100)).length, LONGEST)
  assert.equal(encode('A '.repeat(100), 8).length, LONGEST - 8)
})

test('a target is always a token that followed the same token before; held-out neighbors are in no training sequence', () => {
  let targets = 0
  for (const list of [sequences(3, 400), heldOutSequences(3, 100)]) {
    const { input, target } = batchOf(list)
    assert.ok(input.every(row => row.length === LONGEST && row[0] === START_ID && !row.slice(1).includes(START_ID)))
    input.forEach((row, b) => row.forEach((id, at) => {
      const wanted = target[b * LONGEST + at]
      if (wanted === IGNORE_INDEX) return
      targets += 1
      assert.ok(row.some((other, n) => n < at && other === id && row[n + 1] === wanted), `${row} at ${at}`)
    }))
  }
  assert.ok(targets > 10_000, String(targets))
  const neighbors = ({ ids }) => ids.slice(1).map((id, i) => [ids[i], id])
  for (const item of sequences(5, 500)) assert.ok(neighbors(item).every(([a, b]) => !isHeldOut(a, b)))
  heldOutSequences(7, 40).forEach((item, n) => {
    const heldOut = neighbors(item).filter(([a, b]) => isHeldOut(a, b)).length
    assert.ok(n % 4 ? heldOut === LONGEST - 1 : heldOut >= LONGEST / 2, `${n}: ${heldOut}`)
  })
})

test('the second time around a block it has never seen, the model is right at every token', () => {
  for (const size of [3, 8, 20]) {
    const rows = repeatedBlocks(50, size), answers = predict(rows)
    let right = 0
    rows.forEach((row, n) => {
      for (let at = size + 1; at < 2 * size; at++) right += answers[n][at] === row[at + 1]
    })
    const share = right / (50 * (size - 1))
    assert.ok(share >= 0.99, `blocks of ${size}: ${share}`)
  }
})

test('one head of layer 0 attends to the token before, one of layer 1 to the token that came after the first time', () => {
  const size = 20, rows = repeatedBlocks(40, size)
  const { trace } = gf.trace(() => gf.noGrad(() => model.forward(rows)))
  const mean = (layer, positions, attended) => {
    const all = trace.get(`decoder.layers.${layer}.self_attn.weights`).toArray()
    return all[0].map((_, head) => (
      all.flatMap(row => positions.map(at => row[head][at][attended(at)])).reduce((sum, x) => sum + x, 0) /
      (rows.length * positions.length)))
  }
  const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i)
  const previous = mean(0, range(1, 2 * size + 1), at => at - 1)
  const induction = mean(1, range(size + 1, 2 * size + 1), at => at - size + 1)
  trace.dispose()
  assert.ok(Math.max(...previous) > 0.9, `previous token: ${previous}`)
  assert.ok(Math.max(...induction) > 0.9, `induction: ${induction}`)
})

test('the file is small, and its metadata has the scores that are measured again', () => {
  const { size } = statSync(WEIGHTS)
  assert.ok(size <= 300 * 1024, `${size} bytes`)
  assert.deepEqual(Object.keys(tensors).filter(name => /linear/.test(name)), [], 'no feed-forward network')
  assert.ok(Number(metadata['right.heldOut']) >= 0.99, metadata['right.heldOut'])
  const scores = headScores(gf, model, Number(metadata.seed), 64)
  assert.deepEqual(JSON.parse(metadata.previousTokenScores), scores.previous)
  assert.deepEqual(JSON.parse(metadata.inductionScores), scores.induction)
})

const ANSWERS = {
  '하준 사과 미나 배 하준': '사과', '가 나 다 라 마 바 가 나': '다', 'Kara tea Ben milk Kara': 'tea', 'A B C D A': 'B',
  '3 1 4 5 9 2 6 3': '1'
}

test('every example is answered with the token that followed before', () => {
  for (const [, beginning] of BEGINNINGS) {
    const run = makeDetachedRun({ model: 'induction', beginning })
    assert.equal(run.decoding.steps[0].token, ANSWERS[beginning], beginning)
    assert.ok(run.decoding.steps.length <= 8)
  }
})

test('the room of head scores finds both heads in every example, although its tokens repeat', () => {
  for (const [, beginning] of BEGINNINGS) {
    const pageRun = makeRun({ model: 'induction', beginning }), { count, layers } = headScoresOfRun(gf, pageRun)
    assert.equal(count, new Set(pageRun.run.streams.text.ids[0].slice(1)).size, beginning)
    assert.ok(layers[0].some(([previous]) => previous > 0.9), `${beginning}: ${layers[0]}`)
    assert.ok(layers[1].some(([, , after]) => after > 0.9), `${beginning}: ${layers[1]}`)
    pageRun.run.dispose()
  }
})

test('a training records both scores at every evaluation', () => {
  const session = createSession(gf, { ...defaultsOf('induction'), batch: 4, dModel: 16, steps: 25 })
  for (let n = 0; n < 25; n++) session.step()
  const { evaluations } = session.history
  assert.deepEqual(evaluations.map(({ step }) => step), [0, 25])
  for (const { heads } of evaluations) {
    assert.deepEqual(Object.keys(heads), ['previous', 'induction'])
    for (const score of Object.values(heads)) assert.ok(score > 0 && score < 1, String(score))
  }
  session.dispose()
})
