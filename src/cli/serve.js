/** The page with a model of the reader's own, for this computer only. */
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { listModelFiles } from './models.js'
import { UsageError } from './options.js'
import { expectReadable, isAddress } from './paths.js'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const HOST = '127.0.0.1', DEFAULT_PORT = 8080
const PAGE = fileURLToPath(new URL('../../dist/site/', import.meta.url))
/** Where the model's files are, beside the page; the folder itself is the list of their names. */
const MODEL_FOLDER = 'model/'

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.json': 'application/json', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json', '.png': 'image/png'
}

/** Isolated, the page can compute with threads; and no page of another origin can read or frame what is served. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin', 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache'
}

/**
 * Firefox takes the sandboxed frame of the page for another origin; nothing is in it but code that a page sends.
 */
const FRAME = 'cell.html', FRAME_HEADERS = { 'cross-origin-resource-policy': 'cross-origin' }

/** A response: text, or a file of this computer. @typedef {{ type: string, body?: string, file?: string }} Served */

/** @param {string} name @param {string} file @returns {Served} */
const asFile = (name, file) => ({ type: TYPES[extname(name)] ?? 'application/octet-stream', file })

/** The files of the built page by name, without its compressed copies. @returns {Promise<[string, Served][]>} */
async function listPage() {
  if (!existsSync(join(PAGE, 'index.html'))) throw new UsageError('serve: the page is not built here; the package leaves it out ' +
    'for its size, so run this in a copy of the repository after npm run build')
  const entries = await readdir(PAGE, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile() && !/\.(gz|br)$/.test(entry.name)).map(({ parentPath, name }) => {
    const path = relative(PAGE, join(parentPath, name)).split(sep).join('/')
    return [path, asFile(path, join(parentPath, name))]
  })
}

/**
 * Everything that is served, by path; nothing else can be asked for.
 * @param {string | undefined} model the path of a model
 * @returns {Promise<Map<string, Served>>}
 */
async function listServed(model) {
  const served = new Map(await listPage())
  let page = await readFile(join(PAGE, 'index.html'), 'utf8')
  if (model !== undefined) {
    const files = Object.entries(await listModelFiles(model))
    for (const [name, file] of files) served.set(MODEL_FOLDER + name, asFile(name, file))
    served.set(MODEL_FOLDER, { type: TYPES['.json'], body: JSON.stringify(files.map(([name]) => name)) })
    page = page.replace('</head>', `<meta name="glassformer-model" content="${MODEL_FOLDER}">\n</head>`)
  }
  for (const name of ['', 'index.html']) served.set(name, { type: TYPES['.html'], body: page })
  return served
}

/** The path of a request, decoded; null if it is malformed. @param {string | undefined} url */
function pathOf(url = '/') {
  try {
    return decodeURIComponent(url.replace(/[?#].*$/s, '')).slice(1)
  } catch {
    return null
  }
}

/** @param {ServerResponse} response @param {number} status @param {string} reason */
const refuse = (response, status, reason) => response.writeHead(status, { 'content-type': 'text/plain', ...HEADERS }).end(`${reason}\n`)

/** @param {Map<string, Served>} served @param {IncomingMessage} request @param {ServerResponse} response */
async function respond(served, request, response) {
  const { headers: { host = '' }, method, url } = request
  // A name of another site that leads to this address must not read the model.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return refuse(response, 403, `this server is for ${HOST} only`)
  if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, 'only GET and HEAD')
  const path = pathOf(url), found = path === null ? undefined : served.get(path)
  if (!found) return refuse(response, 404, 'no such file')
  const { type, body = '', file } = found
  const length = file ? (await stat(file)).size : Buffer.byteLength(body)
  response.writeHead(200, { 'content-type': type, 'content-length': length, ...HEADERS, ...(path === FRAME && FRAME_HEADERS) })
  if (method === 'HEAD' || !file) return response.end(method === 'HEAD' ? undefined : body)
  return pipeline(createReadStream(file), response)
}

/**
 * Starts the server.
 * @param {string | undefined} model the path of a model @param {number} port 0: any that is free
 */
export async function startServer(model, port) {
  const served = await listServed(model)
  const server = createServer((request, response) => {
    respond(served, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'the file cannot be read')
    })
  })
  server.listen(port, HOST)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new UsageError(`--port: ${port} cannot be used: ${/** @type {Error} */ (error).message}`)
  }
  const { port: used } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { server, address: `http://${HOST}:${used}/` }
}

/**
 * Serves the page until Ctrl-C. @param {string[]} positionals @param {{ port?: number }} options
 * @returns {AsyncGenerator<string>}
 */
export async function* serve([model, ...rest], { port = DEFAULT_PORT }) {
  if (rest.length) throw new UsageError(`serve takes one path, got also '${rest[0]}'`)
  if (model !== undefined) {
    if (isAddress(model)) throw new UsageError(`serve takes a folder or a file of this computer, got '${model}'`)
    expectReadable(model)
  }
  const { server, address } = await startServer(model, port)
  yield `${address}\nCtrl-C ends\n`
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  server.close()
  server.closeAllConnections()
}
