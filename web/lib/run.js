/** Reading a run: the names of its tokens and the matrices that are looked at again and again. */

import { slice } from './slice.js'

const PAD = '<pad>'
const idTensors = new WeakMap()

/** A tensor of the run by name; the ids are one too. */
export function tensorOf(run, name) {
  if (name !== 'ids') return run.tensors.get(name)
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

/** Columns per head. */
export const headSize = (run) => run.settings.dModel / run.settings.heads

/** One sentence of a [sentence, token, dim] tensor; with a head, only that head's columns. */
export function sentenceMatrix(run, name, sentence, head) {
  const size = headSize(run)
  const columns = head === undefined ? {} : { colStart: head * size, cols: size }
  const rowLabels = tokenLabels(run, sentence)
  return slice(tensorOf(run, name), { row: 1, col: 2, fixed: [sentence], rowLabels, ...columns })
}

/** One head of a [sentence, head, query, key] tensor. */
export function attentionMatrix(run, name, sentence, head) {
  const names = tokenLabels(run, sentence)
  return slice(tensorOf(run, name), { row: 2, col: 3, fixed: [sentence, head], rowLabels: names, colLabels: names })
}

/** A weight [out, in] as it stands in a product, one column per output. */
export function weightMatrix(run, name, start, count) {
  const outputs = Array.from({ length: count }, (_, i) => String(i))
  return slice(tensorOf(run, name), { row: 1, col: 0, colStart: start, cols: count, colLabels: outputs })
}

/** A bias [out] as one row below the weight it goes with. */
export function biasRow(run, name, start, count) {
  const outputs = Array.from({ length: count }, (_, i) => String(i))
  return slice(tensorOf(run, name), { col: 0, colStart: start, cols: count, rowLabels: ['b'], colLabels: outputs })
}
