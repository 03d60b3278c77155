/** The page's files: beside the page, beside the elements' script, or data inside a single-file page. */

/** The folder of the files, where it is not that of the page. @type {string | null} */ let folder = null

/** Sets the folder of the files, for figures in other pages. @param {string} url */
export function setFolder(url) {
  folder = url
}

/** Whether the files are beside the page itself. */
export const isOwnPage = () => folder === null

/** The address of a file. @param {string} name */
export const addressOf = name => new URL(name, folder ?? location.href).href

/** The text of a file inside a single-file page, or null. Another page may use the same ids. @param {string} id */
export const inlineText = id => (isOwnPage() ? document.getElementById(id)?.textContent?.trim() ?? null : null)

/** A single-file page has one policy for everything in it, which forbids `eval`, and no service worker. */
export const isSingleFile = () => inlineText('wasm') !== null

/**
 * The address of a file, or its bytes.
 * @param {string} name @param {string} [id] of its element in a single-file page
 */
export function locate(name, id = name) {
  if (!isSingleFile()) return addressOf(name)
  return Uint8Array.from(atob(inlineText(id) ?? ''), letter => letter.charCodeAt(0)).buffer
}

/** The builds for threads, which a single-file page does not have. */
const locateThreads = () => (isSingleFile() ? null
  : { wasm: addressOf('glassformer.threads.wasm'), blocks: addressOf('glassformer.blocks.threads.wasm') })

/** All kernels but those for GGUF's blocks. */
export const locateKernels = () => locate('glassformer.wasm', 'wasm')
/** The kernels that a first run calls. A single-file page has all kernels in one. */
export const locateFirstKernels = () => locate('glassformer.first.wasm', 'wasm')
/** The kernels that are fetched when something needs them: the rest, those for text, and what imported models need. */
export const locateMoreKernels = () => ({
  rest: locate('glassformer.rest.wasm', 'wasm'), training: locate('glassformer.training.wasm', 'wasm'), gelu: locate('glassformer.gelu.wasm', 'wasm'),
  text: locate('glassformer.text.wasm', 'wasm'), all: locateKernels(),
  blocks: locate('glassformer.blocks.wasm', 'blocks'), threads: locateThreads()
})
