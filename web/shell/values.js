/** Loads retained values of a run from the worker on demand. */

import { NotRetained, NotLoaded } from '../lib/run.js'
import { storePeak } from '../lib/slice.js'

/** @import { Ask, Context, KnownTensor, Run } from '../types.d.ts' */

/**
 * @param {object} page
 * @param {Ask} page.ask
 * @param {Context['run']} page.twin the twin of the run
 * @param {Context['fails']} page.fails
 * @param {() => unknown} page.again renders again when more values have arrived
 */
export function values({ ask, twin, fails, again }) {
  /** Tensors that have been requested and not yet received. @type {Set<KnownTensor>} */
  const awaited = new Set()
  /** A run and its pictures share one structure. @param {Run} run */
  const isTwin = run => run.streams === twin()?.streams
  /** @param {Run} run @param {string[]} names */
  async function bring(run, names) {
    const { values: loaded, peaks } = await ask('read', { names, isTwin: isTwin(run) })
    for (const [name, data] of loaded) {
      const tensor = run.tensors.get(name)
      if (tensor) tensor.data = data
      storePeak(data, peaks.get(name) ?? 0)
    }
  }
  /** @param {Run} run @param {KnownTensor} tensor a placeholder for a large tensor */
  async function bringStamps(run, tensor) {
    const { values: data, peak } = await ask('stamps', { name: tensor.name, isTwin: isTwin(run) })
    tensor.data = data
    storePeak(data, peak)
  }
  /** @param {Run} run @param {KnownTensor} tensor @param {number[]} rows */
  async function bringRows(run, tensor, rows) {
    const loaded = await ask('rows', { name: tensor.name, rows, isTwin: isTwin(run) }), [, cols] = tensor.shape
    const known = tensor.rows ??= new Map()
    rows.forEach((row, i) => known.set(row, loaded.rows.subarray(i * cols, (i + 1) * cols)))
    tensor.extent = loaded.extent
  }
  return {
    /** Renders what it can, and the rest once its values arrive. @param {() => void} act */
    attempt(act) {
      try {
        act()
      } catch (error) {
        // Values that were not retained cannot be loaded; the room reports that itself.
        if (error instanceof NotRetained) return
        if (!(error instanceof NotLoaded)) return fails(error)
        const { run, tensor, rows } = error
        if (awaited.has(tensor)) return
        awaited.add(tensor)
        const loading = rows ? bringRows(run, tensor, rows)
          : tensor.isStamp ? bringStamps(run, tensor) : bring(run, [tensor.name])
        loading.finally(() => awaited.delete(tensor)).then(again, fails)
      }
    },
    /** A run with all of its retained values. @param {Run} run @returns {Promise<Run>} */
    async whole(run) {
      const tensors = new Map([...run.tensors].filter(([, { isKept }]) => isKept !== false))
      const names = [...tensors.values()].filter(({ data }) => !data).map(({ name }) => name)
      if (names.length) await bring(run, names)
      return { ...run, tensors, steps: await ask('steps', {}) }
    }
  }
}
