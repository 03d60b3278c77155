/**
 * Principal component analysis of an embedding table. All sums and products are computed by the kernels.
 */

import { largest } from './tasks/model_options.js'

/** Squarings of the matrix: of variances that differ by a thousandth only the larger one remains. */
const SQUARINGS = 14

/**
 * @typedef {object} Plane
 * @property {string} name of the table
 * @property {string[]} words the tokens of its rows
 * @property {Float32Array} x @property {Float32Array} y where each row lies
 * @property {number[]} variances the fraction of the variance along each axis
 * @property {number} from the step at which the axes were computed: the latest one reached, so that the picture does
 *   not rotate when the reader goes back
 */

/**
 * The first principal axis by power iteration: squared repeatedly, a positive semidefinite matrix converges to one
 * whose columns all have the direction of its largest eigenvalue.
 * @param {any} gf @param {any} covariance [C, C] @param {number} size C
 */
function firstAxis(gf, covariance, size) {
  let power = covariance
  for (let n = 0; n < SQUARINGS; n++) {
    power = power.div(power.mul(power).sum().sqrt())
    power = gf.functional.matmul(power, power)
  }
  const { values } = power
  const longest = largest(Float32Array.from({ length: size }, (_, i) => values[i * size + i]))
  const column = power.narrow(1, longest, 1)
  return column.div(column.mul(column).sum().sqrt())
}

/** @param {any} gf @param {any} table */
const centerRows = (gf, table) => table.detach().sub(table.detach().mean({ dim: 0, keepdim: true }))

/**
 * The first two principal axes of a table's rows. Signs are arbitrary, so they are chosen to keep rows on the side
 * where they started.
 * @param {any} gf the library
 * @param {any} table [N, C]
 * @param {Float32Array[]} [initial] the initial coordinates along the two axes
 * @returns {Float32Array[]} each of length C; zeros where all rows are equal
 */
export const principalAxes = (gf, table, initial) => gf.tidy(() => gf.noGrad(() => {
  const { matmul } = gf.functional, [N, C] = table.shape
  const rows = centerRows(gf, table)
  let covariance = matmul(rows.permute(1, 0), rows)
  return [0, 1].map(n => {
    if (n >= C || !(covariance.mul(covariance).sum().item() > 0)) return new Float32Array(C)
    const axis = firstAxis(gf, covariance, C)
    const transposed = axis.permute(1, 0)
    covariance = covariance.sub(matmul(axis, transposed).mul(matmul(matmul(transposed, covariance), axis)))
    const isFlipped = initial && matmul(rows, axis).mul(gf.tensor(initial[n], { shape: [N, 1] })).sum().item() < 0
    return (isFlipped ? axis.neg() : axis).values.slice()
  })
}))

/**
 * Projects the rows of a table on two axes.
 * @param {any} gf the library @param {any} table [N, C] @param {Float32Array[]} axes
 * @returns {Pick<Plane, 'x' | 'y' | 'variances'>}
 */
export const projectRows = (gf, table, axes) => gf.tidy(() => gf.noGrad(() => {
  const rows = centerRows(gf, table), whole = rows.mul(rows).sum().item()
  const [first, second] = axes.map(values => {
    const at = gf.functional.matmul(rows, gf.tensor(values, { shape: [values.length, 1] }))
    return { at: at.values.slice(), variance: whole > 0 ? at.mul(at).sum().item() / whole : 0 }
  })
  return { x: first.at, y: second.at, variances: [first.variance, second.variance] }
}))
