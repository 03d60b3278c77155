// The decoding room, step by step: at each step it displays the values that the run had then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stageData, makeDetachedRun } from '../lib/page.js'
import { ensureChoosable } from '../../web/models/decoding.js'

const makeRun = settings => makeDetachedRun({ ...settings })
const defaultRun = makeRun({})

test('without a step the whole answer is displayed', () => {
  const { steps, shares, prefixes, now, last } = stageData(defaultRun, 'decoding', {})
  assert.deepEqual([now, last, prefixes, shares.rows, steps.length], [-1, 11, [], 12, 12])
})

test('a step displays the tokens that the decoder was given, and the probabilities so far', () => {
  for (const step of [0, 4, 11]) {
    const { prefixes, shares, last } = stageData(defaultRun, 'decoding', { step })
    assert.deepEqual(prefixes, [{ tokens: defaultRun.streams.target.tokens[0].slice(0, step + 1) }])
    const { rows: rowCount, rowLabels, values } = shares
    assert.deepEqual([rowCount, rowLabels.length, values.length], [step + 1, step + 1, (step + 1) * 16])
    assert.equal(last, step)
  }
})

test('the values of a step equal those of a decoder that was given only the tokens up to that step', () => {
  for (const step of [0, 3, 8]) {
    const upTo = defaultRun.decoding.steps.slice(0, step + 1).map(({ id }) => id)
    const short = makeRun({ target: upTo })
    const [wholeRunValues, shortRunValues] = [defaultRun, short].map(({ tensors }) => (
      tensors.get('sampling.output').data.slice(step * 16, (step + 1) * 16)))
    assert.deepEqual(shortRunValues, wholeRunValues)
  }
})

test('a random number falls on the segment of its token', () => {
  const { steps } = stageData(makeRun({ decoding: 'sample', temperature: 3, seed: 5 }), 'decoding', { step: 2 })
  for (const { pieces, sample } of steps) {
    const { start, share } = pieces.find(({ isChosen }) => isChosen)
    assert.ok(sample >= start - 1e-6 && sample <= start + share + 1e-6)
  }
})

test('a bar of 1,024 tokens has the segments that are wide enough to see, at their true positions', () => {
  const stories = makeRun({ model: 'stories', decoding: 'sample', temperature: 2, seed: 8 })
  const { steps } = stageData(stories, 'decoding', {}), shares = stories.tensors.get('sampling.output')
  const [firstRow] = stories.decoding.rows
  for (const { step, tokenId, pieces } of steps) {
    const from = (firstRow + step) * 1024, row = shares.data.subarray(from, from + 1024)
    const sorted = [...row].sort((a, b) => b - a), visibleCount = sorted.filter(share => share > 1e-3).length
    assert.ok(pieces.length === visibleCount + Number(row[tokenId] <= 1e-3) && pieces.length < 300,
      `${pieces.length} of ${visibleCount}`)
    const { start, share } = pieces.find(({ isChosen }) => isChosen)
    const before = sorted.slice(0, sorted.indexOf(share)).reduce((sum, item) => sum + item, 0)
    assert.ok(start > before - 1e-6, `${start} for ${before}`)
  }
})

test('the beam tree grows with the steps, and its branches are the live beams', () => {
  const beam = makeRun({ decoding: 'beam', beams: 3, temperature: 2 })
  const allSteps = stageData(beam, 'decoding', {})
  for (const step of [0, 1, 5, 11]) {
    const { nodes, best, prefixes } = stageData(beam, 'decoding', { step })
    assert.deepEqual(nodes, allSteps.nodes.filter(node => node.step <= step))
    assert.equal(nodes[best].step, step)
    assert.equal(nodes[best].token, beam.decoding.steps[step].token)
    assert.ok(prefixes.every(({ tokens }) => tokens.length === step + 1 && tokens[0] === '<s>'))
    const before = allSteps.nodes.filter(node => node.step === step - 1 && node.isKept && !node.isEnd)
    const followed = step ? before : [{ score: 0 }]
    assert.deepEqual(prefixes.map(({ score }) => score).sort(), followed.map(({ score }) => score).sort())
  }
})

test('a row of NaN, or of −∞ alone, allows the first token; any other row is unchanged', () => {
  for (const row of [[NaN, 1, 5], [0, NaN, 9], [-Infinity, -Infinity, -Infinity]]) {
    assert.deepEqual([...ensureChoosable(Float32Array.from(row))], [0, -Infinity, -Infinity])
  }
  const specialValues = Float32Array.from([1, Infinity, -Infinity])
  assert.equal(ensureChoosable(specialValues), specialValues)
})
