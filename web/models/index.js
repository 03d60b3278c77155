/** The models of the page: what it has to know of each before any runs. How they run is in `run.js` of each folder. */

import { MOST_EDITS } from '../lib/edits.js'
import { dates } from './dates/index.js'
import { own } from './imported/index.js'
import { particles } from './particles/index.js'
import { positions } from './positions/index.js'
import { sentences } from './sentences/index.js'
import { problemOf } from './settings.js'
import { stories } from './stories/index.js'
import { text } from './text/index.js'

/** @import { Decoding, Failure, PageModel, Problem, Settings } from '../types.d.ts' */

/** @type {PageModel[]} */
export const MODELS = [dates, particles, stories, text, sentences, positions, own]

/** Those that run as soon as they are chosen. */
export const READY = MODELS.filter(({ isBrought }) => !isBrought)

/** @param {string} id @returns {PageModel} */
export const modelOf = id => MODELS.find(model => model.id === id) ?? MODELS[0]

/** The files that a run with these settings needs. @param {Settings} settings */
export function filesFor(settings) {
  const { files, filesOf } = modelOf(settings.model)
  return filesOf?.(settings) ?? files
}

/** What the settings and fields of a model are until the reader changes them. @param {string} id */
export function defaultsOf(id) {
  const { settings, fields } = modelOf(id)
  /** @param {Record<string, { default: unknown }>} list */
  const values = list => Object.entries(list).map(([name, one]) => [name, one.default])
  const all = { model: modelOf(id).id, ...Object.fromEntries([...values(settings), ...values(fields)]) }
  return /** @type {Settings} */ (all)
}

/** The names of all that makes a run of a model. @param {string} id */
export const keysOf = id => [...Object.keys(defaultsOf(id)), 'edits']

/** Most signs of a field that says nothing else: what is computed for them stays a matter of a second. */
export const MOST_SIGNS = 5000
/** Most signs of any field. */
export const ALL_SIGNS = Math.max(MOST_SIGNS, ...MODELS.flatMap(({ fields }) => (
  Object.values(fields).map(({ most = 0 }) => most))))

/**
 * What is more than the page takes, looked at before anybody reads it.
 * @param {PageModel} model @param {Settings} state @returns {Record<string, Problem>}
 */
function tooMuch({ fields }, state) {
  const long = Object.entries(fields).map(([name, { most = MOST_SIGNS }]) => ({ name, most }))
    .filter(({ name, most }) => String(state[name]).length > most)
  /** @type {[string, Problem][]} */
  const found = long.map(({ name, most }) => [name, { key: 'errors.signs', values: { most } }])
  const isChanged = state.edits.length > MOST_EDITS
  return Object.fromEntries(isChanged ? [...found, ['engine', { key: 'errors.edits', values: { most: MOST_EDITS } }]] : found)
}

/**
 * What is wrong with a state, by setting and field: a text key and its values.
 * @param {Settings} state
 * @returns {Record<string, Problem>}
 */
export function problemsOf(state) {
  const model = modelOf(state.model), much = tooMuch(model, state)
  if (Object.keys(much).length) return much
  const settings = Object.entries(model.settings).filter(([, { matters }]) => matters?.(state) ?? true)
    .map(([name, setting]) => [name, problemOf(name, setting, state)])
  return Object.fromEntries([...Object.entries(model.problems(state)), ...settings].filter(([, problem]) => problem))
}

/**
 * The settings and fields that a model's run takes. What means nothing here is complained of nowhere: where it is wrong
 * it is as by default.
 * @param {Settings} state @returns {Settings}
 */
export function settingsOf(state) {
  const { settings } = modelOf(state.model)
  /** @param {string} key */
  const isUnheeded = key => !(settings[key]?.matters?.(state) ?? true) && problemOf(key, settings[key], state)
  return /** @type {Settings} */ (Object.fromEntries(keysOf(state.model).map(key => (
    [key, isUnheeded(key) ? settings[key].default : state[key]]))))
}

/**
 * What the engine's refusal is about, in the page's words where it has them.
 * @param {string} id @param {Failure} error
 */
export function explainError(id, error) {
  const { code, message } = error
  if (code === 'lent') return { weights: { key: 'errors.lent', values: {} } }
  if (code === 'hung') return { engine: { key: 'errors.hung', values: {} } }
  const isOfFile = code === 'network' || code === 'damaged', key = isOfFile ? `errors.${code}` : 'errors.engine'
  return (isOfFile ? null : modelOf(id).explainError?.(error)) ?? { engine: { key, values: { message } } }
}

/**
 * The same with its decoder reading the ids of an answer in place of a text.
 * @param {Settings} settings @param {Decoding} decoding @returns {Settings}
 */
export const answering = (settings, { steps }) => (
  /** @type {Settings} */ (/** @type {object} */ ({ ...settings, target: steps.map(({ id }) => id) })))
