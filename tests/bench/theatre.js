// npm run bench:theatre: training in real Chromium. How many seconds until the dates come out right, how long the main
// thread is kept at a time meanwhile, and steps a second beside TensorFlow.js in one page. Nothing fails here but what
// is not the same training.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { launch, open, serve, stateOf } from '../browser/host.js'
import { longestTasks } from '../browser/tasks.js'
import { toHash } from '../../web/shell/state.js'
import { inBrowsers } from './lib/engines.js'
import { TFJS } from './lib/peers.js'

const EXACT = 95, MINUTES = 3
const WATCHED = 10_000
const ROUNDS = 10, STEPS = 10
/** Losses of the first steps are those of one training. */
const NEAR = 1e-3
const ORIGIN = 'http://localhost/'
const TFJS_WASM = '@tensorflow/tfjs-backend-wasm/dist/'

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

/** A page with both libraries; files are handed to it by their names. */
async function besidePeer(browser) {
  const { outputFiles: [code] } = await build({
    entryPoints: [new URL('lib/in_page.js', import.meta.url).pathname], bundle: true, format: 'esm', write: false,
    platform: 'browser', external: ['node:*'], plugins: [inBrowsers], logLevel: 'warning'
  })
  const page = await browser.newPage()
  await page.route(`${ORIGIN}**`, async route => {
    const name = basename(new URL(route.request().url()).pathname)
    if (name === 'in_page.js') return route.fulfill({ body: code.text, contentType: 'text/javascript' })
    if (!name.endsWith('.wasm')) {
      return route.fulfill({ body: '<script type="module" src="in_page.js"></script>', contentType: 'text/html' })
    }
    const own = name === 'glassformer.wasm' ? '../../dist/' : `node_modules/${TFJS_WASM}`
    return route.fulfill({ body: await readFile(new URL(own + name, import.meta.url)), contentType: 'application/wasm' })
  })
  await page.goto(ORIGIN)
  await page.waitForFunction(() => globalThis.leastStep)
  const { ours, [TFJS]: theirs } = await page.evaluate(() => globalThis.firstLosses())
  const isOne = ours.every((loss, i) => Math.abs(loss - theirs[i]) < NEAR)
  if (!isOne) throw new Error(`not one training: ${ours} and ${theirs}`)
  const least = await page.evaluate(([rounds, steps]) => globalThis.leastStep(rounds, steps), [ROUNDS, STEPS])
  await page.close()
  return least
}

const site = await serve(), browser = await launch()
const { seconds: needed, steps } = await seconds(browser, site.url)
console.log(`dates, ${EXACT} % of those never trained on exact: ${needed.toFixed(1)} s, ${steps} steps`)
const { wall, cpu } = await longest(browser, site.url)
console.log(`longest task of the main thread meanwhile: ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of the processor`)
const least = await besidePeer(browser)
for (const [name, time] of Object.entries(least)) {
  console.log(`${name}: ${(1000 / time).toFixed(1)} steps a second, ${(time / least.ours).toFixed(1)} × ours`)
}
await browser.close()
site.close()
