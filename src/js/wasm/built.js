/** Where the build puts the kernels, seen from the sources. */
export const besideModule = () => new URL('../../../dist/glassformer.wasm', import.meta.url)
export const blocksBesideModule = () => new URL('../../../dist/glassformer.blocks.wasm', import.meta.url)
export const sharedBlocksBesideModule = () => new URL('../../../dist/glassformer.blocks.threads.wasm', import.meta.url)
export const threadsBesideModule = () => new URL('../../../dist/glassformer.threads.wasm', import.meta.url)
export const relaxedBesideModule = () => new URL('../../../dist/glassformer.relaxed.wasm', import.meta.url)
export const relaxedThreadsBesideModule = () => new URL('../../../dist/glassformer.relaxed.threads.wasm', import.meta.url)
