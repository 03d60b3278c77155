// A first visit: from the address to the first paint and the first answer, of the compressed site, in a browser that
// has never been there; and as a phone on a slow network has it.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { launch } from '../../browser/host.js'

const VISITS = 5, SLOW_VISITS = 3
/** The network and the processor that Lighthouse takes for a phone's. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 }
const SLOWER = 4

const site = fileURLToPath(new URL('../../../dist/site', import.meta.url))
const sirv = fileURLToPath(new URL('../../../node_modules/sirv-cli/bin.js', import.meta.url))

/** The site as `npm start` serves it. @returns {Promise<{ url: string, close: () => void }>} */
export async function served() {
  const options = [sirv, site, '--port', '0', '--host', 'localhost', '--no-clear']
  const server = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve, reject) => {
    server.stdout.on('data', said => {
      const [found] = /http:\/\/localhost:\d+/.exec(`${said}`) ?? []
      if (found) resolve(`${found}/`)
    })
    server.on('exit', code => reject(new Error(`the server of the page ended with code ${code}`)))
  })
  return { url, close: () => server.kill() }
}

/** Runs in the page: milliseconds from the beginning of the visit. */
async function arrival() {
  const house = document.getElementById('house')
  while (!(Number(house.dataset.run ?? 0) >= 1)) await new Promise(requestAnimationFrame)
  const answer = performance.now()
  const [{ startTime: paint }] = performance.getEntriesByName('first-contentful-paint')
  return { paint, answer }
}

async function visit(url, isSlow) {
  const browser = await launch(), page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  if (isSlow) {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', SLOW)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  }
  await page.goto(url)
  const seen = await page.evaluate(arrival)
  await browser.close()
  return seen
}

/** @param {string} url */
export async function* visits(url) {
  for (const [isSlow, count] of [[false, VISITS], [true, SLOW_VISITS]]) {
    const seen = []
    for (let i = 0; i < count; i++) seen.push(await visit(url, isSlow))
    const where = isSlow ? `, 1.6 Mbit/s, ${SLOWER} times slower` : ''
    yield { name: `first paint${where}`, times: seen.map(({ paint }) => paint) }
    yield { name: `first answer${where}`, times: seen.map(({ answer }) => answer) }
  }
}
