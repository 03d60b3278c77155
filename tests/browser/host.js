/** What all browser tests use: the built page on a loopback server, Chromium, and the same run made in Node. */

import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { after, before } from 'node:test'
import { chromium } from 'playwright-core'
import { settingsOf } from '../../web/models/index.js'
import { nameRun } from '../../web/models/names.js'
import { defaults, fromHash, toHash } from '../../web/models/state.js'
import { makeRun, pageRun } from '../lib/page.js'

const SITE = new URL('../../dist/site/', import.meta.url)
export const TYPES = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm',
  '.map': 'application/json', '.webmanifest': 'application/manifest+json', '.png': 'image/png'
}
const PATH = '/some/where/'
const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)
const CHROMIUM_ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'
]

/**
 * Serves dist/site under a path, as any static host might.
 * @param {Record<string, string>} [replacements] contents by file name that are served instead of the files
 * @param {Record<string, string>} [folders] folders of which the files are served under further names
 * @param {Record<string, string>} [headers] further headers of every response
 */
export async function serve(replacements = {}, folders = {}, headers = {}) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname
    const asked = path === PATH ? 'index.html' : path.replace(PATH, ''), [folder] = asked.split('/')
    const name = folder in folders ? asked.replace(`${folder}/`, folders[folder]) : asked
    try {
      const body = replacements[name] ?? await readFile(new URL(name, SITE))
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream', ...headers }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}${PATH}`, close: () => server.close() }
}

export const launch = () => (
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: CHROMIUM_ARGUMENTS }))

/**
 * Opens a page and collects its complaints: errors, warnings, policy violations, failed requests.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {object} [options] options of the browser context
 * @param {() => void} [options.before] a function that runs in the page before anything else
 */
export async function open(browser, url, { before: prepare, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'ko-KR', ...options })
  const page = await context.newPage()
  const complaints = []
  if (prepare) await page.addInitScript(prepare)
  page.on('console', message => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('requestfailed', request => {
    // The page cancels what it no longer needs: when it is left or reloaded, and in a frame that is removed.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  await page.goto(url)
  await waitForRuns(page, 1)
  return { page, complaints, close: () => context.close() }
}

/**
 * Serves the page and starts one browser for all tests of a file.
 * @param {() => any} [prepare] returns the arguments of `serve`
 * @returns {{ url(): string, browser(): import('playwright-core').Browser }} what they are once the tests run
 */
export function useSite(prepare = () => []) {
  let site, browser
  before(async () => {
    const served = await prepare()
    ;[site, browser] = await Promise.all([serve(...served), launch()])
  })
  after(async () => {
    await browser?.close()
    site?.close()
  })
  return { url: () => site.url, browser: () => browser }
}

/**
 * The page and one browser for all tests of a file.
 * @returns {{ open(target: string | object, options?: object): ReturnType<typeof open>, withBrowser(fn: Function): any,
 *   url(): string }} open: opens an address, or the page in a state; withBrowser: calls a function with the browser and
 *   the page's address; url: that address
 */
export function useBrowser() {
  const { url, browser } = useSite()
  return {
    open: (target, options) => (
      open(browser(), typeof target === 'string' ? target : `${url()}#${toHash(completeState(target))}`, options)),
    withBrowser: fn => fn(browser(), url()),
    url
  }
}

/** Enters a room by its link on the map, even if the map is scrolled away from it. */
export const goToRoom = (page, room) => (
  page.evaluate(id => document.querySelector(`.map li[data-room="${id}"] a`).click(), room))

/** The ids of the rooms on the map. */
export const roomsOnMap = page => page.$$eval('.map li[data-room]', items => [...new Set(items.map(item => item.dataset.room))])

/** How much wider the page is than its window, in pixels. */
export const measureOverflow = page => page.evaluate(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  return scrollWidth - clientWidth
})

/** Selects an option of a control of the stage. */
export const chooseOption = (page, name, word) => (
  page.click(`.stage [data-control="${name}"] label:has(input[value="${word}"])`))

/**
 * Waits until the inspector has explained its cell and rules that scroll have a tabindex, which the page sets one frame
 * after it has drawn them.
 */
const waitForInspector = page => page.waitForFunction(() => (
  !document.querySelector('#inspector[aria-busy="true"]') && [...document.querySelectorAll('.rule')].every(rule => (
    rule.scrollWidth > rule.clientWidth === rule.hasAttribute('tabindex')))), null, { polling: 20 })

/** The violations that axe finds on the page or inside an element: the rules, and the elements that break them. */
export async function findViolations(page, selector = 'html') {
  await waitForInspector(page)
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(await readFile(AXE, 'utf8'))
  const results = await page.evaluate(part => globalThis.axe.run(part, { resultTypes: ['violations'] }), selector)
  return results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

/** How many runs the page has displayed. */
export const countRuns = page => page.evaluate(() => Number(document.getElementById('house').dataset.run ?? 0))

/** Waits until the page has displayed so many runs. */
export async function waitForRuns(page, count) {
  await page.waitForFunction(minRuns => Number(document.getElementById('house').dataset.run ?? 0) >= minRuns, count)
}

/** The state in the address, which the page writes at once when its window loses focus. */
export async function readAddress(page) {
  return fromHash(await page.evaluate(() => {
    dispatchEvent(new Event('blur'))
    return location.hash
  }))
}

/** Does something that changes the settings and waits for the next run. */
export async function changeAndWait(page, action) {
  const before = await countRuns(page)
  await action()
  await waitForRuns(page, before + 1)
}

/** A partial state completed by the defaults of its model; the default room is the house. */
export const completeState = partialState => ({ ...defaults(partialState.model), room: 'house', ...partialState })

/** The run of a state, made in Node, with its tokens named in the language of the state, by default Korean. */
export function runInNode(partialState) {
  const state = completeState(partialState), { edits, ...settings } = settingsOf(state)
  return nameRun(pageRun(settings, edits), state.language === 'auto' ? 'ko' : state.language)
}

/** Reads every table of the stage: the name of its tensor and its cells as text. */
export async function readTables(page) {
  await page.evaluate(() => document.querySelectorAll('.numbers').forEach(details => { details.open = true }))
  await page.waitForFunction(() => (
    [...document.querySelectorAll('.tables')].every(items => items.querySelector('tbody td'))))
  return page.evaluate(() => [...document.querySelectorAll('.tables table')].map(table => ({
    name: table.dataset.tensor,
    columns: [...table.tHead.rows[0].cells].slice(1).map(cell => cell.textContent),
    rows: [...table.tBodies[0].rows].map(row => row.cells[0].textContent),
    cells: [...table.tBodies[0].rows].map(row => [...row.cells].slice(1).map(cell => cell.textContent))
  })))
}

/** The run of a state with other edits, made in Node as the worker makes it; ids: the tokens that it reads instead. */
export const runWithEdits = (partialState, edits, ids = []) => (
  makeRun({ ...settingsOf({ ...completeState(partialState), edits }), ...(ids.length && { target: ids }) }, edits))

/** Imports a model from files. @param {import('playwright-core').Page} page @param {string[]} paths */
export async function importFiles(page, paths) {
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', paths)
  await page.waitForSelector('.bring .primary:visible')
  await changeAndWait(page, () => page.click('.bring .primary'))
}

/** Drops files or folders on the page. @param {string[]} paths */
export async function dropFiles(page, paths) {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data })
  }
  await page.waitForSelector('.bring .primary:visible')
}
