/**
 * The settings of a training: defaults, limits, and their form in a link. Equal settings give the same training
 * everywhere, bit for bit.
 */

import { SETTINGS, problemOf } from './model_settings.js'
import { OPTIMIZERS } from './optimizers/index.js'
import { TASK_INFO } from './tasks/task_info.js'

/** @import { Problem, Setting, Settings } from './types.d.ts' */

/**
 * @typedef {Omit<Setting, 'kind' | 'range' | 'fits' | 'hasEffect' | 'ladder'> & {
 *   kind: Setting['kind'] | 'mark', group: Group, range?: number[],
 *   fits?: (value: unknown, state: TrainingState) => boolean,
 *   hasEffect?: (state: TrainingState) => boolean, ladder?: (state: TrainingState) => number[] }} TrainingSetting
 *   a hash represents a text, without a control
 * @typedef {'optimizer' | 'model' | 'data'} Group
 *
 * A training: its task, its settings, and the setting that differs in the training it races against.
 * @typedef {Settings & { task: string, rival: string, rate: number, schedule: string, warmUp: number, steps: number,
 *   batch: number, optimizer: string, momentum: number, clip: number, decay: number, smoothing: number,
 *   repeat: boolean, unit: string, size: number, mark: string, length: number, start: string, origin: string }}
 *   TrainingState
 */

const MAX_STEPS = 100_000

/** @param {Group} group @param {Record<string, unknown>} options @param {unknown} [value] @returns {TrainingSetting} */
const createChoice = (group, options, value = Object.values(options)[0]) => (
  { group, kind: 'choice', default: value, options })
/**
 * @param {Group} group @param {number} value @param {[number, number]} limits @param {number[]} ladder
 * @returns {TrainingSetting}
 */
const createInteger = (group, value, limits, ladder) => (
  { group, kind: 'number', default: value, limits, ladder: () => ladder })

/**
 * A floating-point number in a range.
 * @param {Group} group @param {number} value @param {[number, number]} range @param {number[]} ladder
 * @returns {TrainingSetting}
 */
const createReal = (group, value, [low, high], ladder) => ({
  group, kind: 'number', default: value, ladder: () => ladder, range: [low, high]
})
/** @param {string} name @returns {TrainingSetting} */
const useShared = name => /** @type {TrainingSetting} */ ({ ...SETTINGS[name], group: 'model' })

/** @param {TrainingState} state */
const takesText = ({ task }) => Boolean(TASK_INFO[task].takesText)
/** @param {TrainingState} state */
const hasParts = ({ task }) => Boolean(TASK_INFO[task].hasParts)

/** @param {TrainingState} state */
const hasFeedForward = ({ task }) => !TASK_INFO[task].isAttentionOnly

const { kvHeads } = /** @type {Record<string, Required<Setting>>} */ (SETTINGS)

/** @type {Record<string, TrainingSetting>} */
export const TRAINING_SETTINGS = {
  optimizer: createChoice('optimizer', Object.fromEntries(Object.keys(OPTIMIZERS).map(name => [name, name]))),
  momentum: {
    ...createReal('optimizer', 0.9, [0, 0.999], [0, 0.5, 0.9, 0.99]), hasEffect: ({ optimizer }) => OPTIMIZERS[optimizer].usesMomentum
  },
  rate: createReal('optimizer', 0.004, [0, 1000], [0.0001, 0.0003, 0.001, 0.002, 0.004, 0.01, 0.03, 0.1, 1]),
  schedule: createChoice('optimizer', { cosine: 'cosine', linear: 'linear', root: 'root', constant: 'constant' }),
  warmUp: createInteger('optimizer', 200, [0, MAX_STEPS], [0, 20, 50, 100, 200, 400]),
  steps: createInteger('optimizer', 1200, [1, MAX_STEPS], [100, 200, 400, 800, 1200, 2500, 5000, 10_000]),
  batch: createInteger('data', 64, [1, 256], [1, 4, 8, 16, 32, 64, 128]),
  clip: createReal('optimizer', 1, [0, 1000], [0, 0.1, 0.5, 1, 5]),
  decay: createReal('optimizer', 0, [0, 1], [0, 0.01, 0.1]),
  smoothing: createReal('optimizer', 0, [0, 0.9], [0, 0.05, 0.1, 0.2]),
  layers: useShared('layers'), heads: useShared('heads'), dModel: useShared('dModel'),
  dimFeedforward: { ...useShared('dimFeedforward'), hasEffect: hasFeedForward },
  dropout: { ...createReal('model', 0, [0, 0.9], [0, 0.1, 0.2, 0.3, 0.5]) },
  normFirst: useShared('normFirst'), scale: useShared('scale'), activation: {
    ...createChoice('model', { relu: 'relu', gelu: 'gelu', swiglu: 'swiglu' }),
    fits: (value, state) => value !== 'swiglu' || hasParts(state) || !hasFeedForward(state), hasEffect: hasFeedForward
  },
  norm: { ...useShared('norm'), hasEffect: hasParts },
  kvHeads: {
    ...useShared('kvHeads'), default: 0, limits: [0, 64], ladder: state => [0, ...kvHeads.ladder(state)],
    problem: state => (state.kvHeads === 0 ? null : kvHeads.problem(state)), hasEffect: hasParts
  },
  positions: {
    ...createChoice('model', { interleaved: 'interleaved', concatenated: 'concatenated', learned: 'learned', rotary: 'rotary',
      none: 'none' }),
    fits: (value, state) => value !== 'rotary' || hasParts(state)
  },
  repeat: createChoice('data', { fresh: false, same: true }),
  unit: { ...createChoice('data', { characters: 'characters', pairs: 'pairs' }), hasEffect: takesText },
  size: {
    ...createInteger('data', 512, [257, 2000], [300, 512, 1024]), hasEffect: state => takesText(state) && state.unit === 'pairs'
  },
  mark: { group: 'data', kind: 'mark', default: '', hasEffect: takesText },
  start: {
    ...createChoice('data', { seed: 'seed', page: 'page', given: 'given' }), hidden: 'given',
    fits: (value, { task }) => value !== 'page' || !TASK_INFO[task].isTaughtOnly
  },
  origin: { group: 'data', kind: 'mark', default: '', hasEffect: ({ start }) => start === 'given' },
  length: { ...createInteger('data', 48, [4, 128], [16, 32, 48, 64, 96, 128]), hasEffect: takesText },
  seed: { ...createInteger('data', 42, [0, 4294967295], []), ladder: ({ seed }) => [Math.max(0, seed - 1), seed + 1] }
}

export const TASKS = Object.keys(TASK_INFO)

/** The default settings of a task. @param {string} task @returns {TrainingState} */
export const defaultsOf = task => /** @type {TrainingState} */ ({
  task, rival: '', ...Object.fromEntries(Object.entries(TRAINING_SETTINGS).map(([name, one]) => [name, one.default])), ...TASK_INFO[task].own
})

/** The maximum memory of a training for the intermediates of forward: beyond it a tab may crash. */
const MAX_BYTES = 1.5e9
/** An estimate of the memory that one step takes. @param {TrainingState} state */
export function bytesOf(state) {
  const { batch, layers, heads, dModel, dimFeedforward, task } = state
  const { longest: T = state.length, towers = 1, words } = TASK_INFO[task]
  const vocabulary = typeof words === 'number' ? words : words(state)
  const perLayer = batch * T * (16 * dModel + 3 * dimFeedforward) + 4 * batch * heads * T * T
  return 4 * (towers * layers * perLayer * 2 + 3 * batch * T * vocabulary)
}

/** @param {{ range: number[] }} setting @param {unknown} value @returns {Problem | null} */
function checkRange({ range: [low, high] }, value) {
  const isInside = typeof value === 'number' && value >= low && value <= high
  return isInside ? null : { key: 'theatre.errors.range', values: { low, high } }
}

/** Problems of the architecture for a task. @param {TrainingState} state */
const architectureProblems = state => Object.entries(TRAINING_SETTINGS).filter(([name, { fits }]) => fits &&
  !fits(state[name], state))
  .map(([name]) => [name, { key: 'theatre.errors.unfit', values: {} }])

/** Rotary positions rotate pairs, so a head needs an even number of dimensions. @param {TrainingState} state */
const rotaryProblems = ({ positions, dModel, heads }) => (positions === 'rotary' && (dModel / heads) % 2
  ? [['positions', { key: 'theatre.errors.pairs', values: { size: dModel / heads } }]] : [])

/** @param {string} name @param {TrainingState} state */
const checkSetting = (name, state) => {
  const { range } = TRAINING_SETTINGS[name]
  return range ? checkRange({ range }, state[name]) : problemOf(name, TRAINING_SETTINGS[name], state)
}

/**
 * The problems of settings by name: a text key and its values. The first problem of the training that this one races
 * against is `rival`.
 * @param {TrainingState} state
 * @returns {Record<string, Problem>}
 */
export function problemsOf(state) {
  const own = checkSettings(state), rival = Object.keys(own).length ? null : createRival(state)
  const [wrong] = rival ? Object.values(checkSettings(rival)) : []
  return wrong ? { rival: wrong } : own
}

/** @param {TrainingState} state @returns {Record<string, Problem>} */
function checkSettings(state) {
  const found = Object.entries(TRAINING_SETTINGS).filter(([, { hasEffect }]) => hasEffect?.(state) ?? true)
    .map(([name]) => /** @type {[string, Problem]} */ ([name, checkSetting(name, state)]))
    .filter(([, problem]) => problem)
  const isDivided = !found.some(([name]) => ['dModel', 'heads'].includes(name))
  const problems = Object.fromEntries([...found, ...architectureProblems(state),
    ...(isDivided ? rotaryProblems(state) : [])])
  if (found.length === 0 && bytesOf(state) > MAX_BYTES) {
    const [megabytes, most] = [bytesOf(state), MAX_BYTES].map(bytes => String(Math.round(bytes / 2 ** 20)))
    problems.batch = { key: 'theatre.errors.memory', values: { megabytes, most } }
  }
  return problems
}

/** @param {Record<string, unknown>} options @param {unknown} value */
const optionKey = (options, value) => Object.keys(options).find(word => options[word] === value)

/**
 * A training as a link: the task, then what differs from its defaults.
 * @param {TrainingState} state
 */
export function write(state) {
  const defaults = defaultsOf(state.task)
  const parts = Object.entries(TRAINING_SETTINGS).filter(([name]) => !Object.is(state[name], defaults[name]))
    .map(([name, { options }]) => `${name}-${options ? optionKey(options, state[name]) : state[name]}`)
  return [state.task, ...parts, ...(state.rival ? [`${RIVAL_PREFIX}${state.rival}`] : [])].join('_')
}

/** The prefix of the setting that differs in the training that this one races against. */
const RIVAL_PREFIX = 'vs-'

/** A setting and its value as in a link. @param {string} name @param {unknown} value */
export const rivalText = (name, value) => {
  const { options } = TRAINING_SETTINGS[name]
  return `${name}-${options ? optionKey(options, value) : value}`
}

/** The training that this one races against, or null. @param {TrainingState} state */
export const createRival = state => (state.rival ? { ...read([write({ ...state, rival: '' }), state.rival].join('_')) } : null)

/** @param {TrainingSetting} setting @param {string} text @param {unknown} defaults */
function readValue({ options, kind }, text, defaults) {
  if (kind === 'mark') return /^[0-9a-z]{1,7}$/.test(text) ? text : defaults
  if (options) return Object.hasOwn(options, text) ? options[text] : defaults
  const value = text === '' ? NaN : Number(text)
  return Number.isFinite(value) ? value : defaults
}

/** Reads a training from a link; missing or invalid values get their defaults. @param {string} text */
export function read(text) {
  const [task, ...parts] = text.split('_')
  const state = defaultsOf(TASKS.includes(task) ? task : TASKS[0])
  for (const entry of parts) {
    const part = entry.replace(RIVAL_PREFIX, '')
    if (part !== entry) {
      if (Object.hasOwn(TRAINING_SETTINGS, part.split('-', 1)[0])) state.rival = part
      continue
    }
    const at = part.indexOf('-')
    const name = part.slice(0, at)
    if (Object.hasOwn(TRAINING_SETTINGS, name)) state[name] = readValue(TRAINING_SETTINGS[name], part.slice(at + 1),
      state[name])
  }
  return { ...state, ...resetUnused(state) }
}

/** Settings without effect are not validated; invalid ones get their defaults. @param {TrainingState} state */
function resetUnused(state) {
  const defaults = defaultsOf(state.task)
  return Object.fromEntries(Object.entries(TRAINING_SETTINGS)
    .filter(([name, { hasEffect }]) => hasEffect && !hasEffect(state) && checkSetting(name, state))
    .map(([name]) => [name, defaults[name]]))
}
