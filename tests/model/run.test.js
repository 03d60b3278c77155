import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATES } from '../../web/state.js'
import { translation } from '../lib/translation.js'

const run = (settings) => translation({ target: '2026년 11월 20일', ...settings })
const changed = (one, other) => [...one.tensors.keys()].filter((name) => {
  const [a, b] = [one, other].map(({ tensors }) => tensors.get(name)?.data)
  return !b || a.length !== b.length || a.some((x, i) => !Object.is(x, b[i]))
})
const first = run({})

test('every way to write the date is translated, greedily and by beam search', () => {
  for (const source of DATES) {
    for (const decoding of ['greedy', 'beam']) {
      const { decoding: { steps } } = run({ source, target: null, decoding })
      assert.equal(steps.map(({ token }) => token).join(''), '2026년11월20일</s>', `${source} ${decoding}`)
    }
  }
})

test('each switch changes what follows it and nothing before it', () => {
  const cases = {
    positional: [{ positional: false }, /^(source|target)_embedding/],
    scale: [{ scale: false }, /embedding|positions|encoder\.layers\.0\.self_attn\.([qkv]$|dots|in_proj)/],
    activation: [{ activation: 'gelu' }, /embedding|positions|encoder\.layers\.0\.(self_attn|norm1|residual1|linear1)/],
    temperature: [{ temperature: 2 }, /^(?!softmax|choice)/],
    topP: [{ topP: 0.5 }, /^(?!choice)/],
    topK: [{ topK: 2 }, /^(?!choice)/]
  }
  for (const [name, [settings, before]] of Object.entries(cases)) {
    const names = changed(first, run(settings))
    assert.ok(names.length > 0, name)
    assert.deepEqual(names.filter((one) => before.test(one)), [], name)
  }
  assert.deepEqual(changed(first, run({})), [])
})

test('dots times the scale are the scores, bit for bit', () => {
  const scale = Math.fround(1 / Math.sqrt(8))
  for (const [name, { data }] of first.tensors) {
    if (!name.endsWith('.dots')) continue
    const scores = first.tensors.get(name.replace(/dots$/, 'scores')).data
    data.forEach((dot, i) => assert.equal(Math.fround(dot * scale), scores[i], name))
  }
})
