/** What a model with a classification head answers: labels of the text or of its tokens, or a span of it. */

import { formatFixed, formatProbability } from '../../lib/number.js'
import { joinTokens } from '../../../src/training/models/token_text.js'

/** @import { Opened } from './open.js' */
/** @import { Axis, Library, LibraryTensor } from '../../types.d.ts' */

/**
 * What forward returns.
 * @typedef {{ logits?: LibraryTensor, pooled?: LibraryTensor, startLogits?: LibraryTensor, endLogits?: LibraryTensor,
 *   hidden: LibraryTensor }} Outputs
 */

/** The axes of what a run computes from the scores of a head. @type {Record<string, Axis[]>} */
export const CLASSIFICATION_AXES = {
  span_scores: [{ name: 'batch' }, { name: 'label', of: 'text' }, { name: 'token', of: 'text' }]
}

/** What scores of an answer are of, by row. */
const SPAN_LABELS = ['start', 'end']

/**
 * The labels of a model by id; null without a classification head.
 * @param {Opened} opened @returns {string[] | null}
 */
export function labelsOf({ model: { head, labels } }) {
  if (!head) return null
  const { kind, count } = head.description
  return kind === 'question' ? SPAN_LABELS : labels ?? Array.from({ length: count }, (_, id) => `LABEL_${id}`)
}

/**
 * The inputs of a model that does not generate. An encoder-decoder with a classification head reads its text twice.
 * @param {any} model @param {number[]} ids @returns {{ ids: number[][], decoderIds?: number[][] }}
 */
export const classifierInputs = (model, ids) => (model.architecture !== 'encoder-decoder' ? { ids: [ids] }
  : { ids: [ids], decoderIds: [[model.decoderStartTokenId, ...ids].slice(0, ids.length)] })

/** The index of the largest number of each row. @param {LibraryTensor} scores @returns {number[]} */
function largestOf({ values, shape }) {
  const width = shape[shape.length - 1]
  return Array.from({ length: values.length / width }, (_, row) => {
    const own = Array.from(values.subarray(row * width, (row + 1) * width))
    return own.indexOf(Math.max(...own))
  })
}

/**
 * The scores of a head: logits, or those of the first and the last token of an answer.
 * @param {Library} gf @param {Outputs} outputs @returns {LibraryTensor} [B, labels], [B, T, labels] or [B, 2, T]
 */
function scoresOf(gf, { logits, startLogits, endLogits }) {
  if (logits) return logits
  const scores = gf.stack(/** @type {LibraryTensor[]} */ ([startLogits, endLogits]), { dim: 1 })
  gf.engine.trace?.tag('span_scores', scores)
  return scores
}

/**
 * The probabilities of the labels, and the loss, which is small where the model is sure of its answer. Where each label
 * is decided by itself, there is none.
 * @param {Library} gf @param {Opened} opened @param {Outputs} outputs
 * @returns {{ output: LibraryTensor, loss?: LibraryTensor, probabilities: LibraryTensor | null }}
 */
export function classify(gf, { model, config }, outputs) {
  const { kind, count } = model.head.description, scores = scoresOf(gf, outputs)
  /** @param {string} name @param {LibraryTensor} tensor */
  const tag = (name, tensor) => {
    gf.engine.trace?.tag(name, tensor)
    return tensor
  }
  if (kind === 'discriminator' || config.problem_type === 'multi_label_classification') {
    return { output: scores, probabilities: tag('probabilities', gf.functional.sigmoid(scores)) }
  }
  if (count === 1) return { output: scores, probabilities: null }
  const probabilities = tag('probabilities', gf.functional.softmax(scores, { dim: -1 }))
  const rows = scores.reshape(-1, scores.shape[scores.shape.length - 1])
  const loss = tag('loss', gf.functional.crossEntropy(rows, largestOf(scores)))
  return { output: scores, loss, probabilities }
}

/** The maximum number of labels that are named. */
const MAX_LABELS = 3

/**
 * The most probable span: its first and last position.
 * @param {ArrayLike<number>} start probabilities @param {ArrayLike<number>} end
 */
function findSpan(start, end) {
  let best = { first: 0, last: 0, probability: -1 }
  for (let last = 0, top = 0; last < end.length; last++) {
    // The best start up to this position.
    if (start[last] > start[top]) top = last
    const probability = start[top] * end[last]
    if (probability > best.probability) best = { first: top, last, probability }
  }
  return best
}

/**
 * The answer in words: the most probable labels, the label of each token, a span of the text, the replaced tokens.
 * @param {Opened} opened @param {string[]} tokens
 * @param {{ output: LibraryTensor, probabilities: LibraryTensor | null }} outputs
 * @returns {{ text: string, items: string[] }}
 */
export function describeAnswer(opened, tokens, { output, probabilities }) {
  const { kind } = opened.model.head.description, labels = labelsOf(opened) ?? []
  if (!probabilities) {
    const items = Array.from(output.values, value => formatFixed(value))
    return { text: items.join(' '), items }
  }
  const { values } = probabilities, T = tokens.length
  if (kind === 'question') {
    const { first, last, probability } = findSpan(values.subarray(0, T), values.subarray(T))
    const items = tokens.slice(first, last + 1)
    return { text: `${joinTokens(items)} (${formatProbability(probability)})`, items }
  }
  if (kind === 'discriminator') {
    const items = tokens.filter((_, i) => values[i] >= 1 / 2)
    return { text: items.join(' ') || '–', items }
  }
  const rows = largestOf(probabilities)
  if (kind === 'token') {
    const items = tokens.map((token, i) => `${token} ${labels[rows[i]]}`)
    return { text: items.join(', '), items }
  }
  const order = labels.map((_, id) => id).sort((a, b) => values[b] - values[a]).slice(0, MAX_LABELS)
  const items = order.map(id => `${labels[id]} ${formatProbability(values[id])}`)
  return { text: `${labels[order[0]]} (${formatProbability(values[order[0]])})`, items }
}
