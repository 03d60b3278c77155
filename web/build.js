/**
 * Builds the page: dist/site, a folder for any static host, and dist/glassformer.html, the same in one file that opens
 * from disk. Run by build.sh after the kernels.
 */

import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { collectCode } from './code/collect.js'
import { MODELS } from './models/index.js'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const SITE = here('../dist/site/')
/** Files of models with where they lie: `date_translator.safetensors` in `models/dates`. */
const FILES = MODELS.flatMap(({ id, files }) => files.map(name => ({ name, path: `models/${id}/${name}` })))

/** The library finds its kernels from its own address and files in Node; the page always says where they are. */
const common = {
  bundle: true, minify: true, target: ['es2022', 'chrome123', 'firefox128', 'safari17.5'], legalComments: 'none',
  define: { 'import.meta.url': '"https://glassformer.invalid/"' }, external: ['node:*'], logLevel: 'warning'
}

const bundle = options => build({ ...common, ...options })

/** dist/site: scripts with source maps, style, kernels, weights. */
async function site() {
  await rm(SITE, { recursive: true, force: true })
  await mkdir(SITE, { recursive: true })
  await bundle({ entryPoints: [here('main.js')], outfile: `${SITE}main.js`, format: 'esm', sourcemap: true })
  await bundle({ entryPoints: [here('worker/index.js')], outfile: `${SITE}worker.js`, format: 'iife', sourcemap: true,
    keepNames: true })
  await bundle({ entryPoints: [here('check/worker.js')], outfile: `${SITE}check.js`, format: 'iife' })
  await bundle({ entryPoints: [here('style.css')], outfile: `${SITE}style.css` })
  await writeFile(`${SITE}code.json`, JSON.stringify(await collectCode()))
  await cp(here('index.html'), `${SITE}index.html`)
  await cp(here('../dist/glassformer.wasm'), `${SITE}glassformer.wasm`)
  for (const { name, path } of FILES) await cp(here(path), SITE + name)
}

const withoutMap = code => code.replace(/\n?\/\/# sourceMappingURL=.*\n?$/, '')
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** dist/glassformer.html: everything inside; the policy names script and style by their hashes. */
async function single() {
  const text = name => readFile(`${SITE}${name}`, 'utf8')
  const names = ['index.html', 'main.js', 'worker.js', 'style.css', 'code.json', 'check.js']
  const [page, main, worker, style, code, check] = await Promise.all(names.map(text))
  const binary = name => readFile(`${SITE}${name}`, 'base64')
  const wasm = await binary('glassformer.wasm')
  const files = await Promise.all(FILES.map(async ({ name }) => (
    `<script type="application/octet-stream" id="${name}">${await binary(name)}</script>\n`)))
  const script = withoutMap(main)
  const policy = `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; style-src ${hash(style)}; ` +
    "img-src data: blob:; connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'"
  const parts = {
    '<link rel="stylesheet" href="style.css">': `<style>${style}</style>`,
    '<script type="module" src="main.js"></script>': '',
    '</body>': `<script type="application/wasm" id="wasm">${wasm}</script>\n` +
      files.join('') +
      `<script type="text/plain" id="worker">${withoutMap(worker)}</script>\n` +
      `<script type="text/plain" id="check">${check}</script>\n` +
      `<script type="application/json" id="code">${code.replaceAll('<', '\\u003c')}</script>\n` +
      `<script type="module">${script}</script>\n</body>`
  }
  let html = page.replace(/(Content-Security-Policy" content=")[^"]*/, (_, start) => start + policy)
  for (const [from, to] of Object.entries(parts)) {
    if (!html.includes(from)) throw new Error(`index.html has no ${from}`)
    html = html.replace(from, () => to)
  }
  await writeFile(here('../dist/glassformer.html'), html)
}

/** What a first visit fetches, raw and gzipped; what is only fetched when asked for is left out. */
async function report() {
  const line = (name, ...sizes) => {
    const [raw, packed] = sizes.map(size => String(size).padStart(8))
    console.log(`  ${name.padEnd(18)} ${raw} bytes ${packed} gzipped`)
  }
  let [raw, packed] = [0, 0]
  for (const name of ['index.html', 'style.css', 'main.js', 'worker.js', 'glassformer.wasm', MODELS[0].files[0]]) {
    const bytes = await readFile(`${SITE}${name}`)
    const size = gzipSync(bytes, { level: 9 }).length
    raw += bytes.length
    packed += size
    line(name, bytes.length, size)
  }
  line('first visit', raw, packed)
}

await site()
await single()
await report()
