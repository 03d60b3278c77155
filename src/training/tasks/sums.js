/** Sums on a clock of 31 hours, half of them held out: memorized first and generalized much later (grokking). */

import { waveShares } from '../clock_waves.js'
import { createRandom } from '../models/random.js'
import { CONFIG, createStories } from '../models/stories/model.js'
import { wordVocabulary } from '../models/text/vocabulary.js'
import { largest, accuracyOf, shapeOf } from './model_options.js'

/** The number of hours; every smaller number is a token. */
export const HOURS = 31
const NONE = -100, EQUALS = HOURS, LENGTH = 3
const WORDS = [...Array.from({ length: HOURS }, (_, n) => String(n)), '=']

/** @param {string} text */
const readSum = text => text.match(/\d+/g)?.map(Number) ?? []

/** @param {number[][]} sums */
const asBatch = sums => ({
  inputs: [sums.map(([a, b]) => [a, b, EQUALS])], target: sums.flatMap(([a, b]) => [NONE, NONE, (a + b) % HOURS]),
  ignoreIndex: NONE, words: WORDS
})

/** All sums in a random order from the seed. @param {number} seed */
function shuffled(seed) {
  const draw = createRandom(seed)
  const all = Array.from({ length: HOURS ** 2 }, (_, n) => [Math.floor(n / HOURS), n % HOURS])
  for (let last = all.length - 1; last > 0; last--) {
    const other = draw.below(last + 1);
    [all[last], all[other]] = [all[other], all[last]]
  }
  return all
}

/** @type {import('./index.js').Task} */
export const sums = {
  prepare(gf, { seed }) {
    const all = shuffled(seed), half = Math.floor(all.length / 2)
    return { learned: all.slice(0, half), tests: all.slice(half) }
  },
  create: (gf, settings) => (
    createStories(gf, { ...CONFIG, ...shapeOf(settings), vocabSize: WORDS.length, longest: LENGTH })),
  batch(gf, { seed, batch }, { learned }, step) {
    const draw = createRandom(seed * 1_000_003 + step)
    return asBatch(Array.from({ length: batch }, () => draw.pick(/** @type {number[][]} */ (learned))))
  },
  heldOut: (gf, settings, { tests }) => asBatch(tests),
  measureAccuracy: (gf, model, data, batch) => accuracyOf(gf, model, batch),
  measureWaves: (gf, model) => waveShares(model.embedding.weight.detach().toArray().slice(0, HOURS)),
  inFile: () => ({
    shape: { vocabSize: WORDS.length, longest: LENGTH }, vocabulary: JSON.stringify(wordVocabulary(WORDS).serialized)
  }),
  tables: () => ({ 'embedding.weight': WORDS }),
  answer(gf, model, data, text) {
    const [a, b] = readSum(text), ids = [a, b, EQUALS]
    const said = gf.tidy(() => gf.noGrad(() => largest(model.forward([ids]).values.slice(-WORDS.length))))
    return { text: `${a} + ${b} = ${WORDS[said]}`, inputs: [[ids]], tokens: { text: ids.map(id => WORDS[id]) } }
  },
  problem(text) {
    const found = readSum(text)
    return found.length === 2 && found.every(n => n < HOURS) ? null
      : { key: 'theatre.errors.sum', values: { most: String(HOURS - 1) } }
  }
}
