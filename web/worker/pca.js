/** Principal component analysis of the rows of a table; only the requested rows of a large vocabulary are read. */

import { principalAxes, projectRows } from '../../src/training/pca.js'

/** @import { Library, LibraryRun, PcaProjection } from '../types.d.ts' */

/**
 * The two principal axes of fewer rows than channels: weighted sums of the rows, from the eigenvectors of the smaller
 * matrix [N, N].
 * @param {Library} gf @param {any} table [N, C]
 */
function axesOfFew(gf, table) {
  const [, C] = table.shape, { matmul } = gf.functional
  const rows = table.sub(table.mean({ dim: 0, keepdim: true })), across = rows.permute(1, 0)
  /** @type {any[]} */ const axes = []
  for (const values of principalAxes(gf, matmul(rows, across))) {
    let along = matmul(across, gf.tensor(values, { shape: [values.length, 1] }))
    // Removes what rounding leaves of the first axis in the second.
    for (const axis of axes) along = along.sub(axis.mul(axis.mul(along).sum()))
    const length = along.mul(along).sum().sqrt().item()
    axes.push(length > 0 ? along.div(length) : gf.zeros([C, 1]))
  }
  return axes.map(axis => /** @type {Float32Array} */ (axis.values.slice()))
}

/**
 * @param {Library} gf @param {LibraryRun} run @param {{ name: string, rows: number[] | null }} request rows: null for
 *   all
 * @returns {PcaProjection}
 */
export const pca = (gf, run, { name, rows }) => gf.tidy(() => gf.noGrad(() => {
  const whole = run.tensor(name).detach(), table = rows ? gf.functional.embedding(rows, whole) : whole.to('float32')
  const [N, C] = table.shape
  return projectRows(gf, table, N < C ? axesOfFew(gf, table) : principalAxes(gf, table))
}))
