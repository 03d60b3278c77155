// Comparing tensors: shapes, then numbers, with a message that shows where the first differences are.
import assert from 'node:assert/strict'

/**
 * { shape, data } of a tensor, an array, a typed array or a number. Data is copied, since views of memory do not last.
 */
export function plain(value) {
  if (typeof value === 'number') return { shape: [], data: [value] }
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return { shape: [value.length], data: Array.from(value) }
  return { shape: Array.from(value.shape), data: Array.from(value.data) }
}

/** The multi-dimensional index of an element, from its index in row-major order. */
export function unravel(at, shape) {
  const index = []
  for (const extent of [...shape].reverse()) {
    index.unshift(at % extent)
    at = Math.floor(at / extent)
  }
  return index
}

function isClose(actual, expected, tolerance) {
  if (Number.isNaN(expected)) return Number.isNaN(actual)
  if (!Number.isFinite(expected)) return actual === expected
  return Math.abs(actual - expected) <= tolerance
}

const MAX_REPORTED = 5

/**
 * Asserts |actual - expected| <= tol + rtol * |expected| for every element, and that NaN and infinities are equal.
 * `tol` is a number, or one number for each element. With a tolerance of NaN every comparison fails.
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
    .slice(0, MAX_REPORTED)
    .map(
      i =>
        `  [${unravel(i, e.shape)}] ${a.data[i]} instead of ${e.data[i]}: off by ${Math.abs(a.data[i] - e.data[i])}, ` +
        `allowed ${tolerance(i)}`
    )
  assert.fail([`${name}: ${wrong.length} of ${e.data.length} values differ`, ...lines].join('\n'))
}

/** Asserts equal numbers, where 0 equals -0. */
export const assertSame = (actual, expected, name) => assertClose(actual, expected, { name })

/** Nested arrays of a plain tensor's values. */
export function nested({ shape, data }, convert = value => value) {
  const build = (axis, start, size) => {
    if (axis === shape.length) return convert(data[start])
    const step = size / (shape[axis] || 1)
    return Array.from({ length: shape[axis] }, (_, i) => build(axis + 1, start + i * step, step))
  }
  return build(0, 0, data.length)
}
