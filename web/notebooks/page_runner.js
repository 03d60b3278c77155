/** The runner of cells on the page. */

import { startCellWorker } from './frame.js'
import { createRunner } from './runner.js'

/** @param {string} name */
async function fetchFile(name) {
  const response = await fetch(name)
  if (!response.ok) throw new Error(`${name}: ${response.status}`)
  return response
}

/** A runner of cells in a sandboxed worker, which is fetched with the first run. */
export const createCellRunner = () => createRunner({
  start: startCellWorker,
  fetched: async () => {
    const [code, wasm] = await Promise.all([fetchFile('cell.js'), fetchFile('glassformer.wasm')])
    return { code: await code.text(), wasm: await wasm.arrayBuffer() }
  }
})
