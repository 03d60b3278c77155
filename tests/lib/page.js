// Runs of the page's models for tests: as data for the page, and as the worker's run that it was serialized from.
import { readFile } from 'node:fs/promises'
import { defaultsOf, filesFor, modelOf, textField } from '../../web/models/index.js'
import { choose, openIn } from '../../web/models/imported/open.js'
import { RUNS } from '../../web/models/runs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { readRun, storeTableRows } from '../../web/lib/run.js'
import { someRows } from '../../web/worker/rows.js'
import { messageOf } from '../../web/worker/serialize_run.js'
import { cases, filesOf as goldenFiles } from '../models/golden_models.js'
import { gf } from './engine.js'

const file = (id, name) => readFile(new URL(`../../web/models/${id}/${name}`, import.meta.url))
const files = new Map()

/** The bytes of a model's files. @param {string} id */
export async function filesOf(id) {
  if (!files.has(id)) files.set(id, await Promise.all(modelOf(id).files.map(name => file(id, name))))
  return files.get(id)
}
for (const id of Object.keys(RUNS)) await filesOf(id)

/** A small Llama serves as the imported model. */
const [llama] = cases('llama')
choose(Object.fromEntries(Object.entries(goldenFiles(llama)).map(([name, content]) => [name, new Blob([content])])))
files.set('own', [await openIn(gf)])

/** Replaces the imported model. @param {any} opened by `openIn` */
export const setImportedModel = opened => files.set('own', [opened])

/**
 * Makes a run as the worker does, after those on other texts that its edits take values from.
 * @param {object} settings of the page; missing ones have their defaults
 */
export function makeRun(settings, edits = [], engine = gf) {
  const texts = [...new Set(edits.flatMap(({ fromText }) => fromText ?? []))]
  if (texts.length === 0) return makeOneRun(settings, edits, engine)
  const field = textField(modelOf(settings.model ?? 'dates'))
  const sources = new Map(texts.map(text => [text, makeOneRun({ ...settings, [field]: text, target: '' }, [], engine)]))
  const withRuns = edits.map(({ fromText, ...edit }) => (
    fromText === undefined ? edit : { ...edit, from: sources.get(fromText).run }))
  const modelRun = makeOneRun(settings, withRuns, engine)
  for (const { run } of sources.values()) run.dispose()
  return { ...modelRun, settings: { ...modelRun.settings, edits } }
}

function makeOneRun(settings, edits, engine) {
  const { model = 'dates' } = settings
  const { files: names, isImported } = modelOf(model), defaults = defaultsOf(model), all = { ...defaults, ...settings }
  // Without a tokenizer, the imported model reads ids.
  if (isImported && all.beginning === defaults.beginning && !files.get(model)[0].tokenizer) all.beginning = '0 1 2'
  const weights = isImported ? files.get(model) : filesFor(all).map(name => files.get(model)[names.indexOf(name)])
  return RUNS[model](engine, all, edits, weights)
}

/** A run as the page has it. */
export const toPageRun = (engine, run) => readRun(messageOf(engine, run))

/** A run as the page has it, with the methods that explain its values and gradients. */
export function pageRun(settings, edits = [], engine = gf) {
  const result = makeRun(settings, edits, engine)
  const { run } = result
  return {
    ...toPageRun(engine, result), workerRun: result, explain: (name, index) => run.explain(name, index),
    explainGradient: (name, index) => run.explainGradient(name, index), gradient: name => run.gradient(name),
    dispose: () => run.dispose()
  }
}

/** Makes a run and disposes it: its numbers remain, but cannot be explained any more. */
export function makeDetachedRun(settings, edits, engine) {
  const run = pageRun(settings, edits, engine)
  run.dispose()
  return run
}

/** The first room of each kind of a model. @param {string} model @returns {string[]} their ids */
export function firstRooms(model) {
  const rooms = roomsOf(makeDetachedRun({ model }))
  return rooms.filter(({ stage }, i) => rooms.findIndex(room => room.stage === stage) === i).map(({ id }) => id)
}

/** The view of a room: its selection, with defaults, and the pictures of other rooms. */
export function createView(run, id, selection = {}) {
  const rooms = roomsOf(run)
  const room = rooms.find(item => item.id === id)
  const view = { sentence: 0, head: 0, part: 'q', row: 0, step: -1, ...selection, room, rooms }
  view.picture = (room, changes) => stageOf(room.stage).picture(run, { ...view, ...changes, room })
  return view
}

/** The parts of matrices in what a stage displays. */
export const slicesIn = data => Object.values(data ?? {}).flat().filter(value => value?.axis && value.values)

/** The data that the stage of a room displays. */
export function stageData(run, id, selection) {
  const view = createView(run, id, selection)
  return stageOf(view.room.stage).data(run, view)
}

/** The same, with rows of large tables read from the worker's run as they are requested. */
export function loadStageData(run, workerRun, id, selection) {
  try {
    return stageData(run, id, selection)
  } catch (error) {
    if (!error.rows) throw error
    storeTableRows(error.tensor, error.rows, someRows(workerRun, error.tensor.name, error.rows))
    return loadStageData(run, workerRun, id, selection)
  }
}
