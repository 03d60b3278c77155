// Where works are measured: in this Node or another, in Chromium, in Firefox. In a browser each has a page of its own
// with the same works as one script; the page is isolated, for there the clock tells the microseconds.
import { execFileSync, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { firefox, launchFirefox } from '../../browser/firefox.js'
import { launch } from '../../browser/host.js'
import { cases } from '../works/index.js'
import { kernels } from '../works/kernels.js'

const root = new URL('../../../', import.meta.url)
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp', 'cache-control': 'no-store'
}
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' }
/** Files that the libraries ask for, by name. */
const FOLDERS = {
  'glassformer.wasm': 'dist/', 'limit.wasm': 'build/bench/', 'tfjs-': 'tests/bench/node_modules/@tensorflow/tfjs-backend-wasm/dist/',
  'ort-': 'tests/bench/node_modules/onnxruntime-web/dist/',
  'wllama.wasm': 'tests/bench/node_modules/@wllama/wllama/esm/single-thread/'
}
const ASK_EVERY = 2000

/** In Node TensorFlow.js is one object, for browsers a module of many names; onnxruntime-web has its kernels apart. */
const inBrowsers = {
  name: 'in browsers',
  setup({ onLoad, onResolve, resolve }) {
    onLoad({ filter: /lib\/tfjs\.js$/ }, async ({ path }) => (
      { contents: (await readFile(path, 'utf8')).replace('import tf from', 'import * as tf from') }))
    onResolve({ filter: /^onnxruntime-web$/ }, ({ importer, resolveDir }) => (
      resolve('onnxruntime-web/wasm', { importer, resolveDir, kind: 'import-statement' })))
  }
}

/** The page on a loopback server. @returns {Promise<{ url: string, close: () => void }>} */
async function serveWorks() {
  const { outputFiles: [script] } = await build({
    entryPoints: [fileURLToPath(new URL('in_browser.js', import.meta.url))], bundle: true, format: 'esm', write: false,
    platform: 'browser', external: ['node:*'], plugins: [inBrowsers], logLevel: 'error'
  })
  const server = createServer(async ({ url }, response) => {
    const name = url.split('/').at(-1), send = (type, body) => response.writeHead(200, { ...ISOLATED, 'content-type': type }).end(body)
    if (name === 'in_browser.js') return send(TYPES['.js'], script.text)
    const [, folder] = Object.entries(FOLDERS).find(([start]) => name.startsWith(start)) ?? []
    if (folder) return send(TYPES[extname(name)], await readFile(new URL(folder + name, root)))
    return send('text/html', '<script type="module" src="in_browser.js"></script>')
  })
  await new Promise(resolve => { server.listen(0, '127.0.0.1', resolve) })
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }
}

/** Runs in the page: begins as soon as the script is there. */
const begin = async (name, seconds) => {
  while (!globalThis.begin) await new Promise(resolve => { setTimeout(resolve, 50) })
  globalThis.begin(name, seconds)
}

/** One work in a page, which is asked now and then whether it is done. */
async function inPage({ evaluate }, name, seconds) {
  await evaluate(begin, name, seconds)
  for (;;) {
    await new Promise(resolve => { setTimeout(resolve, ASK_EVERY) })
    const report = await evaluate(() => JSON.stringify(globalThis.report ?? null))
    if (report !== 'null') return JSON.parse(report)
  }
}

async function chromium() {
  const browser = await launch(), site = await serveWorks()
  return {
    name: `chromium ${browser.version()}`,
    works: kernels,
    async run(name, seconds) {
      const context = await browser.newContext(), page = await context.newPage()
      await page.goto(site.url)
      const evaluate = (fn, ...args) => page.evaluate(`(${fn})(...${JSON.stringify(args)})`)
      const report = await inPage({ evaluate }, name, seconds)
      await context.close()
      return report
    },
    async close() {
      await browser.close()
      site.close()
    }
  }
}

async function inFirefox() {
  const path = firefox()
  if (!path) throw new Error('there is no Firefox here; set FIREFOX to its path')
  const site = await serveWorks(), [, version] = /([\d.]+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))
  return {
    name: `firefox ${version}`,
    works: kernels,
    async run(name, seconds) {
      const fox = await launchFirefox(path)
      await fox.goto(site.url)
      const report = await inPage(fox, name, seconds)
      await fox.close()
      return report
    },
    close: site.close
  }
}

/** @param {string} path of a Node @param {URL} [at] the checkout whose works are measured */
export function node(path, at = root) {
  const child = fileURLToPath(new URL('tests/bench/lib/child.js', at))
  return {
    name: `node ${execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()}`,
    works: cases,
    run: (name, seconds) => new Promise(resolve => {
      const worker = fork(child, [name, String(seconds)], { execPath: path })
      worker.on('message', resolve)
      worker.on('error', error => resolve({ error: error.message }))
      worker.on('exit', code => resolve({ error: `ended with code ${code} before it had measured anything` }))
    }),
    close() {}
  }
}

/** @param {string} name `chromium`, `firefox`, `node`, or the path of a Node */
export async function engineOf(name) {
  if (name === 'chromium') return chromium()
  if (name === 'firefox') return inFirefox()
  return node(name === 'node' ? process.execPath : name)
}
