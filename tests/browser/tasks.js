/** How long the main thread of a page is kept at a time, by what is done meanwhile, from Chromium's own trace. */

const CATEGORIES = ['toplevel', 'disabled-by-default-devtools.timeline', 'blink.user_timing', '__metadata']

/** Waits in the page until what was asked for is drawn and nothing is on its way. */
export async function settled() {
  const frame = () => new Promise(requestAnimationFrame)
  do {
    await frame()
    await new Promise((resolve) => setTimeout(resolve, 30))
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
    const mark = (edge) => page.evaluate((text) => { performance.mark(text) }, `${edge} ${done.length}`)
    await mark('from')
    await act()
    await page.evaluate(settled)
    await mark('to')
    done.push(name)
  })
  const { traceEvents: events } = JSON.parse(await browser.stopTracing())
  const marks = new Map(events.filter(({ cat }) => cat === 'blink.user_timing').map((event) => [event.name, event]))
  const { pid, tid } = marks.get('to 0')
  const tasks = events.filter((event) => (
    event.pid === pid && event.tid === tid && event.ph === 'X' && /RunTask$/.test(event.name)))
  return new Map(done.map((name, i) => {
    const [from, to] = ['from', 'to'].map((edge) => marks.get(`${edge} ${i}`).ts)
    const own = tasks.filter(({ ts, dur }) => ts + dur > from && ts < to)
    const most = (key) => own.reduce((longest, task) => Math.max(longest, task[key] ?? 0), 0) / 1000
    return [name, { wall: most('dur'), cpu: most('tdur') }]
  }))
}
