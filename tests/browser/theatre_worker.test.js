// The theatre's worker, asked as the page asks it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { createSession } from '../../src/training/session.js'
import { defaultsOf } from '../../src/training/settings.js'
import { isLong } from '../lib/long.js'
import { useBrowser } from './host.js'

const browser = useBrowser()
const gf = await load()

/** The page in a state, with `startWorker`, which starts a worker as the page does: from a blob, with its policy. */
async function openPage() {
  const { page, close } = await browser.open({})
  await page.evaluate(() => {
    globalThis.startWorker = name => {
      const code = `import ${JSON.stringify(new URL(`${name}.js`, location.href).href)}`
      return new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' })
    }
  })
  return { page, close }
}

/** The losses of a training in the page's own worker. */
const lossesIn = (page, settings) => page.evaluate(chosen => new Promise((resolve, reject) => {
  const worker = globalThis.startWorker('theatre')
  const loss = []
  worker.onerror = () => reject(new Error('the worker does not start'))
  worker.onmessage = ({ data }) => {
    if (data.error) reject(new Error(data.error.message))
    if (data.id === 1) worker.postMessage({ id: 2, type: 'play', pace: 0 })
    if (data.event) loss.push(...data.loss)
    if (data.isOver) {
      worker.terminate()
      resolve(loss)
    }
  }
  const wasm = new URL('glassformer.wasm', location.href).href
  worker.postMessage({ id: 1, type: 'open', kernels: { wasm }, settings: chosen, sentence: '' })
}), settings)

function lossesHere(settings) {
  const session = createSession(gf, settings)
  const losses = Array.from({ length: settings.steps }, () => session.step().loss)
  session.dispose()
  return losses
}

test('many steps have the same losses in Chromium and in Node, bit for bit', async () => {
  const { page, close } = await openPage()
  for (const task of ['dates', 'text']) {
    const settings = { ...defaultsOf(task), steps: isLong ? 200 : 20, batch: 16, dropout: 0.1 }
    assert.deepEqual(await lossesIn(page, settings), lossesHere(settings), task)
  }
  await close()
})

/** The responses of the worker to calls that are sent at once. */
const answersIn = (page, calls) => page.evaluate(list => new Promise(resolve => {
  const worker = globalThis.startWorker('theatre'), answers = []
  worker.onmessage = ({ data: { id, error, result } }) => {
    if (!id) return
    answers.push(error ? error.code ?? error.message : typeof result)
    if (answers.length < list.length) return
    worker.terminate()
    resolve(answers)
  }
  const wasm = new URL('glassformer.wasm', location.href).href
  list.forEach((call, i) => worker.postMessage({ id: i + 1, kernels: { wasm }, sentence: '', ...call }))
}), calls)

test('calls during opening belong to the new training, and to none if it fails to open', async () => {
  const { page, close } = await openPage()
  const open = { type: 'open', settings: { ...defaultsOf('dates'), steps: 10 } }
  const queries = ['places', 'look', 'keep', 'step', 'file'].map(type => ({ type }))
  assert.deepEqual(await answersIn(page, [open, ...queries]),
    ['object', 'object', 'undefined', 'object', 'undefined', 'object'])
  const missing = { ...open, settings: { ...open.settings, start: 'given' } }
  assert.deepEqual((await answersIn(page, [open, missing, ...queries])).slice(2), queries.map(() => 'none'))
  await close()
})
