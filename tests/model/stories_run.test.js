// Runs of the stories model, which continues any beginning.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexBytes } from '../../src/training/models/token_text.js'
import { BEGINNINGS } from '../../src/training/models/stories/beginnings.js'
import { stories } from '../../web/models/stories/index.js'
import { pageRun, makeDetachedRun } from '../lib/page.js'

/** A run of the stories model, and its answer as text. */
const generateStory = (settings, edits) => {
  const run = makeDetachedRun({ model: 'stories', ...settings }, edits)
  return { run, text: stories.written(run.decoding.steps.map(({ token }) => token)) }
}

test('every suggested beginning is continued to an end', () => {
  for (const [language, beginning] of BEGINNINGS) {
    const { run, text } = generateStory({ beginning })
    assert.equal(run.decoding.steps.at(-1).token, '<end>', `${beginning}: ${text}`)
    assert.ok(text.length > 10, text)
    assert.equal(stories.written(run.streams.text.tokens[0].slice(0, run.decoding.rows[0] + 1)), beginning)
    assert.match(text, language === 'ko' ? /[가-힣]/ : /[a-z]/)
  }
})

test('sampling depends on the seed only', () => {
  const storyOf = seed => generateStory({ decoding: 'sample', seed, beginning: '비가 와요.' }).text
  const all = [1, 2, 3, 4, 5].map(storyOf)
  assert.ok(new Set(all).size > 1)
  assert.deepEqual([1, 2, 3, 4, 5].map(storyOf), all)
})

test('unknown characters become byte tokens, which are decoded to characters again', () => {
  for (const beginning of ['', ' ', '👍🏽', '뷁', 'e\u0301', '한글', '\ud83d', 'x'.repeat(500), '<end>']) {
    const { run } = generateStory({ beginning })
    assert.ok(run.decoding.steps.length > 0, JSON.stringify(beginning))
    assert.ok(!run.streams.text.tokens[0].some(token => token.includes('\ufffd')), JSON.stringify(beginning))
  }
  const bytes = new TextEncoder().encode('뷁')
  assert.equal(stories.written([hexBytes(bytes.slice(0, 1)), hexBytes(bytes.slice(1)), '␣a']), '뷁 a')
})

test('an untrained combination of settings is sampled from the seed, and every trained one tells a story', () => {
  const { run: untrained } = generateStory({ norm: 'rms', kvHeads: 1 })
  assert.equal(untrained.isTrained, false)
  assert.notEqual(generateStory({ norm: 'rms', kvHeads: 1, seed: 7 }).text, generateStory({ norm: 'rms', kvHeads: 1 }).text)
  for (const { settings } of stories.variants) {
    const { run, text } = generateStory({ ...settings, beginning: 'Julia went to the' })
    assert.equal(run.isTrained, true)
    assert.equal(run.decoding.steps.at(-1).token, '<end>', `${JSON.stringify(settings)}: ${text}`)
    assert.equal(generateStory({ ...settings, seed: 7, beginning: 'Julia went to the' }).text, text, 'trained weights do not depend on the seed')
  }
})

test('the tokens generated step by step are those of one pass over the whole text', () => {
  const { run } = generateStory({})
  const ids = run.decoding.steps.map(({ id }) => id)
  const { shape: [, , V], data } = run.tensors.get('output')
  run.decoding.rows.forEach((row, t) => {
    const logits = data.slice(row * V, (row + 1) * V)
    assert.equal(logits.indexOf(Math.max(...logits)), ids[t])
  })
  assert.deepEqual(run.passes.map(({ kind }) => kind), ['prefill', ...ids.map(() => 'token')])
})

test('the gradient of a tied embedding equals the slope of the loss', () => {
  const run = pageRun({ model: 'stories', target: '갔어요' })
  const cell = { name: 'embedding.weight', index: [run.decoding.steps[0].id, 3] }
  const { value, computed, terms } = run.explainGradient(cell.name, cell.index)
  assert.ok(terms.length > 0 && Math.abs(value - computed) < 1e-5 * (1 + Math.abs(value)))
  const at = run.workerRun.run.tensor(cell.name).at(...cell.index)
  const [high, low] = [1, -1].map(sign => makeDetachedRun({ model: 'stories', target: '갔어요' },
    [{ ...cell, value: at + sign / 64 }]).loss)
  assert.ok(Math.abs((high - low) * 32 - value) < 0.03 * Math.abs(value) + 1e-3, `${(high - low) * 32} ${value}`)
  run.dispose()
})
