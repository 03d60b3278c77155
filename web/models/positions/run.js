/** The experiments on one sentence. */

import { positions as page, LARGEST_SHIFT, wordsOf } from './index.js'
import { COMPARED, experiments } from './experiments.js'
import { defaultsOf } from '../index.js'

const AXES = {
  'embedding.weight': [{ name: 'word', of: 'text' }, { name: 'channel' }],
  'waves.angle': [{ name: 'position' }, { name: 'pair' }], 'waves.rate': [{ name: 'pair' }],
  'circle.pairs': [{ name: 'pair' }, { name: 'position' }, { name: 'channel' }],
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

/**
 * @param {any} gf the library
 * @param {object} options settings of the page
 * @param {any[]} [edits] cells replaced the moment they are made
 */
export function run(gf, options, edits = []) {
  const settings = { ...defaultsOf('positions'), ...options }
  const { dModel, base, seed } = settings
  const words = wordsOf(settings.sequence), vocabulary = [...new Set(words)]
  const ids = words.map(word => vocabulary.indexOf(word))
  const length = Math.max(settings.maxLength, words.length + LARGEST_SHIFT)
  const { Waves, Circle, Asks, Shuffle } = experiments(gf)
  gf.manualSeed(seed)
  const embedding = new gf.nn.Embedding(vocabulary.length, dModel)
  const modules = {
    embedding, shuffle: new Shuffle(dModel), waves: new Waves(), circle: new Circle(), asks: new Asks()
  }
  const { shuffle, waves, circle, asks } = modules
  shuffle.shuffleBy(orderOf(gf, words.length))
  const learned = gf.normal([COMPARED, dModel], { mean: 0, std: 1 })
  const order = shuffle.order
  const moved = order.map(word => words[word])
  const stream = (list, all) => ({
    texts: [list.join(' ')], tokens: [list], ids: [all], vocabulary, padding: [list.map(() => false)],
    lengths: [list.length]
  })
  const free = () => {
    learned.dispose()
    Object.values(modules).forEach(module => module.dispose())
  }
  const observed = gf.observe(() => {
    const x = embedding.forward([ids])
    const { table } = waves.forward(length, dModel, base)
    circle.forward(table)
    asks.forward(table.narrow(0, 0, COMPARED), learned)
    return { output: shuffle.forward(x, table).placed, free }
  }, {
    modules, edits, axes: AXES,
    streams: { text: stream(words, ids), moved: stream(moved, order.map(word => ids[word])) }
  })
  return { run: observed, settings, hints: page.hints, before: new Map(), order }
}
