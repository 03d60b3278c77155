// Workers and the cells of notebooks cannot reach the network.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { toHash } from '../../web/models/state.js'
import { findFirefox, launchFirefox } from './firefox.js'
import { waitForRuns, serve, completeState, useBrowser } from './host.js'

const browser = useBrowser()

/** Another origin, which notes everything that is asked of it. */
let otherServer, address
const requests = []
before(async () => {
  otherServer = createServer((request, response) => {
    requests.push(request.url)
    response.writeHead(200, { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }).end('self.leaked = 1')
  })
  otherServer.on('upgrade', (request, socket) => {
    requests.push(`socket ${request.url}`)
    socket.destroy()
  })
  await new Promise(done => { otherServer.listen(0, '127.0.0.1', done) })
  address = `http://127.0.0.1:${otherServer.address().port}`
})
after(() => otherServer.close())

/** In a worker: tries everything that could reach another origin or make code of text, and says what came of it. */
const attempts = async attemptIn => {
  const failed = error => `refused: ${error.name}`
  const attemptFunctions = {
    fetch: () => fetch(`${attemptIn}/fetch`).then(() => 'done', failed),
    import: () => import(`${attemptIn}/module.js`).then(() => 'done', failed),
    importScripts: async () => {
      importScripts(`${attemptIn}/script.js`)
      return 'done'
    },
    socket: () => new Promise(done => {
      const socket = new WebSocket(`${attemptIn.replace('http', 'ws')}/socket`)
      socket.onopen = () => done('done')
      setTimeout(() => done(socket.readyState === 1 ? 'done' : 'refused: not open'), 500)
    }),
    request: () => new Promise(done => {
      const request = new XMLHttpRequest()
      request.onloadend = () => done(request.status ? 'done' : 'refused: no status')
      request.open('GET', `${attemptIn}/request`)
      request.send()
    }),
    nested: () => new Promise((done, refuse) => {
      const worker = new Worker(URL.createObjectURL(new Blob([
        `fetch('${attemptIn}/nested').then(() => postMessage('done'), () => postMessage('refused: fetch'))`])))
      worker.onmessage = ({ data }) => done(data)
      worker.onerror = () => refuse(new Error('no worker'))
    }),
    eval: async () => (0, eval)('"done"'),
    function: async () => new Function('return "done"')(),
    timer: () => new Promise(done => {
      self.timed = () => done('done')
      setTimeout('timed()', 0)
      setTimeout(() => done('refused: nothing ran'), 200)
    })
  }
  const outcomes = {}
  for (const [name, attempt] of Object.entries(attemptFunctions)) {
    const timeout = new Promise(done => { setTimeout(() => done('no answer'), 5000) })
    outcomes[name] = await Promise.race([Promise.resolve().then(attempt).catch(failed), timeout])
  }
  postMessage({ attempted: outcomes })
}

/** The frame in which cells run. */
async function cellsOf(page) {
  const isCells = frame => frame.url().endsWith('cell.html')
  return page.frames().find(isCells) ?? page.waitForEvent('framenavigated', isCells)
}

/** The page with the attempts in place of a script of its, and what the worker says of them. */
const attemptsIn = (script, openPage) => browser.withBrowser(async browser => {
  const context = await browser.newContext({ locale: 'en-US' })
  await context.addInitScript(() => {
    const Own = globalThis.Worker
    globalThis.attempted = new Promise(done => {
      globalThis.Worker = class extends Own {
        constructor(...args) {
          super(...args)
          this.addEventListener('message', event => {
            if (!event.data.attempted) return
            event.stopImmediatePropagation()
            done(event.data.attempted)
          })
        }
      }
    })
  })
  const page = await context.newPage()
  const site = await serve({ [script]: `(${attempts})('${address}')` })
  await openPage(page, site.url)
  const frame = script === 'cell.js' ? await cellsOf(page) : page
  const outcomes = await frame.evaluate(() => globalThis.attempted)
  await context.close()
  site.close()
  return outcomes
})
const hash = (state = {}) => toHash(completeState({ language: 'en', ...state }))
/** How each worker of the page is started. */
const KINDS = {
  'worker.js': (page, url) => page.goto(`${url}#${hash()}`),
  'theatre.js': (page, url) => page.goto(`${url}#theatre=dates&language=en`),
  'check.js': async (page, url) => {
    await page.goto(`${url}#${hash()}`)
    await waitForRuns(page, 1)
    await page.waitForSelector('[data-action="check"]', { state: 'attached' })
    await page.evaluate(() => document.querySelector('[data-action="check"]').click())
  }
}
for (const [script, openPage] of Object.entries(KINDS)) {
  test(`${script}: its worker reaches no other origin and makes no code of text`, async () => {
    requests.length = 0
    const outcomes = await attemptsIn(script, openPage)
    for (const [name, result] of Object.entries(outcomes)) assert.match(result, /^refused/, name)
    assert.equal(Object.keys(outcomes).length, 9)
    assert.deepEqual(requests, [])
  })
}

const notebook = { model: 'positions', room: 'notebook.003' }

test('cell.js: its worker reaches no origin at all; there and nowhere else text becomes code', async () => {
  requests.length = 0
  const outcomes = await attemptsIn('cell.js', (page, url) => page.goto(`${url}#${hash(notebook)}`))
  const codes = ['eval', 'function', 'timer']
  for (const [name, result] of Object.entries(outcomes)) assert.match(result, codes.includes(name) ? /^done/ : /^refused/, name)
  assert.deepEqual(requests, [])
})

/** Ways in which a cell once reached, or might reach, another origin. */
const cells = address => [
  `[...import('${address}/spread')]`, `print(...import('${address}/argument'))`, `const { 0: x = import('${address}/default') } = []`,
  `x = { y: 1,...import('${address}/object') }`, `gf.load?.({ wasm: '${address}/kernels' })`,
  `(async () => { for await (const x of [...[0].map(() => import('${address}/loop'))]); })()`,
  `Promise.resolve().then(async () => [...[await import('${address}/later')]])`
]
const isSaid = () => /Cell 1 has run|Stopped/.test(document.querySelector('.nb-said')?.textContent)
const isDone = () => /have run|Stopped/.test(document.querySelector('.nb-said')?.textContent)

test('a cell imports nothing, however it is written, from another origin or from the page\'s own', async () => {
  requests.length = 0
  const { page, close } = await browser.open({ ...notebook, language: 'en' })
  await page.waitForFunction(isDone)
  const answered = []
  page.context().on('response', response => answered.push(response.url()))
  const ownUrl = new URL('worker.js?leak=', page.url()).href
  for (const code of [...cells(address), ...cells(ownUrl)]) {
    const cell = page.locator('[data-cell-number="0"]')
    await cell.locator('textarea').fill(code)
    await cell.locator('.nb-run').click()
    await page.waitForFunction(isSaid)
  }
  await page.waitForTimeout(300)
  assert.deepEqual(requests, [])
  assert.deepEqual(answered.filter(url => !/\/(cell\.js|cell\.html|glassformer\.wasm)$|^blob:/.test(url)), [])
  await close()
})

test('the frame of the cells serves no page that does not sandbox it', async () => {
  await browser.withBrowser(async (browser, url) => {
    const page = await browser.newPage()
    await page.goto(`${url}cell.html`)
    const answer = await page.evaluate(() => new Promise(done => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }) => done(data)
      postMessage({ code: 'postMessage(1)' }, '*', [port2])
      setTimeout(() => done('no answer'), 500)
    }))
    assert.equal(answer, 'no answer')
    await page.close()
  })
})

test('in Firefox, too: the page computes, a cell runs, and neither reaches another origin',
  { skip: !findFirefox() && 'there is no Firefox' }, async () => {
    requests.length = 0
    const site = await serve(), fox = await launchFirefox(findFirefox())
    await fox.goto(`${site.url}#${hash(notebook)}`)
    const found = await fox.evaluate(async codes => {
      const waitUntil = async test => {
        for (let left = 400; left > 0 && !test(); left--) await new Promise(done => { setTimeout(done, 50) })
        return test()
      }
      const text = () => document.querySelector('.nb-said')?.textContent ?? ''
      await waitUntil(() => /have run|Stopped/.test(text()))
      const first = text(), field = document.querySelector('[data-cell-number="0"] textarea')
      const results = []
      for (const code of ['print(6 * 7)', ...codes]) {
        field.value = code
        field.dispatchEvent(new Event('input', { bubbles: true }))
        document.querySelector('[data-cell-number="0"] .nb-run').click()
        await waitUntil(() => /Cell 1 has run|Stopped/.test(text()))
        results.push(document.querySelector('[data-cell-number="0"] .nb-output').textContent)
      }
      return { first, results, runs: document.getElementById('house').dataset.run }
    }, cells(address))
    assert.match(found.first, /^All cells have run/)
    assert.match(found.results[0], /^42/)
    assert.ok(Number(found.runs) >= 1)
    const outcomes = await fox.evaluate(async (code, address) => {
      const worker = new Worker(URL.createObjectURL(new Blob([`(${code})('${address}')`])))
      return new Promise((done, refuse) => {
        worker.onmessage = ({ data }) => done(data.attempted)
        worker.onerror = () => refuse(new Error('no worker'))
      })
    }, String(attempts), address)
    for (const [name, result] of Object.entries(outcomes)) assert.match(result, /^refused/, name)
    assert.deepEqual(requests, [])
    await fox.close()
    site.close()
  })
