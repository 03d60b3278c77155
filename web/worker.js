/** The engine, off the main thread: loads the kernels, runs the pipeline and explains cells of the last run. */

import { load } from '../src/js/index.js'
import { runPipeline } from '../src/js/pipeline.js'

let engine = null
let last = null

const calls = {
  async load({ wasm }) {
    engine = await load({ wasm: typeof wasm === 'string' ? new URL(wasm) : wasm })
  },
  run({ settings }) {
    const run = runPipeline(engine, settings)
    last?.dispose()
    last = run
    const { explain, dispose, ...plain } = run
    return plain
  },
  explain: ({ name, index }) => (last.tensors.has(name) ? last.explain(name, index) : null)
}

self.onmessage = async ({ data: { id, type, ...details } }) => {
  try {
    postMessage({ id, result: await calls[type](details) })
  } catch (error) {
    postMessage({ id, error: { code: error.code, message: error.message } })
  }
}
