// Several figures share one worker: each session has its own last run and twin, and nothing is left of a dropped one.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { defaultsOf } from '../../web/models/index.js'
import { filesOf, makeDetachedRun, pageRun } from '../lib/page.js'

const waiting = new Map()
globalThis.self = {}
globalThis.postMessage = ({ id, result, error, progress }) => {
  if (progress) return
  const { resolve, reject } = waiting.get(id)
  if (error) reject(Object.assign(new Error(error.message), error))
  else resolve(result)
}
await import('../../web/worker/index.js')
let serial = 0
const call = (type, details = {}) => new Promise((resolve, reject) => {
  waiting.set(++serial, { resolve, reject })
  globalThis.self.onmessage({ data: structuredClone({ id: serial, type, ...details }) })
})

const toBuffer = ({ buffer, byteOffset, byteLength }) => buffer.slice(byteOffset, byteOffset + byteLength)
const first = {}
for (const [model, name] of [['dates', 'date_translator'], ['particles', 'particles']]) {
  first[`${name}.safetensors`] = toBuffer((await filesOf(model))[0])
}
const kernels = await readFile(new URL('../../dist/glassformer.wasm', import.meta.url))
await call('load', { kernels: { wasm: toBuffer(kernels), blocks: new ArrayBuffer(0), threads: null }, files: {}, first })

const settingsOf = (model, more = {}) => ({ ...defaultsOf(model), edits: [], ...more })
const weightsCell = { name: null, index: [0, 1, 2, 1] }

test('runs of several sessions stay, each with its own values, explanations and gradients', async () => {
  const sources = ['november 20 2026', '3/4/1999', 'may 1 2001']
  const messages = []
  for (const [i, source] of sources.entries()) {
    messages.push(await call('run', { settings: settingsOf('dates', { source }), session: `s${i}` }))
  }
  await call('run', { settings: settingsOf('particles'), session: 'other' })
  for (const [i, source] of sources.entries()) {
    const expected = pageRun({ ...settingsOf('dates', { source }) })
    const name = [...expected.tensors.keys()].find(item => item.endsWith('.weights'))
    const session = `s${i}`, cell = { ...weightsCell, name }
    assert.deepEqual(messages[i].values.get(name), expected.tensors.get(name).data)
    const { value, terms } = await call('explain', { session, cell })
    assert.equal(value, expected.explain(name, cell.index).value, source)
    assert.ok(terms.length > 0)
    const gradients = await call('gradients', { session, names: [name] })
    assert.deepEqual(gradients.get(name), expected.gradient(name), source)
    expected.dispose()
  }
})

test('a twin belongs to its session', async () => {
  await call('run', { settings: settingsOf('dates'), session: 'a' })
  await call('run', { settings: settingsOf('dates'), session: 'b' })
  await call('twin', { settings: settingsOf('dates', { positional: false }), session: 'a' })
  const read = session => call('read', { names: ['sampling.output'], isTwin: true, session })
  const { values } = await read('a')
  assert.deepEqual(values.get('sampling.output'), makeDetachedRun({ positional: false }).tensors.get('sampling.output').data)
  await assert.rejects(read('b'), { code: 'gone' })
  await assert.rejects(call('steps', {}), { code: 'gone' }, 'the page itself has no run')
})

test('a dropped session is freed, also while its run is being computed', async () => {
  const bytes = async () => (await call('memory')).bytes
  await call('run', { settings: settingsOf('dates'), session: 'kept' })
  const before = await bytes()
  for (let i = 0; i < 5; i++) {
    await call('run', { settings: settingsOf('dates', { source: `${i + 1}/2/2003` }), session: `dropped${i}` })
  }
  assert.ok(await bytes() > before)
  for (let i = 0; i < 5; i++) await call('drop', { session: `dropped${i}` })
  assert.equal(await bytes(), before)
  const pending = call('run', { settings: settingsOf('dates'), session: 'late' })
  await call('drop', { session: 'late' })
  await assert.rejects(pending, { code: 'gone' })
  assert.equal(await bytes(), before)
  await assert.rejects(call('steps', { session: 'late' }), { code: 'gone' })
  await call('steps', { session: 'kept' })
})
