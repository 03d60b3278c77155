/** The engine, off the main thread: loads the kernels, runs a model and explains cells of the last run. */

import { load } from '../../src/js/index.js'
import { filesFor, modelOf } from '../models/index.js'
import { bring, choose, openIn } from '../models/own/open.js'
import { RUNS } from '../models/runs.js'
import { nudged } from './nudge.js'
import { messageOf, read } from './plain.js'
import { questions } from './questions.js'

let engine = null
let kernels = null
let second = null
let third = null
let addresses = {}
let last = null
let twin = null
const files = new Map()
/** Weights from the theatre, by model, and how often there were any. */
const lent = new Map()
let loans = 0

async function fetched(name) {
  const file = addresses[name]
  if (typeof file !== 'string') return new Uint8Array(file)
  const response = await fetch(file)
  if (!response.ok) throw Object.assign(new Error(`${name}: ${response.status}`), { code: 'network' })
  return new Uint8Array(await response.arrayBuffer())
}

/** A file of a model, fetched once; a fetch that failed is tried again the next time. */
function bytesOf(name) {
  if (!files.has(name)) {
    files.set(name, fetched(name).catch(error => {
      files.delete(name)
      throw error
    }))
  }
  return files.get(name)
}

/** An engine with memory of its own: a run can be asked about, gradients too, while another engine computes. */
const start = () => load({ wasm: typeof kernels === 'string' ? new URL(kernels) : kernels })

/** A run with the weights that the theatre has lent. */
function computeLent(gf, { edits, ...settings }, id) {
  if (!lent.has(id)) throw Object.assign(new Error('no weights from the theatre'), { code: 'lent' })
  const { file, serial } = lent.get(id)
  return RUNS[id](gf, { ...settings, lent: serial }, edits, [file])
}

async function compute(gf, { edits, ...settings }) {
  const { id, isBrought } = modelOf(settings.model)
  if (settings.weights === 'theatre') return computeLent(gf, { edits, ...settings }, id)
  const given = isBrought ? [await openIn(gf)] : await Promise.all(filesFor(settings).map(bytesOf))
  return RUNS[id](gf, settings, edits, given)
}

const calls = {
  async load({ wasm, files: list }) {
    addresses = list
    kernels = wasm
    engine = await start()
  },
  /** Weights of a training, for runs from now on. */
  lend({ model, file }) {
    loans += 1
    lent.set(model, { file, serial: loans })
  },
  async run({ settings, ...asked }) {
    const made = await compute(engine, settings)
    last?.run.dispose()
    last = made
    return messageOf(engine, made, asked)
  },
  /** What files of the reader's hold, before anything is read of them. */
  inspect: ({ files }) => bring(engine, files),
  /** From the next run on they are the model `own`. */
  open: async ({ files }) => {
    choose(files)
    const { type } = await openIn(engine)
    return { type }
  },
  /** What the last run computed, with the lists that its structure leaves out. */
  steps: () => last.run.steps,
  /** Values of tensors of the last run or its twin that were not sent with it. */
  read: ({ names, isTwin }) => read((isTwin ? twin : last).run, names),
  /** A twin that reads another run's answer also says what it would have written by itself. */
  async twin({ settings, ...asked }) {
    second ??= await start()
    const isForced = Array.isArray(settings.target)
    const own = isForced ? await compute(second, { ...settings, target: '' }) : null
    own?.run.dispose()
    const made = await compute(second, settings)
    twin?.run.dispose()
    twin = made
    return messageOf(second, { ...made, own: (own ?? made).decoding }, asked)
  },
  async nudge({ settings, cell, value }) {
    third ??= await start()
    return nudged(one => compute(third, one), settings, cell, value)
  },
  ...questions(cell => (cell?.isTwin ? twin : last))
}

self.onmessage = async ({ data: { id, type, ...details } }) => {
  try {
    postMessage({ id, result: await calls[type](details) })
  } catch (error) {
    postMessage({ id, error: { code: error.code, message: error.message } })
  }
}
