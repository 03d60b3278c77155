/** The engine, off the main thread: loads the kernels, runs a model and explains cells of the last run. */

import { load } from '../src/js/index.js'
import { runPipeline } from '../src/js/pipeline.js'
import { questions } from './glass.js'
import { runTranslation } from './model/run.js'

let engine = null
let weights = null
let last = null

const bytesOf = async (file) => new Uint8Array(typeof file === 'string' ? await (await fetch(file)).arrayBuffer() : file)

const calls = {
  async load({ wasm, weights: file }) {
    weights = bytesOf(file)
    engine = await load({ wasm: typeof wasm === 'string' ? new URL(wasm) : wasm })
    await weights
  },
  async run({ settings }) {
    const run = settings.model
      ? runTranslation(engine, settings, settings.edits, await weights) : runPipeline(engine, settings)
    last?.dispose()
    last = run
    return Object.fromEntries(Object.entries(run).filter(([, part]) => typeof part !== 'function'))
  },
  ...questions(() => last)
}

self.onmessage = async ({ data: { id, type, ...details } }) => {
  try {
    postMessage({ id, result: await calls[type](details) })
  } catch (error) {
    postMessage({ id, error: { code: error.code, message: error.message } })
  }
}
