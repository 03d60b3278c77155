/**
 * A table of embeddings in two dimensions: seen along the two directions in which its rows lie furthest apart, its
 * principal components. All sums and products are the kernels'.
 */

import { largest } from './tasks/model_options.js'

/** So often is a matrix squared: of directions whose variances differ by a thousandth the larger alone is left. */
const SQUARINGS = 14

/**
 * @typedef {object} Plane
 * @property {string} name of the table
 * @property {string[]} words of its rows
 * @property {Float32Array} x @property {Float32Array} y where each row lies
 * @property {number[]} shares how much of the variance lies along each of the two
 * @property {number} from the step at which they were found: the furthest yet, so that the picture turns for nobody who
 *   goes back
 */

/**
 * The direction of the largest variance. Squared again and again, a matrix without negative eigenvalues keeps the
 * direction of the largest one, which is then every column of it.
 * @param {any} gf @param {any} covariance [C, C] @param {number} size C
 */
function axisOf(gf, covariance, size) {
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
const centred = (gf, table) => table.detach().sub(table.detach().mean({ dim: 0, keepdim: true }))

/**
 * The two directions in which the rows of a table lie furthest apart. An axis has no sign of its own: rows stay on the
 * side on which they began.
 * @param {any} gf the library
 * @param {any} table [N, C]
 * @param {Float32Array[]} [begun] where they lay along the two before the first step
 * @returns {Float32Array[]} each of length C; zeros where all rows are alike
 */
export const axesOf = (gf, table, begun) => gf.tidy(() => gf.noGrad(() => {
  const { matmul } = gf.functional, [N, C] = table.shape
  const rows = centred(gf, table)
  let covariance = matmul(rows.permute(1, 0), rows)
  return [0, 1].map(n => {
    if (n >= C || !(covariance.mul(covariance).sum().item() > 0)) return new Float32Array(C)
    const axis = axisOf(gf, covariance, C)
    const across = axis.permute(1, 0)
    covariance = covariance.sub(matmul(axis, across).mul(matmul(matmul(across, covariance), axis)))
    const isTurned = begun && matmul(rows, axis).mul(gf.tensor(begun[n], { shape: [N, 1] })).sum().item() < 0
    return (isTurned ? axis.neg() : axis).values.slice()
  })
}))

/**
 * Where the rows of a table lie along two axes.
 * @param {any} gf the library @param {any} table [N, C] @param {Float32Array[]} axes
 * @returns {Pick<Plane, 'x' | 'y' | 'shares'>}
 */
export const planeOf = (gf, table, axes) => gf.tidy(() => gf.noGrad(() => {
  const rows = centred(gf, table), whole = rows.mul(rows).sum().item()
  const [one, other] = axes.map(values => {
    const at = gf.functional.matmul(rows, gf.tensor(values, { shape: [values.length, 1] }))
    return { at: at.values.slice(), share: whole > 0 ? at.mul(at).sum().item() / whole : 0 }
  })
  return { x: one.at, y: other.at, shares: [one.share, other.share] }
}))
