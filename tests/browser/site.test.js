// The built files, as a host sends them.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { READY, filesFor, settingsOf } from '../../web/models/index.js'
import { defaults } from '../../web/models/state.js'
import { launch, serve } from './host.js'

const DIST = new URL('../../dist/', import.meta.url)
const read = name => readFile(new URL(name, DIST))

test('every compressible file has compressed copies: two formats, one for weights', async () => {
  const names = (await readdir(new URL('site/', DIST), { recursive: true }))
    .filter(name => /\.(html|js|css|json|wasm|safetensors)$/.test(name) && name !== 'glassformer.html')
  assert.ok(names.some(name => name.startsWith('chunks/')))
  for (const name of names) {
    const bytes = await read(`site/${name}`)
    assert.deepEqual(gunzipSync(await read(`site/${name}.gz`)), bytes, name)
    if (!name.endsWith('.safetensors')) assert.deepEqual(brotliDecompressSync(await read(`site/${name}.br`)), bytes, name)
  }
})

test('the single file has its chunks inside', async () => {
  const html = await read('glassformer.html')
  assert.equal(html.includes('chunks/'), false)
  assert.ok(html.includes('is not a registered'), 'a complaint of Chart.js, which is imported late')
})

test('the package\'s elements have the weights that each model begins with', async () => {
  const names = await readdir(new URL('elements/', DIST))
  for (const { id } of READY) for (const name of filesFor(settingsOf(defaults(id)))) assert.ok(names.includes(name), `${id}: ${name}`)
  assert.equal(names.filter(name => name.endsWith('.safetensors')).length, 5)
})

/** The guide's example of a page that takes the library as one file. */
async function exampleOf(guide) {
  const page = (await read(`site/docs/${guide}.html`)).toString()
  const [, html] = /<code class="language-html">([^]*?)<\/code>/.exec(page)
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}

test('the guide\'s page takes the library as one file, and refuses another', async () => {
  const example = await exampleOf('getting-started'), library = (await read('site/glassformer.inline.js')).toString()
  /** What the page shows with a file as the library. */
  const show = async file => {
    const server = await serve({ 'example.html': `<body>${example}`, 'glassformer.inline.js': file }), browser = await launch()
    try {
      const page = await browser.newPage(), refusal = new Promise(done => {
        page.on('console', message => /integrity/.test(message.text()) && done(message.text()))
      })
      await page.goto(`${server.url}example.html`)
      return await Promise.race([refusal, page.waitForFunction(() => /\d/.test(document.body.innerText)).then(() => page.innerText('body'))])
    } finally {
      await browser.close()
      server.close()
    }
  }
  assert.equal((await show(library)).trim(), '8.0')
  assert.match(await show(`${library}\n`), /integrity/)
})
