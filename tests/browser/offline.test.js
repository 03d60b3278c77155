// After one visit the whole page works without network, is isolated, and says when a newer version is there. A service
// worker needs a secure address, and the page one that is not a developer's: a name below localhost.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { after, before, test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { isLong, partUnlessLong } from '../lib/long.js'
import { TYPES, launch, waitForRuns } from './host.js'

const SITE = new URL('../../dist/site/', import.meta.url), PATH = '/any/folder/'
const read = name => readFile(new URL(name, SITE))

/** Serves the site without any header of its own; `replaced` has other contents by name. */
let server, address, browser, replaced = {}
/** The names that were requested. */
let requested = []
before(async () => {
  server = createServer(async ({ url }, response) => {
    const name = new URL(url, 'http://x').pathname.replace(PATH, '') || 'index.html'
    requested.push(name)
    try {
      const body = replaced[name] ?? await read(name)
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(done => { server.listen(0, '127.0.0.1', done) })
  address = `http://glassformer.localhost:${server.address().port}${PATH}`
  browser = await launch()
})
after(async () => {
  await browser?.close()
  server?.close()
})

/** Opens the page in a profile of its own and waits until everything is stored. */
async function visit(hash = 'language=en') {
  requested = []
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' })
  const page = await context.newPage(), complaints = []
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(`${address}#${hash}`)
  await waitForRuns(page, 1)
  await page.waitForFunction(() => navigator.serviceWorker.controller, null, { timeout: 60_000 })
  return { context, page, complaints, close: () => context.close() }
}

const cutNetwork = async context => {
  await context.setOffline(true)
  requested = []
}

test('every file of the site is stored, once, and nothing else is asked for', async () => {
  const { page, complaints, close } = await visit()
  const { FILES } = await page.evaluate(async () => (
    { FILES: await (await caches.open('glassformer')).keys().then(keys => keys.map(({ url }) => new URL(url).pathname)) }))
  const listed = Object.keys(JSON.parse(/self\.FILES=(\{.*?\});?\n/.exec(await read('service_worker.js').then(String))[1]))
  assert.deepEqual(FILES.map(name => name.replace(PATH, '')).sort(), listed.sort())
  assert.ok(listed.includes('index.html') && listed.includes('stories.safetensors') && !listed.includes('glassformer.html'))
  assert.deepEqual(complaints, [])
  await close()
})

test('without network: every lesson, rooms of every model, training, notebooks, documents', async t => {
  const { context, page, complaints, close } = await visit()
  await cutNetwork(context)
  await page.reload()
  await waitForRuns(page, 1)
  const go = async hash => {
    const runs = Number(await page.getAttribute('#house', 'data-run'))
    await page.goto(`${address}#${hash}&language=en`)
    return runs
  }
  for (const { id } of partUnlessLong(LESSONS, 0, 3)) {
    const { steps } = await loadLesson(id)
    await go(`lesson=${id}&step=${isLong ? steps.length : 1}`)
    await page.waitForSelector(`.lesson-bar[data-step="${steps[isLong ? steps.length - 1 : 0].id}"]`)
  }
  for (const [hash, selector] of [
    ['model=stories&room=decoder.0.self_attn.weights', '.stage .heat'], ['model=induction&room=attribution', '.fall-number:not(:empty)'],
    ['model=particles&room=house', '.stage .house-why'], ['model=positions&room=house', '.stage h1'],
    ['room=notebook.000', '.stage .code, .stage .cell, .stage h1'], ['theatre=dates', '.theatre-stage'], ['exercise=dot', '.cm-editor']
  ]) {
    await go(hash)
    await page.waitForSelector(selector)
  }
  assert.deepEqual(requested.filter(name => name !== 'service_worker.js'), [], 'nothing but the question for a new version')
  assert.deepEqual(complaints, [])
  t.diagnostic(`${LESSONS.length} lessons known`)
  await page.goto(`${address}docs/interpretability.html`)
  await page.waitForSelector('h1')
  await close()
})

test('the second visit is isolated, so that threads can share memory, and readers\' code still runs in a sandbox', async () => {
  const { page, complaints, close } = await visit()
  assert.equal(await page.evaluate(() => crossOriginIsolated), false, 'the first visit came from the host')
  await page.goto(`${address}?again#exercise=dot&language=en`)
  await page.waitForSelector('.cm-editor')
  assert.equal(await page.evaluate(() => crossOriginIsolated), true)
  await page.click('.exercise-check')
  await page.waitForSelector('.exercise-verdict.is-wrong')
  const frame = page.frames().find(one => one.url().endsWith('cell.html'))
  assert.equal(await frame.evaluate(() => self.origin), 'null')
  assert.deepEqual(complaints, [])
  await close()
})

test('a new version is offered, and stored files that did not change are not fetched again', async () => {
  const { page, complaints, close } = await visit()
  const text = (await read('service_worker.js')).toString(), style = `${await read('style.css')}\n.is-newer { top: 0 }`
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64')
  replaced = { 'style.css': style, 'service_worker.js': text.replace(/"style.css":"[^"]*"/, `"style.css":"sha256-${digest}"`) }
  requested = []
  await page.evaluate(() => navigator.serviceWorker.getRegistration().then(registration => registration.update()))
  await page.waitForSelector('.new-version')
  assert.deepEqual(requested, ['service_worker.js', 'style.css'])
  assert.match(await page.textContent('.new-version'), /new version/)
  const isNewer = () => page.evaluate(() => fetch('style.css').then(response => response.text()).then(css => css.includes('is-newer')))
  assert.equal(await isNewer(), false, 'until the reader asks for it the page stays whole')
  await Promise.all([page.waitForNavigation(), page.click('.new-version .primary')])
  await waitForRuns(page, 1)
  assert.equal(await isNewer(), true)
  assert.equal(await page.$('.new-version'), null)
  assert.deepEqual(complaints, [])
  replaced = {}
  await close()
})

test('a file that is not the listed one is not stored: the old version stays', async () => {
  const { page, close } = await visit()
  const text = (await read('service_worker.js')).toString()
  const other = `"style.css":"sha256-${'A'.repeat(43)}="`
  replaced = { 'service_worker.js': text.replace(/"style.css":"[^"]*"/, other) }
  const state = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    registration.update()
    await new Promise(done => { registration.onupdatefound = done })
    const { installing } = registration
    await new Promise(done => { installing.onstatechange = done })
    return installing.state
  })
  assert.equal(state, 'redundant')
  assert.equal(await page.$('.new-version'), null)
  await page.reload()
  await waitForRuns(page, 1)
  replaced = {}
  await close()
})
