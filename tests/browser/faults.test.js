// Messages of the page when something fails: the network, the browser, a frame around it, a link beyond the limits.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { waitForRuns, useBrowser } from './host.js'
import { everyNth } from '../lib/long.js'
import { english } from '../lib/texts.js'

const en = english.page

const browser = useBrowser()

/** The parts of a message around its placeholders. */
const wordsOf = key => en.errors[key].split(/ ?\(?\{\w+\}\)?/).filter(part => part.length > 1)

/** A page that may be failed before it begins, and what it complained of. */
const openBroken = (hash, prepare) => browser.withBrowser(async (browser, url) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' })
  const page = await context.newPage(), errors = []
  page.on('pageerror', error => errors.push(error.message))
  await prepare?.(page)
  await page.goto(`${url}#${hash}`)
  async function close() {
    // A worker may still be fetched.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  }
  return { page, errors, close }
})

const readProblem = async page => {
  await page.waitForFunction(() => document.getElementById('status').textContent !== '')
  return page.textContent('#status')
}
const pressThemeButton = page => page.evaluate(async () => {
  document.querySelector('[data-action="theme"]').click()
  await new Promise(done => { requestAnimationFrame(() => setTimeout(done, 50)) })
})

/** Answers what matches with something else. */
const serve = (pattern, change) => page => page.route(pattern, async route => {
  const answer = await route.fetch()
  await route.fulfill(await change(answer))
})
const missing = pattern => page => page.route(pattern, route => route.fulfill({ status: 404, body: 'no' }))
const cut = size => async answer => ({ response: answer, body: (await answer.body()).subarray(0, size) })
const corrupt = async answer => {
  const body = await answer.body()
  body.fill(0, 0, 200)
  return { response: answer, body }
}

const setHash = (page, hash) => page.evaluate(next => { location.hash = next }, hash)
const HOUSE = 'v=1&model=dates&room=house', SENTENCES = 'v=1&model=sentences&room=weights'
/** What fails: how, and which message says so. @type {Record<string, [(page: any) => Promise<void>, string]>} */
const FAULTS = {
  'kernels that are not there': [missing('**/*.wasm'), 'unreachable'],
  'kernels that break off': [serve('**/*.wasm', cut(2000)), 'broken'],
  'kernels in another form': [serve('**/*.wasm', corrupt), 'broken'],
  'kernels that the network loses': [page => page.route('**/*.wasm', route => route.abort()), 'unreachable'],
  'a worker that is not there': [missing('**/worker.js'), 'unreachable'],
  'weights that are not there': [missing('**/date_translator*'), 'network'],
  'weights that break off': [serve('**/date_translator*', cut(50000)), 'damaged'],
  'weights in another form': [serve('**/date_translator*', corrupt), 'damaged'],
  'a browser without workers': [page => page.addInitScript(() => { delete globalThis.Worker }), 'noWorker'],
  'a browser without WebAssembly': [page => page.addInitScript(() => { delete globalThis.WebAssembly }), 'noWasm'],
  'a browser without SIMD': [serve('**/worker.js', async answer => ({
    response: answer, body: `WebAssembly.validate = () => false
      WebAssembly.instantiate = async () => { throw new WebAssembly.CompileError('x') }
      ${await answer.text()}`
  })), 'noSimd']
}
for (const [title, [prepare, key]] of Object.entries(FAULTS)) {
  test(`${title}: the problem is explained, and stays displayed after the next press`, async () => {
    const { page, errors, close } = await openBroken(HOUSE, prepare)
    const first = await readProblem(page)
    for (const part of wordsOf(key)) assert.ok(first.includes(part), first)
    await pressThemeButton(page)
    assert.equal(await page.textContent('#status'), first)
    assert.deepEqual(errors, [])
    await close()
  })
}

test('a model with missing weights does not affect others, and works once they load', async () => {
  let isThere = false
  const { page, close } = await openBroken(HOUSE, openedPage => openedPage.route('**/date_translator*', route => (
    isThere ? route.continue() : route.fulfill({ status: 404, body: 'no' }))))
  await readProblem(page)
  await page.evaluate(() => { location.hash = 'v=1&model=sentences' })
  await waitForRuns(page, 1)
  assert.equal(await page.textContent('#status'), '')
  isThere = true
  await page.evaluate(hash => { location.hash = hash }, HOUSE)
  await waitForRuns(page, 2)
  assert.equal(await page.textContent('#status'), '')
  await close()
})

test('a part that the server does not send can be requested again in place', async () => {
  let isThere = true
  const { page, errors, close } = await openBroken(HOUSE, opened => opened.route(/chunks\/|\.js$/, route => (
    isThere ? route.continue() : route.abort())))
  await waitForRuns(page, 1)
  await page.waitForSelector('.map li', { state: 'attached' })
  const isOffered = () => page.locator('.retry').isVisible()
  assert.equal(await isOffered(), false)
  isThere = false
  await setHash(page, 'v=1&lesson=attention')
  await page.waitForFunction(text => document.getElementById('status').textContent === text, en.app.unfetched)
  assert.equal(await page.textContent('.retry'), en.app.retry)
  await page.click('.retry')
  await page.waitForFunction(text => document.getElementById('status').textContent === text, en.app.unfetched)
  assert.equal(await isOffered(), true, 'still lost')
  await page.evaluate(() => { globalThis.isSame = true })
  await page.route('**/', route => route.abort())
  isThere = true
  await page.click('.retry')
  await page.waitForSelector('#lesson:not(:empty)')
  assert.deepEqual([await isOffered(), await page.textContent('#status')], [false, ''])
  assert.equal(await page.evaluate(() => globalThis.isSame), true, 'the page was not loaded again')
  assert.deepEqual(errors, [])
  await close()
})

test('weights that the server does not send can be requested again in place', async () => {
  let isThere = false
  const { page, close } = await openBroken(HOUSE, opened => opened.route('**/date_translator*', route => (
    isThere ? route.continue() : route.abort())))
  await readProblem(page)
  isThere = true
  await page.click('.retry')
  await waitForRuns(page, 1)
  assert.deepEqual([await page.locator('.retry').isVisible(), await page.textContent('#status')], [false, ''])
  await close()
})

test('offline after the first visit: loaded parts work, missing ones are reported, and load later', async () => {
  const { page, errors, close } = await openBroken(HOUSE)
  await waitForRuns(page, 1)
  await page.waitForSelector('.map li', { state: 'attached' })
  await page.context().setOffline(true)
  await setHash(page, `${HOUSE}&source=${encodeURIComponent('may 6 2031')}`)
  await waitForRuns(page, 2)
  await setHash(page, SENTENCES)
  const [absent] = en.errors.network.split('{')
  await page.waitForFunction(text => document.getElementById('status').textContent.startsWith(text), absent)
  await setHash(page, `${HOUSE}&source=${encodeURIComponent('may 7 2031')}`)
  await waitForRuns(page, 3)
  assert.equal(await page.textContent('#status'), '')
  for (const place of ['lesson=attention', 'theatre=dates', 'model=dates&glossary=softmax']) {
    await setHash(page, `v=1&${place}`)
    await page.waitForFunction(text => document.getElementById('status').textContent === text, en.app.unfetched)
    await pressThemeButton(page)
    assert.equal(await page.textContent('#status'), en.app.unfetched, place)
  }
  await setHash(page, 'v=1&lesson=attention&at=2')
  await page.waitForFunction(text => document.getElementById('status').textContent === text, en.app.unfetched)
  await page.context().setOffline(false)
  await page.waitForSelector('#lesson:not(:empty)')
  assert.equal(await page.textContent('#status'), '')
  const runs = Number(await page.getAttribute('#house', 'data-run'))
  await setHash(page, SENTENCES)
  await waitForRuns(page, runs + 1)
  assert.equal(await page.textContent('#status'), '')
  assert.deepEqual(errors, [])
  await close()
})

test('a worker that fails in one run computes the next', async () => {
  const { page, errors, close } = await openBroken(HOUSE, serve('**/worker.js', async answer => ({
    response: answer, body: `${await answer.text()}
      const { onmessage } = self
      let runs = 0
      self.onmessage = event => {
        if (event.data.type === 'run' && ++runs === 2) throw new Error('lost')
        return onmessage(event)
      }`
  })))
  await waitForRuns(page, 1)
  await setHash(page, `${HOUSE}&source=${encodeURIComponent('may 6 2031')}`)
  assert.match(await readProblem(page), /lost/)
  await setHash(page, `${HOUSE}&source=${encodeURIComponent('may 7 2031')}`)
  await waitForRuns(page, 2)
  assert.equal(await page.textContent('#status'), '')
  assert.deepEqual(errors, ['lost'])
  await close()
})

test('a worker that hangs is reported and replaced; the next run works', async () => {
  const { page, errors, close } = await openBroken(HOUSE, async openedPage => {
    // Seconds pass faster here.
    await openedPage.addInitScript(() => {
      const { setInterval } = globalThis
      globalThis.setInterval = (act, wait, ...more) => setInterval(act, wait === 1000 ? 40 : wait, ...more)
    })
    await serve('**/worker.js', async answer => ({
      response: answer, body: `${await answer.text()}
        const { onmessage } = self
        self.onmessage = event => {
          if (event.data.type === 'run' && event.data.settings.source === 'may 6 2031') for (;;);
          return onmessage(event)
        }`
    }))(openedPage)
  })
  await waitForRuns(page, 1)
  const endless = `${HOUSE}&source=${encodeURIComponent('may 6 2031')}`
  await setHash(page, endless)
  assert.equal(await readProblem(page), en.errors.hung)
  await setHash(page, 'v=1&model=sentences')
  await waitForRuns(page, 2)
  assert.equal(await page.textContent('#status'), '')
  // Another model is chosen while it hangs.
  await setHash(page, endless)
  await page.waitForTimeout(300)
  await setHash(page, 'v=1&model=particles&room=house')
  await waitForRuns(page, 3)
  assert.equal(await page.textContent('#status'), '')
  assert.ok(await page.locator('.stage svg, .stage canvas').count() > 0)
  assert.deepEqual(errors, [])
  await close()
})

test('without scripts or without the first texts the page says so, in every language', async () => {
  for (const name of ['**/main.js', '**/chunks/opening-*.js']) {
    const { page, close } = await openBroken('', missing(name))
    await page.waitForSelector('#stuck', { state: 'visible', timeout: 20000 })
    for (const text of [/시작되지 못했어요/, /could not start/, /没有启动/]) assert.match(await page.textContent('#stuck'), text, name)
    await close()
  }
})

test('in a sandboxed frame the page says which permission is missing', async () => {
  await browser.withBrowser(async (browser, url) => {
    const around = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' })
      .end(`<iframe sandbox="allow-scripts" src="${url}#${HOUSE}" width="900" height="600"></iframe>`))
    await new Promise(done => { around.listen(0, '127.0.0.1', done) })
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${around.address().port}`)
    const frame = page.frameLocator('iframe')
    await frame.locator('#stuck').waitFor({ state: 'visible', timeout: 20000 })
    assert.match(await frame.locator('#stuck').textContent(), /allow-same-origin/)
    await context.close()
    around.close()
  })
})

/** So many changed weights, all different. */
const changes = count => Array.from({ length: count }, (_, n) => (
  `transformer.${['encoder', 'decoder'][n % 2]}.layers.${n % 4 >> 1}.self_attn.in_proj_weight:` +
  `${(n >> 2) % 96},${Math.floor((n >> 2) / 96)}=0.5`)).join(';')
const lines = encodeURIComponent('one two three\n'.repeat(20000))
/** Links beyond the limits, and the page's messages. @type {Record<string, [string, string]>} */
const LINKS = {
  '20,000 changed numbers': [`${HOUSE}&edits=${changes(20000)}`, 'edits'],
  '20,000 lines of text': [`v=1&model=sentences&text=${lines}`, 'signs'],
  '100,000 words to go on with': [`v=1&model=stories&beginning=${encodeURIComponent('가 나 '.repeat(50000))}`, 'signs'],
  'as many gaps': [`v=1&model=particles&gapped=${encodeURIComponent('나[?] '.repeat(50000))}`, 'signs']
}
for (const [title, [hash, key]] of everyNth(Object.entries(LINKS), 2)) {
  test(`${title}: the limit is reported, and the page keeps working`, async () => {
    const { page, errors, close } = await openBroken(hash)
    await page.waitForFunction(text => document.body.innerText.includes(text),
      wordsOf(key).at(-1).trim(), { timeout: 20000 })
    await page.evaluate(() => { location.hash = 'v=1&model=sentences' })
    await waitForRuns(page, 1)
    assert.deepEqual(errors, [])
    await close()
  })
}

test('the maximum number of edits works', async () => {
  const { page, close } = await openBroken(`${HOUSE}&edits=${changes(2000)}`)
  await waitForRuns(page, 1)
  assert.equal(await page.textContent('#status'), '')
  await close()
})

test('the page works without storage', async () => {
  const { page, errors, close } = await openBroken(HOUSE, openedPage => openedPage.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError') } })
    }
  }))
  await waitForRuns(page, 1)
  await pressThemeButton(page)
  assert.deepEqual(errors, [])
  await close()
})
