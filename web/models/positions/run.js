/** The experiments on one sentence. */

import { positions as page, LARGEST_SHIFT, MAX_WORDS, wordsOf } from './index.js'
import { TEST_LENGTH, TRAINING_LENGTH, WORDS, extrapolationModels, loadWeights } from './extrapolation.js'
import { COMPARED_POSITIONS, experiments } from './experiments.js'
import { moreExperiments } from './more_experiments.js'
import { defaultsOf } from '../index.js'

/** @import { Edit, Library, ModelRun, Settings } from '../../types.d.ts' */

const AXES = {
  'embedding.weight': [{ name: 'word', of: 'text' }, { name: 'channel' }],
  ...Object.fromEntries(['waves.angle', 'two_spellings.by_log', 'two_spellings.by_power', 'two_spellings.apart']
    .map(name => [name, [{ name: 'position' }, { name: 'pair' }]])), 'waves.rate': [{ name: 'pair' }],
  'circle.pairs': [{ name: 'pair' }, { name: 'position' }, { name: 'channel' }],
  'extrapolation.means': [{ name: 'scheme' }, { name: 'measure' }], 'extrapolation.shares': [{ name: 'scheme' }, { name: 'position' }],
  'requirements.encodings': [{ name: 'scheme' }, { name: 'position' }, { name: 'channel' }],
  'requirements.products': [{ name: 'scheme' }, { name: 'position' }, { name: 'position' }],
  'requirements.distances': [{ name: 'scheme' }, { name: 'position' }, { name: 'position' }],
  'requirements.measures': [{ name: 'scheme' }, { name: 'measure' }]
}

/** Samples an order in which at least one word has moved. @param {any} gf @param {number} length */
function sampleOrder(gf, length) {
  const order = [...gf.randperm(length).values]
  return order.every((word, position) => word === position) ? order.reverse() : order
}

/** The size of the table of angles in the notebook (notebooks/documents/003.js), whose computation is timed. */
const [ROWS, COLUMNS] = [256, 512]

/**
 * The milliseconds that each way to compute the angles of that table takes: the best of several rounds.
 * @param {Library} gf @param {number} base
 */
function measureTimes(gf, base) {
  const methods = {
    loop() {
      const angles = new Float64Array(ROWS * COLUMNS / 2)
      for (let k = 0; k < ROWS; k++) {
        for (let i = 0; i < COLUMNS / 2; i++) angles[k * COLUMNS / 2 + i] = k / base ** ((2 * i) / COLUMNS)
      }
    },
    power() { // exponent: 2i / COLUMNS
      const [position, exponent] = operands(gf)
      position.div(gf.full([COLUMNS / 2], base).pow(exponent))
    },
    log() {
      const [position, exponent] = operands(gf)
      position.mul(exponent.mul(-Math.log(base)).exp())
    }
  }
  /** The milliseconds of a call, averaged over as many calls as fit into MIN_DURATION. @param {() => void} act */
  const averageTime = act => {
    const start = performance.now()
    let [runs, elapsed] = [0, 0]
    while (elapsed < MIN_DURATION) {
      gf.tidy(() => void act())
      runs++
      elapsed = performance.now() - start
    }
    return elapsed / runs
  }
  return Object.fromEntries(Object.entries(methods).map(([name, act]) => (
    [name, Math.min(...Array.from({ length: ROUNDS }, () => averageTime(act)))])))
}

const ROUNDS = 3
/** Browsers measure time in steps of a tenth of a millisecond or more. */
const MIN_DURATION = 3

/**
 * The times for a base, measured once, so that moving the slider does not measure again.
 * @type {Map<number, Record<string, number>>}
 */
const timesByBase = new Map()

/** @param {Library} gf @param {number} base */
function timesOf(gf, base) {
  const times = timesByBase.get(base) ?? measureTimes(gf, base)
  timesByBase.set(base, times)
  return times
}

/** @param {Library} gf */
const operands = gf => [
  gf.arange(0, ROWS, 1, { dtype: 'float32' }).reshape(ROWS, 1), gf.arange(0, COLUMNS, 2, { dtype: 'float32' }).div(COLUMNS)
]

/** The trained models of an engine, loaded once. @type {WeakMap<object, any>} */
const trainedModels = new WeakMap()

/**
 * The models that are tested beyond their training length, with their weights.
 * @param {any} gf @param {Uint8Array} file
 */
function extrapolationOf(gf, file) {
  if (!trainedModels.has(gf)) {
    const { Extrapolation } = extrapolationModels(gf), model = new Extrapolation()
    loadWeights(gf, model, file)
    trainedModels.set(gf, model.eval())
  }
  return trainedModels.get(gf)
}

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} [edits] cells replaced as soon as they are computed
 * @param {Uint8Array[]} [files] weights of the extrapolation models
 * @returns {ModelRun}
 */
export function run(gf, options, edits = [], [file] = []) {
  const settings = { ...defaultsOf('positions'), ...options }
  const { dModel, base, seed, shift, dropout: p } = settings
  const words = wordsOf(settings.sequence), vocabulary = [...new Set(words)]
  const ids = words.map(word => vocabulary.indexOf(word))
  const length = Math.max(settings.maxLength, words.length + LARGEST_SHIFT)
  const { Waves, Circle, Requirements, Shuffle, Placed } = experiments(gf)
  const more = moreExperiments(gf)
  const extrapolation = gf.engine.withoutInitialization(() => extrapolationOf(gf, file))
  gf.manualSeed(seed)
  const longIds = [...ids, ...gf.randint(0, WORDS, [TEST_LENGTH - ids.length]).toArray()]
  gf.manualSeed(seed)
  const embedding = new gf.nn.Embedding(vocabulary.length, dModel)
  const modules = {
    embedding, shuffle: new Shuffle(dModel), waves: new Waves(), circle: new Circle(), requirements: new Requirements(),
    first_ideas: new more.FirstIdeas(), two_spellings: new more.TwoSpellings(), layouts: new more.Layouts(),
    broadcasting: new more.Broadcasting(), rotation: new more.Rotation(), schemes: new more.Schemes(dModel),
    dropout: new more.Dropped(p)
  }
  const { shuffle, waves, circle, requirements } = modules
  const exportedModel = new Placed(embedding, shuffle.attention, { dModel, base, length })
  shuffle.shuffleBy(sampleOrder(gf, words.length))
  const learned = gf.normal([MAX_WORDS, dModel], { mean: 0, std: 1 })
  const order = shuffle.order
  const movedWords = order.map(word => words[word])
  /** @param {string[]} list @param {number[]} all */
  const stream = (list, all) => ({
    texts: [list.join(' ')], tokens: [list], ids: [all], vocabulary, padding: [list.map(() => false)],
    lengths: [list.length]
  })
  const free = () => {
    learned.dispose()
    exportedModel.dispose()
    Object.values(modules).forEach(module => module.dispose())
  }
  const observed = gf.observe(() => {
    const x = embedding.forward([ids])
    const { table, rate } = waves.forward(length, dModel, base)
    circle.forward(table)
    requirements.forward(table.narrow(0, 0, COMPARED_POSITIONS), learned)
    modules.first_ideas.forward(x)
    modules.two_spellings.forward(length, dModel, base)
    modules.layouts.forward(table, base)
    modules.broadcasting.forward(x, table)
    modules.rotation.forward(table, rate, words.length, shift)
    modules.schemes.forward(x, table, learned, base)
    modules.dropout.forward(x, table)
    extrapolation.forward(longIds)
    return { output: shuffle.forward(x, table).withPositions, free }
  }, {
    modules: { ...modules, extrapolation }, edits, axes: AXES,
    streams: {
      text: stream(words, ids), moved: stream(movedWords, order.map(word => ids[word]))
    }
  })
  return { run: observed, settings, hints: page.hints, valuesBeforeEdits: new Map(), order, times: timesOf(gf, base),
    lengths: { trained: TRAINING_LENGTH }, exportable: { model: exportedModel, inputs: { ids: [ids] } } }
}
