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
export const NONE = -100

/** How many batches are sampled together, to group examples by length. */
const AT_ONCE = 8

/**
 * The input and targets of a batch.
 * @param {Example[]} batch
 * @returns {{ input: number[][], target: number[] }}
 */
export function taskOf(batch) {
  const input = inputOf(batch), T = input[0].length, target = Array(batch.length * T).fill(NONE)
  batch.forEach((one, b) => one.places.forEach(({ at, target: word }) => { target[b * T + at] = word }))
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
    const n = (step - 1) % AT_ONCE
    if (first !== step - n) sampled = batches(examples(seed * 1_000_003 + step - n, size * AT_ONCE), size)
    first = step - n
    // 3 and 8 are coprime, so short and long batches alternate.
    return taskOf(sampled[(n * 3) % AT_ONCE])
  }
}

/**
 * What can be hidden from the model: the word that decides, its last letter, or all but that word and [?].
 * @type {Record<string, (place: Place, t: number) => boolean>}
 */
export const HIDING = {
  'nothing': () => false,
  'stem': ({ stem: [from, to] }, t) => t >= from && t < to,
  'last letter': ({ stem }, t) => t === stem[1] - 1,
  'all but the stem': ({ stem: [from, to], at }, t) => (t < from || t >= to) && t !== at
}

/** Pairs of forms that the word decides between: 은 and 는, is and are. */
const PARTNERS = [
  ['은', '는'], ['이', '가'], ['을', '를'], ['과', '와'], ['으로', '로'],
  ['is', 'are'], ['was', 'were'], ['has', 'have'], ['does', 'do']
]
const partnerOf = new Map(PARTNERS.flatMap(([one, other]) => [[one, other], [other, one]]))

/**
 * The fraction of correct words, and of pairs (은 and 는 ...) in which the correct form is more probable.
 * @param {any} gf @param {any} model @param {Example[]} list @param {string} [hiding] a key of HIDING
 */
export function accuracy(gf, model, list, hiding = 'nothing') {
  let right = 0, inForm = 0, pairs = 0, places = 0
  for (const batch of batches(list, 64)) gf.tidy(() => gf.noGrad(() => {
    const input = inputOf(batch), T = input[0].length
    const hidden = batch.map(one => input[0].map((_, t) => one.places.some(place => HIDING[hiding](place, t))))
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
 * The mean attention weight from [?] to the last letter of the word that decides: [layer][head].
 * @param {any} gf @param {any} model @param {Example[]} list @returns {number[][]}
 */
export function looks(gf, model, list) {
  const layers = model.encoder.layers.length, sums = Array.from({ length: layers }, () => /** @type {number[]} */ ([]))
  let places = 0
  for (const batch of batches(list, 64)) gf.tidy(() => {
    const { trace } = gf.trace(() => gf.noGrad(() => model.forward(inputOf(batch))))
    places += batch.reduce((sum, one) => sum + one.places.length, 0)
    for (let layer = 0; layer < layers; layer++) {
      const { values, shape: [, H, T] } = trace.get(`encoder.layers.${layer}.self_attn.weights`)
      for (let h = 0; h < H; h++) batch.forEach((one, b) => one.places.forEach(({ at, stem }) => {
        sums[layer][h] = (sums[layer][h] ?? 0) + values[((b * H + h) * T + at) * T + stem[1] - 1]
      }))
    }
    trace.dispose()
  })
  return sums.map(heads => heads.map(sum => sum / places))
}
