import { Engine } from '../engine.js'

/** Exports of kernels that do nothing, over a memory that holds nothing. */
const NOTHING = {
  memory: { buffer: new ArrayBuffer(0) },
  gf_alloc: () => 8
}

/**
 * An engine whose tensors have shapes and no values, torch's "meta" device: a model is built in it to learn what it
 * needs.
 * @returns {Engine}
 */
export const metaEngine = () => new Engine(/** @type {any} */ (new Proxy(NOTHING, {
  get: (exports, name) => Reflect.get(exports, name) ?? (() => 0)
})))
