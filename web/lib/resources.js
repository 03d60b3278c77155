/** The kernels and the models' files: beside the page, or data inside it when the page is a single file. */

/** A single-file page has one policy for everything in it, which forbids `eval`, and no service worker. */
export const isSingleFile = () => Boolean(document.getElementById('wasm'))

/**
 * The address of a file, or its bytes.
 * @param {string} name @param {string} [id] of its element in a single-file page
 */
export function locate(name, id = name) {
  if (!isSingleFile()) return new URL(name, location.href).href
  const text = document.getElementById(id)?.textContent?.trim() ?? ''
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0)).buffer
}

/** The kernels for models in GGUF's blocks. */
export const locateBlockKernels = () => locate('glassformer.blocks.wasm', 'blocks')
export const locateKernels = () => locate('glassformer.wasm', 'wasm')
