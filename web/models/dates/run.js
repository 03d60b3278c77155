/** The encoder-decoder on one source and one target, with all intermediate values. */

import { generate } from '../generation.js'
import { generatedRun } from '../generated_run.js'
import { cachedModel } from '../model_cache.js'
import { END, LONGEST, PAD, SOURCE_TOKENS, START, TARGET_TOKENS, encode, idsOf, splitSource,
  splitTarget } from './data.js'
import { defaultsOf } from '../index.js'
import { build, shapeIn } from '../weights.js'
import { rightAnswers } from './familiarity.js'
import { withFault } from './faults.js'
import { CONFIG, createTranslator } from './model.js'

/** @import { Chosen } from '../generation.js' */
/** @import { Edit, Library, ModelRun, Settings, Stream } from '../../types.d.ts' */

const SOURCE_IDS = idsOf(SOURCE_TOKENS)
const TARGET_IDS = idsOf(TARGET_TOKENS)
const [START_ID, END_ID] = [START, END].map(token => TARGET_TOKENS.indexOf(token))

/** Sizes fixed by the trained weights. */
const TRAINED = {
  heads: CONFIG.nhead, layers: CONFIG.layers, dModel: CONFIG.dModel, dimFeedforward: CONFIG.dimFeedforward
}

/** Label smoothing of the training, and the loss that a confident model has. */
const SMOOTHING = { smoothing: '0.05', right: '0.953', other: '0.003', others: TARGET_TOKENS.length - 1 }

/** @param {string} of */
const words = of => [{ name: 'word', of }, { name: 'channel' }]
const AXES = {
  'source_embedding.weight': words('source'), 'target_embedding.weight': words('target'),
  'output.weight': words('target')
}

/**
 * What the weights fix; those from the training page contain it themselves.
 * @param {Library} gf @param {Settings} settings @param {Uint8Array} file @returns {Partial<Settings>}
 */
function fixed(gf, settings, file) {
  if (settings.weights === 'trained') return TRAINED
  const { nhead: heads, dModel, layers, dimFeedforward } = shapeIn(gf, settings, file)
  return heads ? { heads, dModel, layers, dimFeedforward } : {}
}

/**
 * Whether the positions are computed, or learned and then not part of the trained weights.
 * @param {string} name
 */
const isPosition = name => name.startsWith('positions.')

/** The model of these settings, randomly initialized. @param {Library} gf @param {Settings} settings */
function create(gf, settings) {
  const { dModel, heads, layers, dimFeedforward, dropout, normFirst, activation, positional, base, fault } = settings
  const model = createTranslator(gf, {
    dModel, nhead: heads, layers, dimFeedforward, dropout, normFirst, activation, base,
    positions: positional ? settings.positions : null
  })
  return withFault(gf, model, String(fault))
}

const MODEL_KEYS = [
  'weights', 'seed', 'heads', 'layers', 'dModel', 'dimFeedforward', 'normFirst', 'activation', 'positional',
  'positions',
  'base', 'dropout', 'lent', 'fault'
]
/** Whether any weight is randomly initialized. @param {Settings} settings */
const isDrawn = ({ weights, positional, positions }) => (
  weights === 'untrained' || (positional && positions === 'learned'))

/** @param {Settings} settings */
const keyOf = settings => JSON.stringify(['dates', ...MODEL_KEYS.map(name => (
  name === 'seed' && !isDrawn(settings) ? null : settings[name]))])

/**
 * The target: the reader's text, ids that another run has generated, or the model's own.
 * @param {Library} gf @param {ReturnType<typeof createTranslator>} model @param {Settings} settings
 * @param {number[]} source @param {Edit[]} edits @returns {Chosen}
 */
function targetOf(gf, model, settings, source, edits) {
  const { target } = settings
  // A norm over the tokens leaks later tokens, whatever the mask hides.
  const isCausal = settings.tgtIsCausal && settings.fault !== 'tokenNorm'
  const isOwn = typeof target === 'string' && target.trim() === ''
  if (isOwn || target === null) {
    /** @param {number[][]} rows */
    const forward = rows => model.forward(rows.map(() => source), rows)
    const frame = { start: [START_ID], end: END_ID, longest: LONGEST.target, V: TARGET_TOKENS.length, isCausal }
    return { ...generate(gf, settings, forward, frame, edits), isGiven: false }
  }
  const ids = Array.isArray(target) ? target
    : [...encode(splitTarget(target), TARGET_IDS, 0), END_ID].slice(0, LONGEST.target)
  return { ids, isGiven: true, random: null, tree: null, best: null }
}

/** @param {number[]} ids @param {string[]} vocabulary */
const named = (ids, vocabulary) => ids.map(id => vocabulary[id])

/**
 * The text on both sides.
 * @param {Settings} settings @param {number[]} source @param {number[]} input @returns {Record<string, Stream>}
 */
function streamsOf(settings, source, input) {
  /** @param {number[]} ids @param {string[]} vocabulary @param {{ texts: string[], isAnswer?: boolean }} more */
  const stream = (ids, vocabulary, more) => {
    const tokens = named(ids, vocabulary)
    const padding = tokens.map(token => token === PAD)
    return { tokens: [tokens], ids: [ids], vocabulary, padding: [padding], lengths: [tokens.length], ...more }
  }
  return {
    source: stream(source, SOURCE_TOKENS, { texts: [settings.source] }),
    target: stream(input, TARGET_TOKENS, { texts: [''], isAnswer: true })
  }
}

/**
 * Whether a module behaves differently for each of the two texts, while an exported script has each forward once.
 * @param {Partial<Settings>} settings
 */
const isUnscripted = ({ fault, positions }) => fault === 'batchPositions' || positions === 'learned'

/**
 * Runs the date translator, or the same model with random weights, on one source; the target is the reader's or the
 * model's. The model's own answer is generated with dropout off; in training it is then read with dropout on, like a
 * given one.
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page, with defaults
 * @param {Edit[]} [edits] cells replaced as soon as they are computed
 * @param {Uint8Array[]} [files] the trained weights
 * @returns {ModelRun}
 */
export function run(gf, options, edits = [], [weights] = []) {
  const merged = { ...defaultsOf('dates'), ...options }
  const settings = { ...merged, ...fixed(gf, merged, weights) }
  const placed = shapeIn(gf, merged, weights).positions
  /** @param {string} name */
  const isComputed = name => isPosition(name) && settings.positions !== placed
  const source = encode(splitSource(settings.source), SOURCE_IDS, settings.padding ? LONGEST.source : 0)
  const answers = rightAnswers(splitSource(settings.source), splitSource)
    .map(date => [...encode(splitTarget(date), TARGET_IDS, 0), END_ID])
  const made = cachedModel(gf, keyOf(settings), () => (
    build(gf, settings, weights, () => create(gf, settings), isComputed)), edits)
  const { model } = made
  model.tgtIsCausal = settings.tgtIsCausal
  const isTrained = settings.weights === 'trained'
  return {
    ...generatedRun(gf, made, settings, edits, () => targetOf(gf, model, settings, source, edits), ({ ids }) => {
      /** @param {number[]} answer */
      const before = answer => [START_ID, ...answer.slice(0, -1)]
      const input = before(ids)
      return {
        truth: { answers, forward: answer => model.forward([source], [before(answer)]) },
        forward: () => model.forward([source], [input]), right: ids, vocabulary: TARGET_TOKENS,
        rows: input.map((_, t) => t), axes: AXES, inputs: { source: [source], input: [input] },
        streams: streamsOf(settings, source, input),
        passes: ids.map((id, t) => ({ kind: 'token', row: t, token: TARGET_TOKENS[id] })),
        ...(settings.fault === 'none' && { going: { ids: input, begin() {
          const memory = model.encode([source])
          return (some, cache) => model.decode([some], memory, [source], cache)
        } } })
      }
    }),
    hints: {}, unscripted: isUnscripted(settings), randomTensors: isTrained && isDrawn(settings) ? ['positions.weight'] : [], smoothing: isTrained ? SMOOTHING : null
  }
}
