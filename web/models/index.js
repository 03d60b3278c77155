/** The models of the page: what is needed before a run. `run.js` in each folder runs them. */

import { MAX_EDITS } from '../lib/edit_links.js'
import { dates } from './dates/index.js'
import { induction } from './induction/index.js'
import { own } from './imported/index.js'
import { particles } from './particles/index.js'
import { positions } from './positions/index.js'
import { sentences } from './sentences/index.js'
import { problemOf } from '../../src/training/model_settings.js'
import { stories } from './stories/index.js'
import { text } from './text/index.js'

/** @import { Decoding, Failure, PageModel, Problem, Setting, Settings } from '../types.d.ts' */

/** @type {PageModel[]} */
export const MODELS = [dates, particles, stories, induction, text, sentences, positions, own]
/** Models whose runs, with their default settings, need no more kernels and no more of the library than the first. */
export const FIRST_MODELS = [dates, particles, induction, sentences]

/** Models that run without importing files. */
export const READY = MODELS.filter(({ isImported }) => !isImported)

/** @param {string} id @returns {PageModel} */
export const modelOf = id => MODELS.find(model => model.id === id) ?? MODELS[0]

/** The files that a run with these settings needs. @param {Settings} settings */
export function filesFor(settings) {
  const { files, filesOf } = modelOf(settings.model)
  return filesOf?.(settings) ?? files
}

/** The default settings and fields of a model. @param {string} id */
export function defaultsOf(id) {
  const { settings, fields } = modelOf(id)
  /** @param {Record<string, { default: unknown }>} list */
  const values = list => Object.entries(list).map(([name, one]) => [name, one.default])
  const all = { model: modelOf(id).id, ...Object.fromEntries([...values(settings), ...values(fields)]) }
  return /** @type {Settings} */ (all)
}

/** The field with the text that a model reads. @param {Pick<PageModel, 'fields'>} model */
export const textField = ({ fields }) => (
  /** @type {string} */ (Object.keys(fields).find(name => !fields[name].isAnswer)))

/** The names of all settings and fields that determine a run of a model. @param {string} id */
export const keysOf = id => [...Object.keys(defaultsOf(id)), 'edits']

/** The default maximum length of a text field, in characters, so that runs stay fast. */
export const MAX_CHARACTERS = 5000
/** The maximum length of any text field, in characters. */
export const LONGEST_FIELD = Math.max(MAX_CHARACTERS, ...MODELS.flatMap(({ fields }) => (
  Object.values(fields).map(({ maxLength = 0 }) => maxLength))))

/**
 * The problems of texts and edits beyond the limits.
 * @param {PageModel} model @param {Settings} state @returns {Record<string, Problem>}
 */
function lengthProblems({ fields }, state) {
  const long = Object.entries(fields).map(([name, { maxLength = MAX_CHARACTERS }]) => ({ name, maxLength }))
    .filter(({ name, maxLength }) => String(state[name]).length > maxLength)
  /** @type {[string, Problem][]} */
  const found = long.map(({ name, maxLength }) => [name, { key: 'errors.signs', values: { most: maxLength } }])
  const isChanged = state.edits.length > MAX_EDITS
  return Object.fromEntries(isChanged ? [...found, ['engine', { key: 'errors.edits', values: { most: MAX_EDITS } }]] : found)
}

/**
 * Whether a setting changes anything beside the others.
 * @param {Setting | undefined} setting @param {Settings} state
 */
export const hasEffect = (setting, state) => setting?.hasEffect?.(state) ?? true

/**
 * The problems of a state by setting and field: a text key and its values.
 * @param {Settings} state
 * @returns {Record<string, Problem>}
 */
export function problemsOf(state) {
  const model = modelOf(state.model), tooLong = lengthProblems(model, state)
  if (Object.keys(tooLong).length) return tooLong
  const settings = Object.entries(model.settings).filter(([, setting]) => hasEffect(setting, state))
    .map(([name, setting]) => [name, problemOf(name, setting, state)])
  return Object.fromEntries([...Object.entries(model.problems(state)), ...settings].filter(([, problem]) => problem))
}

/**
 * The settings and fields of a model's run. Settings without effect are not validated; invalid ones get their defaults.
 * @param {Settings} state @returns {Settings}
 */
export function settingsOf(state) {
  const { settings } = modelOf(state.model)
  /** @param {string} key */
  const isIgnored = key => !hasEffect(settings[key], state) && problemOf(key, settings[key], state)
  return /** @type {Settings} */ (Object.fromEntries(keysOf(state.model).map(key => (
    [key, isIgnored(key) ? settings[key].default : state[key]]))))
}

/**
 * Maps an error of the engine to a problem of a setting, where the page has a text for it.
 * @param {string} id @param {Failure} error
 */
export function explainError(id, error) {
  const { code, message } = error
  if (code === 'noTrainedWeights') return { weights: { key: 'errors.noTrainedWeights', values: {} } }
  if (code === 'hung') return { engine: { key: 'errors.hung', values: {} } }
  const isOfFile = ['network', 'damaged', 'broken'].includes(code ?? ''), key = isOfFile ? `errors.${code}` : 'errors.engine'
  return (isOfFile ? null : modelOf(id).explainError?.(error)) ?? { engine: { key, values: { message } } }
}

/**
 * The same settings, with the decoder reading the ids of an answer instead of a text.
 * @param {Settings} settings @param {Decoding} decoding @returns {Settings}
 */
export const answering = (settings, { steps }) => (
  /** @type {Settings} */ (/** @type {object} */ ({ ...settings, target: steps.map(({ id }) => id) })))
