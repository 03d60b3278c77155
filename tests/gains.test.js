// Whether calls are divided among threads is chosen by time: on a clock that only the calls move.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gains } from '../src/js/threads/gains.js'

/** Calls with the times that both ways take; how many of them were divided. */
function createCalls(t) {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const gains = new Gains()
  return (count, work, alone, divided, canDivide = () => true) => {
    let dividedCount = 0
    for (let i = 0; i < count; i++) {
      let ran = 0
      gains.run(work, () => canDivide(i) && (ran++, dividedCount++, now += divided, true), () => (ran++, now += alone))
      assert.equal(ran, 1, 'each call is computed once')
    }
    return dividedCount
  }
}

test('calls are divided where that is faster, and not where it is slower', t => {
  const call = createCalls(t)
  assert.ok(call(2000, 1e6, 10, 6) > 1950)
  assert.ok(call(2000, 4e7, 10, 20) < 60)
  assert.ok(call(2000, 1e6, 10, 6) > 1950, 'each size for itself')
})

test('what gains nothing leaves the other core free', t => {
  assert.ok(createCalls(t)(2000, 1e6, 10, 9.8) < 60)
})

test('the choice changes when the times do', t => {
  const call = createCalls(t)
  call(500, 1e6, 10, 20)
  assert.ok(call(3000, 1e6, 10, 5) > 1500)
  assert.ok(call(3000, 1e6, 10, 20) < 60, 'a loss is noticed at the next trial')
})

test('a call that cannot be divided counts for neither way', t => {
  const call = createCalls(t)
  assert.equal(call(100, 1e6, 1, 5, () => false), 0)
  assert.ok(call(2000, 1e6, 10, 5) > 1900, 'short times of those calls are forgotten')
})

test('single slow calls, during which another program had the core, do not end dividing', t => {
  let now = 0, divided = 0
  t.mock.method(performance, 'now', () => now)
  const gains = new Gains()
  for (let i = 0; i < 5000; i++) gains.run(1e6, () => (now += divided++ % 50 ? 6 : 200, true), () => (now += 10))
  assert.ok(divided > 4500, `${divided}`)
})

test('the call that wakes the workers does not count', t => {
  let now = 0, isAwake = false, divided = 0
  t.mock.method(performance, 'now', () => now)
  const gains = new Gains()
  for (let i = 0; i < 2000; i++) {
    gains.run(1e6, () => {
      now += isAwake ? 6 : 30
      isAwake = true
      return ++divided > 0
    }, () => {
      now += 10
      isAwake = false
    })
  }
  assert.ok(divided > 1900, `${divided}`)
})
