/** Loads retained values of a run from the worker on demand. */

import { NotRetained, NotLoaded, storeTableRows } from '../lib/run.js'
import { cachePeak } from '../lib/slice.js'

/** @import { RunQuery, Context, KnownTensor, Run } from '../types.d.ts' */

/**
 * @param {object} page
 * @param {RunQuery} page.runQuery
 * @param {Context['run']} page.twin the twin of the run
 * @param {Context['reportError']} page.reportError
 * @param {() => unknown} page.rerender renders again when more values have arrived
 */
export function createValueLoader({ runQuery, twin, reportError, rerender }) {
  /** Tensors that have been requested and not yet received. @type {Set<KnownTensor>} */
  const pending = new Set()
  /** A run and its pictures share one structure. @param {Run} run */
  const isTwin = run => run.streams === twin()?.streams
  /** @param {Run} run @param {string[]} names */
  async function load(run, names) {
    const { values: loaded, peaks } = await runQuery('read', { names, isTwin: isTwin(run) })
    for (const [name, data] of loaded) {
      const tensor = run.tensors.get(name)
      if (tensor) tensor.data = data
      cachePeak(data, peaks.get(name) ?? 0)
    }
  }
  /** @param {Run} run @param {KnownTensor} tensor a placeholder for a large tensor */
  async function loadThumbnails(run, tensor) {
    const { values: data, peak } = await runQuery('thumbnails', { name: tensor.name, isTwin: isTwin(run) })
    tensor.data = data
    cachePeak(data, peak)
  }
  /** @param {Run} run @param {KnownTensor} tensor @param {number[]} rows */
  async function loadRows(run, tensor, rows) {
    storeTableRows(tensor, rows, await runQuery('rows', { name: tensor.name, rows, isTwin: isTwin(run) }))
  }
  return {
    /** Renders what it can, and the rest once its values arrive. @param {() => void} render */
    attempt(render) {
      try {
        render()
      } catch (error) {
        // Values that were not retained cannot be loaded; the room reports that itself.
        if (error instanceof NotRetained) return
        if (!(error instanceof NotLoaded)) return reportError(error)
        const { run, tensor, rows } = error
        if (pending.has(tensor)) return
        pending.add(tensor)
        const loading = rows ? loadRows(run, tensor, rows)
          : tensor.isThumbnail ? loadThumbnails(run, tensor) : load(run, [tensor.name])
        loading.finally(() => pending.delete(tensor)).then(rerender, reportError)
      }
    },
    /** A run with all of its retained values. @param {Run} run @returns {Promise<Run>} */
    async loadAll(run) {
      const tensors = new Map([...run.tensors].filter(([, { isKept }]) => isKept !== false))
      const names = [...tensors.values()].filter(({ data }) => !data).map(({ name }) => name)
      if (names.length) await load(run, names)
      return { ...run, tensors, steps: await runQuery('steps', {}) }
    }
  }
}
