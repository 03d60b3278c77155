/** The data of the opening: the answer token by token, the candidates of each step, and where the model attends. */

import { getDescription, sliceMatrix, getTensor } from '../lib/run.js'
import { rankIndices } from '../lib/ranking.js'
import { valueAt } from '../lib/slice.js'

/** @import { Decoding, Room, Run } from '../types.d.ts' */

const MAX_CANDIDATES = 3

/**
 * The attention of every head from one row, in the last layer in which the decoder reads the encoder.
 * @param {Run} run @param {string} name @param {number} row
 */
function looksFrom(run, name, row) {
  const tensor = getTensor(run, name)
  const [, heads, , width] = tensor.shape
  return Array.from({ length: heads }, (_, head) => (
    Array.from({ length: width }, (__, place) => valueAt(tensor, [0, head, row, place]))))
}

/** The largest weight of all heads, with its head and position. @param {number[][]} looks */
function strongest(looks) {
  const all = looks.flatMap((row, head) => row.map((weight, place) => ({ head, place, weight })))
  return all.reduce((best, one) => (one.weight > best.weight ? one : best))
}

/**
 * @param {Run} run of a model that reads and writes
 * @param {Room[]} rooms
 */
export function data(run, rooms) {
  const cross = /** @type {Room} */ (rooms.findLast(({ stage }) => stage === 'cross'))
  const last = /** @type {Room} */ (rooms.findLast(({ stage }) => stage === 'decoding'))
  const { rows, steps } = /** @type {Decoding} */ (run.decoding)
  const { weights } = cross.parts
  const shares = sliceMatrix(run, last.parts.output, {})
  const { of } = getDescription(run, weights).axes[3]
  return {
    source: run.streams[of ?? ''].tokens[0], cross: cross.id,
    steps: steps.map(({ id, token }, step) => {
      const row = shares.values.slice(rows[step] * shares.cols, (rows[step] + 1) * shares.cols)
      const looks = looksFrom(run, weights, rows[step])
      return {
        token, looks, best: strongest(looks),
        options: rankIndices(row).slice(0, MAX_CANDIDATES).map(word => (
          { token: shares.colLabels[word], share: row[word], isChosen: word === id }))
      }
    })
  }
}
