/** Reading a run: the names of its tokens and the matrices that are looked at again and again. */

import { slice } from './slice.js'

const PAD = '<pad>'
const TOKEN_AXES = ['token', 'query', 'key']
/** Where the one attention block of the sentences lives, and what flows into it. */
const BLOCK = 'self_attn.'
const BLOCK_INPUT = 'dropout'
const idTensors = new WeakMap()

const knownAs = (run, name) => run.aliases?.get(name) ?? name

/** A tensor of the run by any of its names; the ids are one too. */
export function tensorOf(run, name) {
  if (name !== 'ids') return run.tensors.get(knownAs(run, name))
  if (!idTensors.has(run)) {
    const shape = [run.ids.length, run.ids[0].length]
    idTensors.set(run, { name, shape, axes: ['sentence', 'token'], data: Int32Array.from(run.ids.flat()) })
  }
  return idTensors.get(run)
}

/** The tokens of a sentence, filled up to the common length. */
export function tokenLabels(run, sentence) {
  return run.padding[sentence].map((pad, i) => (pad ? PAD : run.tokens[sentence][i]))
}

/** What stands along an axis of a tensor: tokens or words where there are some, else nothing. */
export function labelsOf(run, tensor, axis, sentence = 0) {
  const kind = tensor.along?.[axis]
  if (kind) return run.labels[kind]
  if (run.labels) return undefined
  if (TOKEN_AXES.includes(tensor.axes[axis])) return tokenLabels(run, sentence)
  return tensor.axes[axis] === 'word' ? run.vocab : undefined
}

/** Columns per head. */
export const headSize = (run) => run.settings.dModel / run.settings.heads

/** The stem of the names of an attention's tensors. @param {string} [place] */
export const attentionAt = (place) => (place ? `${place}.` : BLOCK)

/** What a tensor was computed from: the name of its input `x`, unless another is asked for. */
export const inputOf = (run, name, key = 'x') => run.inputs?.get(knownAs(run, name))?.[key] ?? BLOCK_INPUT

/**
 * The names of what comes before the first layer, in the block of the sentences or at one side of the translator.
 * @param {object} run
 * @param {'source' | 'target'} [place]
 */
export function entryNames(run, place) {
  if (!place) {
    return {
      table: 'embedding.weight', embedding: 'embedding', positions: 'positional_encoding', sum: 'sum',
      mask: 'dropout.mask', dropout: 'dropout'
    }
  }
  const second = place === 'target' ? ':2' : ''
  const [sum, dropout] = [`positions.sum${second}`, `positions.output${second}`]
  return {
    table: `${place}_embedding.weight`, embedding: `${place}_embedding.output`,
    positions: run.tensors.has('positions.weight') ? 'positions.weight' : 'positions.pe',
    sum: run.tensors.has(sum) ? sum : dropout, mask: `positions.dropout.mask${second}`, dropout
  }
}

/**
 * What a dropout takes, draws and gives; null where there is none.
 * @param {object} run
 * @param {string} [place] a side of the translator, a dropout inside a layer, or nothing in the block of the sentences
 * @param {string} [key] what its input goes by
 */
export function dropoutNames(run, place, key = 'x') {
  const isInside = place?.includes('.')
  const inside = { mask: `${place}.mask`, dropout: `${place}.output` }
  const { sum, mask, dropout } = isInside ? inside : entryNames(run, place)
  if (!tensorOf(run, dropout)) return null
  return { before: isInside ? inputOf(run, dropout, key) : sum, mask, after: dropout }
}

/** One sentence of a [sentence, token, dim] tensor; with a head, only that head's columns. */
export function sentenceMatrix(run, name, sentence = 0, head = undefined) {
  const tensor = tensorOf(run, name)
  const size = headSize(run)
  const columns = head === undefined ? { colLabels: labelsOf(run, tensor, 2) } : { colStart: head * size, cols: size }
  return slice(tensor, { row: 1, col: 2, fixed: [sentence], rowLabels: labelsOf(run, tensor, 1, sentence), ...columns })
}

/** The same turned on its side, as the right factor of a product has it. */
export function turnedMatrix(run, name, sentence = 0, head = undefined) {
  const tensor = tensorOf(run, name)
  const size = headSize(run)
  const rows = head === undefined ? {} : { rowStart: head * size, rows: size }
  return slice(tensor, { row: 2, col: 1, fixed: [sentence], colLabels: labelsOf(run, tensor, 1, sentence), ...rows })
}

/** One head of a [sentence, head, query, key] tensor. */
export function attentionMatrix(run, name, sentence = 0, head = 0) {
  const tensor = tensorOf(run, name)
  const [rowLabels, colLabels] = [2, 3].map((axis) => labelsOf(run, tensor, axis, sentence))
  return slice(tensor, { row: 2, col: 3, fixed: [sentence, head], rowLabels, colLabels })
}

/** A weight [out, in] as it stands in a product, one column per output. */
export function weightMatrix(run, name, start = 0, count = tensorOf(run, name).shape[0]) {
  const tensor = tensorOf(run, name)
  const outputs = labelsOf(run, tensor, 0) ?? Array.from({ length: count }, (_, i) => String(i))
  return slice(tensor, { row: 1, col: 0, colStart: start, cols: count, colLabels: outputs })
}

/** A bias [out] as one row below the weight it goes with. */
export function biasRow(run, name, start = 0, count = tensorOf(run, name).shape[0]) {
  return vectorRow(run, name, 'b', start, count)
}

/** A tensor of one axis as one row with a name. */
export function vectorRow(run, name, label, start = 0, count = tensorOf(run, name).shape[0]) {
  const tensor = tensorOf(run, name)
  const colLabels = labelsOf(run, tensor, 0) ?? Array.from({ length: count }, (_, i) => String(i))
  return slice(tensor, { col: 0, colStart: start, cols: count, rowLabels: [label], colLabels })
}
