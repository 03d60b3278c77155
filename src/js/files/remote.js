import { GlassformerError, expect } from '../errors.js'

/**
 * The files of a model's folder on a server. Small files are read whole; of weights only the bytes that are asked for,
 * if the server has ranges. In a browser what was read is kept in its cache (Cache API).
 *
 * @typedef {import('../platform.d.ts').Signal} Signal
 * @typedef {import('../platform.d.ts').Lazy} Lazy
 * @typedef {{ signal?: Signal, cache?: boolean }} RemoteOptions
 */

/** Files beside the weights that a model or its tokenizer may have. */
export const SMALL_FILES = [
  'config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json', 'added_tokens.json',
  'vocab.json', 'merges.txt', 'vocab.txt', 'tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model', 'source.spm', 'target.spm',
  'target_vocab.json', 'modules.json', '1_Pooling/config.json'
]
const INDEX = 'model.safetensors.index.json', SINGLE = 'model.safetensors', CACHE_NAME = 'glassformer-models'

/** @param {any} response @param {string} url @param {number} expected in bytes @returns {Promise<Uint8Array>} */
async function readBody(response, url, expected) {
  let bytes
  try {
    bytes = new Uint8Array(await response.arrayBuffer())
  } catch (error) {
    throw new GlassformerError('format', `${url}: the connection was cut: ${/** @type {Error} */ (error).message}`)
  }
  expect(!(expected >= 0) || bytes.length === expected, 'format', () => `${url}: expected ${expected} bytes, got ${bytes.length}; the ` +
    'connection was cut, or the server sent another length than it said')
  return bytes
}

/** One server's files, read with the options of a load. */
class Remote {
  /** @param {RemoteOptions} options */
  constructor({ signal, cache = true }) {
    this.signal = signal
    this.storage = cache && typeof caches !== 'undefined' ? caches.open(CACHE_NAME).catch(() => null) : null
  }

  /**
   * A response, or null where there is no such file.
   * @param {string} url @param {Record<string, string>} [headers] @returns {Promise<any>}
   */
  async fetch(url, headers = {}) {
    this.signal?.throwIfAborted()
    let response
    try {
      response = await fetch(url, { headers, signal: /** @type {any} */ (this.signal) })
    } catch (error) {
      this.signal?.throwIfAborted()
      throw new GlassformerError('format', `${url} cannot be read: ${/** @type {Error} */ (error).message}`)
    }
    if (response.status === 404 || response.status === 403) return null
    expect(response.ok, 'format', () => `${url} cannot be read: the server answered ${response.status}`)
    return response
  }

  /** @param {string} key @returns {Promise<Uint8Array | null>} */
  async recall(key) {
    const found = await (await this.storage)?.match(key)
    return found ? new Uint8Array(await found.arrayBuffer()) : null
  }

  /** Keeps bytes if there is room. @param {string} key @param {Uint8Array} bytes */
  async remember(key, bytes) {
    await (await this.storage)?.put(key, new Response(/** @type {any} */ (bytes))).catch(() => undefined)
  }

  /** A whole file, or null. @param {string} url @returns {Promise<Uint8Array | null>} */
  async readAll(url) {
    const response = await this.fetch(url)
    if (!response) return null
    return readBody(response, url, response.headers.has('content-encoding') ? NaN : Number(response.headers.get('content-length') ?? NaN))
  }

  /**
   * A file whose bytes are read when they are asked for, or null. Its first byte shows whether the server has ranges.
   * @param {string} url @returns {Promise<Lazy | Uint8Array | null>}
   */
  async open(url) {
    const response = await this.fetch(url, { range: 'bytes=0-0' })
    if (!response) return null
    const [, total] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
    if (response.status !== 206 || total === undefined) {
      return readBody(response, url, response.headers.has('content-encoding') ? NaN : Number(response.headers.get('content-length') ?? NaN))
    }
    await response.arrayBuffer()
    const version = response.headers.get('etag') ?? response.headers.get('last-modified') ?? total
    return this.lazy(url, version, 0, Number(total))
  }

  /**
   * A part of a file, as a Blob has it.
   * @param {string} url @param {string} version of the file @param {number} from @param {number} to @returns {Lazy}
   */
  lazy(url, version, from, to) {
    return {
      size: to - from,
      slice: (start = 0, end = to - from) => this.lazy(url, version, from + start, Math.min(to, from + end)),
      arrayBuffer: async () => {
        const bytes = await this.readRange(url, version, from, to)
        return /** @type {ArrayBuffer} */ (bytes.slice().buffer)
      }
    }
  }

  /** @param {string} url @param {string} version @param {number} from @param {number} to */
  async readRange(url, version, from, to) {
    if (from === to) return new Uint8Array(0)
    const key = `${url}${url.includes('?') ? '&' : '?'}glassformer=${encodeURIComponent(`${version} ${from}-${to}`)}`, known = await this.recall(key)
    if (known?.length === to - from) return known
    const response = await this.fetch(url, { range: `bytes=${from}-${to - 1}` })
    expect(response?.status === 206, 'format', () => `${url}: the server no longer sends parts of the file, got ${response?.status ?? 404}`)
    const bytes = await readBody(response, url, to - from)
    await this.remember(key, bytes)
    return bytes
  }
}

/**
 * The files of a folder on a server by name: config.json and tokenizer, and the weights, of which no values are read
 * yet.
 * The address of a .gguf file stands for this file alone.
 * @param {string} address of the folder, with a slash at the end, or of a .gguf file @param {RemoteOptions} options
 * @returns {Promise<Record<string, Uint8Array | Lazy>>}
 * @throws {GlassformerError} 'format' if there is no model, 'type' for another address
 */
export async function openRemoteFolder(address, options) {
  const isFile = /\.gguf(\?|$)/i.test(address), remote = new Remote(options)
  expect(/^https?:\/\//.test(address), 'type', () => `models: files must be an object of file contents by name or the address of a ` +
    `folder that begins with https://, got "${address}"`)
  const urlOf = (/** @type {string} */ name) => new URL(name, isFile || address.endsWith('/') ? address : `${address}/`).href
  if (isFile) {
    const file = await remote.open(address)
    expect(file !== null, 'format', () => `${address} is not there`)
    return { [/** @type {string} */ (new URL(address).pathname.split('/').pop())]: file }
  }
  /** @type {Record<string, Uint8Array | Lazy>} */ const files = {}
  const small = await Promise.all(SMALL_FILES.map(name => remote.readAll(urlOf(name))))
  small.forEach((content, i) => { if (content) files[SMALL_FILES[i]] = content })
  expect(files['config.json'] !== undefined, 'format', () => `${urlOf('config.json')} is not there; is this the address of a model's folder?`)
  const index = await remote.readAll(urlOf(INDEX))
  if (index) files[INDEX] = index
  const names = index ? shardNames(urlOf(INDEX), index) : [SINGLE]
  for (const name of names) {
    const file = await remote.open(urlOf(name))
    expect(file !== null, 'format', () => `${urlOf(name)} is not there`)
    files[name] = file
  }
  return files
}

/** @param {string} url @param {Uint8Array} index @returns {string[]} */
function shardNames(url, index) {
  try {
    return [...new Set(/** @type {string[]} */ (Object.values(JSON.parse(new TextDecoder().decode(index)).weight_map)))]
  } catch (error) {
    throw new GlassformerError('format', `${url} is not an index of weights: ${/** @type {Error} */ (error).message}`)
  }
}
