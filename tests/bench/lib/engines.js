// The engines in which works are measured: this Node or another one, Chromium, Firefox. In a browser each work runs in
// a new page, with all works bundled in one script. The page is cross-origin isolated, which gives it a precise clock.
import { execFileSync, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { findFirefox, launchFirefox } from '../../browser/firefox.js'
import { launch } from '../../browser/host.js'
import { cases } from '../works/index.js'
import { inPages } from '../works/kernels.js'

const root = new URL('../../../', import.meta.url)
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp', 'cache-control': 'no-store'
}
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' }
/** Folders of the files that the libraries fetch, by the beginning of their names. */
const FOLDERS = {
  'glassformer.': 'dist/', 'limit.wasm': 'build/bench/', 'tfjs-': 'tests/bench/node_modules/@tensorflow/tfjs-backend-wasm/dist/',
  'ort-': 'tests/bench/node_modules/onnxruntime-web/dist/'
}
/** The kernels of wllama, which have the same name in two folders. */
const WLLAMA = /^wllama-([\w-]+)\.wasm$/
const POLL_MS = 2000

/**
 * Adapts imports to browsers: TensorFlow.js has a default export only in Node, and onnxruntime-web has its wasm backend
 * in a separate entry point.
 */
const inBrowsers = {
  name: 'in browsers',
  setup({ onLoad, onResolve, resolve }) {
    onLoad({ filter: /lib\/tfjs\.js$/ }, async ({ path }) => (
      { contents: (await readFile(path, 'utf8')).replace('import tf from', 'import * as tf from') }))
    onResolve({ filter: /^onnxruntime-web$/ }, ({ importer, resolveDir }) => (
      resolve('onnxruntime-web/wasm', { importer, resolveDir, kind: 'import-statement' })))
  }
}

/** Serves the page on the loopback interface. @returns {Promise<{ url: string, close: () => void }>} */
async function serveWorks() {
  const { outputFiles: [script] } = await build({
    entryPoints: [fileURLToPath(new URL('in_browser.js', import.meta.url))], bundle: true, format: 'esm', write: false,
    platform: 'browser', external: ['node:*'], plugins: [inBrowsers], logLevel: 'error'
  })
  const server = createServer(async ({ url }, response) => {
    const name = url.split('/').at(-1), send = (type, body) => response.writeHead(200, { ...ISOLATED, 'content-type': type }).end(body)
    if (name === 'in_browser.js') return send(TYPES['.js'], script.text)
    const [, kind] = WLLAMA.exec(name) ?? []
    if (kind) return send(TYPES['.wasm'], await readFile(new URL(`tests/bench/node_modules/@wllama/wllama/esm/${kind}/wllama.wasm`, root)))
    const [, folder] = Object.entries(FOLDERS).find(([start]) => name.startsWith(start)) ?? []
    if (folder) return send(TYPES[extname(name)], await readFile(new URL(folder + name, root)))
    return send('text/html', '<script type="module" src="in_browser.js"></script>')
  })
  await new Promise(resolve => { server.listen(0, '127.0.0.1', resolve) })
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }
}

/** Runs in the page: begins as soon as the script is loaded. */
const begin = async (name, seconds) => {
  while (!globalThis.begin) await new Promise(resolve => { setTimeout(resolve, 50) })
  globalThis.begin(name, seconds)
}

/** Measures one work in a page, which is polled for its report. */
async function inPage({ evaluate }, name, seconds) {
  await evaluate(begin, name, seconds)
  for (;;) {
    await new Promise(resolve => { setTimeout(resolve, POLL_MS) })
    const report = await evaluate(() => JSON.stringify(globalThis.report ?? null))
    if (report !== 'null') return JSON.parse(report)
  }
}

async function chromium() {
  const browser = await launch(), site = await serveWorks()
  return {
    name: `chromium ${browser.version()}`,
    works: inPages,
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
  const path = findFirefox()
  if (!path) throw new Error('Firefox was not found; set FIREFOX to its path')
  const site = await serveWorks(), [, version] = /([\d.]+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))
  return {
    name: `firefox ${version}`,
    works: inPages,
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
      worker.on('exit', code => resolve({ error: `the process exited with code ${code} before it sent a report` }))
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
