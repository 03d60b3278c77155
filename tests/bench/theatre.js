// npm run bench:theatre: training in real Chromium. How many seconds until the dates come out right, and how long the
// main thread is kept at a time meanwhile. Nothing fails here. A step beside TensorFlow.js is a work of npm run bench.
import { launch, open, serve, stateOf } from '../browser/host.js'
import { longestTasks } from '../browser/main_thread_tasks.js'
import { toHash } from '../../web/shell/state.js'

const EXACT = 95, MINUTES = 3
const WATCHED = 10_000

const theatreAt = url => `${url}#${toHash(stateOf({ theatre: 'dates' }))}`
const isOpen = page => page.waitForSelector('.theatre[data-step="0"]')

/** Runs in the page: trains until so many percent of what is held out come out right. */
async function untilExact(percent) {
  const theatre = document.querySelector('.theatre'), start = performance.now()
  const share = () => parseFloat([...theatre.querySelectorAll('.theatre-keys b')].at(-1).textContent)
  theatre.querySelector('[data-action="play"]').click()
  while (!(share() >= percent)) await new Promise(requestAnimationFrame)
  return { seconds: (performance.now() - start) / 1000, steps: Number(theatre.dataset.step) }
}

async function seconds(browser, url) {
  const { page, close } = await open(browser, theatreAt(url))
  page.setDefaultTimeout(MINUTES * 60_000)
  await isOpen(page)
  const found = await page.evaluate(untilExact, EXACT)
  await close()
  return found
}

/** The longest task of the main thread while a model learns and is shown. */
async function longest(browser, url) {
  const { page, close } = await open(browser, theatreAt(url))
  await isOpen(page)
  const tasks = await longestTasks(browser, page, during => during('training', async () => {
    await page.click('.theatre [data-action="play"]')
    await page.waitForTimeout(WATCHED)
    await page.click('.theatre [data-action="play"]')
  }))
  await close()
  return tasks.get('training')
}

const site = await serve(), browser = await launch()
const { seconds: needed, steps } = await seconds(browser, site.url)
console.log(`dates, ${EXACT} % of those never trained on exact: ${needed.toFixed(1)} s, ${steps} steps`)
const { wall, cpu } = await longest(browser, site.url)
console.log(`longest task of the main thread meanwhile: ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of the processor`)
await browser.close()
site.close()
