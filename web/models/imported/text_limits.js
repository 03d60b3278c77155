/**
 * The maximum length of an imported model's text and answer: limited by the model's positions and the tab's memory.
 */

/** @import { LibraryTensor, Settings, Truncation } from '../../types.d.ts' */

/** The maximum number of tokens of a text: a longer run would take too long, whatever the model supports. */
export const MAX_TOKENS = 1024
/** The minimum number of tokens, however little memory is left. */
const MIN_TOKENS = 16
const NUMBER = 4
/** The address space of 32 bits. */
export const ADDRESSED = 2 ** 32
/** Memory for attention matrices and logits, half of it for gradients; a run makes seven copies of the logits. */
const [ATTENTION, SCORES, COPIES] = [2 ** 29, 2 ** 28, 7]
/**
 * Memory per token relative to the inputs and outputs of matrix products: norms, sums and activations take up to half
 * as much again.
 */
const OVERHEAD = 1.5

/** Embeddings of tokens and positions: only rows of them are read. */
const TABLE = /(?:^|\.)(?:wte|wpe|shared|lm_head|\w*(?:embed|position|relative)\w*)(?:\.|$)/

/** @param {any} model @returns {Record<string, LibraryTensor>} */
const stateOf = model => model.stateDict()

/** Bytes of all weights. @param {any} model */
export const bytesOf = model => Object.values(stateOf(model)).reduce((sum, weight) => sum + NUMBER * weight.numel(), 0)

/** Bytes per token of a run, without what grows with the square of the length. @param {any} model */
export function bytesPerToken(model) {
  const matrices = Object.entries(stateOf(model)).filter(([name, { shape }]) => shape.length === 2 && !TABLE.test(name))
  return OVERHEAD * NUMBER * matrices.reduce((sum, [, { shape: [rows, cols] }]) => sum + rows + cols, 0)
}

/** The number of tokens whose run fits beside the weights, including all gradients. @param {any} model */
export function tokensThatFit(model) {
  const left = ADDRESSED - 2 * (bytesOf(model) + SCORES) - ATTENTION
  return Math.max(MIN_TOKENS, Math.floor(left / (2 * bytesPerToken(model))))
}

/**
 * The maximum number of tokens, and what limits it.
 * @param {any} model @returns {{ most: number, by: Truncation['by'] }}
 */
export function positionsOf(model) {
  const positions = 'maxPositions' in model ? model.maxPositions
    : 'embeddings' in model ? model.embeddings.position_embeddings.numEmbeddings : Infinity
  const fits = tokensThatFit(model)
  return positions <= fits ? { most: positions, by: 'places' } : { most: fits, by: 'memory' }
}

/**
 * The length of a text that is read.
 * @param {any} model @param {number} [answer] places that an answer needs behind it
 * @returns {{ most: number, by: Truncation['by'] }}
 */
export function textRoom(model, answer = 0) {
  const { most, by } = positionsOf(model)
  return most - answer < MAX_TOKENS ? { most: Math.max(1, most - answer), by } : { most: MAX_TOKENS, by: 'page' }
}

/**
 * The maximum length of an answer, also of one that the reader types: what a run retains must not depend on who wrote
 * it, or two could not be compared.
 * @param {any} model @param {number} before tokens that are read before the first of them is written
 * @param {Settings} settings @returns {{ most: number, by: Truncation['by'] }}
 */
export function answerRoom(model, before, { maxNewTokens }) {
  const { most, by } = positionsOf(model), left = Math.max(1, most - before + 1)
  return left < maxNewTokens ? { most: left, by } : { most: maxNewTokens, by: 'setting' }
}

/**
 * The first row of logits that a run computes: with a long text and a large vocabulary only the last rows fit, at least
 * those that the answer is chosen from.
 * @param {number} before tokens before the answer @param {number} answer its maximum length
 * @param {number} words the vocabulary size
 */
export function firstScored(before, answer, words) {
  const fits = Math.floor(SCORES / (COPIES * NUMBER * words))
  return Math.max(0, Math.min(before - 1, before - 1 + answer - fits))
}
