/**
 * The worker of the page: loads the kernels, runs models and answers queries about the last run. The figures of a page
 * share it: each is a session with a run and a twin of its own. What few rooms ask for is loaded when they do.
 */

import { FIRST_MODELS, filesFor, modelOf, settingsOf, textField } from '../models/index.js'
import { RUNS } from '../models/runs.js'
import { createEngines } from './engines.js'
import { createGeneration } from './generation.js'
import { loadExplanations, loadRestOfLibrary } from './rest_of_library.js'
import { PAGE, createSessions } from './sessions.js'
import { transferList, messageOf } from './serialize_run.js'
import { runCalls } from './run_calls.js'
import { answerCall } from '../lib/rpc.js'

/** @import { AnswerTarget, Cell, Edit, Failure, Library } from '../types.d.ts' */
/** @import { ModelRun, PatchQuery, Progress, QueryTypes, Settings, State } from '../types.d.ts' */

/** @import { Address } from './engines.js' */

/** @typedef {{ report?: (progress: Progress) => void, session?: string }} Waiting who waits for a run */

const engines = createEngines()
/** @type {Record<string, Address>} */ let addresses = {}
/** @type {Map<string, Promise<Uint8Array>>} */ const files = new Map()
/** Weights from the training page by model, with their number in sequence. */
/** @type {Map<string, { file: Uint8Array, serial: number }>} */
const trainedWeights = new Map()
let serials = 0
/** Above this memory use the previous run is freed before the next run of an imported model is computed. */
const MAX_BYTES = 2 ** 30
const generation = createGeneration()
const sessions = createSessions()
/** The imported model, whose code is fetched when there is one. */
const imports = () => import('../models/imported/open.js')

/** Fetches what a first run does not call: parts of the library, and kernels. */
const loadRest = () => Promise.all([loadRestOfLibrary(), engines.completeAll()])

/** @param {string} name */
async function fetchFile(name) {
  const file = addresses[name]
  if (typeof file !== 'string') return new Uint8Array(file)
  const response = await fetch(file).catch(error => {
    throw Object.assign(new Error(`${name}: ${error.message}`), { code: 'network' })
  })
  if (!response.ok) throw Object.assign(new Error(`${name}: ${response.status}`), { code: 'network' })
  return new Uint8Array(await response.arrayBuffer())
}

/** The bytes of a weight file, fetched once; a failed fetch is retried the next time. @param {string} name */
function bytesOf(name) {
  const cached = files.get(name)
  if (cached) return cached
  const bytes = fetchFile(name).catch(error => {
    files.delete(name)
    throw error
  })
  files.set(name, bytes)
  return bytes
}

/**
 * A run with weights from the training page.
 * @param {Library} gf @param {Settings} settings @param {string} id
 */
async function computeTrained(gf, settings, id) {
  const trained = trainedWeights.get(id)
  if (!trained) throw Object.assign(new Error('no weights'), { code: 'noTrainedWeights' })
  const { file, serial } = trained
  if (modelOf(id).needsText) await engines.addText(gf)
  return RUNS[id](gf, { ...settings, trainedFileId: serial }, settings.edits, [file])
}

/**
 * A run of the imported model, whose generation may take long.
 * @param {Library} gf @param {Settings} settings @param {Waiting} [waiting]
 */
async function computeImported(gf, settings, { report, session } = {}) {
  const { generateAnswer, openIn } = await imports(), opened = await openIn(gf)
  if (!report || session === undefined) return RUNS.own(gf, settings, settings.edits, [opened])
  const written = await generation.generate(report, waiting => generateAnswer(gf, settings, opened, waiting))
  // Two runs of that size do not fit into memory. Nobody can query the old one before the new one exists.
  if (gf.memory().bytes > MAX_BYTES) sessions.replace(session, 'last')
  return RUNS.own(gf, settings, settings.edits, [opened, written])
}

/**
 * A run, after those on other texts that its edits take values from.
 * @param {Library} gf @param {Settings} settings @param {Waiting} [waiting]
 * @returns {Promise<ModelRun>}
 */
async function compute(gf, settings, waiting) {
  const { edits } = settings, texts = new Set(edits.flatMap(({ fromText }) => fromText ?? []))
  if (texts.size === 0) return computeOne(gf, settings, waiting)
  /** @type {Map<string | undefined, ModelRun>} */ const sources = new Map()
  try {
    for (const text of texts) sources.set(text, await computeOne(gf, withText(settings, text)))
    const withRuns = edits.map(({ fromText, ...edit }) => (
      fromText === undefined ? edit : { ...edit, from: sources.get(fromText)?.run }))
    const modelRun = await computeOne(gf, { ...settings, edits: /** @type {any} */ (withRuns) }, waiting)
    return { ...modelRun, settings: { ...modelRun.settings, edits } }
  } finally {
    for (const { run } of sources.values()) run.dispose()
  }
}

/**
 * The same settings for another text, with the model's own answer and no edits.
 * @param {Settings} settings @param {string} text
 */
const withText = (settings, text) => ({ ...settings, [textField(modelOf(settings.model))]: text, target: '', edits: [] })

/** @param {Library} gf @param {Settings} settings @param {Waiting} [waiting] */
async function computeOne(gf, settings, waiting) {
  const modelRun = await computeModel(gf, settings, waiting)
  engines.assign(modelRun.run, gf)
  return modelRun
}

/** Whether a run calls no more than the one that the page begins with. @param {Settings} given */
const isFirst = ({ model, edits, ...given }) => FIRST_MODELS.includes(modelOf(model)) && edits.length === 0 &&
  Object.entries(modelOf(model).settings).every(([name, setting]) => given[name] === setting.default)

/** @param {Library} gf @param {Settings} settings @param {Waiting} [waiting] @returns {Promise<ModelRun>} */
async function computeModel(gf, settings, waiting) {
  const { id, isImported } = modelOf(settings.model)
  if (isImported) {
    await loadRestOfLibrary()
    return computeImported(gf, settings, waiting)
  }
  if (settings.weights === 'theatre') {
    await loadRest()
    return computeTrained(gf, settings, id)
  }
  const names = filesFor(settings)
  const [given] = await Promise.all([Promise.all(names.map(bytesOf)), modelOf(id).needsText && engines.addText(gf),
    isFirst(settings) || loadRest()])
  try {
    return await RUNS[id](gf, settings, settings.edits, given)
  } catch (error) {
    throw damaged(/** @type {Failure} */ (error), names)
  }
}

/**
 * Describes a file that arrived damaged and drops it, so that the next run fetches it again.
 * @param {Failure} error @param {string[]} names of the files
 */
function damaged(error, names) {
  if (!error.message.startsWith('safetensors')) return error
  names.forEach(name => files.delete(name))
  return Object.assign(new Error(`${names.join(', ')}: ${error.message}`), { code: 'damaged' })
}

/** @typedef {{ session?: string, isTwin?: boolean }} Which a session, and whether its twin is meant */

/** The last run of a session or its twin; only these two can be queried. @param {Which} which */
function runOf({ session, isTwin }) {
  const modelRun = sessions.get(session, isTwin ? 'twin' : 'last')
  if (!modelRun) throw Object.assign(new Error('no run'), { code: 'gone' })
  return modelRun
}

/** The engine that computed a run. @param {Which} which */
const engineOf = which => engines.of(runOf(which).run)

/** The engine that computes a run of this model. @param {string} model @param {import('./engines.js').Role} role */
const engineFor = async (model, role) => engines.get(role, modelOf(model).isImported)

const calls = {
  /**
   * Starts the engine. kernels: where they are; files: the address of every file; first: files that may have been
   * fetched already.
   * @param {{ kernels: import('./engines.js').Kernels, files: Record<string, Address>,
   *   first: Record<string, Address> }} where
   */
  async load({ kernels, files: list, first }) {
    addresses = list
    for (const [name, given] of Object.entries(first)) {
      if (typeof given !== 'string') files.set(name, Promise.resolve(new Uint8Array(given)))
    }
    await engines.start(kernels)
  },
  /** Sets weights from the training page for all further runs. @param {{ model: string, file: Uint8Array }} loan */
  setWeights({ model, file }) {
    serials += 1
    trainedWeights.set(model, { file, serial: serials })
  },
  /**
   * @param {{ settings: Settings, signature?: string, session?: string }} request
   * @param {(progress: Progress) => void} report reports how many tokens are generated
   */
  async run({ settings, session = PAGE, ...options }, report) {
    const startTime = performance.now()
    sessions.open(session)
    const engine = await engineFor(settings.model, 'page'), modelRun = await compute(engine, settings, { report, session })
    sessions.replace(session, 'last', modelRun)
    return messageOf(engine, { ...modelRun, duration: performance.now() - startTime }, options)
  },
  /** The bytes of all runs. */
  memory: () => ({ bytes: engines.countBytes() }),
  /** Ends a session and frees its runs. @param {{ session: string }} request */
  drop: ({ session }) => sessions.drop(session),
  /** Stops the generation: the run continues with the tokens so far, or, when superseded, is dropped. */
  finish: generation.finish,
  /**
   * Describes imported files from their headers.
   * @param {{ files: Record<string, Blob> }} brought
   */
  inspect: async ({ files }) => (await imports()).importFiles(await engines.get('page'), files),
  /**
   * Makes the files the model `own` from the next run on; without files, those stored in the browser.
   * @param {QueryTypes['open'][0]} brought dtype: of its weights; by default what fits
   * @param {(progress: { done: number, total: number }) => void} report
   */
  open: async ({ files, dtype }, report) => {
    const { open, readStored } = await imports(), chosen = files ? { files, dtype } : await readStored()
    await generation.finish({ isSuperseded: true })
    if (!chosen) throw Object.assign(new Error('no model'), { code: 'nofiles' })
    const { type, tokenizer } = await open(await engines.get('page', true), chosen.files, report, chosen.dtype)
    return { type, hasTokenizer: tokenizer !== null }
  },
  stop: async () => (await imports()).stop(),
  store: async () => (await imports()).storeModel(),
  stored: async () => (await imports()).describeStored(),
  forget: async () => (await imports()).forget(),
  /** @param {{ text: string, step: number }} request */
  async bpeStep(request) {
    const [{ bpeStep }, gf] = await Promise.all([import('./bpe_training.js'), engines.get('page')])
    await engines.addText(gf)
    return bpeStep(gf, request)
  },
  /** Compares a generation step with and without a cache. @param {Which & QueryTypes['compareCache'][0]} request */
  compareCache: async ({ session, isTwin, ...step }) => (
    (await import('./cache_comparison.js')).compareCache(engineOf({ session, isTwin }), runOf({ session, isTwin }), step)),
  /** Head scores on a repeated sequence. @param {Which} request */
  headScores: async ({ session }) => (await import('./head_scores.js')).headScores(engineOf({ session }), runOf({ session })),
  /** Exports the model of the last run as a file. @param {Which & QueryTypes['exportModel'][0]} request */
  exportModel: async ({ session, ...request }) => (
    (await import('./export_model.js')).exportModel(engineOf({ session }), runOf({ session }), request)),
  /**
   * Computes the twin. One that reads another run's answer also reports what it would have generated by itself.
   * @param {{ settings: Settings, session?: string }} request
   */
  async twin({ settings, session = PAGE, ...options }) {
    sessions.open(session)
    const engine = await engineFor(settings.model, 'twin'), isForced = Array.isArray(settings.target)
    const own = isForced ? await compute(engine, { ...settings, target: '' }) : null
    own?.run.dispose()
    const modelRun = await compute(engine, settings)
    sessions.replace(session, 'twin', modelRun)
    return messageOf(engine, { ...modelRun, ownDecoding: (own ?? modelRun).decoding }, options)
  },
  /** @param {{ settings: Settings, cell: Cell, value: number, step: number }} request */
  async finiteDifference({ settings, cell, value, step }) {
    const own = await engineFor(settings.model, 'side')
    const { finiteDifference } = await import('./finite_difference.js')
    return finiteDifference(item => compute(own, item), settings, cell, value, step)
  },
  /**
   * The answer of a run with other edits. It reads the same tokens, so that both are comparable.
   * @param {{ state: State, edits: Edit[], what: AnswerTarget, base?: Float32Array }} request
   */
  async ablate({ state, edits, what, base }) {
    const own = await engineFor(state.model, 'side')
    const settings = settingsOf({ ...state, edits })
    const { ids } = what
    const { run } = await compute(own, ids.length ? { ...settings, target: /** @type {any} */ (ids) } : settings)
    const { measureAnswer } = await import('./interpret.js'), values = measureAnswer(own, run, what, base)
    run.dispose()
    return values
  },
  /**
   * What the model without edits answers to a text; the reader's answer to the text of the state stays.
   * @param {QueryTypes['answerTo'][0]} request
   */
  async answerTo({ state, text }) {
    const own = await engineFor(state.model, 'side'), isSame = text === state[textField(modelOf(state.model))]
    const modelRun = await compute(own, settingsOf(isSame ? { ...state, edits: [] } : withText(state, text)))
    modelRun.run.dispose()
    return (await import('./patching.js')).describeText(modelRun)
  },
  /**
   * Patches this text's run, without edits and dropout, with values of the other's; a later request stops it.
   * @param {PatchQuery & Which} query @param {(progress: { done: number, total: number }) => void} report
   */
  async patch({ state, text, session = PAGE, ...query }, report) {
    const signal = sessions.startWork(session), own = await engineFor(state.model, 'side')
    const settings = settingsOf({ ...state, training: false, edits: [] })
    /** @type {(one: Settings, ids: number[]) => Promise<ModelRun>} */
    const read = (one, ids) => compute(own, { ...one, target: /** @type {any} */ (ids) })
    const here = await read(settings, query.ids), there = await read(withText(settings, text), query.otherIds)
    for (const { run } of [here, there]) run.dispose()
    const { patchTexts } = await import('./patching.js')
    return patchTexts(own, here, there, query, { signal, onProgress: fraction => report({ done: fraction, total: 1 }) })
  },
  /**
   * The texts and positions that fire a neuron most, in the model without edits; texts that it cannot read are left
   * out.
   * @param {QueryTypes['neuronTexts'][0]} request
   */
  async neuronTexts({ state, texts, ...neuron }) {
    const own = await engineFor(state.model, 'side'), { rankTexts, strongestPosition } = await import('./neurons.js')
    const settings = settingsOf({ ...state, training: false, edits: [] }), found = []
    for (const [text, content] of texts.entries()) {
      const modelRun = await compute(own, withText(settings, content)).catch(() => null)
      if (modelRun) found.push({ text, ...strongestPosition(modelRun, neuron) })
      modelRun?.run.dispose()
    }
    return rankTexts(found)
  },
  /** What each token did to a score. @param {Which & QueryTypes['inputAttribution'][0]} query */
  inputAttribution: async ({ session, ...query }) => (
    (await import('./input_attribution.js')).attributeInputs(engineOf({ session }), runOf({ session }), query)),
  /**
   * Fits a lens to runs on other texts, and reads the run with it; a later request of the session stops it.
   * @param {QueryTypes['fitLens'][0] & Which} query @param {(progress: { done: number, total: number }) => void} report
   */
  async fitLens({ state, texts, session = PAGE, ...query }, report) {
    const signal = sessions.startWork(session), own = await engineFor(state.model, 'side')
    const { fitLens, textsToFit } = await import('./fitted_lens.js')
    const settings = settingsOf({ ...state, training: false }), text = String(state[textField(modelOf(state.model))])
    /** @type {ModelRun[]} */ const modelRuns = []
    try {
      const first = await compute(own, settings)
      modelRuns.push(first)
      for (const other of textsToFit(first, text, texts)) {
        modelRuns.push(await compute(own, withText(settings, other)))
      }
      const onProgress = (/** @type {number} */ fraction) => report({ done: fraction, total: 1 })
      return await fitLens(own, modelRuns, query, { signal, onProgress })
    } finally {
      for (const { run } of modelRuns) run.dispose()
    }
  },
  /** @param {Which} request */
  stopWork: ({ session }) => sessions.stopWork(session),
  ...runCalls(runOf)
}

/** Calls that need no more of the library than a run does. */
const FIRST = ['load', 'run', 'twin', 'read', 'rows', 'thumbnails', 'steps', 'memory', 'setWeights', 'finish', 'stopWork', 'drop']

/** Calls that explain how values were computed, which takes no kernel. */
const EXPLAINING = ['explain', 'firstUse', 'recipes']

/** Calls that bring a model of the reader's own, for which other engines are started. */
const IMPORTING = ['inspect', 'open', 'stop', 'store', 'stored', 'forget']

/** Calls that explain a run, whose code is fetched with the first of them. */
async function loadQueries() {
  const [{ queryCalls }, { interpretCalls }] = await Promise.all([import('./queries.js'), import('./interpret.js')])
  return { ...queryCalls(runOf), ...interpretCalls(which => ({ gf: engineOf(which), run: runOf(which).run })) }
}

/** @typedef {Record<string, (details: any, report: (progress: object) => void) => unknown>} Calls */

/** @param {string} type @param {any} details @param {(progress: object) => void} report */
async function handle(type, details, report) {
  const own = /** @type {Calls} */ (calls)
  if (FIRST.includes(type)) return own[type](details, report)
  const loading = type in own ? own : /** @type {Promise<Calls>} */ (loadQueries())
  const load = IMPORTING.includes(type) ? loadRestOfLibrary
    : EXPLAINING.includes(type) && !details.cell?.isGradient ? loadExplanations : loadRest
  const [answers] = await Promise.all([loading, load()])
  return answers[type](details, report)
}

/** Answers a message of the page. @param {any} data */
export const answer = data => answerCall(handle, data, transferList)

self.onmessage = ({ data }) => answer(data)
