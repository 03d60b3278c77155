/** The kernels and the models' files: beside the page, or data inside it when the page is a single file. */

import { MODELS } from '../models/index.js'

export function locateResources() {
  const names = MODELS.flatMap(({ files }) => files)
  /** @param {string} id */
  const findElement = id => document.getElementById(id)
  /** @template T @param {(name: string) => T} getFile */
  const mapFiles = getFile => Object.fromEntries(names.map(name => [name, getFile(name)]))
  /** @param {string} name */
  const resolveUrl = name => new URL(name, location.href).href
  if (!findElement('wasm')) return { wasm: resolveUrl('glassformer.wasm'), files: mapFiles(resolveUrl) }
  /** @param {string} id */
  const readText = id => findElement(id)?.textContent?.trim() ?? ''
  /** @param {string} id */
  const decodeBytes = id => (
    Uint8Array.from(atob(readText(id)), letter => letter.charCodeAt(0)).buffer)
  return { wasm: decodeBytes('wasm'), files: mapFiles(decodeBytes) }
}
