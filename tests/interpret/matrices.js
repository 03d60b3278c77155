// Matrices as arrays of rows in float64, for the references of gf.interpret's circuits.

/** The values of a tensor as rows. */
export const rowsOf = tensor => tensor.shape.length === 1 ? [tensor.toArray()] : tensor.toArray()

export const transpose = a => a[0].map((_, j) => a.map(row => row[j]))

export const multiply = (a, ...rest) => rest.reduce((left, b) => {
  const columns = transpose(b)
  return left.map(row => columns.map(column => row.reduce((sum, value, i) => sum + value * column[i], 0)))
}, a)

/** Σ of the squares, as a root. */
export const frobenius = a => Math.sqrt(a.flat().reduce((sum, value) => sum + value * value, 0))

/** Adds a row to every row. */
export const shift = (a, [row]) => a.map(own => own.map((value, i) => value + row[i]))

/** LayerNorm or RMSNorm of every row; without `eps` it does not divide and adds no bias. */
export function norm(rows, { weight, bias, eps, isCentered = true }) {
  return rows.map(row => {
    const mean = isCentered ? row.reduce((a, b) => a + b, 0) / row.length : 0, centered = row.map(v => v - mean)
    const scale = eps === undefined ? 1 : 1 / Math.sqrt(centered.reduce((sum, v) => sum + v * v, 0) / row.length + eps)
    return centered.map((v, i) => v * scale * weight[i] + (eps === undefined || !bias ? 0 : bias[i]))
  })
}

/** Rows of a weight [out, in] that belong to a head of a width. */
export const headRows = (weight, head, width) => weight.slice(head * width, (head + 1) * width)
