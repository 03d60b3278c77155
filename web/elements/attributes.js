/** The attributes of an element as a state of the page, or what is wrong with them. */

import { READY, hasEffect, keysOf, modelOf, problemsOf, textField } from '../models/index.js'
import { defaults, fromHash, patchFrom, startOf } from '../models/state.js'
import { findRoomNamed } from '../rooms/index.js'
import { LANGUAGES } from '../words/index.js'

/** @import { Language, Problem, Room, State, Translate } from '../types.d.ts' */

const DEPTHS = ['story', 'numbers', 'formula', 'code'], THEMES = ['auto', 'light', 'dark']

/** An error that names the attribute. */
export class AttributeError extends Error {
  /** @param {string} attribute @param {Problem} problem @param {Translate} [t] if its text is none of a figure's */
  constructor(attribute, problem, t) {
    super(`${attribute}: ${problem.key}`)
    this.attribute = attribute
    this.problem = problem
    this.t = t
  }
}

/** @param {string} attribute @param {string | number} came @param {readonly (string | number)[] | string} expected */
export const expectOne = (attribute, came, expected) => new AttributeError(attribute, { key: 'elements.expected', values: {
  attribute, came: String(came), expected: Array.isArray(expected) ? expected.join(', ') : expected
} })

/**
 * @template {string} Value
 * @param {Element} element @param {string} attribute @param {readonly string[]} allowed @param {Value} fallback
 */
function readChoice(element, attribute, allowed, fallback) {
  const value = element.getAttribute(attribute) ?? fallback
  if (!allowed.includes(value)) throw expectOne(attribute, value, allowed)
  return /** @type {Value} */ (value)
}

/** A number in an attribute. @param {Element} element @param {string} attribute @param {number} fallback */
export function readIndex(element, attribute, fallback) {
  const text = element.getAttribute(attribute)
  if (text === null) return fallback
  if (!/^\d+$/.test(text.trim())) throw expectOne(attribute, text, '0, 1, 2, …')
  return Number(text)
}

/**
 * The settings, written as in a link: `temperature=2&topP=0.8`.
 * @param {string} text @param {string} model
 */
function readSettings(text, model) {
  const known = [...keysOf(model)].filter(key => key !== 'model'), query = new URLSearchParams(text)
  for (const key of query.keys()) if (!known.includes(key)) throw expectOne('settings', key, known)
  const patch = patchFrom(text, model)
  for (const [key, value] of query) {
    const isRead = key === 'edits' || String(patch[key]) === value || Number(patch[key]) === Number(value)
    if (!isRead) throw expectOne('settings', `${key}=${value}`, optionsOf(key, model))
  }
  return patch
}

/** The values that a setting can have. @param {string} key @param {string} model */
function optionsOf(key, model) {
  const { options, ladder } = modelOf(model).settings[key] ?? {}
  return Object.values(options ?? {}).map(String).join(', ') || [...ladder?.(defaults(model)) ?? [0, 1], '…'].join(', ')
}

/** The problem of a run's settings as one of the attribute that has it. @param {State} state @param {boolean} isLink */
export function expectSettings(state, isLink) {
  const [found] = Object.entries(problemsOf(state))
  if (!found) return
  const [name, problem] = found, isText = name === textField(modelOf(state.model))
  throw new AttributeError(isLink ? 'state' : isText ? 'input' : 'settings', problem)
}

/** The state of a link. @param {string} link the part after `#` */
function readLink(link) {
  const model = new URLSearchParams(link.replace(/^#/, '')).get('model')
  if (model !== null && !READY.some(({ id }) => id === model)) throw expectOne('state', `model=${model}`, READY.map(({ id }) => id))
  return { ...fromHash(link), theatre: '', exercise: '', lesson: '', glossary: '', embed: true }
}

/** The state that the attributes describe. @param {Element} element @returns {State} */
export function readState(element) {
  const link = element.getAttribute('state'), linked = link === null ? null : readLink(link)
  const depth = readChoice(element, 'depth', DEPTHS, linked?.depth ?? 'numbers')
  const theme = readChoice(element, 'theme', THEMES, 'auto')
  const model = readChoice(element, 'model', READY.map(({ id }) => id), linked?.model ?? READY[0].id)
  const base = linked ?? { ...startOf(model, readLanguage(element)), room: 'house', embed: true }
  const input = element.getAttribute('input')
  const state = /** @type {State} */ ({
    ...base, ...readSettings(element.getAttribute('settings') ?? '', model),
    ...(input !== null && { [textField(modelOf(model))]: input }), depth, theme,
    room: element.getAttribute('room') ?? (base.room === 'opening' ? 'house' : base.room),
    head: readIndex(element, 'head', base.head)
  })
  expectSettings(state, linked !== null && input === null)
  return state
}

/** What a reader of any element may choose: how much is shown, and light or dark. @param {Element} element */
export const readAppearance = element => (
  { depth: readChoice(element, 'depth', DEPTHS, 'numbers'), theme: readChoice(element, 'theme', THEMES, 'auto') })

/** The state of a figure of a program's own run. @param {Element} element @returns {State} */
export const readStateOfRun = element => ({
  ...defaults('own'), embed: true, room: element.getAttribute('room') ?? 'house', head: readIndex(element, 'head', 0),
  ...readAppearance(element)
})

/**
 * The room of the state: by its id, or the first of its kind.
 * @param {State} state @param {Room[]} rooms
 */
export function findRoom(state, rooms) {
  const { room: name } = state, found = findRoomNamed(rooms, name)
  if (!found) throw expectOne('room', name, [...new Set(rooms.map(({ stage }) => stage))])
  return found
}

/** Refuses a head that a room with several heads does not have. @param {string | null} head @param {Room} room */
export function expectHead(head, { parts: { heads = 1 } }) {
  if (heads > 1 && Number(head) >= heads) throw expectOne('head', String(head), `0 … ${heads - 1}`)
}

/** @param {Element} element */
const readQuery = element => new URLSearchParams((element.getAttribute('state') ?? '').replace(/^#/, ''))

/** What the link in the attribute `state` says of a name. @param {Element} element @param {string} name */
export const readFromLink = (element, name) => readQuery(element).get(name)

const findLanguage = (/** @type {string} */ wanted) => (
  /** @type {Language[]} */ (Object.keys(LANGUAGES)).find(language => wanted.toLowerCase().startsWith(language)))

/** Settings in the attribute that change nothing beside the others. @param {Element} element */
function findIdle(element) {
  const text = element.getAttribute('settings')
  try {
    const state = readState(element), { settings } = modelOf(state.model)
    const isUsed = (/** @type {string} */ key) => hasEffect(settings[key], state)
    return [...new URLSearchParams(text ?? '').keys()].filter(key => !isUsed(key))
      .map(key => expectOne('settings', key, Object.keys(settings).filter(isUsed)))
  } catch {
    // An attribute that cannot be read is reported in place of the figure.
    return []
  }
}

/** What is ignored of the attributes. @param {Element} element */
export function findIgnored(element) {
  const lang = element.getAttribute('lang'), query = readQuery(element), known = Object.keys(fromHash(String(query)))
  return [
    ...findIdle(element), ...(lang === null || findLanguage(lang) ? [] : [expectOne('lang', lang, Object.keys(LANGUAGES))]),
    ...[...query.keys()].filter(key => key !== 'v' && !known.includes(key)).map(key => expectOne('state', key, known))
  ]
}

/** The nearest language of an element that has texts, or English. @param {Element} element @returns {Language} */
export function readLanguage(element) {
  const wanted = element.getAttribute('lang') ?? readFromLink(element, 'language') ?? element.parentElement?.closest('[lang]')?.getAttribute('lang') ?? navigator.language
  return findLanguage(wanted) ?? 'en'
}
