import { expect } from '../errors.js'
import { besideLibrary, bytesOf } from './load.js'
import { blocksBesideModule, sharedBlocksBesideModule } from '#wasm'

/** @typedef {import('./engine.js').Engine} Engine */

/**
 * The build of the kernels for blocks: it imports a memory, which threads share or not.
 * @param {boolean} isShared
 */
const buildOf = isShared => (isShared ? { name: 'glassformer.blocks.threads.wasm', resolve: sharedBlocksBesideModule }
  : { name: 'glassformer.blocks.wasm', resolve: blocksBesideModule })

/**
 * Loads the kernels for weights in GGUF's blocks into the memory of an engine, once. They are apart from the others,
 * since most programs never need them. models.load does this itself.
 * @param {Engine} engine
 * @throws {import('../errors.js').GlassformerError} 'format' if they cannot be read
 */
export async function loadBlockKernels(engine) {
  const { memory } = engine.c
  if (engine.c.gf_blocks_product) return
  const isShared = typeof SharedArrayBuffer === 'function' && memory.buffer instanceof SharedArrayBuffer
  const { name, resolve } = buildOf(isShared)
  const hint = `give load({ blocks }) the URL, a Response or the bytes of ${name}, or models.load a dtype, such as 'float32'`
  const source = await bytesOf(engine.blocksSource ?? besideLibrary(name, resolve, hint), hint, 'blocks')
  const module = source instanceof WebAssembly.Module ? source
    : await WebAssembly.compile(/** @type {BufferSource} */ (source)).catch(() => null)
  const fits = module && WebAssembly.Module.exports(module).some(each => each.name === 'gf_blocks_product')
  expect(Boolean(fits), 'format', () => `load: blocks is not a build of ${name}`)
  const kernels = await engine.addKernels(/** @type {any} */ (module))
  // Other code may have replaced the kernels in the meantime, so they are read after the last await.
  engine.c = { ...engine.c, ...kernels }
}
