// Runs of the page's models, as tests look at them: the plain data that the page gets, and the run it came from.
import { readFile } from 'node:fs/promises'
import { defaultsOf, filesFor, modelOf } from '../../web/models/index.js'
import { choose, openIn } from '../../web/models/imported/open.js'
import { RUNS } from '../../web/models/runs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { stageOf } from '../../web/stages/index.js'
import { readRun } from '../../web/lib/run.js'
import { messageOf } from '../../web/worker/serialize_run.js'
import { cases, filesOf as drawnFiles } from '../models/golden_models.js'
import { gf } from './engine.js'

const file = (id, name) => readFile(new URL(`../../web/models/${id}/${name}`, import.meta.url))
const files = new Map()

/** The bytes of a model's files. @param {string} id */
export async function filesOf(id) {
  if (!files.has(id)) files.set(id, await Promise.all(modelOf(id).files.map(name => file(id, name))))
  return files.get(id)
}
for (const id of Object.keys(RUNS)) await filesOf(id)

/** A small Llama stands for the model that a reader brings. */
const [llama] = cases('llama')
choose(Object.fromEntries(Object.entries(drawnFiles(llama)).map(([name, content]) => [name, new Blob([content])])))
files.set('own', [await openIn(gf)])

/** Another model takes that one's place. @param {any} opened by `openIn` */
export const bringHere = opened => files.set('own', [opened])

/** A run with what the worker knows of it. @param {object} settings of the page, those left out as by default */
export function made(settings, edits = [], engine = gf) {
  const { model = 'dates' } = settings
  const all = { ...defaultsOf(model), ...settings }
  const { files: names, isImported } = modelOf(model)
  const needed = isImported ? files.get(model) : filesFor(all).map(name => files.get(model)[names.indexOf(name)])
  return RUNS[model](engine, all, edits, needed)
}

/** A run as the page has it. */
export const plainOf = (engine, one) => readRun(messageOf(engine, one))

/** The same as the page has it, with the questions that can be asked of it. */
export function pageRun(settings, edits = [], engine = gf) {
  const one = made(settings, edits, engine)
  const { run } = one
  return {
    ...plainOf(engine, one), made: one, explain: (name, index) => run.explain(name, index),
    explainGradient: (name, index) => run.explainGradient(name, index), gradient: name => run.gradient(name),
    dispose: () => run.dispose()
  }
}

/** A run whose memory is given back. The numbers that were copied stay; it cannot explain them any more. */
export function shownRun(settings, edits, engine) {
  const one = pageRun(settings, edits, engine)
  one.dispose()
  return one
}

/** The first room of each kind of a model. @param {string} model @returns {string[]} their ids */
export function kindsOf(model) {
  const rooms = roomsOf(shownRun({ model }))
  return rooms.filter(({ stage }, i) => rooms.findIndex(room => room.stage === stage) === i).map(({ id }) => id)
}

/** What is looked at in a room, by its id. */
export function viewOf(run, id, more = {}) {
  const rooms = roomsOf(run)
  const room = rooms.find(one => one.id === id)
  const view = { sentence: 0, head: 0, part: 'q', row: 0, step: -1, ...more, room, rooms }
  view.picture = (one, other) => stageOf(one.stage).picture(run, { ...view, ...other, room: one })
  return view
}

/** What the stage of a room shows. */
export function dataIn(run, id, more) {
  const view = viewOf(run, id, more)
  return stageOf(view.room.stage).data(run, view)
}
