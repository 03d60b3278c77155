import { GlassformerError, describe, expect, optionsOf } from './errors.js'
import { besideModule } from '#wasm'

/** @import * as Platform from './platform.d.ts' */

/** What the module imports: a hook that growing memory calls, which memory.js does not need. */
const IMPORTS = { env: { emscripten_notify_memory_growth() {} } }
/** A module of one function that uses a vector: what an engine without SIMD refuses. */
const VECTOR = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11)
const GIVE = 'give load({ wasm }) the URL, a Response or the bytes of glassformer.wasm'

/** The script that is running now, in a page that is no module. */
const SCRIPT = /** @type {any} */ (globalThis.document?.currentScript)?.src

/**
 * A module of Node, asked of the process: bundlers for browsers stumble over an import that only Node has.
 */
export const builtin = (/** @type {string} */ name) => /** @type {any} */ (globalThis).process.getBuiltinModule(name)

/**
 * Where the kernels are: beside this library; where a bundler made a plain script or CommonJS of it, beside that.
 * @param {string} [name] @param {() => Platform.Address} [there]
 * @param {string} [give] what to do where it is not known
 * @returns {Platform.Address}
 */
export function besideLibrary(name = 'glassformer.wasm', there = besideModule, give = GIVE) {
  if (import.meta.url) return there()
  if (SCRIPT) return new URL(name, SCRIPT)
  if (typeof __filename === 'string') return new URL(name, builtin('node:url').pathToFileURL(__filename))
  throw new GlassformerError('format', `load: where ${name} lies is not known here; ${give}`)
}

/** @param {URL} url @param {string} give @returns {Promise<Uint8Array>} */
async function readFile(url, give) {
  return builtin('node:fs/promises').readFile(url).catch((/** @type {Error} */ error) => {
    throw new GlassformerError('format', `load: ${error.message}; ${give}`)
  })
}

/** @param {URL} url @param {string} give */
async function fetchFile(url, give) {
  return fetch(url).catch(error => {
    throw new GlassformerError('format', `load: ${url} could not be fetched (${error.message}); ${give}`)
  })
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
      `load: wasm must be an absolute URL where there is no page, got ${describe(address)}`)
  }
}

/**
 * @param {unknown} wasm @param {string} [give] what to do where it is not in reach
 * @returns {Promise<Platform.WasmModule | ArrayBuffer | ArrayBufferView>} a module that is one already, or its bytes
 */
export async function bytesOf(wasm, give = GIVE) {
  let source = typeof wasm === 'string' ? urlOf(wasm) : await wasm
  if (source instanceof WebAssembly.Module) return source
  if (source instanceof URL) source = source.protocol === 'file:' ? await readFile(source, give) : await fetchFile(source, give)
  if (isResponse(source)) {
    if (!source.ok) throw new GlassformerError('format', `load: ${source.url} answered ${source.status}; ${give}`)
    source = await source.arrayBuffer()
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source
  throw new GlassformerError('type',
    `load: wasm must be a URL, a Response, a module or its bytes, got ${describe(wasm)}`)
}

/** @param {unknown} wasm @returns {Promise<WebAssembly.Instance>} */
async function instantiate(wasm) {
  const source = await bytesOf(wasm)
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, IMPORTS)
  return (await WebAssembly.instantiate(/** @type {BufferSource} */ (source), IMPORTS)).instance
}

/** Why the kernels cannot be compiled here. @param {Error} error */
function refusal({ message }) {
  if (/CSP|Content.Security|unsafe-eval/i.test(message)) {
    return "the page's Content-Security-Policy forbids WebAssembly; add 'wasm-unsafe-eval' to its script-src"
  }
  if (!WebAssembly.validate(VECTOR)) return 'this engine has no WebAssembly SIMD; browsers since 2023 and Node have it'
  return `wasm is not a build of the kernels: ${message}`
}

/**
 * Compiles the kernels and gives them a memory of their own.
 * @param {{ wasm?: Platform.Address | string | Platform.Answer | Promise<Platform.Answer> | ArrayBuffer
 *   | ArrayBufferView | Platform.WasmModule }} [options]
 *   wasm: where the kernels are; by default beside the package
 * @returns {Promise<Platform.Exports>}
 * @throws {GlassformerError} 'type' when wasm is none of these, 'format' when it is not in reach, not the kernels, or
 *   cannot run here
 */
export async function loadKernels(options) {
  const { wasm = besideLibrary() } = optionsOf('load', options, ['wasm'])
  expect(typeof WebAssembly === 'object', 'format', () => 'load: this engine has no WebAssembly')
  const { exports } = await instantiate(wasm).catch(error => {
    if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
      throw new GlassformerError('format', `load: ${refusal(error)}`)
    }
    throw error
  })
  expect(typeof exports.gf_alloc === 'function', 'format', () => 'load: wasm is not a build of the kernels')
  return exports
}
