/** Measures the longest tasks of a page's main thread from Chromium's trace, by what is done meanwhile. */

import { roomsOf } from '../../web/rooms/index.js'
import { DEPTHS } from '../../web/shell/depth.js'
import { defaults } from '../../web/models/state.js'
import { runInNode } from './host.js'

const CATEGORIES = ['toplevel', 'disabled-by-default-devtools.timeline', 'blink.user_timing', '__metadata']

/** Runs in the page: waits until everything is drawn and nothing is busy. */
async function waitUntilIdle() {
  const frame = () => new Promise(requestAnimationFrame)
  do {
    await frame()
    await new Promise(resolve => setTimeout(resolve, 30))
  } while (document.querySelector('[aria-busy="true"]'))
  await frame()
}

/**
 * Traces a page while things are done in it.
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').Page} page
 * @param {(measure: (name: string, action: () => Promise<any>) => Promise<void>) => Promise<void>} work
 * @returns {Promise<Map<string, { wall: number, cpu: number }>>} the longest task of each thing done, in milliseconds:
 *   by the clock, and as time of the processor, which other programs on the machine lengthen less
 */
export async function measureLongestTasks(browser, page, work) {
  await browser.startTracing(page, { categories: CATEGORIES })
  const names = []
  await work(async (name, action) => {
    const mark = edge => page.evaluate(text => { performance.mark(text) }, `${edge} ${names.length}`)
    await mark('from')
    await action()
    await page.evaluate(waitUntilIdle)
    await mark('to')
    names.push(name)
  })
  const { traceEvents: events } = JSON.parse(await browser.stopTracing())
  const marks = new Map(events.filter(({ cat }) => cat === 'blink.user_timing').map(event => [event.name, event]))
  const { pid, tid } = marks.get('to 0')
  const tasks = events.filter(event => (
    event.pid === pid && event.tid === tid && event.ph === 'X' && /RunTask$/.test(event.name)))
  return new Map(names.map((name, i) => {
    const [from, to] = ['from', 'to'].map(edge => marks.get(`${edge} ${i}`).ts)
    const overlapping = tasks.filter(({ ts, dur }) => ts + dur > from && ts < to)
    const maxOf = key => overlapping.reduce((longest, task) => Math.max(longest, task[key] ?? 0), 0) / 1000
    return [name, { wall: maxOf('dur'), cpu: maxOf('tdur') }]
  }))
}

const ROOMS_WITH_CONTROLS = ['encoder.0.self_attn.qkv', 'encoder.0.norm1', 'output', 'sampling']

const SOURCE = '[data-field="source"]'

/** Loads the page, enters every room of the default model, and in some rooms types and changes depth and language. */
async function measureVisit(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'ko-KR' })
  const page = await context.newPage()
  const click = selector => page.evaluate(query => document.querySelector(query).click(), selector)
  const enter = id => click(`.map li[data-room="${id}"] a`)
  const tasks = await measureLongestTasks(browser, page, async measure => {
    await measure('load', async () => {
      await page.goto(`${url}#room=house`)
      await page.waitForSelector('.map .plan a')
    })
    for (const { id } of roomsOf(runInNode({}))) await measure(`room ${id}`, () => enter(id))
    for (const id of ROOMS_WITH_CONTROLS) {
      await enter(id)
      for (const text of ['3 may 1999', defaults().source]) await measure(`typing, ${id}`, () => page.fill(SOURCE, text))
      for (const depth of DEPTHS) await measure(`depth ${depth}, ${id}`, () => click(`.depths input[value="${depth}"]`))
      for (const word of ['en', 'ko']) await measure(`language ${word}, ${id}`, () => click(`[data-language="${word}"]`))
    }
  })
  await context.close()
  return tasks
}

const minOf = (a, b) => Math.min(a ?? Infinity, b)

/**
 * The shortest time of several visits for each action, since other programs may lengthen some of them.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {number} runs the maximum number of visits
 * @param {(tasks: { name: string, wall: number, cpu: number }[]) => boolean} [isEnough] whether to stop before
 * @returns {Promise<{ name: string, wall: number, cpu: number }[]>} milliseconds, the longest of the processor first
 */
export async function measureVisits(browser, url, runs, isEnough = () => false) {
  const best = new Map()
  let tasks = []
  for (let i = 0; i < runs && !(i && isEnough(tasks)); i++) {
    for (const [name, { wall, cpu }] of await measureVisit(browser, url)) {
      const previous = best.get(name)
      best.set(name, { name, wall: minOf(previous?.wall, wall), cpu: minOf(previous?.cpu, cpu) })
    }
    tasks = [...best.values()].sort((a, b) => b.cpu - a.cpu)
  }
  return tasks
}
