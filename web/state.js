/** What the reader has chosen, its defaults, its checks, and its form in a link. */

import { readEdits, writeEdits } from './edits.js'
import { LONGEST, SOURCE_TOKENS, TARGET_TOKENS, splitSource, splitTarget } from './model/dates.js'

export const PRESETS = {
  english: ['I wonder what will come next', 'This is a basic example paragraph', 'Hello, what is a basic split?'],
  korean: ['나는 최근 파리 여행을 다녀왔다']
}

/** Ways to write a date that the translator knows. The last may be May or June: month first, or day first. */
export const DATES = [
  'november 20 2026', '20 nov 2026', 'the 20th of november, 2026', '2026-11-20', '11/20/2026', '5/6/2026'
]
export const TWOFOLD = DATES.at(-1)

/** The settings that make a run; every other part of the state only decides what is looked at. */
export const MODEL_KEYS = [
  'model', 'text', 'tokenizer', 'dModel', 'heads', 'base', 'maxLength', 'positions', 'dropout', 'training', 'seed',
  'causal', 'source', 'target', 'layers', 'dimFeedforward', 'normFirst', 'activation', 'positional', 'scale', 'padding',
  'tgtIsCausal', 'temperature', 'topK', 'topP', 'decoding', 'beams', 'edits'
]

export const DEFAULTS = {
  text: [...PRESETS.english, ...PRESETS.korean].join('\n'), tokenizer: 'words', dModel: 16, heads: 4, base: 10000,
  maxLength: 32, positions: 'interleaved', dropout: 0.1, training: false, seed: 42, causal: false,
  model: 'trained', source: DATES[0], target: '', layers: 2, dimFeedforward: 64, normFirst: false, activation: 'relu',
  positional: true, scale: true, padding: false, tgtIsCausal: true, temperature: 1, topK: 0, topP: 1,
  decoding: 'greedy', beams: 3, edits: [],
  stage: 'house', sentence: 0, head: 0, part: 'q', row: 0, step: -1, cell: null, depth: 'numbers', twin: '',
  embed: false, language: 'auto', theme: 'auto'
}

const CHOICES = {
  tokenizer: ['words', 'whitespace'], positions: ['interleaved', 'concatenated', 'learned'], part: ['q', 'k', 'v'],
  model: ['trained', 'untrained', 'sentences'], activation: ['relu', 'gelu'],
  decoding: ['greedy', 'sample', 'beam'],
  depth: ['story', 'numbers', 'formula', 'code'], language: ['auto', 'ko', 'en'], theme: ['auto', 'light', 'dark']
}

const writeCell = ({ name, index, isGradient, isTwin }) => (
  `${name}:${index.join(',')}${isGradient ? ':d' : ''}${isTwin ? ':t' : ''}`)

function readCell(text) {
  const match = /^([\w.]+(?::\d+)?):(\d+(?:,\d+)*)(:d)?(:t)?$/.exec(text)
  if (!match) return null
  const [, name, index, isGradient, isTwin] = match
  return {
    name, index: index.split(',').map(Number), ...(isGradient && { isGradient: true }), ...(isTwin && { isTwin: true })
  }
}

function readValue(key, text) {
  const known = DEFAULTS[key]
  if (key === 'cell') return readCell(text)
  if (key === 'edits') return readEdits(text)
  if (CHOICES[key]) return CHOICES[key].includes(text) ? text : known
  if (typeof known === 'boolean') return text === '1'
  if (typeof known === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : known
  return text
}

function writeValue(value) {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (Array.isArray(value)) return writeEdits(value)
  return typeof value === 'object' ? writeCell(value) : String(value)
}

const isAboutModel = (query) => [...query.keys()].some((key) => key !== 'language' && key !== 'theme')

/**
 * The part of a link after `#`; only what differs from the defaults is written, and with anything else the model, by
 * which links made when there was only the block of the sentences can be told from newer ones.
 * @param {object} state
 */
export function toHash(state) {
  const query = new URLSearchParams()
  for (const key of Object.keys(DEFAULTS)) {
    const written = state[key] === null ? '' : writeValue(state[key])
    if (written !== (DEFAULTS[key] === null ? '' : writeValue(DEFAULTS[key]))) query.set(key, written)
  }
  if (isAboutModel(query)) query.set('model', state.model)
  return query.toString()
}

/** What a query says of the state. @param {URLSearchParams} query */
const said = (query) => Object.fromEntries(
  Object.keys(DEFAULTS).filter((key) => query.has(key)).map((key) => [key, readValue(key, query.get(key))]))

/** A part of the state, written as in a link. @param {string} text such as `temperature=2&topP=0.8` */
export const patchFrom = (text) => said(new URLSearchParams(text))

/**
 * The state a link describes; what it does not say, or says wrongly, is as by default.
 * @param {string} hash
 */
export function fromHash(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ''))
  const isOld = isAboutModel(query) && !query.has('model')
  return { ...DEFAULTS, ...(isOld && { model: 'sentences' }), ...said(query) }
}

/** The sentences: one a line, blank lines left out. @param {string} text */
export const sentences = (text) => text.split('\n').filter((line) => line.trim() !== '')

/** The settings `runTranslation` takes. @param {object} state */
function translationSettings(state) {
  const {
    model, source, heads, layers, dModel, dimFeedforward, normFirst, activation, positional, positions, base, scale,
    padding, tgtIsCausal, dropout, training, seed, temperature, topK, topP, decoding, beams, edits
  } = state
  return {
    model, source, target: state.target.trim() ? state.target : null, heads, layers, dModel, dimFeedforward, normFirst,
    activation, positional, positions, base, scale, padding, tgtIsCausal, dropout, training, seed, temperature, topK,
    topP, decoding, beams, edits
  }
}

/** The settings `runPipeline` or `runTranslation` takes. @param {object} state */
export function settingsOf(state) {
  if (state.model !== 'sentences') return translationSettings(state)
  const { tokenizer, dModel, heads, base, maxLength, positions, dropout, training, seed, causal, edits } = state
  const texts = sentences(state.text)
  return { texts, tokenizer, dModel, heads, base, maxLength, positions, dropout, training, seed, causal, edits }
}

/** The first word a side of the translator does not know, or that there is none, or that they are too many. */
function checkWords(words, known, most) {
  const unknown = words.find((word) => !known.includes(word))
  if (unknown) return { key: 'errors.unknown', values: { word: unknown } }
  return words.length > most ? { key: 'errors.tooLong', values: { most } } : null
}

function checkTranslation(state) {
  const words = splitSource(state.source)
  const found = {
    source: words.length ? checkWords(words, SOURCE_TOKENS.slice(1), LONGEST.source)
      : { key: 'errors.emptySource', values: {} },
    target: checkWords(splitTarget(state.target), TARGET_TOKENS.slice(3), LONGEST.target - 1)
  }
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem))
}

const whole = (value, low, high) => Number.isInteger(value) && value >= low && value <= high

/** Complaints of a kind: a list of controls, what is right, and what to say. */
const RULES = {
  sentences: {
    text: [(state) => sentences(state.text).length > 0, 'errors.empty'],
    maxLength: [1, 1024], dModel: [1, 512], heads: [1, 64]
  },
  trained: {
    temperature: [({ temperature }) => temperature >= 0.1 && temperature <= 10, 'errors.temperature'],
    topP: [({ topP }) => topP > 0 && topP <= 1, 'errors.share'],
    topK: [0, TARGET_TOKENS.length], beams: [1, 5]
  },
  untrained: { dModel: [1, 512], heads: [1, 64], layers: [1, 4], dimFeedforward: [1, 512] },
  all: {
    base: [({ base }) => base > 0 && base <= 1e9, 'errors.base'],
    dropout: [({ dropout }) => dropout >= 0 && dropout < 1, 'errors.dropout'], seed: [0, 4294967295]
  }
}
RULES.untrained = { ...RULES.trained, ...RULES.untrained }

/**
 * What is wrong with the settings, by control: a text key and its values.
 * @param {object} state
 * @returns {Record<string, { key: string, values: object }>}
 */
export function check(state) {
  const problems = state.model === 'sentences' ? {} : checkTranslation(state)
  for (const [name, [first, second]] of Object.entries({ ...RULES[state.model], ...RULES.all })) {
    const [isRight, key, values] = typeof first === 'function' ? [first(state), second, {}]
      : [whole(state[name], first, second), 'errors.whole', { low: first, high: second }]
    if (!isRight) problems[name] = { key, values }
  }
  const hasSizes = state.model !== 'trained' && !problems.dModel && !problems.heads
  if (hasSizes && state.dModel % state.heads) {
    problems.heads = { key: 'errors.divide', values: { dModel: state.dModel, heads: state.heads } }
  }
  return problems
}

/**
 * What the engine's refusal is about, in the page's words where it has them.
 * @param {{ code?: string, message: string }} error
 * @returns {Record<string, { key: string, values: object }>}
 */
export function explainError({ code, message }) {
  if (code === 'text') return { text: { key: 'errors.wordless', values: {} } }
  if (code === 'range' && message.includes('maxLength')) return { text: { key: 'errors.long', values: {} } }
  return { engine: { key: 'errors.engine', values: { message } } }
}
