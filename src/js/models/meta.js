import { Engine } from '../engine/engine.js'

/** Kernels that do nothing, with an empty memory. */
const STUB_EXPORTS = {
  memory: { buffer: new ArrayBuffer(0) },
  gf_alloc: () => 8
}

/**
 * An engine whose tensors have shapes and no values, as on torch's "meta" device. A model is built on it to learn the
 * shapes of its parameters.
 * @returns {Engine}
 */
export const metaEngine = () => new Engine(/** @type {any} */ (new Proxy(STUB_EXPORTS, {
  get: (exports, name) => Reflect.get(exports, name) ?? (() => 0)
})), async () => ({}))
