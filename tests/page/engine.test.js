// The page's side of the engine's worker: a worker that does not respond in time is replaced by another one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIMEOUTS, createEngine } from '../../web/shell/engine.js'

/** Workers that answer what `answers` knows, and say nothing to anything else. */
function workers(answers) {
  const all = []
  const spawn = () => {
    const worker = {
      asked: [], isEnded: false, terminate() { worker.isEnded = true },
      postMessage({ id, type, ...details }) {
        worker.asked.push([type, details])
        const result = answers[type]?.(details, worker)
        if (type !== 'load' && all.length > 1 && !worker.isLoaded) throw new Error(`${type} before the files`)
        if (result !== undefined) {
          setTimeout(() => {
            worker.isLoaded ||= type === 'load'
            worker.onmessage({ data: { id, ...result } })
          }, 3)
        }
      }
    }
    all.push(worker)
    return worker
  }
  return { all, spawn }
}
const files = { wasm: 'k', files: {}, first: {} }
const ANSWERS = {
  load: () => ({ result: null }), open: () => ({ result: { type: 'llama' } }),
  run: ({ settings }) => (settings === 'endless' ? undefined : { result: settings })
}
/** Seconds of the tests. */
const SECOND = 2
const isHung = error => error.code === 'hung'

test('a hung worker is replaced after the limit, and the new one gets its files and the imported model', async () => {
  const { all, spawn } = workers(ANSWERS), engine = createEngine(spawn, SECOND)
  await engine.load(files)
  await engine.ask('open', { files: { a: 1 } })
  const startTime = performance.now(), calls = [engine.run('endless'), engine.ask('explain', {})]
  for (const item of calls) await assert.rejects(item, isHung)
  assert.ok(performance.now() - startTime >= SECOND * (TIMEOUTS.silent - 1), 'not before the limit')
  assert.deepEqual(all.map(({ isEnded }) => isEnded), [true, false])
  assert.equal(await engine.run('other'), 'other')
  assert.deepEqual(all[1].asked.slice(0, 2), [['load', files], ['open', { files: { a: 1 } }]])
  assert.equal(all[1].asked[2][0], 'run')
})

test('the limit is shorter while a newer run waits, but not for the newer run', async () => {
  const { all, spawn } = workers(ANSWERS), engine = createEngine(spawn, SECOND)
  await engine.load(files)
  const startTime = performance.now(), first = engine.run('endless')
  engine.hurry()
  await assert.rejects(first, isHung)
  const duration = performance.now() - startTime
  assert.ok(duration < SECOND * TIMEOUTS.silent, `${duration} ms`)
  assert.equal(await engine.run('other'), 'other')
  engine.hurry()
  const second = performance.now()
  await assert.rejects(engine.run('endless'), isHung)
  assert.ok(performance.now() - second >= SECOND * (TIMEOUTS.silent - 1))
  assert.equal(all.length, 3)
})

test('a worker that reports progress is not considered hung', async () => {
  const { all, spawn } = workers({ run: (_, worker) => {
    let left = 3 * TIMEOUTS.silent
    const timer = setInterval(() => {
      left -= 1
      worker.onmessage({ data: left ? { id: 1, progress: { left } } : { id: 1, result: 'done' } })
      if (!left) clearInterval(timer)
    }, SECOND)
  } })
  assert.equal(await createEngine(spawn, SECOND).run('long'), 'done')
  assert.equal(all.length, 1)
})

test('files that failed to open are not opened again', async () => {
  const { all, spawn } = workers({ ...ANSWERS, open: () => ({ error: { message: 'no', code: 'format' } }) })
  const engine = createEngine(spawn, SECOND)
  await engine.load(files)
  await assert.rejects(engine.ask('open', { files: { a: 1 } }), /no/)
  engine.hurry()
  await assert.rejects(engine.run('endless'), isHung)
  assert.equal(await engine.run('other'), 'other')
  assert.deepEqual(all[1].asked.map(([type]) => type), ['load', 'run'])
})

test('a model that hangs the new worker, too, is not opened again', async () => {
  const { all, spawn } = workers({ ...ANSWERS, open: (_, worker) => worker === all[0] ? { result: 1 } : undefined })
  const engine = createEngine(spawn, SECOND)
  await engine.load(files)
  await engine.ask('open', { files: { a: 1 } })
  engine.hurry()
  await assert.rejects(engine.run('endless'), isHung)
  assert.equal(await engine.run('other'), 'other')
  assert.deepEqual(all.map(({ asked: requests }) => requests.map(([type]) => type)),
    [['load', 'open', 'run'], ['load', 'open'], ['load', 'run']])
})
