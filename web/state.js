/** What the reader has chosen, its defaults, its checks, and its form in a link. */

export const PRESETS = {
  english: ['I wonder what will come next', 'This is a basic example paragraph', 'Hello, what is a basic split?'],
  korean: ['나는 최근 파리 여행을 다녀왔다']
}

/** The settings that make a run; every other part of the state only decides what is looked at. */
export const MODEL_KEYS = [
  'text', 'tokenizer', 'dModel', 'heads', 'base', 'maxLength', 'positions', 'dropout', 'training', 'seed', 'causal'
]

export const DEFAULTS = {
  text: [...PRESETS.english, ...PRESETS.korean].join('\n'), tokenizer: 'words', dModel: 16, heads: 4, base: 10000,
  maxLength: 32, positions: 'interleaved', dropout: 0.1, training: false, seed: 42, causal: false,
  stage: 'tokens', sentence: 0, head: 0, part: 'q', cell: null, language: 'auto', theme: 'auto'
}

const CHOICES = {
  tokenizer: ['words', 'whitespace'], positions: ['interleaved', 'concatenated', 'learned'], part: ['q', 'k', 'v'],
  language: ['auto', 'ko', 'en'], theme: ['auto', 'light', 'dark']
}

const writeCell = ({ name, index }) => `${name}:${index.join(',')}`

function readCell(text) {
  const match = /^([\w.]+):(\d+(?:,\d+)*)$/.exec(text)
  return match ? { name: match[1], index: match[2].split(',').map(Number) } : null
}

function readValue(key, text) {
  const known = DEFAULTS[key]
  if (key === 'cell') return readCell(text)
  if (CHOICES[key]) return CHOICES[key].includes(text) ? text : known
  if (typeof known === 'boolean') return text === '1'
  if (typeof known === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : known
  return text
}

function writeValue(value) {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'object' ? writeCell(value) : String(value)
}

/**
 * The part of a link after `#`; only what differs from the defaults is written.
 * @param {object} state
 */
export function toHash(state) {
  const query = new URLSearchParams()
  for (const key of Object.keys(DEFAULTS)) {
    const written = state[key] === null ? '' : writeValue(state[key])
    if (written !== (DEFAULTS[key] === null ? '' : writeValue(DEFAULTS[key]))) query.set(key, written)
  }
  return query.toString()
}

/**
 * The state a link describes; what it does not say, or says wrongly, is as by default.
 * @param {string} hash
 */
export function fromHash(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ''))
  const state = { ...DEFAULTS }
  for (const key of Object.keys(DEFAULTS)) if (query.has(key)) state[key] = readValue(key, query.get(key))
  return state
}

/** The sentences: one a line, blank lines left out. @param {string} text */
export const sentences = (text) => text.split('\n').filter((line) => line.trim() !== '')

/** The settings `runPipeline` takes. @param {object} state */
export function settingsOf(state) {
  const { tokenizer, dModel, heads, base, maxLength, positions, dropout, training, seed, causal } = state
  const texts = sentences(state.text)
  return { texts, tokenizer, dModel, heads, base, maxLength, positions, dropout, training, seed, causal }
}

const whole = (value, low, high) => Number.isInteger(value) && value >= low && value <= high

/**
 * What is wrong with the settings, by control: a text key and its values.
 * @param {object} state
 * @returns {Record<string, { key: string, values: object }>}
 */
export function check(state) {
  const problems = {}
  const range = (name, low, high) => {
    if (!whole(state[name], low, high)) problems[name] = { key: 'errors.whole', values: { low, high } }
  }
  if (sentences(state.text).length === 0) problems.text = { key: 'errors.empty', values: {} }
  range('dModel', 1, 512)
  range('heads', 1, 64)
  range('maxLength', 1, 1024)
  range('seed', 0, 4294967295)
  if (!(state.base > 0 && state.base <= 1e9)) problems.base = { key: 'errors.base', values: {} }
  if (!(state.dropout >= 0 && state.dropout < 1)) problems.dropout = { key: 'errors.dropout', values: {} }
  if (!problems.dModel && !problems.heads && state.dModel % state.heads) {
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
