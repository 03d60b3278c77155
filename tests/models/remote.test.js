// A model's folder by its address: a server with and without ranges, cut connections, wrong lengths, missing files.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

const [item] = cases('llama'), folder = filesOf(item)
const weights = Buffer.from(folder['model.safetensors'])

/** Servers that were started. @type {import('node:http').Server[]} */
const servers = []
after(() => servers.forEach(server => server.close()))

/**
 * Starts a server of the folder; `answer` may handle a request itself and return true.
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, name: string) =>
 *   unknown} [answer]
 * @param {{ hasRanges?: boolean, files?: Record<string, any> }} [options]
 */
async function serve(answer, { hasRanges = true, files = folder } = {}) {
  /** @type {string[]} */ const requests = []
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url.replace('/folder/', '')), { range } = request.headers
    requests.push(`${name} ${range ?? 'whole'}`)
    if (answer?.(request, response, name)) return
    if (!(name in files)) return void response.writeHead(404).end()
    const bytes = Buffer.from(files[name]), [, from, to] = /bytes=(\d+)-(\d+)/.exec(range ?? '') ?? []
    if (!hasRanges || from === undefined) return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    const part = bytes.subarray(Number(from), Number(to) + 1)
    response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}`, 'content-length': part.length }).end(part)
  })
  await new Promise(resolve => { server.listen(0, '127.0.0.1', () => resolve(undefined)) })
  servers.push(server)
  return { address: `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/folder/`, requests }
}

const refuses = (address, message, options) => assert.rejects(gf.models.load(address, options), { name: 'GlassformerError', code: 'format', message })

for (const hasRanges of [true, false]) test(`a folder is loaded from a server ${hasRanges ? 'with' : 'without'} ranges`, async () => {
  const { address, requests } = await serve(undefined, { hasRanges })
  for (const given of [address, address.slice(0, -1), new URL(address)]) {
    let last = null
    const { model } = await gf.models.load(given, { onProgress: progress => { last = progress } })
    assertOutputs(model, item, String(given))
    assert.equal(last.done, last.total)
    model.dispose()
  }
  const ranges = requests.filter(request => request.startsWith('model.safetensors bytes'))
  if (hasRanges) assert.ok(ranges.length > 10 && !requests.includes('model.safetensors whole'), String(ranges))
  else assert.deepEqual(new Set(ranges), new Set(['model.safetensors bytes=0-0']))
})

test('shards are read from their index', async () => {
  const index = JSON.stringify({ weight_map: Object.fromEntries(item.tensors.map(([name]) => [name, 'part.safetensors'])) })
  const { 'model.safetensors': _, ...rest } = folder
  const { address } = await serve(undefined, { files: { ...rest, 'part.safetensors': weights, 'model.safetensors.index.json': index } })
  const { model } = await gf.models.load(address)
  assertOutputs(model, item, 'shards')
  model.dispose()
})

test('what is missing or is not a model is named', async () => {
  await refuses((await serve(undefined, { files: {} })).address, /folder\/config\.json is not there/)
  const { 'model.safetensors': _, ...rest } = folder
  await refuses((await serve(undefined, { files: rest })).address, /folder\/model\.safetensors is not there/)
  const page = '<!doctype html><html><body>Sign in</body></html>'
  await refuses((await serve(undefined, { files: { ...folder, 'model.safetensors': page } })).address, /model\.safetensors.* web page/i)
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n'
  await refuses((await serve(undefined, { files: { ...folder, 'model.safetensors': pointer } })).address, /model\.safetensors.*Git LFS/)
  await refuses((await serve((_, response) => response.writeHead(500).end())).address, /the server answered 500/)
  await refuses('http://127.0.0.1:9/', /cannot be read/)
  await assert.rejects(gf.models.load('gpt2/'), { code: 'type', message: /address of a folder that begins with https/ })
})

test('a cut connection, a wrong length and a server that stops sending parts are errors, and no memory stays in use', async () => {
  const { bytes } = gf.memory()
  const isLate = (request, name) => name === 'model.safetensors' && request.headers.range !== 'bytes=0-0'
  const cut = await serve((request, response, name) => isLate(request, name) &&
    (response.writeHead(206, { 'content-length': 100 }), response.write('x'), setTimeout(() => response.destroy(), 5)))
  await refuses(cut.address, /connection was cut/)
  const short = await serve((request, response, name) => isLate(request, name) && response.writeHead(206, { 'content-length': 3 }).end('abc'))
  await refuses(short.address, /expected \d+ bytes, got 3/)
  const whole = await serve((request, response, name) => isLate(request, name) && response.writeHead(200).end(weights))
  await refuses(whole.address, /no longer sends parts/)
  assert.equal(gf.memory().bytes, bytes)
})

test('a signal aborts the requests', async () => {
  const controller = new AbortController(), reason = new Error('enough')
  const { address, requests } = await serve((request, response, name) => {
    if (name !== 'model.safetensors' || request.headers.range === 'bytes=0-0') return false
    controller.abort(reason)
    return true
  })
  await assert.rejects(gf.models.load(address, { signal: controller.signal }), error => error === reason)
  assert.equal(requests.filter(request => /bytes=(?!0-0)/.test(request)).length, 1)
})
