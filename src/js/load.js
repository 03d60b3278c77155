import { Engine } from './engine.js'
import { GlassformerError, describe, expect, optionsOf } from './errors.js'

/** Where the build puts the kernels, seen from this file. */
const DEFAULT_WASM = new URL('../../dist/glassformer.wasm', import.meta.url)

/** What the module imports: a hook that growing memory calls, which memory.js does not need. */
const IMPORTS = { env: { emscripten_notify_memory_growth() {} } }

/** @param {URL} url @returns {Promise<Uint8Array>} */
async function readFile(url) {
  // Asked of the process: bundlers for browsers stumble over an import that only Node has.
  const { readFile } = /** @type {any} */ (globalThis).process.getBuiltinModule('node:fs/promises')
  return readFile(url)
}

/**
 * By its looks: naming the class makes Node load all of fetch, which takes longer than the kernels.
 * @param {any} value @returns {value is Response}
 */
const isResponse = value => typeof value?.arrayBuffer === 'function' && 'ok' in value

/** @param {string} address relative to the page, if there is one */
function urlOf(address) {
  try {
    return new URL(address, globalThis.location?.href)
  } catch {
    throw new GlassformerError('type',
      `load: wasm must be a whole URL where there is no page, got ${describe(address)}`)
  }
}

/**
 * @param {unknown} wasm
 * @returns {Promise<WebAssembly.Instance>}
 */
async function instantiate(wasm) {
  let source = typeof wasm === 'string' ? urlOf(wasm) : await wasm
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, IMPORTS)
  if (source instanceof URL) source = source.protocol === 'file:' ? await readFile(source) : await fetch(source)
  if (isResponse(source)) {
    if (!source.ok) throw new GlassformerError('format', `load: ${source.url} answered ${source.status}`)
    source = await source.arrayBuffer()
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return (await WebAssembly.instantiate(/** @type {BufferSource} */ (source), IMPORTS)).instance
  }
  throw new GlassformerError('type',
    `load: wasm must be a URL, a Response, a module or its bytes, got ${describe(wasm)}`)
}

/**
 * Starts an engine: compiles the kernels and gives them a memory of their own.
 * @param {{ wasm?: URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module }} [options]
 *   wasm: where the kernels are; by default beside the package
 * @returns {Promise<Engine>}
 * @throws {GlassformerError} 'type' when wasm is none of these, 'format' when a server refuses or it is not the kernels
 */
export async function loadEngine(options) {
  const { wasm = DEFAULT_WASM } = optionsOf('load', options, ['wasm'])
  const { exports } = await instantiate(wasm).catch(error => {
    if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
      throw new GlassformerError('format', `load: wasm is not a build of the kernels: ${error.message}`)
    }
    throw error
  })
  expect(typeof exports.gf_alloc === 'function', 'format', () => 'load: wasm is not a build of the kernels')
  return new Engine(exports)
}
