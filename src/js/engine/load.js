import { GlassformerError, describe, expect, expectOptions } from '../errors.js'
import { besideModule } from '#wasm'

/** @import * as Platform from '../platform.d.ts' */

/** The imports of the module: a hook that Emscripten calls when memory grows, which memory.js does not need. */
const IMPORTS = { env: { emscripten_notify_memory_growth() {} } }
/** A module whose only function uses a vector, which an engine without SIMD does not compile. */
const SIMD_MODULE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11)
const WASM_HINT = 'give load({ wasm }) the URL, a Response or the bytes of glassformer.wasm'

/** The URL of the classic script that is running, if any. */
const SCRIPT_URL = /** @type {any} */ (globalThis.document?.currentScript)?.src

/** A built-in module of Node. It is not imported, since bundlers for browsers cannot resolve such an import. */
export const builtin = (/** @type {string} */ name) => /** @type {any} */ (globalThis).process.getBuiltinModule(name)

/**
 * The URL of the kernels: beside this library, or beside the classic script or CommonJS file that a bundler made of it.
 * @param {string} [name] @param {() => Platform.Address} [resolve]
 * @param {string} [hint] what to do if the URL is unknown
 * @returns {Platform.Address}
 */
export function besideLibrary(name = 'glassformer.wasm', resolve = besideModule, hint = WASM_HINT) {
  if (import.meta.url) return resolve()
  if (SCRIPT_URL) return new URL(name, SCRIPT_URL)
  if (typeof __filename === 'string') return new URL(name, builtin('node:url').pathToFileURL(__filename))
  throw new GlassformerError('format', `load: the URL of ${name} is not known here; ${hint}`)
}

/** @param {URL} url @param {string} hint @returns {Promise<Uint8Array>} */
async function readFile(url, hint) {
  return builtin('node:fs/promises').readFile(url).catch((/** @type {Error} */ error) => {
    throw new GlassformerError('format', `load: ${error.message}; ${hint}`)
  })
}

/** @param {URL} url @param {string} hint */
async function fetchFile(url, hint) {
  return fetch(url).catch(error => {
    throw new GlassformerError('format', `load: ${url} could not be fetched (${error.message}); ${hint}`)
  })
}

/**
 * Whether a value is a Response. Naming the class would make Node load all of fetch, which takes longer than loading
 * the kernels.
 * @param {any} value @returns {value is Response}
 */
const isResponse = value => typeof value?.arrayBuffer === 'function' && 'ok' in value

/** @param {string} address relative to the page, if there is one @param {string} name of the option */
function urlOf(address, name) {
  try {
    return new URL(address, globalThis.location?.href)
  } catch {
    throw new GlassformerError('type',
      `load: ${name} must be an absolute URL where there is no page, got ${describe(address)}`)
  }
}

/**
 * @param {unknown} wasm @param {string} [hint] what to do if it cannot be read @param {string} [name] of the option
 * @returns {Promise<Platform.WasmModule | ArrayBuffer | ArrayBufferView>} a compiled module as it is, or the bytes
 */
export async function bytesOf(wasm, hint = WASM_HINT, name = 'wasm') {
  let source = typeof wasm === 'string' ? urlOf(wasm, name) : await wasm
  if (source instanceof WebAssembly.Module) return source
  if (source instanceof URL) source = source.protocol === 'file:' ? await readFile(source, hint) : await fetchFile(source, hint)
  if (isResponse(source)) {
    if (!source.ok) throw new GlassformerError('format', `load: ${source.url} responded with status ${source.status}; ${hint}`)
    source = await source.arrayBuffer()
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source
  throw new GlassformerError('type',
    `load: ${name} must be a URL, a Response, a module or its bytes, got ${describe(wasm)}`)
}

/** @param {unknown} wasm @returns {Promise<WebAssembly.Instance>} */
async function instantiate(wasm) {
  const source = await bytesOf(wasm)
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, IMPORTS)
  return (await WebAssembly.instantiate(/** @type {BufferSource} */ (source), IMPORTS)).instance
}

/** Why the kernels cannot be compiled here. @param {Error} error */
function explainRefusal({ message }) {
  if (/CSP|Content.Security|unsafe-eval/i.test(message)) {
    return "the page's Content-Security-Policy forbids WebAssembly; add 'wasm-unsafe-eval' to its script-src"
  }
  if (!WebAssembly.validate(SIMD_MODULE)) return 'this engine has no WebAssembly SIMD; browsers since 2023 and Node have it'
  return `wasm is not a build of the kernels: ${message}`
}

/**
 * Compiles the kernels and instantiates them with a memory of their own.
 * @param {{ wasm?: Platform.Address | string | Platform.Answer | Promise<Platform.Answer> | ArrayBuffer
 *   | ArrayBufferView | Platform.WasmModule }} [options]
 *   wasm: where the kernels are; by default beside the package
 * @returns {Promise<Platform.Exports>}
 * @throws {GlassformerError} 'type' when wasm is none of these, 'format' when it cannot be read, is not a build of the
 *   kernels, or cannot run here
 */
export async function loadKernels(options) {
  const { wasm = besideLibrary() } = expectOptions('load', options, ['wasm'])
  expect(typeof WebAssembly === 'object', 'format', () => 'load: this engine has no WebAssembly')
  const { exports } = await instantiate(wasm).catch(error => {
    if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
      throw new GlassformerError('format', `load: ${explainRefusal(error)}`)
    }
    throw error
  })
  expect(typeof exports.gf_alloc === 'function', 'format', () => 'load: wasm is not a build of the kernels')
  return exports
}
