// Comparing tensors: shapes, then numbers, with a message that shows where the first differences are.
import assert from 'node:assert/strict'

/** { shape, data } of a tensor, an array, a typed array or a number. A tensor's data is copied: views do not last. */
export function plain(value) {
  if (typeof value === 'number') return { shape: [], data: [value] }
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return { shape: [value.length], data: Array.from(value) }
  return { shape: Array.from(value.shape), data: Array.from(value.data) }
}

/** The multi-dimensional index of a place in row-major order. */
export function unravel(place, shape) {
  const index = []
  for (const extent of [...shape].reverse()) {
    index.unshift(place % extent)
    place = Math.floor(place / extent)
  }
  return index
}

function isClose(actual, expected, tolerance) {
  if (Number.isNaN(expected)) return Number.isNaN(actual)
  if (!Number.isFinite(expected)) return actual === expected
  return Math.abs(actual - expected) <= tolerance
}

const SHOWN = 5

/**
 * |actual - expected| <= tol + rtol * |expected| everywhere; NaN and infinities in the same places.
 * `tol` is a number, or one number for each element. A tolerance that is NaN lets nothing pass.
 */
export function assertClose(actual, expected, { tol = 0, rtol = 0, name = 'values' } = {}) {
  const a = plain(actual)
  const e = plain(expected)
  assert.deepEqual(a.shape, e.shape, `${name}: shape`)
  assert.equal(a.data.length, e.data.length, `${name}: number of values`)
  const tolerance = i => (typeof tol === 'number' ? tol : tol[i]) + rtol * Math.abs(e.data[i])
  const wrong = e.data.flatMap((value, i) => (isClose(a.data[i], value, tolerance(i)) ? [] : [i]))
  if (!wrong.length) return
  const lines = wrong
    .slice(0, SHOWN)
    .map(
      i =>
        `  [${unravel(i, e.shape)}] ${a.data[i]} instead of ${e.data[i]}: off by ${Math.abs(a.data[i] - e.data[i])}, ` +
        `allowed ${tolerance(i)}`
    )
  assert.fail([`${name}: ${wrong.length} of ${e.data.length} values differ`, ...lines].join('\n'))
}

/** The very same numbers (0 and -0 count as one). */
export const assertSame = (actual, expected, name) => assertClose(actual, expected, { name })

/** Nested arrays from a flat tensor, for the parts of the library that take nested arrays. */
export function nested({ shape, data }, convert = value => value) {
  const build = (axis, start, size) => {
    if (axis === shape.length) return convert(data[start])
    const step = size / (shape[axis] || 1)
    return Array.from({ length: shape[axis] }, (_, i) => build(axis + 1, start + i * step, step))
  }
  return build(0, 0, data.length)
}
