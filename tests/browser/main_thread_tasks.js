/** How long the main thread of a page is kept at a time, by what is done meanwhile, from Chromium's own trace. */

import { roomsOf } from '../../web/rooms/index.js'
import { DEPTHS } from '../../web/shell/depth.js'
import { defaults } from '../../web/shell/state.js'
import { runHere } from './host.js'

const CATEGORIES = ['toplevel', 'disabled-by-default-devtools.timeline', 'blink.user_timing', '__metadata']

/** Waits in the page until what was asked for is drawn and nothing is on its way. */
async function settled() {
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
 * @param {(during: (name: string, act: () => Promise<any>) => Promise<void>) => Promise<void>} work
 * @returns {Promise<Map<string, { wall: number, cpu: number }>>} the longest task of each thing done, in milliseconds:
 *   by the clock, and as time of the processor, which other programs on the machine lengthen less
 */
export async function longestTasks(browser, page, work) {
  await browser.startTracing(page, { categories: CATEGORIES })
  const done = []
  await work(async (name, act) => {
    const mark = edge => page.evaluate(text => { performance.mark(text) }, `${edge} ${done.length}`)
    await mark('from')
    await act()
    await page.evaluate(settled)
    await mark('to')
    done.push(name)
  })
  const { traceEvents: events } = JSON.parse(await browser.stopTracing())
  const marks = new Map(events.filter(({ cat }) => cat === 'blink.user_timing').map(event => [event.name, event]))
  const { pid, tid } = marks.get('to 0')
  const tasks = events.filter(event => (
    event.pid === pid && event.tid === tid && event.ph === 'X' && /RunTask$/.test(event.name)))
  return new Map(done.map((name, i) => {
    const [from, to] = ['from', 'to'].map(edge => marks.get(`${edge} ${i}`).ts)
    const own = tasks.filter(({ ts, dur }) => ts + dur > from && ts < to)
    const most = key => own.reduce((longest, task) => Math.max(longest, task[key] ?? 0), 0) / 1000
    return [name, { wall: most('dur'), cpu: most('tdur') }]
  }))
}

const ROOMS_TURNED = ['encoder.0.self_attn.qkv', 'encoder.0.norm1', 'output', 'sampling']

const SOURCE = '[data-field="source"]'

/** Loads the page, enters every room of the default model, and in some types, turns depth and language. */
async function visit(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'ko-KR' })
  const page = await context.newPage()
  const click = selector => page.evaluate(one => document.querySelector(one).click(), selector)
  const enter = id => click(`.map li[data-room="${id}"] a`)
  const found = await longestTasks(browser, page, async during => {
    await during('load', async () => {
      await page.goto(`${url}#room=house`)
      await page.waitForSelector('.map .plan a')
    })
    for (const { id } of roomsOf(runHere({}))) await during(`room ${id}`, () => enter(id))
    for (const id of ROOMS_TURNED) {
      await enter(id)
      for (const text of ['3 may 1999', defaults().source]) await during(`typing, ${id}`, () => page.fill(SOURCE, text))
      for (const depth of DEPTHS) await during(`depth ${depth}, ${id}`, () => click(`.depths input[value="${depth}"]`))
      for (const word of ['en', 'ko']) await during(`language ${word}, ${id}`, () => click(`[data-language="${word}"]`))
    }
  })
  await context.close()
  return found
}

const least = (one, other) => Math.min(one ?? Infinity, other)

/**
 * The least of several visits, for each thing done: what another program took from the processor is not the page's.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {number} runs at most so many visits
 * @param {(tasks: { name: string, wall: number, cpu: number }[]) => boolean} [isEnough] whether to stop before
 * @returns {Promise<{ name: string, wall: number, cpu: number }[]>} milliseconds, the longest of the processor first
 */
export async function visits(browser, url, runs, isEnough = () => false) {
  const best = new Map()
  let tasks = []
  for (let i = 0; i < runs && !(i && isEnough(tasks)); i++) {
    for (const [name, { wall, cpu }] of await visit(browser, url)) {
      const known = best.get(name)
      best.set(name, { name, wall: least(known?.wall, wall), cpu: least(known?.cpu, cpu) })
    }
    tasks = [...best.values()].sort((a, b) => b.cpu - a.cpu)
  }
  return tasks
}
