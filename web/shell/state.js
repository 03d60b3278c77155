/** What the reader has chosen, its defaults, and its form in a link. */

import { readEdits, writeEdits } from '../lib/edits.js'
import { ALL_SIGNS, MODELS, defaultsOf, keysOf, modelOf } from '../models/index.js'

/** @import { Cell, Looked, Patch, Setting, State } from '../types.d.ts' */

/** The form links have: one that is older is read as far as it says the same. */
const VERSION = '1'

/** Where the page begins; only the model that it begins with has one. */
export const OPENING = 'opening'

/** Stands for a room's name; no room has it. */
const ANY_ROOM = '*'

/** What is looked at, and how; none of it makes another run. */
/** @type {Looked} */
const VIEW = {
  room: 'house', sentence: 0, head: 0, layer: 0, part: 'q', row: 0, step: -1, cell: null, depth: 'numbers', twin: '',
  embed: false, theatre: '', lesson: '', at: 0, glossary: '', lit: '',
  language: 'auto', theme: 'auto'
}
/** The smallest value of each number in it; they are whole. @type {Record<string, number>} */
const LOWEST = { sentence: 0, head: 0, layer: 0, row: 0, step: -1, at: 0 }
const HIGHEST = 2 ** 20

/** @type {Record<string, string[]>} */
const CHOICES = {
  part: ['q', 'k', 'v'], depth: ['story', 'numbers', 'formula', 'code'], language: ['auto', 'ko', 'en'],
  theme: ['auto', 'light', 'dark']
}

/** Everything as it is until the reader changes something. @param {string} [model] @returns {State} */
export function defaults(model = MODELS[0].id) {
  const own = defaultsOf(model)
  return { ...own, edits: [], ...VIEW, ...(own.model === MODELS[0].id && { room: OPENING }) }
}

/** The names of all that makes a run. @param {Pick<State, 'model'>} state */
export const runKeys = ({ model }) => keysOf(model)

/** @param {Cell} cell */
const writeCell = ({ name, index, isGradient, isTwin }) => (
  `${name}:${index.join(',')}${isGradient ? ':d' : ''}${isTwin ? ':t' : ''}`)

/** @param {string} text @returns {Cell | null} */
function readCell(text) {
  const match = /^([\w.]+(?::\d+)?):(\d+(?:,\d+)*)(:d)?(:t)?$/.exec(text)
  if (!match) return null
  const [, name, index, isGradient, isTwin] = match
  return {
    name, index: index.split(',').map(Number), ...(isGradient && { isGradient: true }), ...(isTwin && { isTwin: true })
  }
}

/** @param {string} key @param {string} text @param {number} known */
function readNumber(key, text, known) {
  const value = text === '' ? NaN : Number(text)
  if (!Number.isFinite(value)) return known
  return key in LOWEST ? Math.min(HIGHEST, Math.max(LOWEST[key], Math.trunc(value))) : value
}

/** @param {string} key @param {string} text @param {unknown} known @param {Record<string, Setting>} settings */
function readValue(key, text, known, settings) {
  if (key === 'cell') return readCell(text)
  if (key === 'edits') return readEdits(text)
  const options = CHOICES[key] ?? (typeof known === 'string' && settings[key]?.options && Object.values(settings[key].options))
  if (options) return options.includes(text) ? text : known
  if (typeof known === 'boolean') return text === '1'
  // One sign too many is enough to say so.
  return typeof known === 'number' ? readNumber(key, text, known) : text.slice(0, ALL_SIGNS + 1)
}

/** @param {unknown} value */
function writeValue(value) {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (Array.isArray(value)) return writeEdits(value)
  return value !== null && typeof value === 'object' ? writeCell(/** @type {Cell} */ (value)) : String(value ?? '')
}

/** @param {URLSearchParams} query */
const isAboutModel = query => [...query.keys()].some(key => !['language', 'theme', 'v'].includes(key))

/**
 * The part of a link after `#`: only what differs from the defaults of the model, with the model and the version of the
 * form wherever it is about a model at all.
 * @param {State} state
 */
export function toHash(state) {
  const known = defaults(state.model)
  const query = new URLSearchParams()
  for (const key of Object.keys(known)) {
    const written = writeValue(state[key])
    if (key !== 'model' && written !== writeValue(known[key])) query.set(key, written)
  }
  const isDefault = state.model === MODELS[0].id
  if (isDefault && !isAboutModel(query)) return query.toString()
  return new URLSearchParams([['v', VERSION], ['model', state.model], ...query]).toString()
}

/**
 * Writes the links to the rooms of a state. They differ in their room alone, so the rest is written once.
 * @param {State} state @returns {(room: string) => string}
 */
export function doorsOf(state) {
  const here = { ...state, cell: null }, usual = defaults(state.model).room
  const key = '&room=', [before, after] = toHash({ ...here, room: ANY_ROOM }).split(key + ANY_ROOM)
  return room => (room === usual ? toHash({ ...here, room }) : before + key + encodeURIComponent(room) + after)
}

/** What a query says of the state. @param {URLSearchParams} query @param {string} model @returns {Patch} */
function said(query, model) {
  const known = defaults(model)
  const { settings } = modelOf(model)
  return Object.fromEntries(Object.keys(known).filter(key => key !== 'model' && query.has(key))
    .map(key => [key, readValue(key, query.get(key) ?? '', known[key], settings)]))
}

/**
 * A part of the state, written as in a link. @param {string} text such as `temperature=2&topP=0.8`
 * @param {string} model
 */
export const patchFrom = (text, model) => said(new URLSearchParams(text), model)

/**
 * The state a link describes; what it does not say, or says wrongly, is as by default.
 * @param {string} hash @returns {State}
 */
export function fromHash(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ''))
  const { id } = modelOf(query.get('model') ?? '')
  const state = { ...defaults(id), ...said(query, id) }
  return state.room === OPENING ? { ...state, room: defaults(id).room } : state
}
