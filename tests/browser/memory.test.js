// An hour of typing, shortened: after many runs page, worker and kernels use as much memory as after a few.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chromium } from 'playwright-core'
import { isLong } from '../lib/long.js'
import { changeAndWait, serve, completeState } from './host.js'
import { toHash } from '../../web/models/state.js'

const RUNS = isLong ? 1500 : 30
const WARM_UP_RUNS = 15
/**
 * The maximum growth of a heap, in bytes: code that was compiled meanwhile, and what the browser stores to undo typing.
 * A run takes 0.14 MB; if 30 runs were leaked, that would exceed this limit.
 */
const MAX_HEAP_GROWTH = 3_500_000
/** A script that makes the kernels' memory visible to the test. */
const EXPOSE_KERNELS = `{
  const { instantiate } = WebAssembly
  WebAssembly.instantiate = async (...args) => {
    const result = await instantiate(...args)
    // A side module works in the memory of the first.
    globalThis.kernels ??= (result.instance ?? result).exports.memory
    return result
  }
}
`

let site, browser
before(async () => {
  site = await serve()
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [
    '--headless', '--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'] })
})
after(async () => {
  await browser?.close()
  site?.close()
})

/** Attaches to a worker's debugger, the only interface to its heap; returns a function that calls its methods. */
async function attachToWorker(session) {
  const attached = new Promise(resolve => { session.once('Target.attachedToTarget', resolve) })
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
  const { sessionId } = await attached
  let id = 0
  return async method => {
    const requestId = ++id
    const response = new Promise(resolve => {
      session.on('Target.receivedMessageFromTarget', ({ message }) => {
        const reply = JSON.parse(message)
        if (reply.id === requestId) resolve(reply.result)
      })
    })
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: requestId, method }) })
    return response
  }
}

/** Bytes in use: of the page, of its worker, of the kernels. */
async function measureHeap(page, session, callWorker) {
  const [worker] = page.workers()
  for (let i = 0; i < 3; i++) {
    await Promise.all([page.evaluate(() => globalThis.gc()), worker.evaluate(() => globalThis.gc())])
    await page.waitForTimeout(50)
  }
  const [{ usedSize }, workerHeap] = await Promise.all([session.send('Runtime.getHeapUsage'), callWorker('Runtime.getHeapUsage')])
  return {
    page: usedSize, worker: workerHeap.usedSize,
    kernels: await worker.evaluate(() => globalThis.kernels.buffer.byteLength)
  }
}

test(`${RUNS} dates typed one after another leak no memory`, async t => {
  const page = await browser.newPage({ locale: 'en-US' })
  await page.route('**/worker.js', async route => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: EXPOSE_KERNELS + await answer.text() })
  })
  await page.goto(`${site.url}#${toHash(completeState({ room: 'decoder.1.multihead_attn.weights', language: 'en' }))}`)
  await page.waitForSelector('.stage canvas')
  const type = number => changeAndWait(page, () => page.fill('[data-field="source"] input, input[data-field="source"]',
    `${1 + number % 12}/${1 + number % 28}/${1950 + number % 100}`))
  for (let i = 0; i < WARM_UP_RUNS; i++) await type(i)
  const session = await page.context().newCDPSession(page), callWorker = await attachToWorker(session)
  const first = await measureHeap(page, session, callWorker)
  for (let i = WARM_UP_RUNS; i < WARM_UP_RUNS + RUNS; i++) await type(i)
  const last = await measureHeap(page, session, callWorker)
  t.diagnostic(JSON.stringify({ first, last }))
  assert.equal(last.kernels, first.kernels)
  assert.ok(first.page > 0 && last.page - first.page < MAX_HEAP_GROWTH, 'the page')
  assert.ok(first.worker > 0 && last.worker - first.worker < MAX_HEAP_GROWTH, 'the worker')
  await page.close()
})
