import { describe, expect } from '../errors.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { Module } from '../nn/module.js'
import { indexSelect } from '../ops/gather.js'
import { narrow } from '../ops/narrow.js'
import { registerLibraryCode } from '../trace/intermediates.js'
import { ACTIVATIONS, readInteger } from './config.js'
import { meanOverTokens } from './pooling.js'

/**
 * Heads that classify: a label for a sequence, for every token, or the span of an answer.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./config.js').Config} Config
 * @typedef {import('./plan.js').Row} Row
 *
 * Where a family has the head of a kind, and what it computes: out_proj(norm(activation(dense(x)))), or out_proj(x).
 * @typedef {object} HeadForm
 * @property {string} out key of the last projection in the file
 * @property {string} [dense] key of the projection before it
 * @property {boolean} [hasDenseBias] true
 * @property {(x: Tensor) => Tensor} [activation] after dense; tanh
 * @property {{ key: string, eps: number, hasBias: boolean }} [norm] after the activation
 * @property {'first' | 'pooled' | 'last' | 'eos' | 'mean'} [pool] what a sequence is classified by: the first position,
 *   the pooler's output, the last token, the last end token, or the mean of all tokens; 'first'
 * @property {boolean} [hasBias] of the last projection; true
 * @property {string} [prefix] of the model's keys in the class with this head, where it is not the family's
 *
 * @typedef {'sequence' | 'token' | 'question' | 'discriminator'} HeadKind
 * @typedef {Partial<Record<HeadKind, HeadForm>>} HeadForms
 * @typedef {{ kind: HeadKind, form: HeadForm, architecture: string, count: number, labels: string[] | null,
 *   padTokenId: number | null, eosTokenId: number | null }} HeadDescription
 */

/** The kinds by the ends of Hugging Face's class names. @type {[RegExp, HeadKind][]} */
const KINDS = [
  [/ForSequenceClassification$/, 'sequence'], [/ForTokenClassification$/, 'token'], [/ForQuestionAnswering$/, 'question'],
  [/^ElectraForPreTraining$/, 'discriminator']
]

/** The labels by id. @param {Config} config @returns {string[] | null} */
function readLabels({ id2label }) {
  if (id2label === undefined || id2label === null) return null
  const ids = Object.keys(id2label).map(Number).sort((a, b) => a - b)
  expect(ids.length > 0 && ids.every((id, i) => id === i && typeof id2label[id] === 'string'), 'format',
    () => `config.json: id2label must have a label for each id from 0, got ${describe(id2label)}`)
  return ids.map(id => id2label[id])
}

/**
 * The head that the class in config.json has, or null for none of these kinds.
 * @param {Config} config @param {HeadForms | ((config: Config) => HeadForms)} [heads] of the family
 * @returns {HeadDescription | null}
 */
export function readHead(config, heads = {}) {
  const [architecture] = Array.isArray(config.architectures) ? config.architectures : []
  const [, kind] = KINDS.find(([pattern]) => pattern.test(String(architecture))) ?? []
  const form = kind && (typeof heads === 'function' ? heads(config) : heads)[kind]
  if (!form) return null
  const labels = kind === 'sequence' || kind === 'token' ? readLabels(config) : null
  const count = kind === 'question' ? 2 : kind === 'discriminator' ? 1 : labels?.length ?? readInteger(config, 'num_labels', 2)
  const { pad_token_id: pad, eos_token_id: eos } = config
  const idOf = (/** @type {unknown} */ id) => (Number.isInteger(id) ? Number(id) : null)
  const eosTokenId = idOf(Array.isArray(eos) ? eos[0] : eos)
  return { kind, form, architecture, count, labels, padTokenId: idOf(pad), eosTokenId }
}

/** Projections from hidden states to the scores of labels. */
export class Head extends Module {
  static inputNames = ['hidden']
  static runsSubmodules = true

  /**
   * @param {import('../engine/engine.js').Engine} engine
   * @param {number} channels
   * @param {HeadDescription} description
   */
  constructor(engine, channels, description) {
    super(engine)
    const { form, count } = description
    const { dense, hasDenseBias: bias = true, activation = ACTIVATIONS.tanh, norm, hasBias = true } = form
    this.description = description
    this.dense = dense ? new Linear(engine, channels, channels, { bias }) : null
    this.activation = activation
    this.norm = norm ? new LayerNorm(engine, channels, { eps: norm.eps, bias: norm.hasBias }) : null
    this.out_proj = new Linear(engine, channels, count, { bias: hasBias })
  }

  /** @param {Tensor} hidden [..., C] @returns {Tensor} [..., labels] */
  forward(hidden) {
    const x = this.dense ? this.tag('activation', this.activation(this.dense.forward(hidden))) : hidden
    return this.out_proj.forward(this.norm ? this.norm.forward(x) : x)
  }
}

registerLibraryCode(Head)

/**
 * The index of the position that a sequence is classified by.
 * @param {HeadDescription} description @param {ArrayLike<number>} row ids @returns {number}
 */
function pooledPosition({ form: { pool }, padTokenId, eosTokenId }, row) {
  const isLast = (/** @type {number} */ id) => (pool === 'eos' ? id === eosTokenId : id !== padTokenId)
  const found = Array.from(row).findLastIndex(isLast)
  expect(found >= 0 || pool !== 'eos', 'type', () => `ids must have the end token ${eosTokenId} in every sequence, which is classified by it`)
  return Math.max(0, found)
}

/**
 * What a model with a head returns.
 * @param {Head} head @param {Tensor} hidden [B, T, C] @param {Tensor} tokens [B, T]
 * @param {{ pooled?: Tensor, mask?: import('./model.js').AttentionMask | null }} [options] pooled: [B, C]
 * @returns {{ logits?: Tensor, startLogits?: Tensor, endLogits?: Tensor }} logits [B, labels] of sequences,
 *   [B, T, labels] of tokens, [B, T] of a discriminator; startLogits and endLogits [B, T] of answers
 */
export function applyHead(head, hidden, tokens, { pooled, mask = null } = {}) {
  const { description } = head, { kind, form: { pool = 'first' } } = description, [B, T, C] = hidden.shape
  if (kind === 'token') return { logits: head.forward(hidden) }
  if (kind === 'discriminator') return { logits: head.forward(hidden).reshape(B, T) }
  if (kind === 'question') {
    const scores = head.forward(hidden)
    const [startLogits, endLogits] = [0, 1].map(i => narrow(scores, 2, i, 1).reshape(B, T))
    return { startLogits, endLogits }
  }
  expect(T > 0, 'shape', () => `ids must have at least one token, which is classified, got ${B} × ${T}`)
  if (pool === 'pooled' && pooled) return { logits: head.forward(pooled) }
  if (pool === 'mean') return { logits: head.forward(meanOverTokens(hidden, mask)) }
  const positions = Array.from({ length: B }, (_, b) => b * T +
    (pool === 'first' ? 0 : pooledPosition(description, tokens.values.subarray(b * T, (b + 1) * T))))
  return { logits: head.forward(indexSelect(hidden.reshape(B * T, C), 0, positions)) }
}

/** The rows of a head. @param {HeadDescription} head @returns {Row[]} */
function headRows({ form: { dense, hasDenseBias = true, norm, out, hasBias = true } }) {
  const suffixes = (/** @type {boolean} */ bias) => (bias ? ['weight', 'bias'] : ['weight'])
  return [
    ...(dense ? suffixes(hasDenseBias).map(suffix => ({ key: `${dense}.${suffix}`, target: `head.dense.${suffix}` })) : []),
    ...(norm ? suffixes(norm.hasBias).map(suffix => ({ key: `${norm.key}.${suffix}`, target: `head.norm.${suffix}` })) : []),
    ...suffixes(hasBias).map(suffix => ({ key: `${out}.${suffix}`, target: `head.out_proj.${suffix}` }))
  ]
}

/**
 * All rows of a model's table, those of its head included.
 * @param {import('./index.js').Family} family @param {any} settings @param {Record<string, Tensor>} state
 * @returns {Row[]}
 */
export const rowsOf = (family, settings, state) =>
  [...family.rows(settings, state), ...(settings.head ? headRows(settings.head) : [])]

/**
 * How Hugging Face's class writes a model, with its head.
 * @param {import('./index.js').Family} family @param {any} settings @returns {import('./index.js').HuggingFaceForm}
 */
export function toHuggingFace(family, settings) {
  const form = family.toHuggingFace(settings), { head } = settings
  if (!head) return form
  const keys = new Set(headRows(head).map(({ key }) => key)), { prefix } = head.form
  const toKey = (/** @type {string} */ key) => (prefix === undefined ? form.toKey(key) : prefix + key)
  return { ...form, config: { architectures: [head.architecture] }, toKey: key => (keys.has(key) ? key : toKey(key)) }
}
