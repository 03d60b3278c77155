// The same bits in Node, Chromium, Firefox and WebKit, and the main path of the page in Firefox as the other tests walk
// it in Chromium.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { toHash } from '../../web/models/state.js'
import { runInNode, launch, serve, completeState } from './host.js'
import { findFirefox, launchFirefox } from './firefox.js'
import { hasWebKit, launchWebKit } from './webkit.js'
import { isLong } from '../lib/long.js'

const root = name => new URL(`../../${name}`, import.meta.url)
const RUN = `import { readFileSync } from 'node:fs'
import { computeDigests } from './digest.mjs'
const fileOf = async (model, name) => readFileSync(process.argv[2] + 'web/models/' + model + '/' + name)
console.log(JSON.stringify(await computeDigests(readFileSync(process.argv[2] + 'dist/glassformer.wasm'), fileOf)))`

let folder, server, url, expected, fox, site

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engines-'))
  await build({ entryPoints: [fileURLToPath(new URL('digest.js', import.meta.url))], bundle: true, format: 'esm',
    platform: 'neutral', external: ['node:*'], outfile: join(folder, 'digest.mjs'), logLevel: 'error',
    loader: { '.json': 'json' } })
  writeFileSync(join(folder, 'run.mjs'), RUN)
  server = createServer(({ url: path }, response) => {
    if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end('<title>digest</title>')
    const type = path.endsWith('.mjs') ? 'text/javascript' : 'application/octet-stream'
    if (path === '/favicon.ico') return response.writeHead(404).end()
    const body = path === '/digest.mjs' ? readFileSync(join(folder, 'digest.mjs')) : readFileSync(root(path.slice(1)))
    return response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise(done => { server.listen(0, '127.0.0.1', done) })
  url = `http://127.0.0.1:${server.address().port}/`
  site = await serve()
  expected = inNode(process.execPath)
  const path = findFirefox()
  fox = path ? await launchFirefox(path) : null
})
after(async () => {
  await fox?.close()
  server.close()
  site.close()
  rmSync(folder, { recursive: true })
})

/** @param {string} node */
const inNode = node => (
  JSON.parse(execFileSync(node, [join(folder, 'run.mjs'), fileURLToPath(root(''))], { encoding: 'utf8' })))

/** What a page that can reach the files computes. */
const inPage = async () => {
  const bytesOf = async path => new Uint8Array(await (await fetch(path)).arrayBuffer())
  const { computeDigests } = await import('/digest.mjs')
  return computeDigests(await bytesOf('/dist/glassformer.wasm'), (model, name) => bytesOf(`/web/models/${model}/${name}`))
}

test('Node computes the digest, and in long runs twice', t => {
  t.diagnostic(`Node ${process.version}: ${expected.map(item => item.toString(16)).join(' ')}`)
  assert.equal(new Set(expected).size, 9)
  if (isLong) assert.deepEqual(inNode(process.execPath), expected)
})

test('another Node computes the same bits', { skip: !process.env.OTHER_NODE && 'OTHER_NODE names none' }, t => {
  t.diagnostic(execFileSync(process.env.OTHER_NODE, ['--version'], { encoding: 'utf8' }).trim())
  assert.deepEqual(inNode(process.env.OTHER_NODE), expected)
})

test('Chromium computes the same bits', async t => {
  const browser = await launch()
  t.diagnostic(`Chromium ${browser.version()}`)
  const page = await browser.newPage()
  await page.goto(url)
  assert.deepEqual(await page.evaluate(inPage), expected)
  await browser.close()
})

const needsFirefox = () => ({ skip: !findFirefox() && 'there is no Firefox' })

test('Firefox computes the same bits', needsFirefox(), async t => {
  await fox.goto(url)
  t.diagnostic(await fox.evaluate(() => navigator.userAgent.match(/Firefox\/[\d.]+/)[0]))
  assert.deepEqual(await fox.evaluate(inPage), expected)
})

test('WebKit computes the same bits', { skip: !hasWebKit() && 'there is no WebKitWebDriver or no Xvfb' }, async t => {
  const browser = await launchWebKit()
  t.diagnostic(`WebKitGTK ${browser.version}`)
  await browser.goto(url)
  assert.deepEqual(await browser.evaluate(inPage), expected)
  await browser.close()
})

/** In the page: waits until something holds. */
const waitUntil = `async test => {
  for (let left = 600; left > 0; left--) {
    const found = test()
    if (found) return found
    await new Promise(done => setTimeout(done, 50))
  }
  throw new Error('not in time: ' + test)
}`

test('the main path in Firefox: a room, an explained cell, a changed text, an edit, the check', needsFirefox(),
  async () => {
    const room = 'encoder.0.self_attn.scores', name = 'transformer.encoder.layers.0.self_attn.dots'
    const cell = { name, index: [0, 0, 2, 1] }
    const at = state => `${site.url}#${toHash(completeState({ language: 'en', room, ...state }))}`
    await fox.resize(1440, 1000)
    await fox.goto(at({ cell }))
    const displayed = await fox.evaluate(new Function('const until = ' + waitUntil + `
      return (async () => {
        await until(() => document.querySelector('#house').dataset.run)
        await until(() => document.querySelectorAll('#inspector .terms li, #inspector .terms tr, #inspector .term').length)
        document.querySelectorAll('.numbers').forEach(details => { details.open = true })
        await until(() => document.querySelector('.tables tbody td'))
        const table = [...document.querySelectorAll('.tables table')].find(one => one.dataset.tensor.endsWith('.dots'))
        return { title: document.querySelector('.stage h1').textContent, inspector: document.querySelector('#inspector').innerText,
          cells: [...table.tBodies[0].rows].map(row => [...row.cells].slice(1).map(one => one.textContent)) }
      })()`))
    const run = runInNode({ room }), { data, shape } = run.tensors.get(name), T = shape[3]
    assert.ok(displayed.cells.length === T)
    displayed.cells.forEach((row, i) => row.forEach((text, j) => (
      assert.ok(Math.abs(Number(text.replace('−', '-')) - data[i * T + j]) <= 0.5000001 * 10 ** -(text.split('.')[1]?.length ?? 0)))))
    assert.match(displayed.inspector, /\[0, 0, 2, 1\]/)
    const total = await fox.evaluate(new Function('const until = ' + waitUntil + `
      return (async () => {
        const field = document.querySelector('[data-field="source"]'), before = document.querySelector('#house').dataset.run
        field.value = '5 may 1999'
        field.dispatchEvent(new Event('input', { bubbles: true }))
        await until(() => document.querySelector('#house').dataset.run !== before)
        document.querySelector('[data-action="check"]').click()
        await until(() => document.querySelector('.check-total'))
        return document.querySelector('.check-total').textContent
      })()`))
    assert.match(total, /^All [\d,]+ numbers and [\d,]+ gradients agree/)
    run.dispose()
  })

test('Firefox: an exercise is written and checked; the policy allows the editor its styles', needsFirefox(), async () => {
  await fox.resize(1440, 1000)
  // Another hash alone would leave the dialog of the test before open.
  await fox.goto('about:blank')
  await fox.goto(`${site.url}#exercise=dot&language=en`)
  const found = await fox.evaluate(new Function('const until = ' + waitUntil + `
    return (async () => {
      const violations = []
      document.addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective))
      // The editor may be built once more while the page settles.
      const find = () => document.querySelector('.exercise-editor')?.shadowRoot.querySelector('.cm-content')
      await until(find)
      const check = async text => {
        // The editor reads the selection some time after it was made.
        for (let tries = 0; tries < 30 && find()?.textContent !== text; tries++) {
          const content = await until(find)
          content.focus()
          document.execCommand('selectAll')
          await new Promise(done => setTimeout(done, 100))
          content.dispatchEvent(new InputEvent('beforeinput', { inputType: 'insertText', data: text, bubbles: true, cancelable: true }))
          await new Promise(done => setTimeout(done, 100))
        }
        document.querySelector('.exercise-check').click()
        await until(() => document.querySelector('.exercise-check:disabled'))
        await until(() => !document.querySelector('.exercise-check:disabled'))
        return document.querySelector('.exercise-result').textContent
      }
      return { wrong: await check('function dot(a, b) { return missing(a) }'),
        right: await check('function dot(a, b) { return a.mul(b).sum() }'),
        font: getComputedStyle(find().parentElement).fontFamily, violations }
    })()`))
  assert.match(found.wrong, /Line 1\. ReferenceError: missing is not defined/)
  assert.match(found.right, /^Right/)
  assert.match(found.font, /monospace$/)
  assert.deepEqual(found.violations, [])
})
