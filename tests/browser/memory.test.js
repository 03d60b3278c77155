// An hour of typing, shortened: what page, worker and kernels hold after many runs is what they held after a few.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chromium } from 'playwright-core'
import { isLong } from '../lib/long.js'
import { changeAndWait, serve, completeState } from './host.js'
import { toHash } from '../../web/models/state.js'

const RUNS = isLong ? 1500 : 30
const WARM = 15
/**
 * What a heap may be larger by, in bytes: code that was compiled meanwhile, and what the browser keeps to undo typing.
 * A run holds 0.14 MB: thirty of them kept would be more.
 */
const SLACK = 3_500_000
/** Lets the test see the memory of the kernels. */
const SHOW = `{
  const { instantiate } = WebAssembly
  WebAssembly.instantiate = async (...given) => {
    const made = await instantiate(...given)
    globalThis.kernels = (made.instance ?? made).exports.memory
    return made
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

/** Queries a worker's debugger, the only interface to its heap. */
async function debugging(session) {
  const attached = new Promise(resolve => { session.once('Target.attachedToTarget', resolve) })
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
  const { sessionId } = await attached
  let id = 0
  return async method => {
    const mine = ++id
    const answered = new Promise(resolve => {
      session.on('Target.receivedMessageFromTarget', ({ message }) => {
        const reply = JSON.parse(message)
        if (reply.id === mine) resolve(reply.result)
      })
    })
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: mine, method }) })
    return answered
  }
}

/** Bytes in use: of the page, of its worker, of the kernels. */
async function measureHeap(page, session, ask) {
  const [worker] = page.workers()
  for (let i = 0; i < 3; i++) {
    await Promise.all([page.evaluate(() => globalThis.gc()), worker.evaluate(() => globalThis.gc())])
    await page.waitForTimeout(50)
  }
  const [{ usedSize }, workerHeap] = await Promise.all([session.send('Runtime.getHeapUsage'), ask('Runtime.getHeapUsage')])
  return {
    page: usedSize, worker: workerHeap.usedSize,
    kernels: await worker.evaluate(() => globalThis.kernels.buffer.byteLength)
  }
}

test(`${RUNS} dates typed one after another leak no memory`, async t => {
  const page = await browser.newPage({ locale: 'en-US' })
  await page.route('**/worker.js', async route => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: SHOW + await answer.text() })
  })
  await page.goto(`${site.url}#${toHash(completeState({ room: 'decoder.1.multihead_attn.weights', language: 'en' }))}`)
  await page.waitForSelector('.stage canvas')
  const type = number => changeAndWait(page, () => page.fill('[data-field="source"] input, input[data-field="source"]',
    `${1 + number % 12}/${1 + number % 28}/${1950 + number % 100}`))
  for (let i = 0; i < WARM; i++) await type(i)
  const session = await page.context().newCDPSession(page), ask = await debugging(session)
  const first = await measureHeap(page, session, ask)
  for (let i = WARM; i < WARM + RUNS; i++) await type(i)
  const last = await measureHeap(page, session, ask)
  t.diagnostic(JSON.stringify({ first, last }))
  assert.equal(last.kernels, first.kernels)
  assert.ok(first.page > 0 && last.page - first.page < SLACK, 'the page')
  assert.ok(first.worker > 0 && last.worker - first.worker < SLACK, 'the worker')
  await page.close()
})
