/** What the opening shows of a run: the answer token by token, what each was chosen from, where the model looked. */

import { describedOf, matrixOf, tensorOf } from '../lib/run.js'
import { ranking } from '../lib/ranking.js'
import { valueAt } from '../lib/slice.js'

/** @import { Room } from '../types.d.ts' */

const MOST = 3

/** Where every head looks from one row: the last floor on which the decoder reads the encoder. */
function looksFrom(run, name, row) {
  const tensor = tensorOf(run, name)
  const [, heads, , width] = tensor.shape
  return Array.from({ length: heads }, (_, head) => (
    Array.from({ length: width }, (__, place) => valueAt(tensor, [0, head, row, place]))))
}

/** The largest share of all, with its head and place. */
function strongest(looks) {
  const all = looks.flatMap((row, head) => row.map((weight, place) => ({ head, place, weight })))
  return all.reduce((best, one) => (one.weight > best.weight ? one : best))
}

/**
 * @param {object} run of a model that reads and writes
 * @param {Room[]} rooms
 */
export function data(run, rooms) {
  const cross = rooms.findLast(({ stage }) => stage === 'cross')
  const last = rooms.findLast(({ stage }) => stage === 'decoding')
  const { rows } = run.decoding
  const { weights } = cross.parts
  const shares = matrixOf(run, last.parts.output, {})
  const { of } = describedOf(run, weights).axes[3]
  return {
    source: run.streams[of].tokens[0], cross: cross.id,
    steps: run.decoding.steps.map(({ id, token }, step) => {
      const row = shares.values.slice(rows[step] * shares.cols, (rows[step] + 1) * shares.cols)
      const looks = looksFrom(run, weights, rows[step])
      return {
        token, looks, best: strongest(looks),
        options: ranking(row).slice(0, MOST).map(word => (
          { token: shares.colLabels[word], share: row[word], isChosen: word === id }))
      }
    })
  }
}
