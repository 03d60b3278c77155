// The notebook widget against anywidget's contract: a module from a blob, traits by get and set, bytes as a DataView.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { formatExact } from '../../web/lib/number.js'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from '../models/golden_models.js'
import { launch } from './host.js'

const [llama] = cases('llama'), files = filesOf(llama), IDS = [3, 1, 4, 1, 5], TOKENS = ['three', 'one (1)', 'four', 'one (3)', 'five']
let browser, server, url
before(async () => {
  const widget = await readFile(new URL('../../dist/widget/glassformer_widget/widget.js', import.meta.url))
  const parts = { '/': '<!doctype html><title>notebook</title><link rel="icon" href="data:,"><main></main>', '/widget.js': widget, '/weights': files['model.safetensors'] }
  server = createServer(({ url: path }, response) => response.writeHead(200, { 'content-type': path === '/' ? 'text/html' : 'text/plain' }).end(Buffer.from(parts[path])))
  await new Promise(done => { server.listen(0, '127.0.0.1', done) })
  url = `http://127.0.0.1:${server.address().port}/`
  browser = await launch()
})
after(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

/** Renders the widget as anywidget does, and then cuts the network. */
async function openNotebook(traits) {
  const context = await browser.newContext(), page = await context.newPage(), complaints = [], requested = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(url)
  await page.evaluate(async given => {
    const [script, weights] = await Promise.all(['widget.js', 'weights'].map(async name => (await fetch(name)).arrayBuffer()))
    globalThis.module = await import(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })))
    globalThis.traits = { weights: new DataView(weights), ...given }
    globalThis.listeners = new Map()
    globalThis.saved = 0
  }, { room: 'weights', head: 0, depth: 'numbers', theme: 'light', lang: 'en', controls: true, tokens: TOKENS,
    ids: IDS, config: String(files['config.json']), ...traits })
  context.on('request', request => /^http/.test(request.url()) && requested.push(request.url()))
  await context.setOffline(true)
  await page.evaluate(() => {
    const model = {
      get: name => globalThis.traits[name], set(name, value) { globalThis.traits[name] = value },
      save_changes() { globalThis.saved += 1 },
      on: (event, listener) => globalThis.listeners.set(event, listener),
      off: event => globalThis.listeners.delete(event)
    }
    globalThis.change = (name, value) => {
      globalThis.traits[name] = value
      globalThis.listeners.get(`change:${name}`)()
    }
    globalThis.end = globalThis.module.default.render({ model, el: document.querySelector('main') })
  })
  return { page, complaints, requested, close: () => context.close() }
}

const waitForRoom = (page, end) => page.waitForFunction(name => (
  document.querySelector('glass-figure')?.shadowRoot.querySelector('.root')?.dataset.room?.endsWith(name)), end)
/** The numbers of the last table of the figure. */
const readTable = page => page.evaluate(async () => {
  const root = document.querySelector('glass-figure').shadowRoot
  root.querySelector('.numbers').open = true
  while (!root.querySelector('.tables td')) await new Promise(done => { setTimeout(done, 20) })
  const table = [...root.querySelectorAll('.tables table')].at(-1)
  return {
    head: [...table.tHead.rows[0].cells].slice(1).map(cell => cell.textContent),
    values: [...table.tBodies[0].rows].flatMap(row => [...row.cells].slice(1).map(cell => cell.textContent))
  }
})

test('draws the weights of Python without network, with its tokens and the numbers of Node', async () => {
  const { page, complaints, requested, close } = await openNotebook({})
  await waitForRoom(page, 'weights')
  const { model } = await gf.models.load(files), run = gf.observe(() => ({ output: model.forward([IDS]).logits }), {})
  const name = run.names.find(item => item.endsWith('self_attn.weights')), all = run.read(name)
  const { head, values } = await readTable(page)
  assert.deepEqual(head, TOKENS)
  assert.deepEqual(values, Array.from(all.slice(0, IDS.length ** 2), formatExact))
  run.dispose()
  model.dispose()
  const cell = await page.evaluate(() => {
    const { x, y } = document.querySelector('glass-figure').shadowRoot.querySelector('canvas').getBoundingClientRect()
    return { x: x + 9, y: y + 9 }
  })
  await page.mouse.move(cell.x, cell.y)
  await page.mouse.move(cell.x + 1, cell.y + 1)
  await page.waitForFunction(() => globalThis.saved > 0)
  const selected = await page.evaluate(() => globalThis.traits.selected)
  assert.equal(selected.index.length, 4)
  assert.equal(typeof selected.value, 'number')
  assert.deepEqual([requested, complaints], [[], []])
  await close()
})

test('follows changes from Python, says what is wrong, and ends', async () => {
  const { page, complaints, close } = await openNotebook({})
  await waitForRoom(page, 'weights')
  await page.evaluate(() => globalThis.change('room', 'scores'))
  await waitForRoom(page, 'scores')
  await page.evaluate(() => globalThis.change('ids', [2, 7]))
  await page.waitForFunction(() => document.querySelector('glass-figure')?.shadowRoot.querySelector('.shape')?.textContent.includes('2'))
  await page.evaluate(() => globalThis.change('config', '{"model_type": "soup"}'))
  await page.waitForSelector('[role=alert]')
  assert.match(await page.textContent('[role=alert]'), /^glassformer: .*soup/)
  assert.deepEqual(await page.evaluate(() => {
    globalThis.end()
    return [globalThis.listeners.size, document.querySelector('main').childElementCount]
  }), [0, 0])
  assert.deepEqual(complaints, [])
  await close()
})
