// A step of generation with and without a cache: multiply-adds and bytes compared with formulas, and results bit by
// bit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareCache } from '../../web/worker/cache_comparison.js'
import { gf } from '../lib/engine.js'
import { makeRun } from '../lib/page.js'

/** The steps of an answer. */
function steps(settings) {
  const one = makeRun(settings), { rows } = one.decoding
  const ask = row => compareCache(gf, one, { read: rows[0] + 1, row })
  return { one, rows, ask, free: () => one.run.dispose() }
}

const SAME = {
  'dates': {}, 'dates, learned positions': { positions: 'learned' }, 'dates, norm first': { normFirst: true, weights: 'untrained' },
  'dates, in training': { training: true, dropout: 0.3 }, 'dates, a text that was given': { target: '1999년 5월' },
  'stories': { model: 'stories' }, 'stories, learned positions': { model: 'stories', positions: 'learned' },
  'stories, rotary, shared heads, gated': { model: 'stories', positions: 'rotary', norm: 'rms', kvHeads: 2, activation: 'swiglu' },
  'what comes again': { model: 'induction' }, 'a text of one\'s own': { model: 'text' }, 'a Llama in files': { model: 'own', beginning: '3 1 4 1 5' }
}

for (const [name, settings] of Object.entries(SAME)) {
  test(`${name}: both have the same bits at every step`, () => {
    const { rows, ask, free } = steps(settings)
    for (const row of rows) {
      const { compared, identical } = ask(row)
      assert.equal(identical, compared, `row ${row}`)
      assert.ok(compared > (settings.model === 'induction' ? 40 : 80))
    }
    free()
  })
}

/** The multiply-adds of a decoder layer for T new positions, which attend to `pairs` positions in total. */
const products = (T, pairs, C, F) => 4 * T * C * C + 2 * pairs * C + 2 * T * C * F

test('stories: multiply-adds and bytes equal the formulas', () => {
  const { one, rows, ask, free } = steps({ model: 'stories' })
  const [C, F, V, layers] = [40, 96, 1024, 2], read = rows[0] + 1
  assert.equal(one.run.tensor('embedding.weight').shape.join(), [V, C].join())
  for (const row of rows) {
    const all = row + 1, added = all > read ? 1 : all, { multiplyAdds, bytes } = ask(row)
    assert.equal(multiplyAdds.cached, layers * products(added, added * all, C, F) + C * V)
    assert.equal(multiplyAdds.full, layers * products(all, all * all, C, F) + C * V)
    assert.deepEqual(bytes, { generated: 4 * 2 * layers * all * C, source: 0 })
  }
  free()
})

test('dates: keys and values of the source are cached, too, and computed once', () => {
  const { one, rows, ask, free } = steps({})
  const [C, F, layers] = [32, 64, 2], { source, target } = one.run.streams
  const S = source.tokens[0].length, V = target.vocabulary.length
  const cross = T => 2 * T * C * C + 2 * T * S * C, memory = 2 * S * C * C
  for (const row of rows) {
    const T = row + 1, { multiplyAdds, bytes } = ask(row), made = row === 0 ? memory : 0
    assert.equal(multiplyAdds.cached, layers * (products(1, T, C, F) + cross(1) + made) + C * V)
    assert.equal(multiplyAdds.full, layers * (products(T, T * T, C, F) + cross(T) + memory) + C * V)
    assert.deepEqual(bytes, { generated: 4 * 2 * layers * T * C, source: 4 * 2 * layers * S * C })
  }
  free()
})

test('grouped queries need a smaller cache', () => {
  const shared = steps({ model: 'stories', kvHeads: 1 }), own = steps({ model: 'stories' })
  const [few, many] = [shared, own].map(({ rows, ask }) => ask(rows[0]).bytes.generated)
  assert.equal(few * 4, many)
  shared.free()
  own.free()
})

test('without the causal mask cached values are outdated, and the number of equal values is reported', () => {
  const { rows, ask, free } = steps({ tgtIsCausal: false })
  assert.equal(ask(rows[0]).identical, ask(rows[0]).compared)
  const { compared, identical } = ask(rows[3])
  assert.ok(identical < compared && identical > 0, `${identical} of ${compared}`)
  free()
})

test('a model with a built-in fault is not compared', () => {
  const { ask, free } = steps({ fault: 'swapped' })
  assert.equal(ask(2), null)
  free()
})

test('the comparison does not change the model and leaks no memory', () => {
  const { one, rows, ask, free } = steps({ training: true, dropout: 0.3 })
  const flags = () => Array.from(one.continuation.model.namedModules(), ([, { training }]) => training)
  gf.engine.collector.pause() // a sweep would free what earlier tests left
  const before = flags(), gradient = one.run.gradient('output.weight'), { bytes, tensors } = gf.memory()
  rows.forEach(ask)
  assert.deepEqual([gf.memory().bytes, gf.memory().tensors], [bytes, tensors])
  gf.engine.collector.resume()
  assert.deepEqual(flags(), before)
  assert.ok(before.includes(true))
  assert.deepEqual(one.run.gradient('output.weight'), gradient)
  free()
})
