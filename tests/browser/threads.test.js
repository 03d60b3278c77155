// Several threads in a page: on one that is isolated two, with the bits of one; on one that is not, one, and why.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { longTest } from '../lib/long.js'
import { launch } from './host.js'
import { findFirefox, launchFirefox } from './firefox.js'

const root = name => new URL(`../../${name}`, import.meta.url)
const ENTRY = "export { load } from './src/js/index.js'\nexport { computeDigests } from './tests/browser/digest.js'"
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }
/** Pages by their paths, and what they are sent with. */
const PAGES = {
  '/isolated': ISOLATED,
  '/open': {},
  '/strict': { ...ISOLATED, 'content-security-policy': "script-src 'self' 'unsafe-eval'" }
}

let server, address, code, browser

before(async () => {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: fileURLToPath(root('')) }, bundle: true, format: 'esm', platform: 'neutral',
    external: ['node:*'], write: false, logLevel: 'error', loader: { '.json': 'json' }
  })
  code = outputFiles[0].text
  server = createServer(({ url }, response) => {
    const page = PAGES[url]
    if (page) return response.writeHead(200, { 'content-type': 'text/html', ...page }).end('<title>-</title>')
    if (url === '/favicon.ico') return response.writeHead(404).end()
    const isCode = url === '/library.mjs', type = isCode ? 'text/javascript' : 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, ...ISOLATED })
    return response.end(isCode ? code : readFileSync(root(url.slice(1))))
  })
  await new Promise(done => { server.listen(0, '127.0.0.1', done) })
  address = `http://127.0.0.1:${server.address().port}`
  browser = await launch()
})
after(async () => {
  await browser?.close()
  server?.close()
})

/** In a page: what it says of its threads, and whether they compute what one does. */
const inPage = async () => {
  const bytesOf = async path => new Uint8Array(await (await fetch(path)).arrayBuffer())
  const { load } = await import('/library.mjs')
  const [wasm, shared] = await Promise.all(['/dist/glassformer.wasm', '/dist/glassformer.threads.wasm'].map(bytesOf))
  const threads = { count: 2, wasm: shared, minWork: 0 }
  const single = await load({ wasm }), two = await load({ wasm, threads })
  const product = gf => {
    gf.manualSeed(3)
    return Array.from(gf.randn([130, 170]).matmul(gf.randn([170, 90])).data).join()
  }
  const expected = product(single), isSame = []
  for (let left = 300; (left > 290 || !two.threads.taken) && left > 0; left--) isSame.push(product(two) === expected)
  const { count, reason, taken: calls } = two.threads
  two.threads.stop()
  return { count, reason, taken: calls, isSame: isSame.every(Boolean) }
}

/** The digests of the page's models with one thread and with two. */
const digestsInPage = async () => {
  const bytesOf = async path => new Uint8Array(await (await fetch(path)).arrayBuffer())
  const { computeDigests } = await import('/library.mjs')
  const [wasm, shared] = await Promise.all(['/dist/glassformer.wasm', '/dist/glassformer.threads.wasm'].map(bytesOf))
  const fileOf = (model, name) => bytesOf(`/web/models/${model}/${name}`)
  return [await computeDigests(wasm, fileOf),
    await computeDigests(wasm, fileOf, { count: 2, wasm: shared, minWork: 0 })]
}

const openPage = async path => {
  const page = await browser.newPage()
  await page.goto(address + path)
  return page
}

function expectTwo({ taken: calls, ...rest }) {
  assert.deepEqual(rest, { count: 2, reason: null, isSame: true })
  assert.ok(calls > 0, 'the worker has done nothing')
}

test('on an isolated page two threads compute the same bits as one', async () => {
  expectTwo(await (await openPage('/isolated')).evaluate(inPage))
})

test('so do they in a worker of that page, which may block', async () => {
  const page = await openPage('/isolated')
  expectTwo(await page.evaluate(source => new Promise((resolve, reject) => {
    const body = `(${source})().then(postMessage, error => postMessage(error.message))`
      .replace(/(['"])\/(library|dist)/g, `$1${location.origin}/$2`)
    const worker = new Worker(URL.createObjectURL(new Blob([body], { type: 'text/javascript' })), { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  }), String(inPage)))
})

test('models, text and training have the same bits', async () => {
  const [single, two] = await (await openPage('/isolated')).evaluate(digestsInPage)
  assert.ok(single.length > 5)
  assert.deepEqual(two, single)
})

test('on a page that is not isolated one thread computes, with the reason', async () => {
  const { count, reason, isSame } = await (await openPage('/open')).evaluate(inPage)
  assert.deepEqual([count, isSame], [1, true])
  assert.match(reason, /not isolated; its server must send Cross-Origin-Opener-Policy: same-origin/)
})

test('where a policy forbids blob workers one thread computes, with the reason', async () => {
  const { count, reason, isSame } = await (await openPage('/strict')).evaluate(inPage)
  assert.deepEqual([count, isSame], [1, true])
  assert.match(reason, /^a worker could not be started: .*(Content-Security-Policy|Content Security Policy)/)
})

longTest('Firefox does so, too', { skip: !findFirefox() && 'there is no Firefox' }, async () => {
  const fox = await launchFirefox(findFirefox())
  try {
    await fox.goto(`${address}/isolated`)
    expectTwo(await fox.evaluate(inPage))
    await fox.goto(`${address}/open`)
    assert.match((await fox.evaluate(inPage)).reason, /not isolated/)
  } finally {
    await fox.close()
  }
})
