/**
 * The maximum length of an imported model's text and answer: limited by the model's positions and the tab's memory.
 */

import { DTYPES } from '../../../src/js/tensor/dtype.js'

/** @import { LibraryTensor, Settings, Truncation } from '../../types.d.ts' */

/** The maximum number of tokens of a text: a longer run would take too long, whatever the model supports. */
export const MAX_TOKENS = 1024
/** The minimum number of tokens, however little memory is left. */
const MIN_TOKENS = 16
const FLOAT_BYTES = 4
/** The bytes of a 32-bit address space. */
export const ADDRESS_SPACE = 2 ** 32
/** Memory for attention matrices and logits, half of it for gradients; a run makes seven copies of the logits. */
const [ATTENTION, LOGITS, COPIES] = [2 ** 29, 2 ** 28, 7]
/**
 * The memory per token, divided by that of the inputs and outputs of matrix products: norms, sums and activations add
 * up to half as much again.
 */
const OVERHEAD = 1.5

/** Names of embedding tables, which do not add to the memory per token. */
const TABLE = /(?:^|\.)(?:wte|wpe|shared|lm_head|\w*(?:embed|position|relative)\w*)(?:\.|$)/

/** @param {any} model @returns {Record<string, LibraryTensor>} */
const stateOf = model => model.stateDict()

/** @param {any} model @param {(weight: LibraryTensor) => number} bytes of a value */
const sumOverWeights = (model, bytes) =>
  Object.values(stateOf(model)).reduce((sum, weight) => sum + weight.numel() * bytes(weight), 0)

/** Bytes of all weights. @param {any} model */
export const bytesOf = model => sumOverWeights(model, ({ dtype }) => DTYPES[dtype].bytes)

/** Bytes of the gradients of weights: those that are stored in fewer bits have none. @param {any} model */
const gradientBytesOf = model => sumOverWeights(model, ({ dtype }) => (dtype === 'float32' ? FLOAT_BYTES : 0))

/** Bytes per token of a run, without what grows with the square of the length. @param {any} model */
export function bytesPerToken(model) {
  const matrices = Object.entries(stateOf(model)).filter(([name, { shape }]) => shape.length === 2 && !TABLE.test(name))
  return OVERHEAD * FLOAT_BYTES * matrices.reduce((sum, [, { shape: [rows, cols] }]) => sum + rows + cols, 0)
}

/** The number of tokens whose run fits beside the weights, including all gradients. @param {any} model */
export function tokensThatFit(model) {
  const left = ADDRESS_SPACE - bytesOf(model) - gradientBytesOf(model) - 2 * LOGITS - ATTENTION
  return Math.max(MIN_TOKENS, Math.floor(left / (2 * bytesPerToken(model))))
}

/**
 * The maximum number of tokens, and what limits it.
 * @param {any} model @returns {{ max: number, limit: Truncation['limit'] }}
 */
export function positionsOf(model) {
  const { maxPositions: positions } = model, fits = tokensThatFit(model)
  return positions <= fits ? { max: positions, limit: 'places' } : { max: fits, limit: 'memory' }
}

/**
 * The maximum length of the text.
 * @param {any} model @param {number} [answer] positions to leave for an answer
 * @returns {{ max: number, limit: Truncation['limit'] }}
 */
export function textRoom(model, answer = 0) {
  const { max, limit } = positionsOf(model)
  return max - answer < MAX_TOKENS ? { max: Math.max(1, max - answer), limit } : { max: MAX_TOKENS, limit: 'page' }
}

/**
 * The maximum length of an answer, generated or typed: both must have the same limit, or their runs could not be
 * compared.
 * @param {any} model @param {number} before the number of tokens before the answer
 * @param {Settings} settings @returns {{ max: number, limit: Truncation['limit'] }}
 */
export function answerRoom(model, before, { maxNewTokens }) {
  const { max, limit } = positionsOf(model), left = Math.max(1, max - before + 1)
  return left < maxNewTokens ? { max: left, limit } : { max: maxNewTokens, limit: 'setting' }
}

/**
 * The first row of logits that a run computes: with a long text and a large vocabulary only the last rows fit, at least
 * those that the answer is chosen from.
 * @param {number} before tokens before the answer @param {number} answer its maximum length
 * @param {number} words the vocabulary size
 */
export function firstLogitsRow(before, answer, words) {
  const fits = Math.floor(LOGITS / (COPIES * FLOAT_BYTES * words))
  return Math.max(0, Math.min(before - 1, before - 1 + answer - fits))
}
