/** The state of the page: defaults, and its form in a link. */

import { readEdits, writeEdits } from '../lib/edit_links.js'
import { LONGEST_FIELD, MODELS, defaultsOf, keysOf, modelOf, textField } from './index.js'
import { currentAddress } from './lesson_addresses.js'
import { examplesFor } from '../words/examples.js'
import { LANGUAGES } from '../words/index.js'

/** @import { Cell, Language, Patch, Setting, State, ViewState } from '../types.d.ts' */

/** The version of links; an older link is read as far as it means the same. */
const VERSION = '1'

/** The opening, which only the first model has. */
export const OPENING = 'opening'

/** A placeholder for a room's name that no room has. */
const ANY_ROOM = '*'

/** The part of the state that selects what is displayed; it never changes the run. */
/** @type {ViewState} */
const DEFAULT_VIEW = {
  room: 'house', sentence: 0, head: 0, layer: 0, part: 'q', row: 0, step: -1, cell: null, depth: 'numbers', twin: '', other: '',
  patched: 'residual', embed: false, theatre: '', exercise: '', lesson: '', at: 0, plan: 0, glossary: '', lit: '',
  language: 'auto', theme: 'auto'
}
/** The minimum of each of its numbers, which are integers. @type {Record<string, number>} */
const MIN_VALUES = { sentence: 0, head: 0, layer: 0, row: 0, step: -1, at: 0, plan: 0 }
const MAX_VALUE = 2 ** 20

/** @type {Record<string, string[]>} */
const CHOICES = {
  part: ['q', 'k', 'v'], patched: ['residual', 'attention', 'feedForward', 'heads'], depth: ['story', 'numbers', 'formula', 'code'], language: ['auto', ...Object.keys(LANGUAGES)],
  theme: ['auto', 'light', 'dark']
}

/** The default state of a model. @param {string} [model] @returns {State} */
export function defaults(model = MODELS[0].id) {
  const modelSettings = defaultsOf(model)
  return { ...modelSettings, edits: [], ...DEFAULT_VIEW,
    ...(modelSettings.model === MODELS[0].id && { room: OPENING }) }
}

/**
 * The state of a model with an example for a reader.
 * @param {string} model @param {Language} language @returns {State}
 */
export const startOf = (model, language) => (
  { ...defaults(model), ...examplesFor(modelOf(model).examples, language)[0]?.patch })

/** The names of all settings that make a run. @param {Pick<State, 'model'>} state */
export const runKeys = ({ model }) => keysOf(model)

/** @param {Cell} cell */
const writeCell = ({ name, index, isGradient, isTwin }) => (
  `${name}:${index.join(',')}${isGradient ? ':d' : ''}${isTwin ? ':t' : ''}`)

/** What the link of a step contains beside its number. */
const STEP_KEYS = ['lesson', 'at', 'plan', 'language', 'theme']

/** @param {string} text @returns {Cell | null} */
function readCell(text) {
  const match = /^([\w.]+(?::\d+)?):(\d+(?:,\d+)*)(:d)?(:t)?$/.exec(text)
  if (!match) return null
  const [, name, index, isGradient, isTwin] = match
  return {
    name, index: index.split(',').map(Number), ...(isGradient && { isGradient: true }), ...(isTwin && { isTwin: true })
  }
}

/** @param {string} key @param {string} text @param {number} fallback */
function readNumber(key, text, fallback) {
  const value = text === '' ? NaN : Number(text)
  if (!Number.isFinite(value)) return fallback
  return key in MIN_VALUES ? Math.min(MAX_VALUE, Math.max(MIN_VALUES[key], Math.trunc(value))) : value
}

/** @param {string} key @param {string} text @param {unknown} fallback @param {Record<string, Setting>} settings */
function readValue(key, text, fallback, settings) {
  if (key === 'cell') return readCell(text)
  if (key === 'edits') return readEdits(text)
  const options = CHOICES[key] ?? (typeof fallback === 'string' && settings[key]?.options && Object.values(settings[key].options))
  if (options) return options.includes(text) ? text : fallback
  if (typeof fallback === 'boolean') return text === '1'
  // Keep one character more than the limit, so that the problem is reported.
  return typeof fallback === 'number' ? readNumber(key, text, fallback) : text.slice(0, LONGEST_FIELD + 1)
}

/** @param {unknown} value */
function writeValue(value) {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (Array.isArray(value)) return writeEdits(value)
  return value !== null && typeof value === 'object' ? writeCell(/** @type {Cell} */ (value)) : String(value ?? '')
}

/**
 * Whether a link leads to a step of a lesson as such: `lesson=mask&step=3`, which counts from 1. (Elsewhere `step` is
 * one of the decoding.)
 * @param {URLSearchParams} query
 */
const isStepLink = query => query.has('lesson') && query.has('step') && !['at', 'room', 'model'].some(key => query.has(key))

/** @param {URLSearchParams} query */
const isAboutModel = query => [...query.keys()].some(key => !['exercise', 'language', 'theme', 'v'].includes(key))

/**
 * The hash of a link: only what differs from the model's defaults, with the model and the version, wherever a model
 * hasEffect at all.
 * @param {State} state
 */
export function toHash(state) {
  const defaultState = defaults(state.model)
  const query = new URLSearchParams()
  for (const key of Object.keys(defaultState)) {
    const text = writeValue(state[key])
    if (key !== 'model' && text !== writeValue(defaultState[key])) query.set(key, text)
  }
  const isDefault = state.model === MODELS[0].id
  if (isDefault && query.has('lesson') && [...query.keys()].every(key => STEP_KEYS.includes(key))) {
    const { lesson, at, plan, language, theme } = state
    return new URLSearchParams(Object.entries({ lesson, ...(at && { step: String(at + 1) }),
      ...(plan && { plan: String(plan) }), ...(language !== 'auto' && { language }), ...(theme !== 'auto' && { theme }) })).toString()
  }
  if (isDefault && !isAboutModel(query)) return query.toString()
  return new URLSearchParams([['v', VERSION], ['model', state.model], ...query]).toString()
}

/**
 * Returns a function that writes links to rooms. They differ only in the room, so the rest is written once.
 * @param {State} state @returns {(room: string) => string}
 */
export function createRoomLinks(state) {
  const unpinnedState = { ...state, cell: null }, defaultRoom = defaults(state.model).room
  const key = '&room=', [before, after] = toHash({ ...unpinnedState, room: ANY_ROOM }).split(key + ANY_ROOM)
  return room => (room === defaultRoom ? toHash({ ...unpinnedState, room })
    : before + key + encodeURIComponent(room) + after)
}

/** Reads the state from a query. @param {URLSearchParams} query @param {string} model @returns {Patch} */
function readPatch(query, model) {
  const defaultState = defaults(model)
  const { settings } = modelOf(model)
  return Object.fromEntries(Object.keys(defaultState).filter(key => key !== 'model' && query.has(key))
    .map(key => [key, readValue(key, query.get(key) ?? '', defaultState[key], settings)]))
}

/**
 * A part of the state, written as in a link.
 * @param {string} text such as `temperature=2&topP=0.8`
 * @param {string} model
 */
export const patchFrom = (text, model) => readPatch(new URLSearchParams(text), model)

/**
 * Reads the state from a link; missing or invalid values get their defaults.
 * @param {string} hash
 * @param {(state: State) => Language} [languageOf] the reader's language: an address written by hand, which has no
 *   version, then begins with an example in it, unless it has a text
 * @returns {State}
 */
export function fromHash(hash, languageOf) {
  const query = currentAddress(new URLSearchParams(hash.replace(/^#/, '')))
  if (isStepLink(query)) {
    query.set('at', String(readNumber('at', query.get('step') ?? '', 1) - 1))
    query.delete('step')
  }
  const { id } = modelOf(query.get('model') ?? '')
  const patch = readPatch(query, id), isByHand = query.has('model') && !query.has('v') && !query.has(textField(modelOf(id)))
  const base = languageOf && isByHand ? startOf(id, languageOf({ ...defaults(id), ...patch })) : defaults(id)
  const state = { ...base, ...patch }
  return state.room === OPENING ? { ...state, room: defaults(id).room } : state
}
