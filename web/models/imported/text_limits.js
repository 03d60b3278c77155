/**
 * How much of a text a model that was brought reads, and how long its answer may get: as far as the model knows places
 * and the tab has memory.
 */

/** @import { LibraryTensor, Settings, Shortened } from '../../types.d.ts' */

/** Most tokens of a text: a run of more takes a reader's patience, whatever the model could take. */
export const MOST = 1024
/** However little memory is left, a sentence is read. */
const LEAST = 16
const NUMBER = 4
/** What 32 bits can address. */
export const ADDRESSED = 2 ** 32
/** Set aside, half of it for gradients: for matrices of attention, for scores of words; of these a run makes seven. */
const [ATTENTION, SCORES, COPIES] = [2 ** 29, 2 ** 28, 7]
/**
 * What a token leaves behind, by what goes into matrix products and what comes out of them: norms, sums and
 * activations take up to half as much again.
 */
const BESIDE = 1.5

/** Tables of words and places: only rows of them are read. */
const TABLE = /(?:^|\.)(?:wte|wpe|shared|lm_head|\w*(?:embed|position|relative)\w*)(?:\.|$)/

/** @param {any} model @returns {Record<string, LibraryTensor>} */
const stateOf = model => model.stateDict()

/** Bytes of all weights. @param {any} model */
export const bytesOf = model => Object.values(stateOf(model)).reduce((sum, { size }) => sum + NUMBER * size, 0)

/** Bytes that a token leaves behind in a run, what grows with the square of a text left out. @param {any} model */
export function bytesPerToken(model) {
  const matrices = Object.entries(stateOf(model)).filter(([name, { shape }]) => shape.length === 2 && !TABLE.test(name))
  return BESIDE * NUMBER * matrices.reduce((sum, [, { shape: [rows, cols] }]) => sum + rows + cols, 0)
}

/** Tokens whose run fits beside the weights, with a gradient of every number. @param {any} model */
export function tokensThatFit(model) {
  const left = ADDRESSED - 2 * (bytesOf(model) + SCORES) - ATTENTION
  return Math.max(LEAST, Math.floor(left / (2 * bytesPerToken(model))))
}

/**
 * How many tokens there is room for, and what sets the limit.
 * @param {any} model @returns {{ most: number, by: Shortened['by'] }}
 */
export function placesOf(model) {
  const known = model.maxPositions ?? model.embeddings?.position_embeddings.numEmbeddings ?? Infinity
  const fits = tokensThatFit(model)
  return known <= fits ? { most: known, by: 'places' } : { most: fits, by: 'memory' }
}

/**
 * How much of a text is read.
 * @param {any} model @param {number} [answer] places that an answer needs behind it
 * @returns {{ most: number, by: Shortened['by'] }}
 */
export function textRoom(model, answer = 0) {
  const { most, by } = placesOf(model)
  return most - answer < MOST ? { most: Math.max(1, most - answer), by } : { most: MOST, by: 'page' }
}

/**
 * Most tokens of an answer, of one that is typed, too: what a run keeps must not depend on who wrote it, or two could
 * not be compared.
 * @param {any} model @param {number} before tokens that are read before the first of them is written
 * @param {Settings} settings @returns {{ most: number, by: Shortened['by'] }}
 */
export function answerRoom(model, before, { maxNewTokens }) {
  const { most, by } = placesOf(model), left = Math.max(1, most - before + 1)
  return left < maxNewTokens ? { most: left, by } : { most: maxNewTokens, by: 'setting' }
}

/**
 * The first row of scores of words that a run keeps: of a long text and very many words only the last fit, at least
 * those that the answer is chosen from.
 * @param {number} before tokens that are read before the answer @param {number} answer most tokens of it
 * @param {number} words that there are scores of
 */
export function firstScored(before, answer, words) {
  const fits = Math.floor(SCORES / (COPIES * NUMBER * words))
  return Math.max(0, Math.min(before - 1, before - 1 + answer - fits))
}
