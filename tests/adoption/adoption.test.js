// The package as npm has it, in the tools that people build with: each bundle is opened in Chromium, or run.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { launch } from '../browser/host.js'

const HERE = fileURLToPath(new URL('.', import.meta.url)), ROOT = join(HERE, '../..')
const BIN = join(HERE, 'node_modules/.bin')
const execute = promisify(execFile)
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.css': 'text/css' }

/** What every project computes, and what must come of it. */
const SUM = "import { load } from 'glassformer'\n" +
  'const sum = async () => (await load()).ones([2, 3]).sum().item()\n'
const SHOW = `${SUM}sum().then(n => { document.title = 'sum ' + n }, error => { document.title = error.message })\n`
const PRINT = `${SUM}sum().then(n => console.log('sum ' + n))\n`
const PAGE = src => `<!doctype html><title>loading</title>${src}`

let packed, projects, browser
before(async () => {
  await mkdir(join(HERE, 'build'), { recursive: true })
  projects = await mkdtemp(join(HERE, 'build/projects-'))
  const { stdout } = await execute('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', projects], { cwd: ROOT })
  packed = join(projects, JSON.parse(stdout)[0].filename)
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await rm(projects, { recursive: true })
})

/** A project of these files, with the package installed; `run` runs one of the tools in it. */
async function project(name, files) {
  const folder = join(projects, name), own = join(folder, 'node_modules/glassformer')
  await mkdir(own, { recursive: true })
  await execute('tar', ['-xzf', packed, '-C', own, '--strip-components=1'])
  for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module", "private": true }', ...files })) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  const run = async (tool, args, env = {}) => {
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 24 }
    return (await execute(tool === 'node' ? process.execPath : join(BIN, tool), args, options)).stdout
  }
  return { folder, run, kernels: join(own, 'dist/js/glassformer.wasm') }
}

/** The title that a page in a folder gives itself; `policy` is its Content-Security-Policy. */
async function titleOf(folder, { path = '/', policy } = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const file = join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    try {
      const body = await readFile(file)
      const headers = { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }
      response.writeHead(200, policy ? { ...headers, 'content-security-policy': policy } : headers).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const page = await browser.newPage()
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}${path}`)
    await page.waitForFunction(() => document.title !== 'loading')
    return await page.title()
  } finally {
    await page.close()
    server.close()
  }
}

const module = src => PAGE(`<script type="module" src="${src}"></script>`)

test('Vite: the kernels come along, in a worker too', async () => {
  const { folder, run } = await project('vite', {
    'index.html': module('/main.js'),
    'main.js': `${SUM}const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })\n` +
      'worker.onmessage = async ({ data }) => { document.title = `sum ${await sum()}, worker ${data}` }\n',
    'worker.js': `${SUM}sum().then(n => postMessage(n))\n`,
    'vite.config.js': "export default { worker: { format: 'es' } }"
  })
  await run('vite', ['build', '--logLevel', 'error'])
  assert.equal(await titleOf(join(folder, 'dist')), 'sum 6, worker 6')
})

test('webpack: the kernels come along', async () => {
  const { folder, run } = await project('webpack', { 'main.js': SHOW, 'dist/index.html': PAGE('<script src="main.js"></script>') })
  await run('webpack', ['--mode', 'production', '--entry', './main.js', '--stats', 'errors-only'])
  assert.equal(await titleOf(join(folder, 'dist')), 'sum 6')
})

test('Rollup: with the kernels copied beside it, and told what is missing without', async () => {
  const { folder, run, kernels } = await project('rollup', { 'main.js': SHOW, 'dist/index.html': module('main.js') })
  await run('rollup', ['main.js', '-p', '@rollup/plugin-node-resolve', '-f', 'es', '-d', 'dist', '--silent'])
  assert.match(await titleOf(join(folder, 'dist')), /^load: .*glassformer\.wasm responded with status 404; give load\(\{ wasm \}\)/)
  await cp(kernels, join(folder, 'dist/glassformer.wasm'))
  assert.equal(await titleOf(join(folder, 'dist')), 'sum 6')
})

for (const format of ['esm', 'iife']) test(`esbuild: ${format}, with the kernels beside it, in a folder of any name`, async () => {
  const tag = format === 'esm' ? '<script type="module" src="out/main.js"></script>' : '<script src="out/main.js"></script>'
  const { folder, run, kernels } = await project(`esbuild ${format}`, { 'main.js': SHOW, 'site/index.html': PAGE(tag) })
  await run('esbuild', ['main.js', '--bundle', '--minify', `--format=${format}`, '--outfile=site/out/main.js', '--log-level=error'])
  await cp(kernels, join(folder, 'site/out/glassformer.wasm'))
  assert.equal(await titleOf(join(folder, 'site')), 'sum 6')
  assert.equal(await titleOf(folder, { path: '/site/' }), 'sum 6')
})

test('a page whose policy forbids WebAssembly is told so', async () => {
  const { folder, run, kernels } = await project('policy', { 'main.js': SHOW, 'site/index.html': module('main.js') })
  await run('esbuild', ['main.js', '--bundle', '--format=esm', '--outfile=site/main.js', '--log-level=error'])
  await cp(kernels, join(folder, 'site/glassformer.wasm'))
  assert.match(await titleOf(join(folder, 'site'), { policy: "default-src 'self'" }), /add 'wasm-unsafe-eval' to its script-src/)
  assert.equal(await titleOf(join(folder, 'site'), { policy: "default-src 'self' 'wasm-unsafe-eval'" }), 'sum 6')
})

test('Next: a component of the browser, exported as static files', async () => {
  const { folder, run } = await project('next', {
    'package.json': '{ "private": true }',
    'next.config.mjs': "export default { output: 'export' }",
    'app/layout.js': 'export default ({ children }) => <html><head><title>loading</title></head><body>{children}</body></html>',
    'app/page.js': "'use client'\nimport { useEffect } from 'react'\n" + SUM + 'export default function Page() {\n' +
      '  useEffect(() => { sum().then(n => { document.title = "sum " + n }, e => { document.title = e.message }) }, [])\n' +
      '  return <p>glass</p>\n}\n'
  })
  await run('next', ['build'], { NEXT_TELEMETRY_DISABLED: '1', CI: '1' })
  assert.equal(await titleOf(join(folder, 'out')), 'sum 6')
})

test('Node, Deno and Bun', async () => {
  const { run } = await project('runtimes', { 'main.js': PRINT })
  assert.equal((await run('node', ['main.js'])).trim(), 'sum 6')
  assert.equal((await run('deno', ['run', '--allow-read', 'main.js'], { NO_COLOR: '1' })).trim(), 'sum 6')
  assert.equal((await run('bun', ['main.js'])).trim(), 'sum 6')
})

test('Jest and Vitest', async () => {
  const { run } = await project('tests', {
    'sum.test.js': `${SUM}test('a sum', async () => expect(await sum()).toBe(6))\n`,
    'jest.config.json': '{ "transform": {} }', 'vitest.config.js': 'export default { test: { globals: true } }'
  })
  await run('jest', ['--config', 'jest.config.json'], { NODE_OPTIONS: '--experimental-vm-modules', CI: '1' })
  await run('vitest', ['run', '--reporter=dot'], { CI: '1' })
})

const MODEL = `import { load } from 'glassformer'
import type { Glassformer, Module, Parameter, Tensor } from 'glassformer'

export function makeModel(gf: Glassformer) {
  return class Model extends gf.nn.Module {
    linear = new gf.nn.Linear(2, 3)
    forward(x: Tensor) { return this.linear.forward(x) }
  }
}
const gf = await load(), { nn, functional: F } = gf
export class Net extends nn.Module {
  linear = new nn.Linear(2, 3)
  forward(x: Tensor) { return F.relu(this.linear.forward(x)) }
}
export const modules = gf.nn

export const start = async () => {
  const gf = await load()
  const Model = makeModel(gf)
  const model: Module = new Model(), parameters: Parameter[] = model.parameters()
  return { gf, model, parameters, optimizer: new gf.optim.AdamW(parameters, { lr: 1e-3 }) }
}
`

/** Strict, with declarations, and without the DOM's types. */
const OPTIONS = {
  declaration: true, strict: true, skipLibCheck: false, module: 'nodenext', target: 'es2022', lib: ['es2022'], types: []
}

for (const tool of ['ts54', 'typescript', 'tsnew']) test(`TypeScript (${tool}): a model in a file of its own`, async () => {
  const { folder, run } = await project(tool, {
    'model.ts': MODEL, 'tsconfig.json': JSON.stringify({ compilerOptions: OPTIONS, files: ['model.ts'] })
  })
  const { bin } = JSON.parse(await readFile(join(HERE, 'node_modules', tool, 'package.json'), 'utf8'))
  await run('node', [join(HERE, 'node_modules', tool, bin.tsc)]).catch(error => assert.fail(error.stdout))
  assert.match(await readFile(join(folder, 'model.d.ts'), 'utf8'), /makeModel/)
})

test('publint and attw find nothing wrong', async () => {
  const { run } = await project('lint', {})
  await run('publint', [packed, '--strict']).catch(error => assert.fail(error.stdout))
  // Kernels have no types.
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const kernels = Object.keys(exports).filter(name => name.endsWith('.wasm')).map(name => name.slice(2))
  const options = ['--profile', 'esm-only', '--exclude-entrypoints', ...kernels]
  await run('attw', [packed, ...options]).catch(error => assert.fail(error.stdout))
})
