import { besideLibrary } from './load.js'
import { relaxedBesideModule, relaxedThreadsBesideModule } from '#wasm'

/** A module whose only function is a relaxed multiply-add, which an engine without relaxed SIMD does not compile. */
const RELAXED_MODULE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 123, 123, 123, 1, 123, 3, 2, 1, 0, 10, 13, 1, 11, 0,
  32, 0, 32, 1, 32, 2, 253, 133, 2, 11)
const HINT = 'leave out relaxed, or give load({ wasm }) the URL, a Response or the bytes of it'

/**
 * The kernels with relaxed SIMD, whose multiply-adds the processor may fuse: for one thread and for several. Null where
 * the engine has no relaxed SIMD (Safari, Node 20).
 */
export function locateRelaxed() {
  if (!WebAssembly.validate(RELAXED_MODULE)) return null
  return {
    single: besideLibrary('glassformer.relaxed.wasm', relaxedBesideModule, HINT),
    shared: besideLibrary('glassformer.relaxed.threads.wasm', relaxedThreadsBesideModule, HINT)
  }
}
