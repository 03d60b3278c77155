/** What the browser tests stand on: the built page on a loopback server, real Chromium, the same run made in Node. */

import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { after, before } from 'node:test'
import { chromium } from 'playwright-core'
import { settingsOf } from '../../web/models/index.js'
import { defaults, fromHash, toHash } from '../../web/shell/state.js'
import { made, pageRun } from '../lib/page.js'

const SITE = new URL('../../dist/site/', import.meta.url)
const TYPES = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm',
  '.map': 'application/json'
}
const FOLDER = '/some/where/'
const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)
const ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'
]

/**
 * Serves dist/site below a folder, as any static host might.
 * @param {Record<string, string>} [instead] by name, what is served instead of a file
 */
export async function serve(instead = {}) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname
    const name = path === FOLDER ? 'index.html' : path.replace(FOLDER, '')
    try {
      const body = instead[name] ?? await readFile(new URL(name, SITE))
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}${FOLDER}`, close: () => server.close() }
}

export const launch = () => (
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGUMENTS }))

/**
 * Opens a page and keeps every complaint it makes: errors, warnings, policy violations, failed requests.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {object} [options] of the browser context, and
 * @param {() => void} [options.before] runs in the page before anything else
 */
export async function open(browser, url, { before: prepare, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'ko-KR', ...options })
  const page = await context.newPage()
  const complaints = []
  if (prepare) await page.addInitScript(prepare)
  page.on('console', message => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('requestfailed', request => {
    // A frame for cells that is removed while it loads, as when its room is left, has failed nobody.
    const isLeft = /\/cell\.html$|^blob:null\//.test(request.url()) && request.failure()?.errorText === 'net::ERR_ABORTED'
    if (!isLeft) complaints.push(`failed: ${request.url()}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  await page.goto(url)
  await runs(page, 1)
  return { page, complaints, close: () => context.close() }
}

/**
 * Serves the page and keeps one browser for the tests of a file.
 * @returns {{ open(where: string | object, options?: object): ReturnType<typeof open>, inBrowser(work: Function): any
 *   url(): string }} open: an address, or the page in a state; inBrowser: hands the browser and the page's address to
 *   some work; url: that address
 */
export function useHouse() {
  let site, browser
  before(async () => {
    [site, browser] = await Promise.all([serve(), launch()])
  })
  after(async () => {
    await browser?.close()
    site?.close()
  })
  return {
    open: (where, options) => (
      open(browser, typeof where === 'string' ? where : `${site.url}#${toHash(stateOf(where))}`, options)),
    inBrowser: work => work(browser, site.url),
    url: () => site.url
  }
}

/** Enters a room by its door on the map, wherever the map is scrolled to. */
export const go = (page, room) => (
  page.evaluate(id => document.querySelector(`.map li[data-room="${id}"] a`).click(), room))

/** The rooms on the map. */
export const roomsOn = page => page.$$eval('.map li[data-room]', list => [...new Set(list.map(one => one.dataset.room))])

/** How far the page reaches beyond its window sideways, in pixels. */
export const beyond = page => page.evaluate(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  return scrollWidth - clientWidth
})

/** Chooses an alternative of a control of the stage. */
export const choose = (page, name, word) => (
  page.click(`.stage [data-control="${name}"] label:has(input[value="${word}"])`))

/**
 * Waits until the inspector has said how its cell was made, and what is wider than its place is known to be, which the
 * page learns a frame after it was drawn.
 */
const rest = page => page.waitForFunction(() => (
  !document.querySelector('#inspector[aria-busy="true"]') && [...document.querySelectorAll('.rule')].every(rule => (
    rule.scrollWidth > rule.clientWidth === rule.hasAttribute('tabindex')))), null, { polling: 20 })

/** What axe finds, on the whole page or within a part of it: the rule, and the elements that break it. */
export async function violations(page, within = 'html') {
  await rest(page)
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(await readFile(AXE, 'utf8'))
  const found = await page.evaluate(part => globalThis.axe.run(part, { resultTypes: ['violations'] }), within)
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

/** How many runs the page has shown. */
export const runCount = page => page.evaluate(() => Number(document.getElementById('house').dataset.run ?? 0))

/** Waits until the page has shown so many runs. */
export async function runs(page, count) {
  await page.waitForFunction(least => Number(document.getElementById('house').dataset.run ?? 0) >= least, count)
}

/** What the address says, written at once, as for a reader who leaves the window. */
export async function addressed(page) {
  return fromHash(await page.evaluate(() => {
    dispatchEvent(new Event('blur'))
    return location.hash
  }))
}

/** Does something that changes the settings and waits for the run that follows. */
export async function changing(page, act) {
  const before = await runCount(page)
  await act()
  await runs(page, before + 1)
}

/** The state of a link: what it says, the rest as the model has it by default; in the house, if nowhere else. */
export const stateOf = said => ({ ...defaults(said.model), room: 'house', ...said })

/** The run of a state, made here. */
export function runHere(said) {
  const { edits, ...settings } = settingsOf(stateOf(said))
  return pageRun(settings, edits)
}

/** Every table of the stage: its tensor's name and its cells as text. */
export async function tablesOf(page) {
  await page.evaluate(() => document.querySelectorAll('.numbers').forEach(details => { details.open = true }))
  await page.waitForFunction(() => (
    [...document.querySelectorAll('.tables')].every(list => list.querySelector('tbody td'))))
  return page.evaluate(() => [...document.querySelectorAll('.tables table')].map(table => ({
    name: table.dataset.tensor,
    columns: [...table.tHead.rows[0].cells].slice(1).map(cell => cell.textContent),
    rows: [...table.tBodies[0].rows].map(row => row.cells[0].textContent),
    cells: [...table.tBodies[0].rows].map(row => [...row.cells].slice(1).map(cell => cell.textContent))
  })))
}

/** A run of a state with other edits, made here, as the worker makes one. */
export const withEdits = (said, edits) => made(settingsOf({ ...stateOf(said), edits }), edits)

/** Opens files as the reader's own model. @param {import('playwright-core').Page} page @param {string[]} paths */
export async function bringFiles(page, paths) {
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('.bring[open]')
  await page.setInputFiles('.bring input', paths)
  await page.waitForSelector('.bring .primary:visible')
  await changing(page, () => page.click('.bring .primary'))
}

/** Lets go of files or folders over the page, as a hand does. @param {string[]} paths */
export async function letGo(page, paths) {
  const hand = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await hand.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data })
  }
  await page.waitForSelector('.bring .primary:visible')
}
