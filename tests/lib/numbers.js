// Repeatable numbers for tests, independent of the random numbers under test.
import { sizeOf } from '../../src/reference/tensor.js'

/** A generator of uniform numbers in [0, 1): splitmix32. */
function fractions(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32
  }
}

/** Roughly normal numbers around `shift`. Each is a float32, so that float32 and float64 code get the same inputs. */
export function numbers(shape, seed, { scale = 1, shift = 0 } = {}) {
  const next = fractions(seed)
  const spread = () => (next() + next() + next() - 1.5) * 2 * scale + shift
  return { shape: [...shape], data: Float64Array.from({ length: sizeOf(shape) }, () => Math.fround(spread())) }
}

/** Integers from 0 to `end` - 1. */
export function integers(shape, end, seed) {
  const next = fractions(seed)
  return {
    shape: [...shape],
    data: Array.from({ length: sizeOf(shape) }, () => Math.floor(next() * end)),
    dtype: 'int32'
  }
}

/** Booleans that are true with probability p. */
export function booleans(shape, p, seed) {
  const next = fractions(seed)
  return { shape: [...shape], data: Array.from({ length: sizeOf(shape) }, () => (next() < p ? 1 : 0)), dtype: 'bool' }
}

export const filled = (shape, value) => ({ shape: [...shape], data: new Float64Array(sizeOf(shape)).fill(value) })
