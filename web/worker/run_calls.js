/** Calls that read values of a run. */

import { copyValues } from '../models/float_rows.js'
import { thumbnailsOf } from '../lib/thumbnails.js'
import { extentOf, someRows } from './rows.js'
import { gradientsOf, readValuesWithPeaks } from './serialize_run.js'

/** @import { LibraryRun, QueryTypes } from '../types.d.ts' */

/** @typedef {{ session?: string, isTwin?: boolean }} Which a session, and whether its twin is meant */

/** @param {(which: Which) => { run: LibraryRun }} runOf the run that is meant */
export const runCalls = runOf => ({
  /** The steps of the last run. @param {Which} request */
  steps: ({ session }) => runOf({ session }).run.steps,
  /** The gradients of all tensors that have one. @param {Which & QueryTypes['gradients'][0]} request */
  gradients: ({ names, ...which }) => gradientsOf(runOf(which).run, names),
  /**
   * The values of tensors of the last run or its twin that were not sent with it.
   * @param {Which & { names: string[] }} request
   */
  read: ({ names, ...which }) => readValuesWithPeaks(runOf(which).run, names),
  /** A large tensor downsampled for thumbnails. @param {Which & QueryTypes['thumbnails'][0]} query */
  thumbnails({ name, ...which }) {
    const { run } = runOf(which), tensor = run.tensor(name)
    const values = tensor.dtype === 'float32' ? /** @type {Float32Array} */ (tensor.values) : copyValues(tensor)
    return { values: thumbnailsOf(run.describe(name), values), peak: extentOf(values, values.length).peak }
  },
  /** Some rows of a large table. @param {Which & QueryTypes['rows'][0]} request */
  rows: ({ name, rows, ...which }) => someRows(runOf(which).run, name, rows)
})
