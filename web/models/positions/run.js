/** The experiments on one sentence. */

import { positions as page, LARGEST_SHIFT, MAX_WORDS, wordsOf } from './index.js'
import { LONGEST, TRAINED, WORDS, before, loadInto } from './extrapolation.js'
import { COMPARED, experiments } from './experiments.js'
import { moreExperiments } from './more_experiments.js'
import { defaultsOf } from '../index.js'

/** @import { Edit, Library, ModelRun, Settings } from '../../types.d.ts' */

const AXES = {
  'embedding.weight': [{ name: 'word', of: 'text' }, { name: 'channel' }],
  ...Object.fromEntries(['waves.angle', 'two_spellings.by_log', 'two_spellings.by_power', 'two_spellings.apart']
    .map(name => [name, [{ name: 'position' }, { name: 'pair' }]])), 'waves.rate': [{ name: 'pair' }],
  'circle.pairs': [{ name: 'pair' }, { name: 'position' }, { name: 'channel' }],
  'beyond.means': [{ name: 'scheme' }, { name: 'measure' }], 'beyond.shares': [{ name: 'scheme' }, { name: 'position' }],
  'asks.encodings': [{ name: 'scheme' }, { name: 'position' }, { name: 'channel' }],
  'asks.products': [{ name: 'scheme' }, { name: 'position' }, { name: 'position' }],
  'asks.distances': [{ name: 'scheme' }, { name: 'position' }, { name: 'position' }],
  'asks.measures': [{ name: 'scheme' }, { name: 'measure' }]
}

/** An order in which at least one word has moved. @param {any} gf @param {number} length */
function orderOf(gf, length) {
  const order = [...gf.randperm(length).values]
  return order.every((word, place) => word === place) ? order.reverse() : order
}

/** The size of the notebook's table. */
const [MANY, WIDE] = [256, 512]

/**
 * The time that each spelling of that table's angles takes here, in milliseconds: the best of several rounds.
 * @param {Library} gf @param {number} base
 */
function timed(gf, base) {
  const ways = {
    loop() {
      const angles = new Float64Array(MANY * WIDE / 2)
      for (let k = 0; k < MANY; k++) {
        for (let i = 0; i < WIDE / 2; i++) angles[k * WIDE / 2 + i] = k / base ** ((2 * i) / WIDE)
      }
    },
    power() {
      const [position, twice] = given(gf)
      position.div(gf.full([WIDE / 2], base).pow(twice))
    },
    log() {
      const [position, twice] = given(gf)
      position.mul(twice.mul(-Math.log(base)).exp())
    }
  }
  /** @param {() => void} act */
  const once = act => {
    const start = performance.now()
    let [times, passed] = [0, 0]
    while (passed < LONG_ENOUGH) {
      gf.tidy(() => void act())
      times++
      passed = performance.now() - start
    }
    return passed / times
  }
  return Object.fromEntries(Object.entries(ways).map(([name, act]) => (
    [name, Math.min(...Array.from({ length: ROUNDS }, () => once(act)))])))
}

const ROUNDS = 3
/** Browsers measure time in steps of a tenth of a millisecond or more. */
const LONG_ENOUGH = 3

/**
 * The times for a base, measured once, so that moving the slider does not measure again.
 * @type {Map<number, Record<string, number>>}
 */
const measured = new Map()

/** @param {Library} gf @param {number} base */
function timesOf(gf, base) {
  const known = measured.get(base) ?? timed(gf, base)
  measured.set(base, known)
  return known
}

/** @param {Library} gf */
const given = gf => [
  gf.arange(0, MANY, 1, { dtype: 'float32' }).reshape(MANY, 1), gf.arange(0, WIDE, 2, { dtype: 'float32' }).div(WIDE)
]

/** The trained models of an engine, loaded once. @type {WeakMap<object, any>} */
const trained = new WeakMap()

/** @param {any} gf @param {Uint8Array} file */
function beyondOf(gf, file) {
  if (!trained.has(gf)) {
    const { Beyond } = before(gf), model = new Beyond()
    loadInto(gf, model, file)
    trained.set(gf, model.eval())
  }
  return trained.get(gf)
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
  const { Waves, Circle, Asks, Shuffle, Placed } = experiments(gf)
  const more = moreExperiments(gf)
  const beyond = gf.engine.withoutInitialization(() => beyondOf(gf, file))
  gf.manualSeed(seed)
  const long = [...ids, ...gf.randint(0, WORDS, [LONGEST - ids.length]).toArray()]
  gf.manualSeed(seed)
  const embedding = new gf.nn.Embedding(vocabulary.length, dModel)
  const modules = {
    embedding, shuffle: new Shuffle(dModel), waves: new Waves(), circle: new Circle(), asks: new Asks(),
    first_ideas: new more.FirstIdeas(), two_spellings: new more.TwoSpellings(), layouts: new more.Layouts(),
    broadcasting: new more.Broadcasting(), rotation: new more.Rotation(), compare: new more.Schemes(dModel),
    dropout: new more.Dropped(p)
  }
  const { shuffle, waves, circle, asks } = modules
  const placed = new Placed(embedding, shuffle.attention, { dModel, base, length })
  shuffle.shuffleBy(orderOf(gf, words.length))
  const learned = gf.normal([MAX_WORDS, dModel], { mean: 0, std: 1 })
  const order = shuffle.order
  const moved = order.map(word => words[word])
  /** @param {string[]} list @param {number[]} all */
  const stream = (list, all) => ({
    texts: [list.join(' ')], tokens: [list], ids: [all], vocabulary, padding: [list.map(() => false)],
    lengths: [list.length]
  })
  const free = () => {
    learned.dispose()
    placed.dispose()
    Object.values(modules).forEach(module => module.dispose())
  }
  const observed = gf.observe(() => {
    const x = embedding.forward([ids])
    const { table, rate } = waves.forward(length, dModel, base)
    circle.forward(table)
    asks.forward(table.narrow(0, 0, COMPARED), learned)
    modules.first_ideas.forward(x)
    modules.two_spellings.forward(length, dModel, base)
    modules.layouts.forward(table, base)
    modules.broadcasting.forward(x, table)
    modules.rotation.forward(table, rate, words.length, shift)
    modules.compare.forward(x, table, learned, base)
    modules.dropout.forward(x, table)
    beyond.forward(long)
    return { output: shuffle.forward(x, table).placed, free }
  }, {
    modules: { ...modules, beyond }, edits, axes: AXES,
    streams: {
      text: stream(words, ids), moved: stream(moved, order.map(word => ids[word]))
    }
  })
  return { run: observed, settings, hints: page.hints, before: new Map(), order, times: timesOf(gf, base),
    beyond: { trained: TRAINED }, exportable: { model: placed, inputs: { ids: [ids] } } }
}
