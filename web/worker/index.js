/** The engine, off the main thread: loads the kernels, runs a model and explains cells of the last run. */

import { load } from '../../src/js/index.js'
import { filesFor, modelOf, settingsOf } from '../models/index.js'
import { bring, forget, kept, open, openIn, remember, remembered, stop } from '../models/imported/open.js'
import { writtenBy } from '../models/imported/run.js'
import { RUNS } from '../models/runs.js'
import { learn } from './bpe_training.js'
import { pens } from './generation.js'
import { nudged } from './finite_difference.js'
import { gradientsOf, handedOver, messageOf, readWithPeaks } from './serialize_run.js'
import { extentOf, someRows } from './rows.js'
import { inside, told } from './interpret.js'
import { stampsOf } from '../lib/thumbnails.js'
import { take } from './export_model.js'
import { questions } from './queries.js'
import { habits } from './head_scores.js'
import { twice } from './cache_comparison.js'

/** @import { Cell, Edit, Failure, Library, Made, Progress, Questions, Settings, State, What } from '../types.d.ts' */

/** @typedef {string | ArrayBuffer} Address where a file is, or its bytes */

/** @type {Library} */ let engine
/** @type {Address} */ let kernels
/** @type {Library | undefined} */ let second
/** @type {Library | undefined} */ let third
/** @type {Record<string, Address>} */ let addresses = {}
/** @type {Made | undefined} */ let last
/** @type {Made | undefined} */ let twin
/** @type {Map<string, Promise<Uint8Array>>} */ const files = new Map()
/** Weights from the theatre, by model, and how often there were any. */
/** @type {Map<string, { file: Uint8Array, serial: number }>} */
const lent = new Map()
let loans = 0
/** From so many bytes on a run gives way before the next of a model that was brought is computed. */
const CROWDED = 2 ** 30
const pen = pens()

/** @param {string} name */
async function fetched(name) {
  const file = addresses[name]
  if (typeof file !== 'string') return new Uint8Array(file)
  const response = await fetch(file).catch(error => {
    throw Object.assign(new Error(`${name}: ${error.message}`), { code: 'network' })
  })
  if (!response.ok) throw Object.assign(new Error(`${name}: ${response.status}`), { code: 'network' })
  return new Uint8Array(await response.arrayBuffer())
}

/** A file of a model, fetched once; a fetch that failed is tried again the next time. @param {string} name */
function bytesOf(name) {
  const known = files.get(name)
  if (known) return known
  const bytes = fetched(name).catch(error => {
    files.delete(name)
    throw error
  })
  files.set(name, bytes)
  return bytes
}

/** An engine with memory of its own: a run can be asked about, gradients too, while another engine computes. */
const start = () => load({ wasm: typeof kernels === 'string' ? new URL(kernels) : kernels })

/**
 * A run with the weights that the theatre has lent.
 * @param {Library} gf @param {Settings} settings @param {string} id
 */
function computeLent(gf, settings, id) {
  const loan = lent.get(id)
  if (!loan) throw Object.assign(new Error('no weights from the theatre'), { code: 'lent' })
  const { file, serial } = loan
  return RUNS[id](gf, { ...settings, lent: serial }, settings.edits, [file])
}

/**
 * A run of the reader's model, whose answer may take long.
 * @param {Library} gf @param {Settings} settings @param {(progress: Progress) => void} [tell] whoever waits for it
 */
async function computeBrought(gf, settings, tell) {
  const opened = await openIn(gf)
  if (!tell) return RUNS.own(gf, settings, settings.edits, [opened])
  const written = await pen.write(tell, waiting => writtenBy(gf, settings, opened, waiting))
  // Two of that size have no room beside each other. Nobody can ask about the old one before the new one is there.
  if (engine.memory().bytes > CROWDED) {
    last?.run.dispose()
    last = undefined
  }
  return RUNS.own(gf, settings, settings.edits, [opened, written])
}

/** @param {Library} gf @param {Settings} settings @param {(progress: Progress) => void} [tell] */
async function compute(gf, settings, tell) {
  const { id, isBrought } = modelOf(settings.model)
  if (settings.weights === 'theatre') return computeLent(gf, settings, id)
  if (isBrought) return computeBrought(gf, settings, tell)
  const names = filesFor(settings), given = await Promise.all(names.map(bytesOf))
  try {
    return RUNS[id](gf, settings, settings.edits, given)
  } catch (error) {
    throw damaged(/** @type {Failure} */ (error), names)
  }
}

/**
 * A file that came, but not as it was sent: the next run fetches it anew.
 * @param {Failure} error @param {string[]} names of the files
 */
function damaged(error, names) {
  if (!error.message.startsWith('safetensors')) return error
  names.forEach(name => files.delete(name))
  return Object.assign(new Error(`${names.join(', ')}: ${error.message}`), { code: 'damaged' })
}

/** The last run, or its twin; only these are asked about. */
function here(isTwin = false) {
  const made = isTwin ? twin : last
  if (!made) throw Object.assign(new Error('the run has given way to one that failed'), { code: 'gone' })
  return made
}

const calls = {
  /**
   * first: files of which some are here already.
   * @param {{ wasm: Address, files: Record<string, Address>, first: Record<string, Address> }} where
   */
  async load({ wasm, files: list, first }) {
    addresses = list
    for (const [name, given] of Object.entries(first)) {
      if (typeof given !== 'string') files.set(name, Promise.resolve(new Uint8Array(given)))
    }
    kernels = wasm
    engine = await start()
  },
  /** Weights of a training, for runs from now on. @param {{ model: string, file: Uint8Array }} loan */
  lend({ model, file }) {
    loans += 1
    lent.set(model, { file, serial: loans })
  },
  /**
   * @param {{ settings: Settings, signature?: string }} question
   * @param {(progress: Progress) => void} tell how much of an answer is written
   */
  async run({ settings, ...asked }, tell) {
    const begun = performance.now(), made = await compute(engine, settings, tell)
    last?.run.dispose()
    last = made
    return messageOf(engine, { ...made, took: performance.now() - begun }, asked)
  },
  /** What is being written ends here: the run goes on with it, or, when it is superseded, not at all. */
  finish: pen.finish,
  /**
   * What files of the reader's hold, before anything is read of them.
   * @param {{ files: Record<string, Blob> }} brought
   */
  inspect: ({ files }) => bring(engine, files),
  /**
   * From the next run on they are the model `own`; without files, those that the browser keeps.
   * @param {{ files?: Record<string, Blob> }} brought @param {(progress: { done: number, total: number }) => void} tell
   */
  open: async ({ files }, tell) => {
    const chosen = files ?? await kept()
    await pen.finish({ isSuperseded: true })
    if (!chosen) throw Object.assign(new Error('nothing is kept'), { code: 'nofiles' })
    const { type } = await open(engine, chosen, tell)
    return { type }
  },
  stop, remember, remembered, forget,
  /** @param {{ text: string, step: number }} question */
  learn: question => learn(engine, question),
  /** A step of the answer with a cache and without. @param {Questions['twice'][0]} question */
  twice: ({ isTwin, ...step }) => twice(isTwin ? /** @type {Library} */ (second) : engine, here(isTwin), step),
  /** Where heads look in a text that stands there twice. */
  habits: () => habits(engine, here()),
  /** The model of the last run as a file. @param {Questions['take'][0]} question */
  take: question => take(engine, here(), question),
  /** What the last run computed, with the lists that its structure leaves out. */
  steps: () => here().run.steps,
  /** The gradients of tensors that have one. @param {Questions['gradients'][0]} question */
  gradients: ({ isTwin, names }) => gradientsOf(here(isTwin).run, names),
  /**
   * Values of tensors of the last run or its twin that were not sent with it.
   * @param {{ names: string[], isTwin: boolean }} question
   */
  read: ({ names, isTwin }) => readWithPeaks(here(isTwin).run, names),
  /** A large tensor in the size of stamps. @param {Questions['stamps'][0]} question */
  stamps({ name, isTwin }) {
    const { run } = here(isTwin), values = /** @type {Float32Array} */ (run.tensor(name).values)
    return { values: stampsOf(run.describe(name), values), peak: extentOf(values, values.length).peak }
  },
  /** Some rows of a table of many. @param {Questions['rows'][0]} question */
  rows: ({ isTwin, name, rows }) => someRows(here(isTwin).run, name, rows),
  /**
   * A twin that reads another run's answer also says what it would have written by itself.
   * @param {{ settings: Settings }} question
   */
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
  /** @param {{ settings: Settings, cell: Cell, value: number }} question */
  async nudge({ settings, cell, value }) {
    const own = third ??= await start()
    return nudged(one => compute(own, one), settings, cell, value)
  },
  /**
   * What a run with other edits tells: the same words read, so that it is the same question.
   * @param {{ state: State, edits: Edit[], what: What, base?: Float32Array }} question
   */
  async without({ state, edits, what, base }) {
    const own = third ??= await start()
    const settings = settingsOf({ ...state, edits })
    const { ids } = what
    const { run } = await compute(own, ids.length ? { ...settings, target: /** @type {any} */ (ids) } : settings)
    const values = told(own, run, what, base)
    run.dispose()
    return values
  },
  ...questions(cell => here(cell?.isTwin)),
  ...inside(isTwin => (
    { gf: isTwin ? /** @type {Library} */ (second) : engine, run: here(isTwin).run }))
}

/** @type {Record<string, (details: any, tell: (progress: object) => void) => unknown>} */ const answers = calls

self.onmessage = async ({ data: { id, type, ...details } }) => {
  try {
    const result = await answers[type](details, progress => postMessage({ id, progress }))
    postMessage({ id, result }, { transfer: handedOver(type, result) })
  } catch (problem) {
    const error = /** @type {Failure} */ (problem)
    postMessage({ id, error: { code: error.code, message: error.message } })
  }
}
