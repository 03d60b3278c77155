/** Values of a run that the worker has kept: fetched when something is to be shown that needs them. */

import { Unkept, Unread } from '../lib/run.js'
import { knowPeak } from '../lib/slice.js'

/** @import { Ask, Context, KnownTensor, Run } from '../types.d.ts' */

/**
 * @param {object} page
 * @param {Ask} page.ask
 * @param {Context['run']} page.twin what the run is compared with
 * @param {Context['fails']} page.fails
 * @param {() => unknown} page.again shows once more, now that there is more to show
 */
export function values({ ask, twin, fails, again }) {
  /** What has been asked for and is not here yet. @type {Set<KnownTensor>} */
  const awaited = new Set()
  /** A run and its pictures have one structure. @param {Run} run */
  const isTwin = run => run.streams === twin()?.streams
  /** @param {Run} run @param {string[]} names */
  async function bring(run, names) {
    const { values: found, peaks } = await ask('read', { names, isTwin: isTwin(run) })
    for (const [name, data] of found) {
      const tensor = run.tensors.get(name)
      if (tensor) tensor.data = data
      knowPeak(data, peaks.get(name) ?? 0)
    }
  }
  /** @param {Run} run @param {KnownTensor} tensor what stands for a large one */
  async function bringStamps(run, tensor) {
    const { values: data, peak } = await ask('stamps', { name: tensor.name, isTwin: isTwin(run) })
    tensor.data = data
    knowPeak(data, peak)
  }
  /** @param {Run} run @param {KnownTensor} tensor @param {number[]} rows */
  async function bringRows(run, tensor, rows) {
    const found = await ask('rows', { name: tensor.name, rows, isTwin: isTwin(run) }), [, cols] = tensor.shape
    const known = tensor.rows ??= new Map()
    rows.forEach((row, i) => known.set(row, found.rows.subarray(i * cols, (i + 1) * cols)))
    tensor.extent = found.extent
  }
  return {
    /** Shows what can be shown, and the rest when its values are here. @param {() => void} act */
    attempt(act) {
      try {
        act()
      } catch (error) {
        // What the run has left out nobody can bring; the room that wants it says so.
        if (error instanceof Unkept) return
        if (!(error instanceof Unread)) return fails(error)
        const { run, tensor, rows } = error
        if (awaited.has(tensor)) return
        awaited.add(tensor)
        const brought = rows ? bringRows(run, tensor, rows)
          : tensor.isStamp ? bringStamps(run, tensor) : bring(run, [tensor.name])
        brought.finally(() => awaited.delete(tensor)).then(again, fails)
      }
    },
    /** A run with all the values it has kept. @param {Run} run @returns {Promise<Run>} */
    async whole(run) {
      const tensors = new Map([...run.tensors].filter(([, { isKept }]) => isKept !== false))
      const names = [...tensors.values()].filter(({ data }) => !data).map(({ name }) => name)
      if (names.length) await bring(run, names)
      return { ...run, tensors, steps: await ask('steps', {}) }
    }
  }
}
