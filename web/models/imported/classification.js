/** What a model with a classification head answers: labels of the text or of its tokens, or a span of it. */

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

/** The labels of a model by id; null without a classification head. @param {Opened} opened @returns {string[] | null} */
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
    const own = values.subarray(row * width, (row + 1) * width)
    return own.indexOf(own.reduce((max, value) => Math.max(max, value), -Infinity))
  })
}

/**
 * The probabilities of the labels, and the loss, which is small where the model is sure of its answer. Where each label
 * is decided by itself, there is none.
 * @param {Library} gf @param {Opened} opened @param {Outputs} outputs
 * @returns {{ output: LibraryTensor, loss?: LibraryTensor }}
 */
export function classify(gf, { model, config }, { logits, startLogits, endLogits }) {
  const { kind, count } = model.head.description, { trace } = gf.engine
  if (kind === 'discriminator' || config.problem_type === 'multi_label_classification') {
    trace.tag('probabilities', gf.functional.sigmoid(logits))
    return { output: logits }
  }
  if (count === 1) return { output: logits }
  const scores = logits ?? gf.stack([startLogits, endLogits], { dim: 1 })
  if (!logits) trace.tag('span_scores', scores)
  trace.tag('probabilities', gf.functional.softmax(scores, { dim: -1 }))
  const loss = gf.functional.crossEntropy(scores.reshape(-1, scores.shape[scores.shape.length - 1]), largestOf(scores))
  trace.tag('loss', loss)
  return { output: scores, loss }
}
