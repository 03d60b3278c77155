/** Kernels, the models' files and the worker: beside the page, or data inside it when the page is a single file. */

import { MODELS } from '../models/index.js'

export function resources() {
  const names = MODELS.flatMap(({ files }) => files)
  const inside = id => document.getElementById(id)
  const byName = give => Object.fromEntries(names.map(name => [name, give(name)]))
  const address = name => new URL(name, location.href).href
  if (!inside('wasm')) return { wasm: address('glassformer.wasm'), files: byName(address), worker: 'worker.js' }
  const bytes = id => (
    Uint8Array.from(atob(inside(id).textContent.trim()), letter => letter.charCodeAt(0)).buffer)
  const code = new Blob([inside('worker').textContent], { type: 'text/javascript' })
  return { wasm: bytes('wasm'), files: byName(bytes), worker: URL.createObjectURL(code) }
}
