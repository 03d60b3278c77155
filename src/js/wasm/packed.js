/** Where the kernels are in the package: beside the library. Bundlers know this form, and take the file along. */
export const besideModule = () => new URL('./glassformer.wasm', import.meta.url)
export const blocksBesideModule = () => new URL('./glassformer.blocks.wasm', import.meta.url)
export const sharedBlocksBesideModule = () => new URL('./glassformer.blocks.threads.wasm', import.meta.url)
export const threadsBesideModule = () => new URL('./glassformer.threads.wasm', import.meta.url)
export const relaxedBesideModule = () => new URL('./glassformer.relaxed.wasm', import.meta.url)
export const relaxedThreadsBesideModule = () => new URL('./glassformer.relaxed.threads.wasm', import.meta.url)
