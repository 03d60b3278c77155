/**
 * All settings of the page's models, defined once: defaults, allowed values, controls, and when they have an effect. A
 * model picks its settings and overrides some of their fields.
 */

/** @import { Problem, Setting, Settings } from './types.d.ts' */

/** @param {Record<string, unknown>} options @param {unknown} [value] @returns {Setting} */
const choice = (options, value = Object.values(options)[0]) => ({ kind: 'choice', default: value, options })
/**
 * @param {number} value @param {[number, number] | undefined} limits
 * @param {number[] | ((state: Settings) => number[])} ladder @returns {Setting}
 */
const number = (value, limits, ladder) => (
  { kind: 'number', default: value, limits, ladder: typeof ladder === 'function' ? ladder : () => ladder })
/**
 * @param {number} value @param {[number, number, number]} range @param {number[]} ladder
 * @param {Setting['problem']} [problem] @returns {Setting}
 */
const slider = (value, range, ladder, problem) =>
  ({ kind: 'slider', default: value, range, ladder: () => ladder, problem })

/** @param {unknown} value @returns {value is number} */
const isInteger = value => Number.isInteger(value)
/** @param {number} width */
const divisors = width => Array.from({ length: Math.min(64, width) }, (_, i) => i + 1).filter(n => width % n === 0)

/**
 * Whether a table of positions is added, and whether it is a learned one.
 * @param {Settings} state
 */
const hasPositions = ({ positional = true }) => positional
/** @param {Settings} state */
export const isLearned = state => hasPositions(state) && state.positions === 'learned'
/** @param {Settings} state */
export const isGiven = ({ target = '' }) => target.trim() !== ''
/** @param {Settings} state */
const usesRandomNumbers = state => (
  !['trained', 'theatre'].includes(state.weights) || isLearned(state) || state.training || (state.decoding === 'sample' && !isGiven(state)))

/**
 * @param {string} name @param {(value: number) => boolean} isRight @param {string} key @returns {Setting['problem']}
 */
const validate = (name, isRight, key) => state => (isRight(/** @type {number} */ (state[name])) ? null : { key })

/** @type {Record<string, Setting>} */
export const SETTINGS = {
  weights: { ...choice({ trained: 'trained', untrained: 'untrained', theatre: 'theatre' }), hidden: 'theatre' },
  tokenizer: choice({ words: 'words', whitespace: 'whitespace' }),
  dModel: number(32, [1, 512], [4, 8, 12, 16, 24, 32, 48, 64, 96, 128]),
  heads: {
    ...number(4, [1, 64], ({ dModel }) => divisors(dModel)),
    problem: ({ dModel, heads }) => (
      isInteger(dModel) && dModel % heads ? { key: 'errors.divide', values: { dModel, heads } } : null)
  },
  base: {
    ...number(10000, undefined, [10, 100, 1000, 10000, 100000]),
    problem: validate('base', base => base >= 1 && base <= 1e9, 'errors.base'),
    hasEffect: state => hasPositions(state) && !isLearned(state)
  },
  maxLength: number(32, [1, 1024], [8, 12, 16, 24, 32, 48, 64, 96, 128, 256]),
  seed: {
    ...number(42, [0, 4294967295], ({ seed }) => [Math.max(0, seed - 1), seed + 1]), hasEffect: usesRandomNumbers
  },
  positions: {
    ...choice({ interleaved: 'interleaved', concatenated: 'concatenated', learned: 'learned' }), hasEffect: hasPositions
  },
  causal: choice({ none: false, causal: true }),
  training: choice({ train: true, eval: false }, false),
  dropout: {
    ...slider(0.1, [0, 0.9, 0.05], [0, 0.1, 0.2, 0.3, 0.5],
      validate('dropout', p => p >= 0 && p < 1, 'errors.dropout')),
    hasEffect: ({ training }) => training
  },
  layers: number(2, [1, 4], [1, 2, 3, 4]),
  dimFeedforward: number(64, [1, 512], [8, 16, 32, 48, 64, 96, 128]),
  normFirst: choice({ after: false, before: true }),
  activation: choice({ relu: 'relu', gelu: 'gelu' }),
  norm: choice({ layer: 'layer', rms: 'rms' }),
  kvHeads: {
    ...number(4, [1, 64], ({ heads = 4 }) => divisors(heads)),
    problem: ({ heads = 4, kvHeads }) => (
      isInteger(kvHeads) && heads % kvHeads ? { key: 'errors.shareHeads', values: { heads, kvHeads } } : null)
  },
  positional: choice({ on: true, off: false }),
  scale: choice({ on: true, off: false }),
  padding: choice({ none: false, full: true }),
  tgtIsCausal: choice({ causal: true, none: false }),
  temperature: slider(1, [0.1, 4, 0.1], [0.5, 1, 1.5, 2, 4],
    validate('temperature', t => t >= 0.1 && t <= 10, 'errors.temperature')),
  topK: number(0, [0, 4096], [0, 1, 2, 3, 4, 6, 8, 12, 16]),
  topP: slider(1, [0.05, 1, 0.05], [0.5, 0.8, 0.9, 1], validate('topP', p => p > 0 && p <= 1, 'errors.share')),
  decoding: { ...choice({ greedy: 'greedy', sample: 'sample', beam: 'beam' }), isIdle: isGiven },
  maxNewTokens: number(16, [1, 256], [1, 2, 4, 8, 16, 32, 64, 128, 256]),
  beams: {
    ...number(3, [1, 5], [1, 2, 3, 4, 5]), hasEffect: state => state.decoding === 'beam' && !isGiven(state)
  },
  /** Layers that retain their attention matrices, and the bytes for them: only where not all fit. */
  kept: { kind: 'link', default: '' },
  keptBytes: { kind: 'link', default: 0, limits: [0, 2 ** 32 - 1] },
  fault: choice({ none: 'none', swapped: 'swapped', tokenNorm: 'tokenNorm', batchPositions: 'batchPositions' })
}

/**
 * The settings of a model, in the order of the table.
 * @param {Record<string, Partial<Setting>>} own overrides by name
 * @returns {Record<string, Setting>}
 */
export const pickSettings = own => Object.fromEntries(
  Object.keys(SETTINGS).filter(name => own[name]).map(name => [name, { ...SETTINGS[name], ...own[name] }]))

/**
 * The problem of one setting, as the key of a text and its values, or null.
 * @param {string} name @param {Pick<Setting, 'limits' | 'options' | 'problem'>} setting @param {Settings} state
 * @returns {Problem | null}
 */
export function problemOf(name, { limits, options, problem }, state) {
  const value = state[name]
  if (limits && !(isInteger(value) && value >= limits[0] && value <= limits[1])) {
    return { key: 'errors.integer', values: { low: limits[0], high: limits[1] } }
  }
  if (options && !Object.values(options).includes(value)) return { key: 'errors.choice' }
  const found = problem?.(state)
  return found ? { values: {}, ...found } : null
}
