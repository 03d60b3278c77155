// Cells on the page: what one puts out is limited where it is made and checked where it comes, and no worker that ends,
// hangs or answers nonsense stops the next run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MAX_CHARACTERS, MAX_POINTS, createRecorder, describeError, isOutcome
} from '../../web/notebooks/output.js'
import { Stopped, createRunner } from '../../web/notebooks/runner.js'
import { gf } from '../lib/engine.js'

test('plot accepts finite points of two or three coordinates, and reports anything else', () => {
  const { plot, outputs } = createRecorder()
  const refused = [
    [[], /at least one row, got none/],
    [[[NaN, 1], [Infinity, 2]], /finite numbers up to 1e300, got NaN in row 0/],
    [[[1, 2], [3, -Infinity]], /got -Infinity in row 1/], [[[1, 2], [3, 1e301]], /got 1e\+301 in row 1/],
    [[[1, 2], [1, 2, 3]], /row 0 has 2 numbers, row 1 has 3/], [[[1], [2]], /rows of 2 or 3 numbers/],
    [Array.from({ length: 200000 }, (_, i) => [i, i]), /at most 10000 points, got 200000/], [5, /rows of 2 or 3/],
    [undefined, /rows of 2 or 3/], [[['a', 'b']], /rows of 2 or 3/]
  ]
  for (const [points, message] of refused) assert.throws(() => plot(points), { message }, message.source)
  assert.deepEqual(outputs, [])
})

test('the number of plotted points is limited', () => {
  const recorder = createRecorder()
  recorder.plot(Array.from({ length: MAX_POINTS }, (_, i) => [i, i]))
  assert.throws(() => recorder.plot([[1, 2]]), /a cell may plot at most 10000 points/)
  recorder.reset()
  recorder.plot([[1, 2, 3]])
  assert.deepEqual(recorder.outputs, [{ kind: 'plot', points: [[1, 2, 3]] }])
})

test('the number of printed characters is limited, however many lines there are', () => {
  for (const text of ['x'.repeat(1e5), '']) {
    const recorder = createRecorder()
    assert.throws(() => { for (;;) recorder.print(text) }, /print: a cell may print at most 200000 characters/)
    assert.ok(recorder.outputs.length > 0)
    assert.ok(recorder.outputs.reduce((sum, one) => sum + one.text.length, 0) <= MAX_CHARACTERS)
    assert.throws(() => recorder.print('y'), /at most/)
    recorder.reset()
    recorder.print('y')
    assert.equal(recorder.outputs.length, 1)
  }
})

test('values without JSON are printed, too', () => {
  const recorder = createRecorder()
  recorder.print(() => 1)
  recorder.print(10n)
  recorder.print(undefined)
  assert.deepEqual(recorder.outputs.map(({ text, value }) => [text, value]),
    [['() => 1', undefined], ['10', undefined], ['None', null]])
})

test('several values are printed with spaces between them; the last one may be options', () => {
  const recorder = createRecorder()
  recorder.print('loss', 0.5, [1, 'a'], null)
  recorder.print(gf.tensor([0.5]), gf.tensor([1, 2]), { precision: 2 })
  recorder.print({ precision: 2 })
  recorder.print('width', { width: 2 })
  recorder.print()
  assert.deepEqual(recorder.outputs.map(({ text }) => text),
    ["loss 0.5 [1, 'a'] None", 'tensor([0.50]) tensor([1., 2.])', "{'precision': 2}", "width {'width': 2}", ''])
  assert.deepEqual(recorder.outputs[1].numbers, [0.5, 1, 2])
})

test('print and plot work without Array.prototype.push', () => {
  const { push } = Array.prototype, recorder = createRecorder()
  try {
    Array.prototype.push = function () {
      this[this.length] = null
      return 1
    }
    recorder.print(1)
    recorder.plot([[1, 2]])
  } finally {
    Array.prototype.push = push
  }
  assert.deepEqual(recorder.outputs.map(({ kind }) => kind), ['text', 'plot'])
})

const HOSTILE = [
  { name: () => 1, message: 'x' }, { get name() { throw 1 } }, new Proxy({}, { get() { throw 2 } }), null, undefined, 5n,
  Symbol('s'), { message: { toString() { throw 3 } } }, { name: {}, message: Object.create(null), stack: { toString: 1 } },
  Object.assign(new Error('m'), { name: 'n'.repeat(1e6), message: 'm'.repeat(1e6) }), { get stack() { throw 4 } }
]
test('any thrown value becomes text of limited length', () => {
  for (const problem of HOSTILE) {
    const error = describeError(problem)
    assert.deepEqual(structuredClone(error), error)
    assert.ok(isOutcome({ output: [], error }))
    assert.ok(error.name.length <= 100 && error.message.length <= 2000)
  }
  assert.deepEqual(describeError(HOSTILE[0]), { name: 'Error', message: 'x', line: null })
  assert.equal(describeError(Object.assign(new Error('x'), { code: 'shape' })).code, 'shape')
  assert.match(describeError(HOSTILE[2]).message, /cannot be written as text/)
  const stacks = ['Error: m\n    at eval (eval at a (blob:null/1:2:3), <anonymous>:7:1)', '@blob:null/1 line 66 > eval:7:1\na@blob:null/1:66:1']
  for (const stack of stacks) assert.equal(describeError({ message: 'm', stack }).line, 7, stack)
})

test('the page rejects malformed outcomes', () => {
  const text = { kind: 'text', text: 'a', numbers: [1] }
  assert.ok(isOutcome({ output: [text, { kind: 'plot', points: [[1, 2]] }] }))
  const wrong = [
    null, 5, {}, { output: 5 }, { output: [null] }, { output: [{ kind: 'text', text: 5, numbers: [] }] },
    { output: [{ kind: 'text', text: 'a' }] }, { output: [{ kind: 'plot', points: [] }] },
    { output: [{ kind: 'plot', points: [[NaN, 1]] }] }, { output: [{ kind: 'other' }] },
    { output: [text], error: { name: 1, message: 'a' } }, { output: [text], error: null }
  ]
  for (const one of wrong) assert.equal(isOutcome(one), false, JSON.stringify(one))
})

/** A worker that answers as `answers` say: the first of them is asked to begin. */
function fakeWorker(...answers) {
  const worker = {
    onmessage: null, onerror: null, isEnded: false, asked: [], terminate() { worker.isEnded = true },
    postMessage(message) {
      worker.asked.push(message)
      const answer = answers.shift()
      if (answer) queueMicrotask(() => answer(worker))
    }
  }
  return worker
}
const says = data => worker => worker.onmessage({ data })
const ready = says({ isReady: true })
const outcome = { output: [{ kind: 'text', text: '1', numbers: [1] }], milliseconds: 1 }
const fetched = async () => ({ code: 'code', wasm: new ArrayBuffer(1) })
const runnerOf = (workers, more = {}) => createRunner({ start: () => workers.shift(), fetched, limit: 50, ...more })

test('a malformed outcome is rejected, and the results of earlier cells stay', async () => {
  const worker = fakeWorker(ready, says({ output: [null] }), says(outcome))
  const cells = runnerOf([worker])
  await assert.rejects(cells.run('1'), error => error instanceof Stopped && error.why === 'unshown')
  assert.deepEqual([worker.isEnded, cells.isAlive], [false, true])
  assert.deepEqual(await cells.run('2'), outcome)
})

test('a cell that hangs is terminated after the limit, and the next one gets another worker', async () => {
  const [first, second] = [fakeWorker(ready), fakeWorker(ready, says(outcome))]
  const cells = runnerOf([first, second])
  await assert.rejects(cells.run('1'), error => error.why === 'time')
  assert.deepEqual([first.isEnded, cells.isAlive], [true, false])
  assert.deepEqual(await cells.run('2'), outcome)
})

test('a run that is stopped before its worker has started ends at once', async () => {
  const cells = runnerOf([fakeWorker(), fakeWorker(ready, says(outcome))])
  const run = cells.run('1')
  await new Promise(done => { setImmediate(done) })
  cells.stop()
  await assert.rejects(run, error => error.why === 'stopped')
  assert.deepEqual(await cells.run('2'), outcome)
})

test('failed fetches, refusals and crashes are reported, and the next run starts anew', async () => {
  const cases = [
    [{ fetched: async () => { throw new Error('cell.js: 404') } }, 'broken', /cell.js: 404/],
    [{ start: () => fakeWorker(says({ failure: 'no', isRefused: true })) }, 'refused', /no/],
    [{ start: () => fakeWorker(says({ failure: 'no memory' })) }, 'broken', /no memory/],
    [{ start: () => fakeWorker(worker => worker.onerror({ message: 'lost' })) }, 'broken', /lost/],
    [{ start: () => fakeWorker(ready, worker => worker.onerror({ message: 'late' })) }, 'broken', /late/]
  ]
  for (const [options, why, message] of cases) {
    const cells = runnerOf([], options)
    await assert.rejects(cells.run('1'), error => error.why === why && message.test(error.message))
    assert.equal(cells.isAlive, false)
  }
})
