// Changes of logits before a token is chosen: repetition penalty, repeated n-grams, a minimum length, min-p, stop texts
// and several sequences, as in Hugging Face's generate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processLogits } from '../../src/js/decoding/process_logits.js'
import { assertRejects, gf } from '../lib/engine.js'

const { decoding } = gf, F = gf.functional, V = 6
gf.manualSeed(11)
const table = gf.randn([V, V]).mul(3)
/** The logits of the next token depend on the last one. */
const model = rows => F.embedding(rows, table)
const generate = (ids, options) => decoding.generate(model, ids, { maxNewTokens: 12, cache: false, ...options })
const process = (row, ids, newCount, options) => {
  const values = Float32Array.from(row)
  processLogits(values, ids, newCount, { repetitionPenalty: 1, noRepeatNgramSize: 0, minNewTokens: 0, ...options }, [4])
  return Array.from(values)
}

test('a repetition penalty divides positive logits of tokens that occurred and multiplies negative ones', () => {
  assert.deepEqual(process([2, -2, 4, -4, 0, 1], [0, 1, 1, 4], 2, { repetitionPenalty: 2 }), [1, -4, 4, -4, 0, 1])
  assert.deepEqual(process([2, -2, 4, -4, 0, 1], [0, 1], 2, { repetitionPenalty: 0.5 }), [4, -1, 4, -4, 0, 1])
  assert.deepEqual(process([2, -2], [7], 1, { repetitionPenalty: 2 }), [2, -2], 'ids beyond the vocabulary')
})

test('no n-gram occurs twice', () => {
  const forbidden = (ids, noRepeatNgramSize) => process(Array(V).fill(0), ids, 1, { noRepeatNgramSize })
    .flatMap((value, id) => (value === -Infinity ? [id] : []))
  assert.deepEqual(forbidden([1, 2, 3, 1, 2], 3), [3])
  assert.deepEqual(forbidden([1, 2, 3, 1, 2], 2), [3])
  assert.deepEqual(forbidden([1, 2, 3, 1], 1), [1, 2, 3])
  assert.deepEqual(forbidden([1, 2], 3), [])
  assert.deepEqual(forbidden([1], 2), [])
  for (const beams of [1, 3]) for (const noRepeatNgramSize of [2, 3]) {
    const all = [0, ...generate([0], { noRepeatNgramSize, beams })]
    const grams = all.slice(noRepeatNgramSize - 1).map((_, i) => all.slice(i, i + noRepeatNgramSize).join())
    assert.equal(new Set(grams).size, grams.length, all.join())
  }
})

test('no end token comes before minNewTokens', () => {
  const free = generate([0], {}), [, end] = free
  assert.equal(generate([0], { end }).at(-1), end)
  const ids = generate([0], { end, minNewTokens: 5 })
  assert.ok(ids.length > 5 && !ids.slice(0, 5).includes(end), ids.join())
  assert.deepEqual(process(Array(V).fill(1), [1], 4, { minNewTokens: 4 }), Array(V).fill(1))
})

test('min-p removes tokens less probable than a part of the most probable one', () => {
  const row = [3, 2.5, 2, 0, -1, 1], softmax = row.map(Math.exp), max = Math.max(...softmax)
  for (const minP of [0, 0.1, 0.3, 0.7, 1]) {
    const expected = row.map((_, id) => id).filter(id => softmax[id] >= minP * max)
    const { ids, probabilities } = decoding.filterLogits(gf.tensor(row), { minP })
    assert.deepEqual(Array.from(ids).sort(), expected)
    assert.ok(Math.abs(probabilities.reduce((a, b) => a + b) - 1) < 1e-6)
  }
  assert.deepEqual(Array.from(decoding.filterLogits(row, { topP: 0.5, minP: 0.1 }).ids), [0, 1])
})

test('stop texts end the generation', () => {
  const tokenizer = { decode: ids => ids.map(id => 'abcdef'[id]).join('') }, free = generate([0], {})
  const text = tokenizer.decode(free), stop = text.slice(3, 5)
  for (const given of [stop, ['zz', stop]]) {
    const ids = generate([0], { stop: given, tokenizer })
    assert.equal(tokenizer.decode(ids), text.slice(0, text.indexOf(stop) + 2))
  }
  assertRejects(() => generate([0], { stop: 'a' }), 'type', 'stop needs tokenizer')
  assertRejects(() => generate([0], { stop: '', tokenizer }), 'type', 'stop must be a text')
})

test('several sequences for a prompt', () => {
  const sampled = generate([0], { temperature: 3, seed: 3, numReturnSequences: 3 })
  assert.equal(sampled.length, 3)
  assert.deepEqual(sampled[0], generate([0], { temperature: 3, seed: 3 }))
  assert.notDeepEqual(sampled[0], sampled[1])
  const several = generate([[0], [1]], { temperature: 3, seed: 3, numReturnSequences: 2 })
  assert.deepEqual(several.map(list => list.length), [2, 2])
  const beams = generate([0], { beams: 4, numReturnSequences: 3, end: 5 })
  assert.equal(beams.length, 3)
  assert.deepEqual(beams[0], generate([0], { beams: 4, end: 5 }))
  assert.deepEqual(generate([0], { numReturnSequences: 1 }), [generate([0], {})])
  assertRejects(() => generate([0], { numReturnSequences: 2 }), 'range', 'needs sampling or at least as many beams')
  assertRejects(() => generate([0], { beams: 2, numReturnSequences: 3 }), 'range', 'got 3 and 2')
})

test('a length penalty of 1 is the default: scores are means of log probabilities', () => {
  const options = { beams: 6, end: 5, maxNewTokens: 5 }
  const { tree, best } = decoding.decode(model, [0], { ...options, cache: false })
  const isFinal = ({ isKept, isEnd, step }) => isKept && (isEnd || step === 4)
  const mean = ({ score, step }) => score / (step + 1)
  assert.equal(mean(tree[best]), Math.max(...tree.filter(isFinal).map(mean)))
  assert.deepEqual(generate([0], options), generate([0], { ...options, lengthPenalty: 1 }))
})

test('at the length limit open beams compete with ended ones, as in Hugging Face', () => {
  const reader = rows => gf.tensor(rows.map(() => [[5, 0, 4]]))
  for (const lengthPenalty of [0, 1]) {
    assert.deepEqual(gf.decoding.generate(reader, [1], { maxNewTokens: 2, beams: 2, end: 2, lengthPenalty }), [0, 0])
  }
})

test('a beam takes no forbidden token; where none is left, that is an error, as in greedy decoding', () => {
  const reader = rows => gf.zeros([rows.length, 1, 4])
  for (const limits of [{ noRepeatNgramSize: 1 }, { minNewTokens: 2, end: [0, 1, 2, 3] }]) for (const beams of [1, 2]) {
    const options = { maxNewTokens: 6, beams, ...limits }
    assertRejects(() => gf.decoding.generate(reader, [1], options), 'range', 'one of the logits must be above')
  }
  const ids = gf.decoding.generate(reader, [1], { maxNewTokens: 3, beams: 2, noRepeatNgramSize: 1 })
  assert.deepEqual(ids.toSorted(), [0, 2, 3])
})

test('wrong options are refused', () => {
  for (const [options, ...words] of [[{ repetitionPenalty: 0 }, 'repetitionPenalty'], [{ noRepeatNgramSize: -1 }, 'noRepeatNgramSize'],
    [{ minNewTokens: 1.5 }, 'minNewTokens'], [{ minP: 2 }, 'minP']]) assertRejects(() => generate([0], options), 'range', ...words)
})
