/** The kernels and the models' files: beside the page, or data inside it when the page is a single file. */

import { MODELS } from '../models/index.js'

export function resources() {
  const names = MODELS.flatMap(({ files }) => files)
  /** @param {string} id */
  const inside = id => document.getElementById(id)
  /** @template T @param {(name: string) => T} give */
  const byName = give => Object.fromEntries(names.map(name => [name, give(name)]))
  /** @param {string} name */
  const address = name => new URL(name, location.href).href
  if (!inside('wasm')) return { wasm: address('glassformer.wasm'), files: byName(address) }
  /** @param {string} id */
  const textOf = id => inside(id)?.textContent?.trim() ?? ''
  /** @param {string} id */
  const bytes = id => (
    Uint8Array.from(atob(textOf(id)), letter => letter.charCodeAt(0)).buffer)
  return { wasm: bytes('wasm'), files: byName(bytes) }
}
