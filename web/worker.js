/** The engine, off the main thread: loads the kernels, runs a model and explains cells of the last run. */

import { load } from '../src/js/index.js'
import { runPipeline } from '../src/js/pipeline.js'
import { questions } from './glass.js'
import { nudged } from './model/nudge.js'
import { runTranslation } from './model/run.js'

let engine = null
let kernels = null
let second = null
let third = null
let weights = null
let last = null
let twin = null

const bytesOf = async (file) => new Uint8Array(typeof file === 'string' ? await (await fetch(file)).arrayBuffer() : file)

/** An engine with memory of its own: a run can be asked about, gradients too, while another engine computes. */
const start = () => load({ wasm: typeof kernels === 'string' ? new URL(kernels) : kernels })

const compute = async (gf, settings) => (settings.model
  ? runTranslation(gf, settings, settings.edits, await weights) : runPipeline(gf, settings))
const plain = (run) => Object.fromEntries(Object.entries(run).filter(([, part]) => typeof part !== 'function'))

const calls = {
  async load({ wasm, weights: file }) {
    weights = bytesOf(file)
    kernels = wasm
    engine = await start()
    await weights
  },
  async run({ settings }) {
    const run = await compute(engine, settings)
    last?.dispose()
    last = run
    return plain(run)
  },
  /** A twin that reads another run's answer also says what it would have written by itself. */
  async twin({ settings }) {
    second ??= await start()
    const own = Array.isArray(settings.target) ? await compute(second, { ...settings, target: null }) : null
    own?.dispose()
    const run = await compute(second, settings)
    twin?.dispose()
    twin = run
    return { ...plain(run), own: (own ?? run).decoding }
  },
  async nudge({ settings, cell, value }) {
    third ??= await start()
    return nudged((one) => compute(third, one), settings, cell, value)
  },
  ...questions((cell) => (cell?.isTwin ? twin : last))
}

self.onmessage = async ({ data: { id, type, ...details } }) => {
  try {
    postMessage({ id, result: await calls[type](details) })
  } catch (error) {
    postMessage({ id, error: { code: error.code, message: error.message } })
  }
}
