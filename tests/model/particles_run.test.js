// Runs of the model of missing words: the answer, edits, gradients and invalid inputs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from '../../web/models/index.js'
import { SENTENCES } from '../../web/models/particles/index.js'
import { defaults } from '../../web/models/state.js'
import { pageRun, makeDetachedRun } from '../lib/page.js'

const words = (settings, edits) => makeDetachedRun({ model: 'particles', ...settings },
  edits).decoding.steps.map(({ token }) => token)

test('the example sentences have right answers', () => {
  const right = [['을'], ['를'], ['로', '에'], ['은', '이'], ['와'], ['are', 'were'], ['is', 'was']]
  SENTENCES.forEach(([, gapped], i) => {
    const [word] = words({ gapped })
    assert.ok(right[i].includes(word), `${gapped}: ${word}`)
  })
})

test('several gaps are filled at once, and words of the user get a loss', () => {
  const run = makeDetachedRun({ model: 'particles', gapped: '나[?] 빵[?] 먹었다' })
  assert.equal(run.decoding.rows.length, 2)
  assert.deepEqual(run.decoding.rows.map(row => run.streams.text.tokens[0][row]), ['[?]', '[?]'])
  const given = makeDetachedRun({ model: 'particles', gapped: '나[?] 빵[?] 먹었다', target: '를 과' })
  assert.deepEqual([given.decoding.kind, given.decoding.steps.map(({ token }) => token)], ['given', ['를', '과']])
  assert.ok(given.loss > run.loss)
})

test('only rows of gaps get a gradient from the loss', () => {
  const run = pageRun({ model: 'particles' })
  const gradient = run.gradient('output')
  const [row] = run.decoding.rows
  const V = run.tensors.get('output').shape[2]
  gradient.forEach((d, i) => assert.equal(d !== 0, Math.floor(i / V) === row))
  run.dispose()
})

test('edits change the word', () => {
  const { rows } = makeDetachedRun({ model: 'particles' }).decoding
  const index = makeDetachedRun({ model: 'particles' }).streams.answer.vocabulary.indexOf('과')
  for (const name of ['output', 'sampling.tempered', 'sampling.output']) {
    assert.deepEqual(words({}, [{ name, index: [0, rows[0], index], value: 60 }]), ['과'], name)
  }
})

test('invalid inputs are reported', () => {
  const found = patch => problemsOf({ ...defaults('particles'), ...patch })
  assert.deepEqual(found({}), {})
  assert.equal(found({ gapped: '빵을 먹었다' }).gapped.key, 'errors.noGap')
  assert.equal(found({ gapped: ' ' }).gapped.key, 'errors.emptySource')
  assert.equal(found({ gapped: `${'가'.repeat(80)}[?]` }).gapped.key, 'errors.tooLong')
  assert.equal(found({ target: '을 를' }).target.key, 'errors.gaps')
  assert.deepEqual(found({ target: '오늘' }).target, { key: 'errors.unknown', values: { word: '오늘' } })
  for (const gapped of ['👍🏽[?]', '한글[?]', '[?]', 'e\u0301[?]']) assert.deepEqual(found({ gapped }), {}, gapped)
  for (const gapped of ['👍🏽[?]', '[?]', '뷁[?]']) assert.equal(words({ gapped }).length, 1)
})
