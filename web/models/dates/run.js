/** The encoder-decoder on one source and one target, with all intermediate values. */

import { generate } from '../generation.js'
import { generatedRun } from '../generated_run.js'
import { cachedModel } from '../model_cache.js'
import { DAYS, END, FORMATS, LONGEST, PAD, SOURCE_TOKENS, START, TARGET_TOKENS, dateOf, encode, idsOf, splitSource,
  splitTarget } from '../../../src/training/models/dates/data.js'
import { defaultsOf } from '../index.js'
import { build, shapeIn } from '../weights.js'
import { rightAnswers } from './familiarity.js'
import { withFault } from './faults.js'
import { CONFIG, createTranslator } from '../../../src/training/models/dates/model.js'

/** @import { Chosen } from '../generation.js' */
/** @import { Edit, Library, ModelRun, Settings, Stream } from '../../types.d.ts' */

const SOURCE_IDS = idsOf(SOURCE_TOKENS)
const TARGET_IDS = idsOf(TARGET_TOKENS)
const [START_ID, END_ID] = [START, END].map(token => TARGET_TOKENS.indexOf(token))

/** Sizes fixed by the trained weights. */
const TRAINED = {
  heads: CONFIG.nhead, layers: CONFIG.layers, dModel: CONFIG.dModel, dimFeedforward: CONFIG.dimFeedforward
}

/** The label smoothing of the training: the target probabilities of the correct token and of every other token. */
const SMOOTHING = { smoothing: '0.05', right: '0.953', other: '0.003', others: TARGET_TOKENS.length - 1 }

/** A prime, so that the days of some dates are spread over all months and years. */
const STRIDE = 7919
/** Dates in all formats. @returns {string[]} */
const similarTexts = () => Array.from({ length: 48 }, (_, i) => (
  FORMATS[i % FORMATS.length](...dateOf(i * STRIDE % DAYS))))

/** @param {string} createStream */
const wordAxes = createStream => [{ name: 'word', of: createStream }, { name: 'channel' }]
const AXES = {
  'source_embedding.weight': wordAxes('source'), 'target_embedding.weight': wordAxes('target'),
  'output.weight': wordAxes('target')
}

/**
 * The settings that the weights determine; a file from the training page contains them.
 * @param {Library} gf @param {Settings} settings @param {Uint8Array} file @returns {Partial<Settings>}
 */
function fixedSettings(gf, settings, file) {
  if (settings.weights === 'trained') return TRAINED
  const { nhead: heads, dModel, layers, dimFeedforward } = shapeIn(gf, settings, file)
  return heads ? { heads, dModel, layers, dimFeedforward } : {}
}

/**
 * Whether a tensor belongs to the positional encoding.
 * @param {string} name
 */
const isPosition = name => name.startsWith('positions.')

/** The model of these settings, randomly initialized. @param {Library} gf @param {Settings} settings */
function createModel(gf, settings) {
  const { dModel, heads, layers, dimFeedforward, dropout, normFirst, activation, positional, base, fault } = settings
  const model = createTranslator(gf, {
    dModel, nhead: heads, layers, dimFeedforward, dropout, normFirst, activation, base,
    positions: positional ? settings.positions : null
  })
  return withFault(gf, model, String(fault))
}

const MODEL_KEYS = [
  'weights', 'seed', 'heads', 'layers', 'dModel', 'dimFeedforward', 'normFirst', 'activation', 'positional',
  'positions', 'base', 'dropout', 'trainedFileId', 'fault'
]
/** Whether any weight is randomly initialized. @param {Settings} settings */
const hasRandomWeights = ({ weights, positional, positions }) => (
  weights === 'untrained' || (positional && positions === 'learned'))

/** @param {Settings} settings */
const modelKey = settings => JSON.stringify(['dates', ...MODEL_KEYS.map(name => (
  name === 'seed' && !hasRandomWeights(settings) ? null : settings[name]))])

/**
 * The target: the reader's text, ids that another run has generated, or the model's own.
 * @param {Library} gf @param {ReturnType<typeof createTranslator>} model @param {Settings} settings
 * @param {number[]} source @param {Edit[]} edits @returns {Chosen}
 */
function chooseTarget(gf, model, settings, source, edits) {
  const { target } = settings
  // A norm over the tokens leaks later tokens, whatever the mask hides.
  const isCausal = settings.tgtIsCausal && settings.fault !== 'tokenNorm'
  const isEmpty = typeof target === 'string' && target.trim() === ''
  if (isEmpty || target === null) {
    /** @param {number[][]} rows */
    const forward = rows => model.forward(rows.map(() => source), rows)
    const limits = { start: [START_ID], end: END_ID, longest: LONGEST.target, V: TARGET_TOKENS.length, isCausal }
    return { ...generate(gf, settings, forward, limits, edits), isGiven: false }
  }
  const ids = Array.isArray(target) ? target
    : [...encode(splitTarget(target), TARGET_IDS, 0), END_ID].slice(0, LONGEST.target)
  return { ids, isGiven: true, random: null, tree: null, best: null }
}

/** @param {number[]} ids @param {string[]} vocabulary */
const tokensOf = (ids, vocabulary) => ids.map(id => vocabulary[id])

/**
 * The source and the target as streams.
 * @param {Settings} settings @param {number[]} source @param {number[]} input @returns {Record<string, Stream>}
 */
function createStreams(settings, source, input) {
  /** @param {number[]} ids @param {string[]} vocabulary @param {{ texts: string[], isAnswer?: boolean }} options */
  const createStream = (ids, vocabulary, options) => {
    const tokens = tokensOf(ids, vocabulary)
    const padding = tokens.map(token => token === PAD)
    return { tokens: [tokens], ids: [ids], vocabulary, padding: [padding], lengths: [tokens.length], ...options }
  }
  return {
    source: createStream(source, SOURCE_TOKENS, { texts: [settings.source] }),
    target: createStream(input, TARGET_TOKENS, { texts: [''], isAnswer: true })
  }
}

/**
 * Runs the date translator, or the same model with random weights, on a source and a target, which the reader gives or
 * the model generates. The answer is generated with dropout off; in training it is then read with dropout on, like a
 * target that the reader gives.
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page, with defaults
 * @param {Edit[]} [edits] cells replaced as soon as they are computed
 * @param {Uint8Array[]} [files] the trained weights
 * @returns {ModelRun}
 */
export function run(gf, options, edits = [], [weights] = []) {
  const allSettings = { ...defaultsOf('dates'), ...options }
  const settings = { ...allSettings, ...fixedSettings(gf, allSettings, weights) }
  const trainedPositions = shapeIn(gf, allSettings, weights).positions
  /** @param {string} name */
  const isComputed = name => isPosition(name) && settings.positions !== trainedPositions
  const source = encode(splitSource(settings.source), SOURCE_IDS, settings.padding ? LONGEST.source : 0)
  const correctAnswers = rightAnswers(splitSource(settings.source), splitSource)
    .map(date => [...encode(splitTarget(date), TARGET_IDS, 0), END_ID])
  const cached = cachedModel(gf, modelKey(settings), () => (
    build(gf, settings, weights, () => createModel(gf, settings), isComputed)), edits)
  const { model } = cached
  model.tgtIsCausal = settings.tgtIsCausal
  const isTrained = settings.weights === 'trained'
  return {
    ...generatedRun(gf, cached, settings, edits, () => chooseTarget(gf, model, settings, source, edits), ({ ids }) => {
      /** @param {number[]} answer */
      const shiftRight = answer => [START_ID, ...answer.slice(0, -1)]
      const input = shiftRight(ids)
      return {
        truth: { answers: correctAnswers, forward: answer => model.forward([source], [shiftRight(answer)]) },
        forward: () => model.forward([source], [input]), targets: ids, vocabulary: TARGET_TOKENS,
        rows: input.map((_, t) => t), axes: AXES, inputs: { source: [source], input: [input] },
        streams: createStreams(settings, source, input),
        passes: ids.map((id, t) => ({ kind: 'token', row: t, token: TARGET_TOKENS[id] })),
        ...(settings.fault === 'none' && { continuation: { ids: input, begin() {
          const memory = model.encode([source])
          return (ids, cache) => model.decode([ids], memory, [source], cache)
        } } })
      }
    }),
    similarTexts, hints: {}, randomTensors: isTrained && hasRandomWeights(settings) ? ['positions.weight'] : [], smoothing: isTrained ? SMOOTHING : null
  }
}
