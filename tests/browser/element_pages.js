// Pages of other people with elements, for the tests of elements.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { useSite } from './host.js'

export const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; img-src data:"

const escape = text => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
/** The code of an element. */
export const element = (name, attributes) => (
  `<glass-${name} ${Object.entries(attributes).map(([key, value]) => `${key}="${escape(value)}"`).join(' ')}></glass-${name}>`)
export const figure = attributes => element('figure', attributes)

/** A page under a strict policy. */
export const html = (body, { style = '', policy = POLICY, script = 'elements.js' } = {}) => `<!doctype html><html lang="en"><head>
<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>A blog</title>
<link rel="icon" href="data:,">${style}<script type="module" src="${script}"></script></head><body><main><h1>A blog</h1>${body}</main></body></html>`

/**
 * Serves pages of other people beside the site, for all tests of a file.
 * @param {Record<string, string> | (() => Promise<Record<string, string>>)} pages their contents by file name
 * @param {...any} rest the further arguments of `serve`
 * @returns {{ open(name: string, options?: object): ReturnType<typeof openPage>, url(): string }} open: opens one,
 *   or an address
 */
export function useBlog(pages, ...rest) {
  const { url, browser } = useSite(async () => [typeof pages === 'function' ? await pages() : pages, ...rest])
  return { url, open: (name, options) => openPage(browser(), name.startsWith('http') ? name : url() + name, options) }
}

/** Opens a page and notes its complaints and the events of its elements. */
async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, locale: 'en-US', ...options })
  const page = await context.newPage(), complaints = [], requested = []
  page.on('console', message => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  context.on('request', request => requested.push(request.url()))
  await page.addInitScript(() => {
    globalThis.events = []
    for (const type of ['run', 'answer', 'select', 'step', 'finish'].map(name => `glass-${name}`)) {
      document.addEventListener(type, ({ detail, target }) => globalThis.events.push({ type, detail, id: target.id }))
    }
    document.addEventListener('error', ({ message, target }) => message && globalThis.events.push({ type: 'error', message, id: target.id }), true)
  })
  await page.goto(url)
  return { page, complaints, requested, close: () => context.close() }
}

/** Every element. */
export const ALL = 'glass-figure, glass-lesson, glass-model, glass-training'
/** What an element has that is displayed: a figure, the words of a lesson, the answer of a training, or an error. */
export const DRAWN = '.root[data-room] .figure-foot, .map li a, .lesson-bar[data-step], [data-room^="step"] .theatre-answer, .glass-error'

/** Scrolls to every element and waits until it displays its figure. */
export async function showAll(page) {
  const count = await page.$$eval(ALL, list => list.length)
  for (let i = 0; i < count; i++) {
    await page.evaluate(([all, n]) => document.querySelectorAll(all)[n].scrollIntoView(), [ALL, i])
    await page.waitForFunction(([all, drawn, n]) => (
      document.querySelectorAll(all)[n].shadowRoot.querySelector(drawn)), [ALL, DRAWN, i])
  }
  const errors = await page.$$eval(ALL, list => (
    list.flatMap(({ shadowRoot }) => shadowRoot.querySelector('.glass-error')?.textContent ?? [])))
  assert.deepEqual(errors, [])
  await page.waitForTimeout(300)
}

/** The tables of every element: the name of the tensor and the numbers, row by row. */
export const readTables = page => page.evaluate(async selector => {
  const all = []
  for (const element of document.querySelectorAll(selector)) {
    const root = element.shadowRoot
    for (const details of root.querySelectorAll('.numbers')) details.open = true
    for (let i = 0; i < 100 && [...root.querySelectorAll('.tables')].some(list => !list.querySelector('td')); i++) {
      await new Promise(resolve => { setTimeout(resolve, 20) })
    }
    all.push({
      room: root.querySelector('.root').dataset.room,
      tables: [...root.querySelectorAll('.tables table')].map(table => ({
        name: table.dataset.tensor,
        values: [...table.tBodies[0].rows].flatMap(row => [...row.cells].slice(1).map(cell => cell.textContent))
      }))
    })
  }
  return all
}, ALL)
export const toNumber = text => Math.fround(Number(text.replaceAll('−', '-').replace('∞', 'Infinity')))

const LIBRARY = fileURLToPath(new URL('../../src/js/index.js', import.meta.url))

/** The library as one module for a script tag. */
export async function bundleLibrary() {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [LIBRARY], bundle: true, format: 'esm', write: false, external: ['node:*']
  })
  return text
}

/** The bytes of the runs that the worker of the figures retains. */
export const measureRuns = page => page.workers().find(worker => worker.url().includes('elements-worker')).evaluate(() => new Promise(resolve => {
  const post = globalThis.postMessage
  globalThis.postMessage = (message, ...rest) => {
    if (message.id !== -1) return post.call(globalThis, message, ...rest)
    globalThis.postMessage = post
    return resolve(message.result.bytes)
  }
  globalThis.onmessage({ data: { id: -1, type: 'memory' } })
}))

/** The size of the page's heap. */
export async function measureHeap(page) {
  const session = await page.context().newCDPSession(page)
  for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}
