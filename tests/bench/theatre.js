// npm run bench:theatre measures the training page in real Chromium: the seconds until the dates model is accurate, and
// the longest task of the main thread meanwhile. It never fails. npm run bench compares a step with TensorFlow.js.
import { launch, open, serve, completeState } from '../browser/host.js'
import { measureLongestTasks } from '../browser/main_thread_tasks.js'
import { toHash } from '../../web/models/state.js'

const TARGET_PERCENT = 95, MINUTES = 3
const OBSERVED_MS = 10_000

const theatreAt = url => `${url}#${toHash(completeState({ theatre: 'dates' }))}`
const isOpen = page => page.waitForSelector('.theatre[data-step="0"]')

/** Runs in the page: trains until so many percent of the held-out examples are exact. */
async function trainUntil(percent) {
  const theatre = document.querySelector('.theatre'), start = performance.now()
  const accuracy = () => parseFloat([...theatre.querySelectorAll('.theatre-keys b')].at(-1).textContent)
  theatre.querySelector('[data-action="play"]').click()
  while (!(accuracy() >= percent)) await new Promise(requestAnimationFrame)
  return { seconds: (performance.now() - start) / 1000, steps: Number(theatre.dataset.step) }
}

async function measureTraining(browser, url) {
  const { page, close } = await open(browser, theatreAt(url))
  page.setDefaultTimeout(MINUTES * 60_000)
  await isOpen(page)
  const result = await page.evaluate(trainUntil, TARGET_PERCENT)
  await close()
  return result
}

/** The longest task of the main thread during training. */
async function measureLongestTask(browser, url) {
  const { page, close } = await open(browser, theatreAt(url))
  await isOpen(page)
  const tasks = await measureLongestTasks(browser, page, observe => observe('training', async () => {
    await page.click('.theatre [data-action="play"]')
    await page.waitForTimeout(OBSERVED_MS)
    await page.click('.theatre [data-action="play"]')
  }))
  await close()
  return tasks.get('training')
}

const site = await serve(), browser = await launch()
const { seconds, steps } = await measureTraining(browser, site.url)
console.log(`dates, ${TARGET_PERCENT} % of held-out examples exact: ${seconds.toFixed(1)} s, ${steps} steps`)
const { wall, cpu } = await measureLongestTask(browser, site.url)
console.log(`longest task of the main thread meanwhile: ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of the processor`)
await browser.close()
site.close()
