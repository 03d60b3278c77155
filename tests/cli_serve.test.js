// glassformer serve: the page and the files of one model, on this computer only.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startServer } from '../src/cli/serve.js'
import { cases, filesOf } from './models/golden_models.js'

const CLI = fileURLToPath(new URL('../src/cli/index.js', import.meta.url))
const SECRETS = { 'secret.json': '{}', 'notes.txt': 'mine', '.env': 'KEY=1', 'package.json': '{}' }
const [llama] = cases('llama'), files = filesOf(llama)
let parent, folder, server, address

before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'glassformer-'))
  folder = join(parent, 'model')
  await mkdir(folder)
  for (const [name, content] of Object.entries({ ...files, ...SECRETS })) await writeFile(join(folder, name), content)
  await writeFile(join(parent, 'outside.json'), '{}')
  const started = await startServer(folder, 0)
  server = started.server
  address = started.address
})
after(async () => {
  server.close()
  server.closeAllConnections()
  await rm(parent, { recursive: true })
})

/** Sends a path as it is, which fetch would normalize. */
const get = (path, { headers = {}, method = 'GET' } = {}) => new Promise((resolve, reject) => {
  const { hostname, port } = new URL(address)
  request({ hostname, port, path, headers, method }, async response => {
    const parts = []
    for await (const part of response) parts.push(part)
    resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) })
  }).on('error', reject).end()
})

test('serves the page, isolated, with the model beside it', async () => {
  const page = await get('/')
  assert.equal(page.status, 200)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(page.headers['cross-origin-opener-policy'], 'same-origin')
  assert.equal(page.headers['cross-origin-embedder-policy'], 'require-corp')
  assert.equal(page.headers['cross-origin-resource-policy'], 'same-origin')
  assert.match(String(page.body), /<meta name="glassformer-model" content="model\/">/)
  assert.deepEqual(page.body, (await get('/index.html?v=1')).body)
  const names = JSON.parse((await get('/model/')).body)
  assert.deepEqual(names.sort(), Object.keys(files).sort())
  for (const name of names) assert.deepEqual((await get(`/model/${name}`)).body, await readFile(join(folder, name)), name)
  const kernels = await get('/glassformer.wasm', { method: 'HEAD' })
  assert.deepEqual([kernels.headers['content-type'], kernels.body.length], ['application/wasm', 0])
  assert.ok(Number(kernels.headers['content-length']) > 100_000)
})

test('serves nothing else: no other file of the folder, no path out of it', async () => {
  const outside = ['../outside.json', '..%2foutside.json', '%2e%2e/outside.json', '..%5coutside.json', './../outside.json', '..%00', '%']
  const paths = [
    ...Object.keys(SECRETS).map(name => `/model/${name}`), ...outside.flatMap(path => [`/model/${path}`, `/${path}`]),
    '/..', '//etc/passwd', '/etc/passwd', `${folder}/config.json`, '/docs/', '/chunks', '/model', '/model//config.json',
    '/model/./config.json', '/index.html/', '/index.html.gz', '/__proto__', '/constructor'
  ]
  for (const path of paths) assert.equal((await get(path)).status, 404, path)
})

test('answers only requests to this computer, and only reads', async () => {
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example:1']) {
    assert.equal((await get('/model/config.json', { headers: { host } })).status, 403, host)
  }
  assert.equal((await get('/', { headers: { host: 'localhost:9' } })).status, 200)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) assert.equal((await get('/', { method })).status, 405, method)
  assert.equal(server.address().address, '127.0.0.1')
  const [other] = Object.values(networkInterfaces()).flat().filter(({ internal, family }) => !internal && family === 'IPv4')
  if (other) await assert.rejects(fetch(`http://${other.address}:${server.address().port}/`), 'it does not listen to the network')
})

test('a single file brings its config, a file of a training only itself, a text none', async () => {
  const { server: single, address: where } = await startServer(join(folder, 'model.safetensors'), 0)
  assert.deepEqual((await (await fetch(`${where}model/`)).json()).sort(), Object.keys(files).sort())
  single.close()
  for (const path of [join(folder, 'notes.txt'), parent]) {
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'serve', path], { encoding: 'utf8', timeout: 10_000 })
    assert.equal(status, 2, stderr)
    assert.match(stderr, /is no model: expected its folder, or a \.safetensors, \.gguf or \.bin file/)
  }
})

test('without a model, the page is as it was built', async () => {
  const { server: plain, address: where } = await startServer(undefined, 0)
  assert.equal(await (await fetch(where)).text(), await readFile(new URL('../dist/site/index.html', import.meta.url), 'utf8'))
  assert.equal((await fetch(`${where}model/`)).status, 404)
  plain.close()
})

test('the command says where, and ends with Ctrl-C; a port in use is named', async () => {
  const command = spawn(process.execPath, [CLI, 'serve', folder, '--port', '0'])
  let said = ''
  for await (const part of command.stdout) if (/ends\n$/.test(said += part)) break
  const [where] = /^http:\/\/127\.0\.0\.1:\d+\//.exec(said)
  assert.equal((await fetch(where)).status, 200)
  const taken = spawnSync(process.execPath, [CLI, 'serve', '--port', new URL(where).port], { encoding: 'utf8', timeout: 10_000 })
  assert.equal(taken.status, 2)
  assert.match(taken.stderr, /--port: \d+ cannot be used: .*EADDRINUSE/)
  const ended = once(command, 'exit')
  command.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})
