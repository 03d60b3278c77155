/** The accuracy of the model, with and without parts of the input hidden, and where its heads attend. */

import { examples } from './data.js'
import { WORDS, fill } from './tokens.js'

/** @typedef {import('./data.js').Example} Example @typedef {import('./data.js').Place} Place */

/** Batches of examples of similar length. @param {Example[]} list @param {number} size @returns {Example[][]} */
export function batches(list, size) {
  const sorted = list.toSorted((a, b) => a.ids.length - b.ids.length)
  return Array.from({ length: Math.ceil(sorted.length / size) }, (_, n) => sorted.slice(n * size, (n + 1) * size))
}

/** The ids of a batch, padded to the longest. @param {Example[]} batch */
export function inputOf(batch) {
  const length = Math.max(...batch.map(({ ids }) => ids.length))
  return batch.map(({ ids }) => fill(ids, length))
}

/** The target of positions without a gap. */
export const IGNORE_INDEX = -100

/** How many batches are sampled together, to group examples by length. */
const BATCHES_TOGETHER = 8

/**
 * The input and targets of a batch.
 * @param {Example[]} batch
 * @returns {{ input: number[][], target: number[] }}
 */
export function taskOf(batch) {
  const input = inputOf(batch), T = input[0].length, target = Array(batch.length * T).fill(IGNORE_INDEX)
  batch.forEach((item, b) => item.places.forEach(({ at, target: word }) => { target[b * T + at] = word }))
  return { input, target }
}

/**
 * The batch of a step, from 1. Those of the next few steps are sampled together.
 * @param {number} seed @param {number} size
 */
export function batchesFrom(seed, size) {
  let first = 0
  /** @type {Example[][]} */
  let sampled = []
  return (/** @type {number} */ step) => {
    const n = (step - 1) % BATCHES_TOGETHER
    if (first !== step - n) sampled = batches(examples(seed * 1_000_003 + step - n, size * BATCHES_TOGETHER), size)
    first = step - n
    // 3 and 8 are coprime, so short and long batches alternate.
    return taskOf(sampled[(n * 3) % BATCHES_TOGETHER])
  }
}

/**
 * Parts of the input that can be hidden: the stem that determines the answer, its last letter, or all but the stem
 * and [?].
 * @type {Record<string, (place: Place, t: number) => boolean>}
 */
export const HIDDEN_PARTS = {
  'nothing': () => false,
  'stem': ({ stem: [from, to] }, t) => t >= from && t < to,
  'last letter': ({ stem }, t) => t === stem[1] - 1,
  'all but the stem': ({ stem: [from, to], at }, t) => (t < from || t >= to) && t !== at
}

/** Pairs of forms, of which the stem determines one: 은 and 는, is and are. */
const PARTNERS = [
  ['은', '는'], ['이', '가'], ['을', '를'], ['과', '와'], ['으로', '로'],
  ['is', 'are'], ['was', 'were'], ['has', 'have'], ['does', 'do']
]
const partnerOf = new Map(PARTNERS.flatMap(([a, b]) => [[a, b], [b, a]]))

/**
 * The fraction of correct words, and of pairs (은 and 는 ...) in which the correct form is more probable.
 * @param {any} gf @param {any} model @param {Example[]} list @param {string} [hiding] a key of HIDING
 */
export function accuracy(gf, model, list, hiding = 'nothing') {
  let right = 0, inForm = 0, pairs = 0, places = 0
  for (const batch of batches(list, 64)) gf.tidy(() => gf.noGrad(() => {
    const input = inputOf(batch), T = input[0].length
    const hidden = batch.map(item => input[0].map((_, t) => item.places.some(place => HIDDEN_PARTS[hiding](place, t))))
    const { values } = model.forward(input, hidden)
    batch.forEach(({ places: asked }, b) => asked.forEach(({ at, answers }) => {
      const row = values.subarray((b * T + at) * WORDS.length, (b * T + at + 1) * WORDS.length)
      right += answers.includes(WORDS[row.indexOf(Math.max(...row))]) ? 1 : 0
      places += 1
      for (const answer of answers) {
        const partner = partnerOf.get(answer)
        if (!partner || answers.includes(partner)) continue
        pairs += 1
        inForm += row[WORDS.indexOf(answer)] > row[WORDS.indexOf(partner)] ? 1 : 0
      }
    }))
  }))
  return { right: right / places, form: inForm / pairs, places }
}

/**
 * The mean attention weight from [?] to the last letter of the stem: [layer][head].
 * @param {any} gf @param {any} model @param {Example[]} list @returns {number[][]}
 */
export function stemAttention(gf, model, list) {
  const layers = model.encoder.layers.length, sums = Array.from({ length: layers }, () => /** @type {number[]} */ ([]))
  let places = 0
  for (const batch of batches(list, 64)) gf.tidy(() => {
    const { trace } = gf.trace(() => gf.noGrad(() => model.forward(inputOf(batch))))
    places += batch.reduce((sum, item) => sum + item.places.length, 0)
    for (let layer = 0; layer < layers; layer++) {
      const { values, shape: [, H, T] } = trace.get(`encoder.layers.${layer}.self_attn.weights`)
      for (let h = 0; h < H; h++) batch.forEach((item, b) => item.places.forEach(({ at, stem }) => {
        sums[layer][h] = (sums[layer][h] ?? 0) + values[((b * H + h) * T + at) * T + stem[1] - 1]
      }))
    }
    trace.dispose()
  })
  return sums.map(heads => heads.map(sum => sum / places))
}
