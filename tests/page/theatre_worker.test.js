// The theatre's worker in Node, asked as the page asks it, by a clock that lets a report read one kept step.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { smallSettings } from '../lib/theatre.js'

const wasm = await readFile(new URL('../../dist/glassformer.wasm', import.meta.url))

const wait = () => new Promise(resolve => { setTimeout(resolve, 20) })

test('a pinned cell is read at every snapshot, including the last one', async t => {
  let now = 0, serial = 0
  t.mock.method(performance, 'now', () => { now += 1000; return now })
  const waiting = new Map(), reports = []
  Object.assign(globalThis, { self: globalThis, postMessage({ id, result, error, ...report }) {
    if (!id) return reports.push(report)
    const { resolve, reject } = waiting.get(id)
    if (error) reject(new Error(error.message))
    else resolve(result)
  } })
  await import('../../web/theatre/worker.js')
  const ask = (type, details) => new Promise((resolve, reject) => {
    waiting.set(++serial, { resolve, reject })
    globalThis.onmessage({ data: { id: serial, type, ...details } })
  })
  await ask('open', { kernels: { wasm }, settings: smallSettings('dates'), sentence: 'november 20 2026', serial: 1 })
  await ask('play', { pace: 0 })
  while (!reports.at(-1).isOver) await wait()
  const since = reports.length
  let last
  await ask('pin', { cell: { name: 'output.weight', index: [0, 0] } })
  while (reports.at(-1) !== last) {
    last = reports.at(-1)
    await wait()
  }
  const missing = reports.slice(since).map(({ followed }) => followed.missing)
  assert.deepEqual(missing, [3, 2, 1, 0], 'kept are the beginning and every tenth of 30 steps')
  assert.deepEqual(reports.at(-1).followed.steps, [0, 10, 20, 30])
})
