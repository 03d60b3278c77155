// A first visit of the compressed site: from navigation to the first paint and to the first answer, in a new browser;
// and the same with the processor and the network of a phone.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { launch } from '../../browser/host.js'

const VISITS = 5, SLOW_VISITS = 3
/** Lighthouse's settings for a phone: the network, and the factor by which the processor is slower. */
const PHONE_NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 }
const CPU_SLOWDOWN = 4

const site = fileURLToPath(new URL('../../../dist/site', import.meta.url))
const sirv = fileURLToPath(new URL('../../../node_modules/sirv-cli/bin.js', import.meta.url))

/** Serves the site as `npm start` does. @returns {Promise<{ url: string, close: () => void }>} */
export async function serveSite() {
  const options = [sirv, site, '--port', '0', '--host', 'localhost', '--no-clear']
  const server = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve, reject) => {
    server.stdout.on('data', chunk => {
      const [address] = /http:\/\/localhost:\d+/.exec(`${chunk}`) ?? []
      if (address) resolve(`${address}/`)
    })
    server.on('exit', code => reject(new Error(`the server of the page exited with code ${code}`)))
  })
  return { url, close: () => server.kill() }
}

/** Runs in the page: milliseconds from navigation to the first paint and to the first answer. */
async function measureVisit() {
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
    await devtools.send('Network.emulateNetworkConditions', PHONE_NETWORK)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  }
  await page.goto(url)
  const times = await page.evaluate(measureVisit)
  await browser.close()
  return times
}

/** @param {string} url */
export async function* visits(url) {
  for (const [isSlow, count] of [[false, VISITS], [true, SLOW_VISITS]]) {
    const times = []
    for (let i = 0; i < count; i++) times.push(await visit(url, isSlow))
    const conditions = isSlow ? `, 1.6 Mbit/s, ${CPU_SLOWDOWN} times slower` : ''
    yield { name: `first paint${conditions}`, times: times.map(({ paint }) => paint) }
    yield { name: `first answer${conditions}`, times: times.map(({ answer }) => answer) }
  }
}
